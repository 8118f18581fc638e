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
// offset behind it. A fence that is never closed reaches to the end.
func (s *scanner) fenced(open string, fence, next int) int {
	s.endParagraph()
	src, first := s.t.Source, s.no
	lang, _, _ := strings.Cut(strings.TrimSpace(open[fence:]), " ")
	from, at := next, next
	to := len(src)
	for at < len(src) {
		line, after := nextLine(src, at)
		s.no++
		_, text := indentOf(line)
		text = strings.TrimSpace(strings.TrimLeft(text, ">"))
		if text != "" && text[0] == open[0] && len(text) >= fence && strings.Trim(text, open[:1]) == "" {
			to, at = at, after
			break
		}
		at = after
	}
	s.addCode(strings.ToLower(strings.Trim(lang, "{}.")), src[from:to], first, first+1)
	return at
}

// indented takes a block of code that is marked by its indent alone.
func (s *scanner) indented(next int) int {
	src, first, from, at := s.t.Source, s.no, s.at, next
	for at < len(src) {
		line, after := nextLine(src, at)
		indent, text := indentOf(line)
		if text == "" || indent < 4 {
			break
		}
		s.no++
		at = after
	}
	s.addCode("", src[from:at], first, first)
	return at
}

// addCode stores a block of code and its lines. Its first line of code is
// source line no.
func (s *scanner) addCode(lang, body string, fenceNo, no int) {
	t := s.t
	leadIn, parent := s.lead, -1
	if n := len(s.items); n > 0 {
		parent = s.items[n-1].line
		leadIn = parent
	} else if s.colon {
		parent = s.lead
	}
	t.Code = append(t.Code, CodeBlock{Lang: lang, Body: strings.TrimSuffix(body, "\n"), No: fenceNo, Section: len(t.Sections) - 1, LeadIn: leadIn})
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
				Section: len(t.Sections) - 1, Parent: parent, Header: -1, Block: s.block, Fence: len(t.Code) - 1})
			start = -1
		}
		at = next
	}
	s.block++
	s.lead, s.colon = -1, false
}
