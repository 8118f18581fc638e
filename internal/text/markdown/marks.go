package markdown

import (
	"cmp"
	"slices"
	"strings"
)

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
