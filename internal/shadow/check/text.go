package check

import (
	"sync"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

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

// Text is an analysed Markdown document. It is immutable; all methods may be
// called concurrently.
type Text struct {
	Source   string
	Lines    []Line
	Sections []Section // Sections[0] is what stands before the first heading
	Tables   []Table
	Lists    []List
	Code     []CodeBlock
	Links    []Link
	Doc      *markdown.Doc

	// What is made when first asked for.
	reading  sync.Once
	index    *index // for reads and near
	counting sync.Once
	figures  *figures // for states
	wording  sync.Once
	words    []string
	lowering sync.Once
	low      string
	folding  sync.Once
	folded   string // for count, occurrences and mentions
	telling  sync.Once
	language string
}

// Line is the smallest piece of a document that can be pointed at: a heading,
// a sentence, a table row or a few lines of code. Indices are into the slices
// of its Text.
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

	code  []span // parts of Text that were written as inline code
	fence int    // index in Text.Code of the block that a line of code is from
	nav   bool   // an entry of a table of contents
}

type span struct{ from, to int }

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
	Header  []string
	Rows    [][]string // as long as written, at most len(Header) cells each
	No      int        // 1-based source line of the header row
	RowNos  []int      // 1-based source line of each of Rows
	Section int
	LeadIn  int // last line of the paragraph or item just before, -1 if none
	Line    int // line of the header row; the rows' lines follow it
}

// List is a run of sibling items. A nested list is a List of its own.
type List struct {
	Items   []ListItem
	Ordered bool
	Level   int // 0 is outermost
	Section int
	LeadIn  int // enclosing item, or last line of the paragraph just before, -1 if none
}

// ListItem is one item without the lists nested in it.
type ListItem struct {
	Text    string // its first paragraph, without inline markup
	No      int    // 1-based source line
	Line    int
	Level   int
	Ordered bool
	Number  int   // the number written before an ordered item
	Checked *bool // nil if the item has no box
}

// CodeBlock is a fenced or indented block of code.
type CodeBlock struct {
	Lang    string // first word behind the fence, lower case
	Body    string
	No      int // 1-based source line of the fence, or of the first line
	Section int
	LeadIn  int // enclosing item, or last line of the paragraph just before, -1 if none
}

// Link is a link or an image.
type Link struct {
	Text, URL string
	Image     bool
	No        int
}

// Analyse reads a Markdown document. It never fails: what is not markup is
// text. Time and memory are linear in the length of the document.
//
// The block structure is read by a scanner of its own rather than by a
// CommonMark parser, because documents are untrusted: the parsers tried take
// quadratic time or memory on nested quotes, link definitions and wide
// tables. What is left out for that is nesting inside block quotes (a quote
// is read as if it were not quoted) and raw HTML blocks.
func Analyse(source string) *Text {
	s := scanner{t: &Text{Source: source, Doc: markdown.Parse(source)}, lead: -1, header: -1}
	s.t.Sections = append(make([]Section, 0, 16), Section{Heading: -1, Up: -1})
	s.t.Lines = make([]Line, 0, 16+len(source)/60)
	s.run()
	return s.t
}
