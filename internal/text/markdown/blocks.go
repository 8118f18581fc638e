package markdown

import (
	"strings"
	"unicode/utf8"
)

// scanner reads the block structure of a document, one source line at a time.
type scanner struct {
	t     *Doc
	strip stripper

	no    int // source line in hand, 1-based
	at    int // its offset in the source
	block int

	para []piece // lines of the paragraph or item in hand
	item int     // index of the item that para belongs to, -1 for a paragraph
	lead int     // last line of the paragraph just before, if it ends in a colon, else -1

	items []openItem // enclosing items, outermost first

	inTable bool // the last line was a row of the last table
	comment bool
	quotes  int // how many quotes the paragraph in hand stands in
}

func (s *scanner) run() {
	src := s.t.Source
	s.item = -1
	s.frontMatter()
	for s.at < len(src) {
		line, next := nextLine(src, s.at)
		s.no++
		if skip := s.line(line, next); skip > next {
			next = skip
		}
		s.at = next
	}
	s.endParagraph()
	s.closeSections(0, len(src))
	s.t.Sections[len(s.t.Sections)-1].Last = len(s.t.Lines)
}

// nextLine gives the line at offset at, without its end, and the offset of
// the one after it.
func nextLine(src string, at int) (string, int) {
	if j := strings.IndexByte(src[at:], '\n'); j >= 0 {
		return strings.TrimSuffix(src[at:at+j], "\r"), at + j + 1
	}
	return src[at:], len(src)
}

// frontMatter takes a block of YAML between two lines "---" at the very
// beginning.
func (s *scanner) frontMatter() {
	src := s.t.Source
	first, at := nextLine(src, 0)
	if first != "---" {
		return
	}
	for no, from := 2, at; at < len(src); no++ {
		line, next := nextLine(src, at)
		if line == "---" {
			s.addCode("yaml", src[from:at], 2)
			s.no, s.at = no, next
			return
		}
		if line == "" {
			return
		}
		at = next
	}
}

// line takes one source line. A block of code is taken as a whole: then the
// result is the offset behind it.
func (s *scanner) line(line string, next int) int {
	indent, text := indentOf(line, 0)
	if s.comment || strings.HasPrefix(text, "<!--") {
		_, rest, ended := strings.Cut(text, "-->")
		s.comment = !ended
		if text = strings.TrimSpace(rest); text == "" {
			return next
		}
	}
	hard := strings.HasSuffix(line, "  ")
	quotes, inTable := 0, s.inTable
	s.inTable = false
	for range maxMarks {
		for strings.HasPrefix(text, ">") && !s.isCode(indent) {
			if quotes >= s.quotes { // a quote begins
				s.endParagraph()
				s.leaveItems(indent, quotes)
				inTable = false
			}
			indent, text = quoted(indent, text)
			quotes++
		}
		if text == "" {
			s.endParagraph()
			s.leaveQuotes(quotes)
			break
		}
		if len(s.para) == 0 && s.item < 0 {
			s.leaveQuotes(quotes)
		}
		m, ok := s.itemAt(indent, text)
		if !ok {
			if s.quotes < quotes || len(s.para) == 0 { // a paragraph that goes on stays in its quotes
				s.quotes = quotes
			}
			return s.plainLine(indent, text, hard, inTable, next)
		}
		s.endParagraph()
		s.leaveQuotes(quotes)
		s.listItem(indent, quotes, m)
		inTable = false
		if m.checked != nil {
			s.quotes = quotes
			s.take(m.rest, hard)
			return next
		}
		indent, text = indent+m.width, m.rest
	}
	s.quotes = quotes
	if text != "" {
		s.take(text, hard)
	}
	return next
}

// maxMarks is how many list marks a line may begin with, as in "- 1. text".
const maxMarks = 16

// plainLine takes a line that begins no item.
func (s *scanner) plainLine(indent int, text string, hard, inTable bool, next int) int {
	open := len(s.para) > 0
	if fence := fenceOf(text); fence > 0 && !s.isCode(indent) {
		return s.fenced(text, indent, fence, next)
	}
	if indent >= 4 && !open && len(s.items) == 0 {
		return s.indented(4, next)
	}
	if level, title := headingOf(text); level > 0 && !s.isCode(indent) {
		s.endParagraph()
		s.headingLine(s.stripped(title), level, s.no, next)
		return next
	}
	if s.underline(text, next) || isRule(text) {
		s.endParagraph()
		s.outdent(indent)
		s.lead = -1
		return next
	}
	if inTable && s.row(text) || isDelimiterRow(text) && s.header(indent, text) {
		s.inTable = true
		return next
	}
	if !open && s.item < 0 {
		s.outdent(indent)
	}
	if len(s.items) > 0 && !open && s.item < 0 && s.isCode(indent) {
		return s.indented(s.content()+4, next)
	}
	s.take(text, hard)
	return next
}

// above is the line that introduces the next block and so is its parent: the
// item that it stands in, or a paragraph that ends in a colon; -1 if none.
func (s *scanner) above() int {
	if n := len(s.items); n > 0 {
		return s.items[n-1].line
	}
	return s.lead
}

// isRule tells whether text is a thematic break.
func isRule(text string) bool {
	return strings.IndexByte("-*_", text[0]) >= 0 && strings.Count(text, text[:1]) >= 3 && strings.Trim(text, text[:1]+" \t") == ""
}

// indentOf splits a line that begins in column from into the width of its
// indent and its text without spaces at either end. A tab reaches to the next
// column that four divides.
func indentOf(line string, from int) (int, string) {
	col, i := from, 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		if col++; line[i] == '\t' {
			col = (col + 3) &^ 3
		}
		i++
	}
	line = line[i:]
	if line == "" || line[0] < utf8.RuneSelf && line[len(line)-1] > ' ' {
		return col - from, line
	}
	if line[0] >= utf8.RuneSelf {
		return col - from, strings.TrimSpace(line)
	}
	return col - from, strings.TrimRight(line, " \t\r\f\v")
}
