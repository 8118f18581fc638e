package check

import (
	"strings"
	"unicode/utf8"
)

// scanner reads the block structure of a document, one source line at a time.
type scanner struct {
	t     *Text
	strip stripper

	no    int // source line in hand, 1-based
	at    int // its offset in the source
	block int

	para  []piece // lines of the paragraph or item in hand
	item  int     // index of the item that para belongs to, -1 for a paragraph
	lead  int     // last line of the paragraph just before, -1 if none
	colon bool    // that line ends in a colon

	items []openItem // enclosing items, outermost first

	header int      // a header row may have been read: index of t.Tables + 1
	cells  []string // reused

	comment bool
}

// piece is one source line of a paragraph, free of markup.
type piece struct {
	text string
	no   int
	code []span
	hard bool // ends in a line break
	raw  string
}

type openItem struct {
	indent int // of its marker
	line   int // its first line
	list   int // its list
	marker byte
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
			s.addCode("yaml", src[from:at], 1, 2)
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
	indent, text := indentOf(line)
	if s.comment || strings.HasPrefix(text, "<!--") {
		k := strings.Index(text, "-->")
		s.comment = k < 0
		if k < 0 {
			return next
		}
		if text = strings.TrimSpace(text[k+3:]); text == "" {
			return next
		}
	}
	for strings.HasPrefix(text, ">") { // a quote is read as if it were not quoted
		var in int
		in, text = indentOf(strings.TrimLeft(text, ">"))
		indent = max(0, in-1)
	}
	if text == "" {
		s.endParagraph()
		s.header = -1
		return next
	}
	if s.header > 0 {
		if s.row(text) {
			return next
		}
		s.header = -1
	}
	if fence := fenceOf(text); fence > 0 {
		return s.fenced(text, fence, next)
	}
	if indent >= 4 && len(s.para) == 0 && len(s.items) == 0 {
		return s.indented(next)
	}
	if level, title := headingOf(text); level > 0 && indent < 4 {
		s.endParagraph()
		s.heading(title, level, s.no, next)
		return next
	}
	if s.underline(text, next) || isRule(text) {
		s.endParagraph()
		s.items, s.lead = s.items[:0], -1
		return next
	}
	if isDelimiterRow(text) && s.table(text) {
		return next
	}
	if m, ok := markerOf(text); ok && s.interrupts(m) {
		s.endParagraph()
		s.listItem(indent, m)
		return next
	}
	if len(s.para) == 0 {
		for len(s.items) > 0 && (indent == 0 || indent <= s.items[len(s.items)-1].indent) {
			s.items = s.items[:len(s.items)-1]
		}
	}
	s.take(line, text)
	return next
}

// interrupts tells whether an item may begin at m: in the middle of a
// paragraph, "2024. That was" and a lone "-" are text.
func (s *scanner) interrupts(m marker) bool {
	return len(s.para) == 0 || m.rest != "" && (!m.ordered || m.number == 1 || len(s.items) > 0)
}

// maxParagraph is how many source lines make a paragraph. Longer ones are
// data, and are cut so that memory stays small.
const maxParagraph = 500

// take adds a line to the paragraph or item in hand.
func (s *scanner) take(line, text string) {
	hard := strings.HasSuffix(line, "  ") || strings.HasSuffix(text, "\\") || strings.HasSuffix(text, "<br>")
	if strings.HasSuffix(text, "\\") {
		text = text[:len(text)-1]
	}
	stripped := s.strip.strip(text)
	for _, l := range s.strip.links {
		l.No = s.no
		s.t.Links = append(s.t.Links, l)
	}
	s.para = append(s.para, piece{text: stripped, no: s.no, code: s.strip.code, hard: hard, raw: text})
	if len(s.para) == maxParagraph {
		s.endParagraph()
	}
}

// endParagraph turns the paragraph or item in hand into lines.
func (s *scanner) endParagraph() {
	if len(s.para) == 0 {
		return
	}
	if s.item < 0 && len(s.para) == 1 && len(s.items) == 0 && isBoldAlone(s.para[0].raw) {
		p := s.para[0]
		s.para = s.para[:0]
		s.headingLine(strings.TrimRight(p.text, ": "), 7, p.no, s.at)
		return
	}
	kind, parent, level := Sentence, -1, len(s.items)
	if n := len(s.items); n > 0 {
		parent = s.items[n-1].line
		kind, level = Item, n-1
	} else if s.colon {
		parent = s.lead
	}
	first := -1
	if s.item >= 0 {
		first = s.item
		parent = s.t.Lines[first].Parent
	}
	before := len(s.t.Lines)
	nav := len(s.para) == 1 && isNavigation(s.para[0].raw)
	s.sentences(func(text string, no int, code []span) {
		if text == "" {
			return
		}
		if first >= 0 && before == len(s.t.Lines) && s.t.Lines[first].Text == "" {
			l := &s.t.Lines[first] // the item's first sentence takes the place kept for it
			l.Text, l.No, l.code, l.nav = text, no, code, nav
			before = -1
			parent = first
			return
		}
		s.t.Lines = append(s.t.Lines, Line{Kind: kind, Text: text, No: no, Section: len(s.t.Sections) - 1,
			Parent: parent, Header: -1, Block: s.block, Level: level, code: code, nav: nav})
	})
	last := s.para[len(s.para)-1].text
	s.colon = strings.HasSuffix(strings.TrimSpace(last), ":")
	if s.item < 0 {
		s.lead = len(s.t.Lines) - 1
	} else {
		list := &s.t.Lists[s.items[len(s.items)-1].list]
		list.Items[len(list.Items)-1].Text = joined(s.para)
	}
	s.block++
	s.para, s.item = s.para[:0], -1
}

func joined(para []piece) string {
	if len(para) == 1 {
		return strings.TrimSpace(para[0].text)
	}
	var b strings.Builder
	for i, p := range para {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimSpace(p.text))
	}
	return b.String()
}

// underline makes a heading of the paragraph in hand if text underlines it.
func (s *scanner) underline(text string, next int) bool {
	if len(s.para) != 1 || s.item >= 0 || len(s.items) > 0 || len(text) < 2 {
		return false
	}
	level := 0
	switch strings.Trim(text, text[:1]) {
	case "":
		switch text[0] {
		case '=':
			level = 1
		case '-':
			level = 2
		}
	}
	if level == 0 {
		return false
	}
	p := s.para[0]
	s.para = s.para[:0]
	s.headingLine(strings.Trim(p.text, "* "), level, p.no, next)
	return true
}

func (s *scanner) heading(title string, level, no, next int) {
	title = s.strip.strip(title)
	for _, l := range s.strip.links {
		l.No = no
		s.t.Links = append(s.t.Links, l)
	}
	s.headingLine(title, level, no, next)
}

// headingLine opens a section whose text begins at source offset from.
func (s *scanner) headingLine(title string, level, no, from int) {
	t := s.t
	t.Sections[len(t.Sections)-1].Last = len(t.Lines)
	up := len(t.Sections) - 1
	for up > 0 && t.Sections[up].Level >= level {
		up = t.Sections[up].Up
	}
	s.closeSections(level, s.startOfLine(no))
	t.Sections = append(t.Sections, Section{Title: title, Level: level, Heading: len(t.Lines), Up: max(up, 0), First: len(t.Lines), From: from})
	t.Lines = append(t.Lines, Line{Kind: Heading, Text: title, No: no, Section: len(t.Sections) - 1,
		Parent: -1, Header: -1, Block: s.block, Level: level})
	s.block++
	s.items, s.lead, s.colon, s.item = s.items[:0], -1, false, -1
}

// startOfLine gives the offset of line no, which is the line in hand or the
// one before the last few.
func (s *scanner) startOfLine(no int) int {
	at := s.at
	for n := s.no; n > no; n-- {
		at = strings.LastIndexByte(s.t.Source[:max(at-1, 0)], '\n') + 1
	}
	return at
}

// closeSections ends every open section of at least the given level at source
// offset to.
func (s *scanner) closeSections(level, to int) {
	for i := len(s.t.Sections) - 1; i >= 0; i = s.t.Sections[i].Up {
		if sec := &s.t.Sections[i]; sec.Level >= level || i == 0 {
			if i > 0 || sec.To == 0 {
				sec.To = max(to, sec.From)
			}
		}
	}
}

// listItem begins an item.
func (s *scanner) listItem(indent int, m marker) {
	var last *openItem
	for len(s.items) > 0 {
		top := s.items[len(s.items)-1]
		if indent >= top.indent+2 {
			break
		}
		last = &top
		s.items = s.items[:len(s.items)-1]
	}
	level, parent, leadIn := len(s.items), -1, s.lead
	if level > 0 {
		parent = s.items[level-1].line
		leadIn = parent
	} else if s.colon {
		parent = s.lead
	}
	t := s.t
	list := -1
	if last != nil && last.marker == m.kind {
		list = last.list
		leadIn = t.Lists[list].LeadIn
		parent = t.Lines[t.Lists[list].Items[0].Line].Parent
	} else {
		list = len(t.Lists)
		t.Lists = append(t.Lists, List{Ordered: m.ordered, Level: level, Section: len(t.Sections) - 1, LeadIn: leadIn})
	}
	line := len(t.Lines)
	t.Lines = append(t.Lines, Line{Kind: Item, No: s.no, Section: len(t.Sections) - 1, Parent: parent, Header: -1, Block: s.block, Level: level})
	t.Lists[list].Items = append(t.Lists[list].Items, ListItem{No: s.no, Line: line, Level: level, Ordered: m.ordered, Number: m.number, Checked: m.checked})
	s.items = append(s.items, openItem{indent: indent, line: line, list: list, marker: m.kind})
	s.item = line
	s.lead, s.colon = -1, false
	s.take(m.rest, m.rest)
}

// marker is the beginning of a list item.
type marker struct {
	kind    byte // the bullet, or the mark behind the number
	ordered bool
	number  int
	checked *bool
	rest    string
}

func markerOf(text string) (marker, bool) {
	m, n := marker{}, 0
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
		m.kind, n = c, 1
	case strings.HasPrefix(text, "•"):
		m.kind, n = '-', len("•")
	case '0' <= c && c <= '9':
		for n < len(text) && n < 9 && '0' <= text[n] && text[n] <= '9' {
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
	m.rest = strings.TrimSpace(text[n:])
	if len(m.rest) >= 3 && m.rest[0] == '[' && m.rest[2] == ']' && (len(m.rest) == 3 || m.rest[3] == ' ') {
		switch m.rest[1] {
		case ' ', 'x', 'X':
			on := m.rest[1] != ' '
			m.checked = &on
			m.rest = strings.TrimSpace(m.rest[3:])
		}
	}
	return m, true
}

// headingOf reads "## Title"; level 0 means that it is none.
func headingOf(text string) (level int, title string) {
	n := runLength(text, '#')
	if n == 0 || n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(text[n:])
	if k := strings.TrimRight(title, "#"); k == "" || strings.HasSuffix(k, " ") {
		title = strings.TrimSpace(k)
	}
	return n, title
}

// isBoldAlone tells whether a paragraph is one span of bold text and so does
// the work of a heading.
func isBoldAlone(raw string) bool {
	raw = strings.TrimSuffix(strings.TrimSpace(raw), ":")
	if len(raw) < 5 || len(raw) > 120 || !strings.HasPrefix(raw, "**") || !strings.HasSuffix(raw, "**") {
		return false
	}
	return !strings.Contains(raw[2:len(raw)-2], "**")
}

// isNavigation tells whether raw is nothing but a link into the document, as
// in a table of contents.
func isNavigation(raw string) bool {
	return strings.HasPrefix(raw, "[") && strings.HasSuffix(raw, ")") && strings.Count(raw, "](") == 1 && strings.Contains(raw, "](#")
}

// isRule tells whether text is a thematic break.
func isRule(text string) bool {
	c, n := text[0], 0
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case c:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// indentOf splits a line into the width of its indent, capped, and its text
// without spaces at either end.
func indentOf(line string) (int, string) {
	indent, i := 0, 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		if indent++; line[i] == '\t' {
			indent += 3
		}
		i++
	}
	if i < len(line) && line[i] >= utf8.RuneSelf || i > 0 && i == len(line) {
		return indent, strings.TrimSpace(line[i:])
	}
	return indent, strings.TrimRight(line[i:], " \t\r\f\v")
}
