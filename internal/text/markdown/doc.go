// Package markdown reads the structure of a Markdown document: headings,
// paragraphs cut into sentences, lists, tables, code, links.
//
// The scanner is ours, because documents are untrusted: for 256 KiB of "*a_ "
// goldmark takes 12 s or more, where the scanner takes 25 ms, and other parsers
// take quadratic time or memory on nested quotes, link definitions and wide
// tables. Here time and memory are linear in the length of the document,
// whatever it holds.
//
// TestCommonMark compares the scanner with goldmark on a corpus of small
// documents. What the scanner reads in another way on purpose is named at the
// head of that corpus, testdata/commonmark.txt, each with its reason. The most
// important: a quote is read as if it were not quoted, raw HTML blocks are
// text, an item nests two columns behind the mark of its parent, and a
// paragraph that is nothing but bold text is a heading.
package markdown

import "strings"

// Kind is what a line of a document is.
type Kind uint8

// The kinds of lines.
const (
	// Heading is a heading: "# Title", an underlined title, or a paragraph
	// that is nothing but bold text.
	Heading Kind = iota
	// Sentence is one sentence of a paragraph.
	Sentence
	// Item is one sentence of a list item.
	Item
	// Row is one row of a table, the header row included.
	Row
	// Code is up to four successive lines of a code block.
	Code
)

func (k Kind) String() string {
	return [...]string{"heading", "sentence", "item", "row", "code"}[k]
}

// Doc is a Markdown document with its structure. It is immutable; all methods may be
// called concurrently.
type Doc struct {
	Source   string
	Lines    []Line
	Sections []Section // Sections[0] is what stands before the first heading
	Tables   []Table
	Lists    []List
	Code     []CodeBlock
	Links    []Link
	// Highlights is what is emphasised with stars or underscores, without
	// markup, in the order of the paragraphs and in these of where it ends.
	Highlights []string
}

// Line is the smallest piece of a document that can be pointed at: a heading,
// a sentence, a table row or a few lines of code. Indices are into the slices
// of its Doc.
type Line struct {
	Kind Kind
	// Text is the line as written without inline markup: no emphasis marks,
	// backticks or link targets. The cells of a row are joined by " | ". Code
	// keeps its line breaks.
	Text string
	// No is the 1-based source line on which it begins.
	No      int
	Section int
	// Parent is the line that this one stands under: the enclosing item of a
	// nested item, the first sentence of the same item for the others, and
	// otherwise the lead-in, which is a sentence that ends in a colon just
	// before. -1 if there is none.
	Parent int
	// Header is the header row of a body row, otherwise -1.
	Header int
	// Block numbers the paragraph, item, table, heading or code block that
	// the line belongs to.
	Block int
	// Level is a heading's level (1 to 6; 7 for bold text alone) or an item's
	// depth (0 is outermost).
	Level int

	// InlineCode are the parts of Text that were written as inline code, and
	// Struck those that were struck through (~~x~~), both in order and apart.
	InlineCode []Span
	Struck     []Span
	// Nav: it is an entry of a table of contents.
	Nav bool
}

// Span is a part of a line's Text, from a byte to the one before another.
type Span struct{ From, To int }

// Section is a heading with the lines under it.
type Section struct {
	Title   string
	Level   int // 0 for what stands before the first heading
	Heading int // line of the heading, -1 for Sections[0]
	Up      int // enclosing section, -1 for Sections[0]
	First   int // its own lines, its heading among them, are Lines[First:Last]
	Last    int
	From    int // its text without the heading, subsections included, is Source[From:To]
	To      int
}

// Table is a table with a header row. Cells are free of inline markup.
type Table struct {
	Header []string
	Rows   [][]string // as long as written, at most len(Header) cells each
	RowNos []int      // 1-based source line of each of Rows
	Line   int        // line of the header row; the rows' lines follow it
}

// List is a run of sibling items. A nested list is a List of its own.
type List struct {
	Items   []ListItem
	Ordered bool
}

// ListItem is one item without the lists nested in it.
type ListItem struct {
	Line    int   // of its first sentence
	Number  int   // the number written before an ordered item
	Checked *bool // nil if the item has no box
}

// CodeBlock is a fenced or indented block of code.
type CodeBlock struct {
	Lang string // first word behind the fence, lower case
	Body string // without the indent of the block
}

// Link is a link, an image or an address.
type Link struct {
	Text, URL string
	Image     bool
}

// Parse reads a Markdown document. It never fails: what is not markup is text.
func Parse(source string) *Doc {
	refs := map[string]string{}
	if strings.Contains(source, "]:") { // definitions may stand behind the links that name them
		scan(source, refs)
	}
	return scan(source, refs)
}

func scan(source string, refs map[string]string) *Doc {
	s := scanner{t: &Doc{Source: source}, lead: -1, strip: stripper{refs: refs}}
	s.t.Sections = append(make([]Section, 0, 2+len(source)/256), Section{Heading: -1, Up: -1})
	s.t.Lines = make([]Line, 0, 4+len(source)/50)
	s.run()
	return s.t
}
