package markdown

import (
	"cmp"
	"slices"
	"strings"
)

// drop removes the marks that are markup from out and moves the code spans
// along.
func (s *stripper) drop() {
	written, read, moved := 0, 0, 0 // moved counts beginnings and ends of code spans
	move := func(to int) {
		for ; moved < 2*len(s.code); moved++ {
			end := &s.code[moved/2].From
			if moved%2 == 1 {
				end = &s.code[moved/2].To
			}
			if *end > to {
				break
			}
			*end -= read - written
		}
		written += copy(s.out[written:], s.out[read:to])
		read = to
	}
	for i := range s.marks {
		m := &s.marks[i]
		move(m.at)
		m.to = written
		read += m.left
		move(m.at + m.n - m.right)
		read += m.right
	}
	move(len(s.out))
	s.out = s.out[:written]
}

// finish makes links and the parts that are struck or emphasised of what was
// found, when the marks are gone. What is both emphasis and strong, "***x***",
// counts once.
func (s *stripper) finish() string {
	text := string(s.out)
	for _, l := range s.found {
		name := text[s.marks[l.from].to:s.marks[l.to].to]
		if len(name) < maxLinkTarget {
			name = strings.ReplaceAll(name, "\n", " ")
		}
		s.links = append(s.links, Link{Text: name, URL: l.url, Image: l.image})
	}
	last, joined := Span{-1, -1}, ""
	if len(s.pairs) > 0 { // once, since parts may be nested as deeply as the text is long
		joined = strings.ReplaceAll(text, "\n", " ")
	}
	for _, p := range s.pairs {
		if in := s.inside(p); p.char == '~' {
			s.struck = append(s.struck, in)
		} else if in != last && in.From < in.To {
			s.strong = append(s.strong, joined[in.From:in.To])
			last = in
		}
	}
	s.struck = outermost(s.struck)
	return text
}

// outermost are the parts that stand in no other, in order.
func outermost(parts []Span) []Span {
	slices.SortFunc(parts, func(a, b Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	end := 0
	return slices.DeleteFunc(parts, func(s Span) bool {
		within := s.To <= end
		end = max(end, s.To)
		return within
	})
}

// inside gives what a pair of marks holds.
func (s *stripper) inside(p pair) Span {
	from := &s.marks[p.from]
	return Span{from.to + from.rest(), s.marks[p.to].to}
}
