package markdown

import (
	"regexp"
	"strings"
)

// This file has the blocks that hold no others: headings, rules, code and
// tables. Paragraphs are in sentences.go.

// leaf takes a line that begins no item, without the marks of its quotes.
func (s *scanner) leaf(indent int, text string, hard, inTable bool) {
	open, isCode := len(s.para) > 0, indent >= s.codeColumn()
	if fence := fenceOf(text); fence > 0 && !isCode {
		s.endParagraph()
		lang, _, _ := strings.Cut(strings.TrimSpace(text[fence:]), " ")
		s.code(strings.ToLower(strings.Trim(lang, "{}.")), text[:fence], indent)
		return
	}
	if text[0] == '#' && !isCode {
		if m := atx.FindStringSubmatch(text); m != nil {
			s.endParagraph()
			s.heading(s.inline.strip(m[2]), len(m[1]), piece{no: s.no, at: s.at}, s.next)
			return
		}
	}
	if s.underline(text) || isRule(text) {
		s.endParagraph()
		s.outdent(indent)
		return
	}
	if inTable && s.row(text) || s.header(indent, text) {
		s.inTable = true
		return
	}
	if !open && s.item < 0 {
		if s.outdent(indent); indent >= s.codeColumn() {
			s.code("", "", s.codeColumn())
			return
		}
	}
	s.take(text, hard)
}

// isRule tells whether text is a thematic break.
func isRule(text string) bool {
	return strings.IndexByte("-*_", text[0]) >= 0 && strings.Count(text, text[:1]) >= 3 && strings.Trim(text, text[:1]+" \t") == ""
}

// atx matches a heading with its marks, which may stand behind it too.
var atx = regexp.MustCompile(`^(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#*)?$`)

// underline makes a heading of the current paragraph if text underlines it.
// Below several lines, dashes are a rule.
func (s *scanner) underline(text string) bool {
	dashes := text[0] == '-'
	if len(s.para) == 0 || len(s.items) > 0 || !dashes && text[0] != '=' || dashes && len(s.para) > 1 || strings.Trim(text, text[:1]) != "" {
		return false
	}
	text, first := s.prose(), s.para[0]
	s.para = s.para[:0]
	s.heading(strings.TrimSpace(text), 1+btoi(dashes), first, s.next)
	return true
}

// isBoldAlone tells whether a paragraph is one span of bold text and so does
// the work of a heading.
func isBoldAlone(raw string) bool {
	raw = strings.TrimSuffix(raw, ":")
	if len(raw) < 5 || len(raw) > 120 || !strings.HasPrefix(raw, "**") || !strings.HasSuffix(raw, "**") {
		return false
	}
	return !strings.Contains(raw[2:len(raw)-2], "**")
}

// heading opens a section whose text begins at source offset from. The heading
// begins with a source line.
func (s *scanner) heading(title string, level int, first piece, from int) {
	t := s.t
	up := s.closeSections(level, first.at)
	t.Sections = append(t.Sections, Section{Title: title, Level: level, From: from, up: up})
	t.Lines = append(t.Lines, Line{Kind: Heading, Text: title, No: first.no, Block: s.block, Level: level})
	s.block++
	s.items, s.item = s.items[:0], -1
}

// closeSections ends every open section of at least the given level at source
// offset to. The result is the one that stays open.
func (s *scanner) closeSections(level, to int) (open int) {
	all := s.t.Sections
	for open = len(all) - 1; open > 0 && all[open].Level >= level; open = all[open].up {
		all[open].To = max(to, all[open].From)
	}
	if len(all) == 1 {
		all[0].To = to
	}
	return open
}

// fenceOf tells how long the fence is that text opens, 0 if it opens none.
func fenceOf(text string) int {
	n := runLength(text, text[0])
	if n < 3 || text[0] != '~' && (text[0] != '`' || strings.IndexByte(text[n:], '`') >= 0) {
		return 0
	}
	return n
}

// code takes a block of code that begins with the line in hand: with its fence, or, if
// fence is "", by so many columns of indent. A fence may be closed by the end alone.
func (s *scanner) code(lang, fence string, columns int) {
	src, at, no := s.t.Source, s.next, s.no
	if fence == "" {
		at, no = s.at, s.no-1
	}
	first, from := no+1, at
	cut := columns > 0 || s.quotes > 0
	var body strings.Builder
	for at < len(src) {
		line, next := nextLine(src, at)
		indent, text := indentOf(line, 0)
		if s.quotes > 0 && !strings.HasPrefix(text, ">") {
			break
		}
		for n := 0; n < s.quotes && strings.HasPrefix(text, ">"); n++ {
			indent, text = quoted(indent, text)
		}
		if fence == "" && indent < columns && text != "" && at > s.at {
			break
		}
		s.next = next
		no++
		if fence != "" && indent < columns+4 && len(text) >= len(fence) && strings.Trim(text, fence[:1]) == "" {
			break
		}
		if at = next; cut {
			body.WriteString(strings.Repeat(" ", max(0, indent-columns)) + text + "\n")
		}
	}
	s.no = no
	text := src[from:at]
	if cut {
		text = body.String()
	}
	text = strings.TrimRight(text, " \t\r\n")
	s.t.Code = append(s.t.Code, CodeBlock{Lang: lang, Body: text})
	if text != "" {
		s.t.Lines = append(s.t.Lines, Line{Kind: Code, Text: text, No: first, Block: s.block})
	}
	s.block++
}

// delimiterRow matches the line of dashes below a table's header: cells such as
// ":---" between bars.
var delimiterRow = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?$`)

// header begins a table if the last line of the current paragraph is a header
// row for the delimiter row text.
func (s *scanner) header(indent int, text string) bool {
	n := len(s.para) - 1
	if n < 0 || strings.IndexByte("|:-", text[0]) < 0 || strings.IndexByte(text, '|') < 0 || strings.IndexByte(s.para[n].raw, '|') < 0 || !delimiterRow.MatchString(text) {
		return false
	}
	head := s.para[n]
	cells := cut(head.raw)
	if len(cells) != len(cut(text)) {
		return false
	}
	s.para = s.para[:n]
	s.endParagraph()
	s.outdent(indent)
	t := s.t
	t.Tables = append(t.Tables, Table{Header: cells, Line: len(t.Lines)})
	s.addRow(cells, Line{No: head.no, Block: s.block})
	s.block++
	return true
}

// row adds a row to the last table, unless text ends the table.
func (s *scanner) row(text string) bool {
	if strings.IndexByte(text, '|') < 0 {
		return false
	}
	t := s.t
	table := &t.Tables[len(t.Tables)-1]
	cells := cut(text)
	cells = cells[:min(len(cells), len(table.Header))]
	table.Rows = append(table.Rows, cells)
	table.RowNos = append(table.RowNos, s.no)
	s.addRow(cells, Line{No: s.no, Block: t.Lines[table.Line].Block})
	return true
}

// addRow takes the markup out of the cells of a row and adds its line.
func (s *scanner) addRow(cells []string, l Line) {
	at := 0
	for i, c := range cells {
		cells[i] = s.inline.strip(strings.ReplaceAll(strings.TrimSpace(c), `\|`, "|"))
		for _, in := range s.inline.code {
			l.InlineCode = append(l.InlineCode, Span{at + in.From, at + in.To})
		}
		l.Struck = l.Struck || s.inline.struck
		at += len(cells[i]) + len(" | ")
	}
	l.Kind, l.Text = Row, strings.Join(cells, " | ")
	s.t.Lines = append(s.t.Lines, l)
}

// cuts are the bytes that cut looks for.
var cuts = [256]bool{'|': true, '\\': true}

// cut cuts a row at its bars. A bar behind a backslash is text.
func cut(row string) []string {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	cells := make([]string, 0, strings.Count(row, "|")+1)
	from := 0
	for i := seek(row, 0, &cuts); i < len(row); i = seek(row, i+1, &cuts) {
		if row[i] == '\\' {
			i++
			continue
		}
		cells = append(cells, row[from:i])
		from = i + 1
	}
	if rest := row[from:]; strings.TrimSpace(rest) != "" {
		cells = append(cells, rest)
	}
	return cells
}
