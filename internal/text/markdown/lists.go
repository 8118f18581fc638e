package markdown

import "strings"

// nesting is how many columns behind the mark of an item stands
// what belongs to it. CommonMark asks for the column of its text, but people
// indent by two below numbers as well.
const nesting = 2

// openItem is an item that lines may still belong to.
type openItem struct {
	indent  int // of its marker
	content int // indent of its text
	line    int // its first line
	list    int // its list
	marker  byte
	quotes  int // that it stands in
}

// itemAt reads the mark of an item. In the middle of a paragraph "2024. That
// was" and a lone "-" are text.
func (s *scanner) itemAt(indent int, text string) (marker, bool) {
	inList, inParagraph := len(s.items) > 0, len(s.para) > 0
	if indent >= 4 && !inList && !inParagraph || isRule(text) {
		return marker{}, false
	}
	m, ok := markerOf(text)
	likelyText := m.rest == "" && m.checked == nil || m.ordered && m.number != 1
	return m, ok && (inList || !inParagraph || !likelyText)
}

// listItem begins an item.
func (s *scanner) listItem(indent, quotes int, m marker) {
	open := s.items
	s.outdent(indent)
	level := len(s.items)
	parent := s.above()
	t := s.t
	var list int
	if level < len(open) && open[level].marker == m.kind && open[level].quotes == quotes {
		list = open[level].list
		parent = t.Lines[t.Lists[list].Items[0].Line].Parent
	} else {
		list = len(t.Lists)
		t.Lists = append(t.Lists, List{Ordered: m.ordered})
	}
	line := len(t.Lines)
	t.Lines = append(t.Lines, Line{Kind: Item, No: s.no, Section: len(t.Sections) - 1, Parent: parent, Header: -1, Block: s.block, Level: level})
	t.Lists[list].Items = append(t.Lists[list].Items, ListItem{Line: line, Number: m.number, Checked: m.checked})
	s.items = append(s.items, openItem{indent: indent, content: indent + m.width, line: line, list: list, marker: m.kind, quotes: quotes})
	s.item = line
	s.lead = -1
}

// marker is the beginning of a list item.
type marker struct {
	kind    byte // the bullet, or the mark behind the number
	ordered bool
	number  int
	checked *bool
	rest    string
	width   int // columns from the mark to the text
}

func markerOf(text string) (marker, bool) {
	m, n := marker{}, 0
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
		m.kind, n = c, 1
	case strings.HasPrefix(text, "•"):
		m.kind, n = '-', len("•")
	case isDigit(c):
		for n < len(text) && n < 9 && isDigit(text[n]) {
			m.number = m.number*10 + int(text[n]-'0')
			n++
		}
		if n == len(text) || text[n] != '.' && text[n] != ')' {
			return m, false
		}
		m.kind, m.ordered = text[n], true
		n++
	default:
		return m, false
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return m, false
	}
	gap, rest := indentOf(text[n:], 0)
	m.rest, m.width = rest, n+gap
	if gap > 4 || rest == "" { // code, or nothing
		m.width = n + 1
	}
	if len(rest) >= 3 && rest[0] == '[' && strings.IndexByte(" xX", rest[1]) >= 0 && rest[2] == ']' && (len(rest) == 3 || rest[3] == ' ') {
		on := rest[1] != ' '
		m.checked, m.rest = &on, strings.TrimSpace(rest[3:])
	}
	return m, true
}

// outdent ends the items that what stands in this column does not belong to.
func (s *scanner) outdent(indent int) {
	s.leave(func(i openItem) bool { return indent < i.indent+nesting })
}

// leave ends items from the innermost on, as long as they are over.
func (s *scanner) leave(over func(openItem) bool) {
	for n := len(s.items); n > 0 && over(s.items[n-1]); n-- {
		s.items = s.items[:n-1]
	}
}

// isCode tells whether what stands in this column is indented as code of the item
// in hand.
func (s *scanner) isCode(indent int) bool { return indent >= s.content()+4 }

// content is the indent of the text of the current item.
func (s *scanner) content() int {
	if n := len(s.items); n > 0 {
		return s.items[n-1].content
	}
	return 0
}
