package markdown

import "strings"

// isDelimiterRow tells whether text is the line of dashes below a table's
// header: cells such as ":---" between bars.
func isDelimiterRow(text string) bool {
	if strings.IndexByte("|:-", text[0]) < 0 || strings.IndexByte(text, '|') < 0 || strings.Trim(text, "|:- \t") != "" {
		return false
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "|"), "|")
	for cell := range strings.SplitSeq(text, "|") {
		cell = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return false
		}
	}
	return true
}

// header begins a table if the last line of the current paragraph is a header
// row for the delimiter row text.
func (s *scanner) header(indent int, text string) bool {
	n := len(s.para)
	if n == 0 || strings.IndexByte(s.para[n-1].raw, '|') < 0 {
		return false
	}
	head := s.para[n-1]
	cells := cut(head.raw)
	if len(cells) != len(cut(text)) {
		return false
	}
	s.para = s.para[:n-1]
	s.endParagraph()
	s.outdent(indent)
	t := s.t
	t.Tables = append(t.Tables, Table{Header: cells, Line: len(t.Lines)})
	s.addRow(cells, Line{No: head.no, Section: len(t.Sections) - 1, Parent: s.above(), Header: -1, Block: s.block})
	s.block++
	s.lead = -1
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
	head := &t.Lines[table.Line]
	s.addRow(cells, Line{No: s.no, Section: head.Section, Parent: head.Parent, Header: table.Line, Block: head.Block})
	return true
}

// addRow takes the markup out of the cells of a row and adds its line.
func (s *scanner) addRow(cells []string, l Line) {
	at := 0
	for i, c := range cells {
		cells[i] = s.stripped(strings.ReplaceAll(strings.TrimSpace(c), `\|`, "|"))
		l.InlineCode, l.Struck = shifted(l.InlineCode, s.strip.code, at), shifted(l.Struck, s.strip.struck, at)
		at += len(cells[i]) + len(" | ")
	}
	l.Kind, l.Text = Row, strings.Join(cells, " | ")
	s.t.Lines = append(s.t.Lines, l)
}

// shifted adds the spans of what stands at an offset.
func shifted(to, spans []Span, at int) []Span {
	for _, in := range spans {
		to = append(to, Span{at + in.From, at + in.To})
	}
	return to
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
