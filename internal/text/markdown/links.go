package markdown

import "strings"

// bracket notes an open bracket of n bytes at offset i: "[" or "![".
func (s *stripper) bracket(i, n int) {
	s.opens = append(s.opens, bracket{mark: len(s.marks), at: i + n, image: n == 2})
	s.marks = append(s.marks, mark{at: len(s.out), n: n})
	s.out = append(s.out, s.text[i:i+n]...)
}

// link closes a bracket at offset i. If that ends a link, the result is the
// length of what closes it: "](target)", "][name]" or "]".
func (s *stripper) link(i int) int {
	if len(s.opens) == 0 {
		return 0
	}
	top := len(s.opens) - 1
	open := s.opens[top]
	s.opens = s.opens[:top]
	if !open.image && top < s.closed {
		s.closed = top
		return 0
	}
	n, url, ok := s.target(open, i)
	if !ok {
		return 0
	}
	s.closed = min(s.closed, top)
	if !open.image {
		s.closed = top
	}
	s.pairUp(open.mark)
	s.marks[open.mark].left = s.marks[open.mark].n
	s.marks = append(s.marks, mark{at: len(s.out)})
	s.found = append(s.found, foundLink{from: open.mark, to: len(s.marks) - 1, url: url, image: open.image})
	s.skip(s.text[i : i+n])
	return n
}

// target reads what stands behind the text of a link that ends at offset i.
func (s *stripper) target(open bracket, i int) (n int, url string, ok bool) {
	rest := s.text[i+1 : min(len(s.text), i+1+maxLinkTarget)]
	if strings.HasPrefix(rest, "(") {
		if n, url := inlineTarget(rest); n > 0 {
			return 1 + n, url, true
		}
	}
	if len(s.refs) == 0 {
		return 0, "", false
	}
	if strings.HasPrefix(rest, "[") {
		if j := labelEnd(rest); j > 1 {
			url, ok = s.refs[labelName(rest[1:j])]
			return 1 + j + 1, url, ok
		} else if j == 1 {
			n = 2
		}
	}
	if name := s.text[open.at:i]; len(name) <= maxLabel {
		url, ok = s.refs[labelName(name)]
	}
	return 1 + n, url, ok
}

// inlineTarget reads "(target "title")" and gives its length, 0 if there is
// none.
func inlineTarget(s string) (n int, url string) {
	i := 1 + blanks(s[1:])
	k, url := destination(s[i:])
	if k < 0 {
		return 0, ""
	}
	i += k
	if b := blanks(s[i:]); b > 0 {
		i += b
		if t := titleAt(s[i:]); t > 0 {
			i += t
			i += blanks(s[i:])
		}
	}
	if i >= len(s) || s[i] != ')' {
		return 0, ""
	}
	return i + 1, url
}

// blanks counts the spaces and line breaks at the beginning of s.
func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\n")) }

// maxParens is how deep parentheses nest in a target, as in other parsers.
const maxParens = 32

// destination reads the target of a link and gives its length, -1 if s begins
// with none.
func destination(s string) (n int, url string) {
	if strings.HasPrefix(s, "<") {
		for i := 1; i < len(s) && s[i] != '\n' && s[i] != '<'; i++ {
			if s[i] == '>' {
				return i + 1, unescape(s[1:i])
			}
			if s[i] == '\\' {
				i++
			}
		}
		return -1, ""
	}
	depth, i := 0, 0
loop:
	for i < len(s) && s[i] > ' ' && s[i] != 0x7f {
		switch s[i] {
		case '\\':
			if i+1 < len(s) && isPunct(s[i+1]) {
				i++
			}
		case '(':
			if depth++; depth > maxParens {
				return -1, ""
			}
		case ')':
			if depth == 0 {
				break loop
			}
			depth--
		}
		i++
	}
	if depth > 0 {
		return -1, ""
	}
	return i, unescape(s[:i])
}

// titleAt gives the length of the title of a link that s begins with, 0 if
// there is none.
func titleAt(s string) int {
	if s == "" {
		return 0
	}
	end := s[0]
	switch end {
	case '"', '\'':
	case '(':
		end = ')'
	default:
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case end:
			return i + 1
		case '(':
			if end == ')' {
				return 0
			}
		case '\\':
			i++
		}
	}
	return 0
}

// unescape resolves the backslashes and character references of a target.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	out := stripper{text: s}
	for i := 0; i < len(s); {
		n := 0
		if s[i] == '\\' || s[i] == '&' {
			n = out.markup(i)
		}
		if n == 0 {
			out.out = append(out.out, s[i])
			n = 1
		}
		i += n
	}
	return string(out.out)
}

// footnote gives the length of a footnote's mark, "[^1]", at offset i, 0 if
// there is none. The colon of the note itself belongs to its mark.
func footnote(s string, i int) int {
	if !strings.HasPrefix(s[i:], "[^") {
		return 0
	}
	j := strings.IndexByte(s[i:min(len(s), i+40)], ']')
	if j < 3 {
		return 0
	}
	if i == 0 && strings.HasPrefix(s[j+1:], ":") {
		j++
	}
	return j + 1
}
