package markdown

import "strings"

// scanner reads the blocks of a document, one source line at a time. This file
// has the blocks that hold others: quotes, lists and their items.
type scanner struct {
	t      *Doc
	inline stripper

	no    int // source line in hand, 1-based
	at    int // its offset in the source
	next  int // offset of the line behind it, or behind the code that begins with it
	block int

	para   []piece // lines of the paragraph or item in hand
	item   int     // line of the item that para belongs to, -1 for a paragraph
	quotes int     // how many quotes para stands in

	items   []openItem // enclosing items, outermost first
	inTable bool       // the last line was a row of the last table
	comment bool       // the last line ended inside a comment
}

func (s *scanner) run() {
	src := s.t.Source
	for s.at < len(src) {
		line, next := nextLine(src, s.at)
		s.no, s.next = s.no+1, next
		s.line(line)
		s.at = s.next
	}
	s.endParagraph()
	s.closeSections(0, len(src))
}

// nextLine gives the line at offset at, without its end, and the offset of
// the one after it.
func nextLine(src string, at int) (string, int) {
	if j := strings.IndexByte(src[at:], '\n'); j >= 0 {
		return strings.TrimSuffix(src[at:at+j], "\r"), at + j + 1
	}
	return src[at:], len(src)
}

// maxMarks is how many list marks a line may begin with, as in "- 1. text".
const maxMarks = 16

// line takes one source line.
func (s *scanner) line(line string) {
	indent, text := indentOf(line, 0)
	if s.comment || strings.HasPrefix(text, "<!--") {
		_, rest, ended := strings.Cut(text, "-->")
		s.comment = !ended
		if text = strings.TrimSpace(rest); text == "" {
			return
		}
	}
	hard := strings.HasSuffix(line, "  ")
	quotes, inTable := 0, s.inTable
	s.inTable = false
	for range maxMarks {
		for strings.HasPrefix(text, ">") && indent < s.codeColumn() {
			if quotes >= s.quotes { // a quote begins
				s.endParagraph()
				s.outdent(indent)
				inTable = false
			}
			indent, text = quoted(indent, text)
			quotes++
		}
		if text == "" {
			s.endParagraph()
			break
		}
		m, ok := s.itemAt(indent, text)
		if !ok {
			if s.quotes < quotes || len(s.para) == 0 { // a paragraph that goes on stays in its quotes
				s.quotes = quotes
			}
			s.leaf(indent, text, hard, inTable)
			return
		}
		s.endParagraph()
		s.listItem(indent, m)
		inTable = false
		indent, text = indent+m.width, m.rest
	}
	s.quotes = quotes
	if text != "" {
		s.take(text, hard)
	}
}

// quoted takes the mark of a quote off a line. A quote is read as if it were
// not quoted: the text behind the mark moves to the place of the mark.
func quoted(indent int, text string) (int, string) {
	in, text := indentOf(text[1:], indent+1)
	return indent + max(0, in-1), text
}

// openItem is an item that lines may still belong to.
type openItem struct {
	indent  int // of its mark
	content int // indent of its text
	line    int // its first line
}

// nesting is how many columns behind the mark of an item stands what belongs to it:
// people indent by two below numbers as well.
const nesting = 2

// outdent ends the items that what stands in this column does not belong to.
func (s *scanner) outdent(indent int) {
	for n := len(s.items); n > 0 && indent < s.items[n-1].indent+nesting; n-- {
		s.items = s.items[:n-1]
	}
}

// codeColumn is the column in which indented code of the item in hand begins.
func (s *scanner) codeColumn() int {
	if n := len(s.items); n > 0 {
		return s.items[n-1].content + 4
	}
	return 4
}

// itemAt reads the mark of an item. In the middle of a paragraph "2024. That
// was" and a lone "-" are text.
func (s *scanner) itemAt(indent int, text string) (marker, bool) {
	inList, inParagraph := len(s.items) > 0, len(s.para) > 0
	if indent >= 4 && !inList && !inParagraph || isRule(text) {
		return marker{}, false
	}
	m, ok := markerOf(text)
	return m, ok && (inList || !inParagraph || m.rest != "" && !m.counts)
}

// listItem begins an item.
func (s *scanner) listItem(indent int, m marker) {
	s.outdent(indent)
	s.item = len(s.t.Lines)
	s.t.Lines = append(s.t.Lines, Line{Kind: Item, No: s.no, Item: s.item, Block: s.block, Level: len(s.items), Mark: m.kind})
	s.items = append(s.items, openItem{indent: indent, content: indent + m.width, line: s.item})
}

// marker is the beginning of a list item.
type marker struct {
	kind   byte // the bullet, or the mark behind the number
	counts bool // from another number than 1
	rest   string
	width  int // columns from the mark to the text
}

func markerOf(text string) (m marker, ok bool) {
	n := 1
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
		m.kind = c
	case strings.HasPrefix(text, "•"):
		m.kind, n = '-', len("•")
	case isDigit(c):
		for n < len(text) && n < 9 && isDigit(text[n]) {
			n++
		}
		if n == len(text) || text[n] != '.' && text[n] != ')' {
			return m, false
		}
		m.kind, m.counts = text[n], text[:n] != "1"
		n++
	default:
		return m, false
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return m, false
	}
	gap, rest := indentOf(text[n:], 0)
	m.width = n + gap
	if gap > 4 || rest == "" { // code, or nothing
		m.width = n + 1
	}
	if len(rest) >= 3 && rest[0] == '[' && strings.IndexByte(" xX", rest[1]) >= 0 && rest[2] == ']' && (len(rest) == 3 || rest[3] == ' ') {
		rest = strings.TrimSpace(rest[3:]) // a box
	}
	m.rest = rest
	return m, true
}

// indentOf splits a line that begins in column from into the width of its indent, with
// tabs of four columns, and its text without spaces at either end.
func indentOf(line string, from int) (int, string) {
	col, i := from, 0
	for ; i < len(line) && (line[i] == ' ' || line[i] == '\t'); i++ {
		if col++; line[i] == '\t' {
			col = (col + 3) &^ 3
		}
	}
	return col - from, strings.TrimSpace(line[i:])
}
