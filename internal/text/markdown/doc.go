// Package markdown reads the structure of a Markdown document: headings,
// paragraphs cut into sentences, lists, tables, code, links.
//
// Documents are untrusted: for 64 KiB of "*a_ " goldmark takes seconds. Here time and
// memory are linear in the length of the document. What is read in another way than
// goldmark on purpose is named in testdata/commonmark.txt, each with its reason.
package markdown

// Kind is what a line of a document is.
type Kind uint8

// The kinds of lines.
const (
	Heading  Kind = iota // "# Title", an underlined title, or bold text that stands alone as a paragraph
	Sentence             // one sentence of a paragraph
	Item                 // one sentence of a list item
	Row                  // one row of a table, the header row included
	Code                 // a code block
)

// Doc is a Markdown document with its structure. It is immutable; all methods may be
// called concurrently.
type Doc struct {
	Source   string
	Lines    []Line
	Sections []Section // Sections[0] is what stands before the first heading
	Tables   []Table
	Code     []CodeBlock
	Links    []Link // inline links, images, and addresses
	// Highlights is what is emphasised with stars or underscores, in the order of the
	// paragraphs and in these of where it ends.
	Highlights []string
}

// Line is a piece of a document that can be pointed at: a heading, a sentence, a
// table row or a block of code.
type Line struct {
	Kind Kind
	// Text is the line without inline markup. The cells of a row are joined by " | ".
	// Code keeps its line breaks.
	Text  string
	No    int  // source line on which it begins, from 1
	Item  int  // of a sentence of an item, the line that begins the item
	Block int  // numbers the paragraph, item, table, heading or code block that it belongs to
	Level int  // of a heading, 1 to 6, and 7 for bold text alone; how deep an item is nested, from 0
	Mark  byte // of a line that begins an item: its bullet, or the mark behind its number; else 0

	InlineCode []Span // parts of Text that were written as code, in order and apart
	Struck     bool   // something in its paragraph, item or row is struck through (~~x~~)
}

// Span is a part of a line's Text, from a byte to the one before another.
type Span struct{ From, To int }

// Section is a heading with what stands under it.
type Section struct {
	Title    string
	Level    int // 0 for what stands before the first heading
	From, To int // its text without the heading, subsections included, is Source[From:To]

	up int // enclosing section, -1 for Sections[0]
}

// Table is a table with a header row. Cells are free of inline markup.
type Table struct {
	Header []string
	Rows   [][]string // as long as written, at most len(Header) cells each
	RowNos []int      // source line of each of Rows, from 1
	Line   int        // line of the header row; the rows' lines follow it
}

// CodeBlock is a fenced or indented block of code. Its JSON names, and those of a
// [Link], are what checks call the fields.
type CodeBlock struct {
	Lang string `json:"lang"` // first word behind the fence, lower case
	Body string `json:"body"` // without the indent of the block and white space at its end
}

// Link is a link, an image or an address.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Parse reads a Markdown document. It never fails: what is not markup is text.
func Parse(source string) *Doc {
	doc := &Doc{Source: source, Lines: make([]Line, 0, 4+len(source)/50)}
	doc.Sections = append(make([]Section, 0, 2+len(source)/256), Section{up: -1})
	s := scanner{t: doc, inline: stripper{doc: doc}, item: -1}
	s.run()
	return doc
}
