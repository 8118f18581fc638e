package markdown

import "strings"

// drop removes the marks that are markup from out and moves the code spans
// along.
func (s *stripper) drop() {
	w, r, c := 0, 0, 0
	move := func(to int) {
		for ; c < 2*len(s.code); c++ {
			end := &s.code[c/2].From
			if c%2 == 1 {
				end = &s.code[c/2].To
			}
			if *end > to {
				break
			}
			*end -= r - w
		}
		w += copy(s.out[w:], s.out[r:to])
		r = to
	}
	for i := range s.marks {
		m := &s.marks[i]
		move(m.at)
		m.to = w
		r += m.left
		move(m.at + m.n - m.right)
		r += m.right
	}
	move(len(s.out))
	s.out = s.out[:w]
}

// finish makes links and struck parts of what was found, when the marks are
// gone. The number of a link is that of its line in text, from 0.
func (s *stripper) finish() string {
	text := string(s.out)
	at, line := 0, 0
	for _, l := range s.found {
		from, to := s.marks[l.from].to, s.marks[l.to].to
		line += strings.Count(text[at:to], "\n")
		at = to
		name, no := text[from:to], line
		if len(name) < maxLinkTarget && strings.IndexByte(name, '\n') >= 0 {
			no -= strings.Count(name, "\n")
			name = strings.ReplaceAll(name, "\n", " ")
		}
		s.links = append(s.links, Link{Text: name, URL: l.url, Image: l.image, No: no})
	}
	for _, p := range s.pairs {
		if p.char == '~' {
			s.struck = append(s.struck, s.inside(p))
		}
	}
	return text
}

// inside gives what a pair of marks holds.
func (s *stripper) inside(p pair) Span {
	from := &s.marks[p.from]
	return Span{from.to + from.rest(), s.marks[p.to].to}
}
