package markdown

import "strings"

// underline makes a heading of the current paragraph if text underlines it.
// Below several lines, dashes are a rule.
func (s *scanner) underline(text string, next int) bool {
	if len(s.para) == 0 || s.item >= 0 || len(s.items) > 0 || text[0] != '=' && text[0] != '-' || strings.Trim(text, text[:1]) != "" {
		return false
	}
	level := 1
	if text[0] == '-' {
		level = 2
	}
	if level == 2 && len(s.para) > 1 {
		return false
	}
	p, ok := s.prose()
	if ok {
		no := s.para[0].no
		s.para = s.para[:0]
		s.headingLine(strings.TrimSpace(p.text), level, no, next)
	}
	return ok
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
	s.items, s.lead, s.item = s.items[:0], -1, -1
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
