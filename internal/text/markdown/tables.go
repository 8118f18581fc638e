package markdown

import "strings"

// isDelimiterRow tells whether text is the line of dashes below a table's
// header.
func isDelimiterRow(text string) bool {
	dash, pipe := false, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '-':
			dash = true
		case '|':
			pipe = true
		case ':', ' ', '\t':
		default:
			return false
		}
	}
	return dash && pipe
}

// table begins a table if the last line of the paragraph in hand is a header
// row for the delimiter row text.
func (s *scanner) table(text string) bool {
	n := len(s.para)
	if n == 0 || strings.IndexByte(s.para[n-1].raw, '|') < 0 {
		return false
	}
	head := s.para[n-1]
	cells := s.split(head.raw)
	if len(cells) != len(s.split(text)) {
		return false
	}
	s.para = s.para[:n-1]
	inItem := s.item >= 0
	s.endParagraph()
	if inItem && n == 1 { // the item is nothing but the table
		s.item = -1
	}
	t := s.t
	leadIn, parent := s.lead, -1
	if n := len(s.items); n > 0 {
		parent = s.items[n-1].line
		leadIn = parent
	} else if s.colon {
		parent = s.lead
	}
	header := append([]string(nil), s.split(head.raw)...)
	t.Tables = append(t.Tables, Table{Header: header, No: head.no, Section: len(t.Sections) - 1, LeadIn: leadIn, Line: len(t.Lines)})
	t.Lines = append(t.Lines, Line{Kind: Row, Text: strings.Join(header, " | "), No: head.no,
		Section: len(t.Sections) - 1, Parent: parent, Header: -1, Block: s.block})
	s.block++
	s.header = len(t.Tables)
	s.lead, s.colon = -1, false
	return true
}

// row adds a row to the table in hand, unless text ends the table.
func (s *scanner) row(text string) bool {
	if strings.IndexByte(text, '|') < 0 {
		return false
	}
	t := s.t
	table := &t.Tables[s.header-1]
	cells := s.split(text)
	if len(cells) > len(table.Header) {
		cells = cells[:len(table.Header)]
	}
	cells = append([]string(nil), cells...)
	table.Rows = append(table.Rows, cells)
	table.RowNos = append(table.RowNos, s.no)
	head := &t.Lines[table.Line]
	t.Lines = append(t.Lines, Line{Kind: Row, Text: strings.Join(cells, " | "), No: s.no,
		Section: head.Section, Parent: head.Parent, Header: table.Line, Block: head.Block})
	return true
}

// split cuts a row at its bars and strips the cells. The result is reused by
// the next call.
func (s *scanner) split(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	s.cells = s.cells[:0]
	from := 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			s.cell(row[from:i])
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(row[from:]); rest != "" {
		s.cell(rest)
	}
	return s.cells
}

func (s *scanner) cell(text string) {
	text = s.strip.strip(strings.TrimSpace(text))
	for _, l := range s.strip.links {
		l.No = s.no
		s.t.Links = append(s.t.Links, l)
	}
	s.cells = append(s.cells, text)
}
