package markdown

import "strings"

// linesPerCode is how many lines of code make one Line: enough to hold a
// statement with its surroundings, few enough to point at.
const linesPerCode = 4

// fenceOf tells how long the fence is that text opens, 0 if it opens none.
func fenceOf(text string) int {
	c := text[0]
	if c != '`' && c != '~' {
		return 0
	}
	n := runLength(text, c)
	if n < 3 || c == '`' && strings.IndexByte(text[n:], '`') >= 0 {
		return 0
	}
	return n
}

// fenced takes a fenced block whose opening line is in hand and returns the
// offset behind it. A fence that is never closed reaches to the end, or to the
// end of the quote that it stands in.
func (s *scanner) fenced(open string, indent, fence, next int) int {
	s.endParagraph()
	s.item = -1
	src, first := s.t.Source, s.no
	lang, _, _ := strings.Cut(strings.TrimSpace(open[fence:]), " ")
	from, at, to := next, next, len(src)
	for at < len(src) {
		line, after := nextLine(src, at)
		in, text := indentOf(line, 0)
		if s.quotes > 0 {
			if text == "" || text[0] != '>' {
				to = at
				break
			}
			for n := 0; n < s.quotes && strings.HasPrefix(text, ">"); n++ {
				in, text = quoted(in, text)
			}
		}
		s.no++
		if text != "" && text[0] == open[0] && in < indent+4 && len(text) >= fence && strings.Trim(text, open[:1]) == "" {
			to, at = at, after
			break
		}
		at = after
	}
	s.addCode(strings.ToLower(strings.Trim(lang, "{}.")), s.dedent(src[from:to], indent), first+1)
	return at
}

// indented takes a block of code that is marked by an indent of so many
// columns alone.
func (s *scanner) indented(columns, next int) int {
	src, first, from, at, end := s.t.Source, s.no, s.at, next, next
	no := s.no
	for at < len(src) && s.quotes == 0 {
		line, after := nextLine(src, at)
		indent, text := indentOf(line, 0)
		if text != "" && indent < columns {
			break
		}
		no++
		if at = after; text != "" {
			end, s.no = at, no
		}
	}
	s.addCode("", s.dedent(src[from:end], columns), first)
	return end
}

// dedent takes so many columns of indent off each line of code, and the marks
// of the quotes that it stands in.
func (s *scanner) dedent(body string, columns int) string {
	if columns == 0 && s.quotes == 0 {
		return body
	}
	var b strings.Builder
	b.Grow(len(body))
	for at := 0; at < len(body); {
		_, next := nextLine(body, at)
		line := body[at:next]
		for range s.quotes {
			rest := strings.TrimLeft(line, " \t")
			if !strings.HasPrefix(rest, ">") {
				break
			}
			line = strings.TrimPrefix(rest[1:], " ")
		}
		col := 0
		for col < columns && line != "" && (line[0] == ' ' || line[0] == '\t') {
			if col++; line[0] == '\t' {
				col = (col + 3) &^ 3
			}
			line = line[1:]
		}
		b.WriteString(line)
		at = next
	}
	return b.String()
}

// addCode stores a block of code and its lines. Its first line of code is
// source line no.
func (s *scanner) addCode(lang, body string, no int) {
	t := s.t
	parent := s.above()
	t.Code = append(t.Code, CodeBlock{Lang: lang, Body: strings.TrimSuffix(body, "\n")})
	start, n := -1, 0
	for at := 0; at < len(body); no++ {
		line, next := nextLine(body, at)
		if strings.TrimSpace(line) != "" {
			if start < 0 {
				start, n = at, 0
			}
			n++
		}
		if start >= 0 && (n == linesPerCode || next == len(body)) {
			text := strings.TrimRight(body[start:next], " \t\r\n")
			t.Lines = append(t.Lines, Line{Kind: Code, Text: text, No: no - strings.Count(text, "\n"),
				Section: len(t.Sections) - 1, Parent: parent, Header: -1, Block: s.block})
			start = -1
		}
		at = next
	}
	s.block++
	s.lead = -1
}
