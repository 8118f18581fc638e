package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// delimiter takes a run of emphasis marks. What it may do follows the rules
// for flanking runs in CommonMark, section 6.2, with two exceptions: a star
// opens no emphasis inside a word, so that 2*3*4 stays a product, and only
// two tildes strike through, for one means "about".
func (s *stripper) delimiter(i int) int {
	text := s.text
	c := text[i]
	n := runLength(text[i:], c)
	m := mark{at: len(s.out), n: n, char: c}
	s.out = append(s.out, text[i:i+n]...)
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:i])
	}
	if i+n < len(text) {
		after, _ = utf8.DecodeRuneInString(text[i+n:])
	}
	spaceBefore, spaceAfter := unicode.IsSpace(before), unicode.IsSpace(after)
	punctBefore, punctAfter := isMark(before), isMark(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	switch c {
	case '*':
		m.open, m.close = left && !(isWordRune(before) && !fold.Unspaced(before)), right
	case '_':
		m.open, m.close = left && (!right || punctBefore), right && (!left || punctAfter)
	default:
		m.open, m.close = left && n == 2, right && n == 2
	}
	if m.open || m.close {
		s.unpaired = append(s.unpaired, len(s.marks))
		s.marks = append(s.marks, m)
	}
	return n
}

// pairUp pairs the marks behind index first, as CommonMark's appendix says,
// and is done with them. Where a closing mark finds no partner is noted, and the
// next one of its kind does not search further back; so the time is linear.
func (s *stripper) pairUp(first int) {
	var bottom [3 * 2 * 3]int // by kind of closing mark: no partner is below this index of marks
	s.openers = s.openers[:0]
	from := len(s.unpaired)
	for from > 0 && s.unpaired[from-1] > first {
		from--
	}
	for _, i := range s.unpaired[from:] {
		c := &s.marks[i]
		for c.close && c.rest() > 0 {
			k := len(s.openers) - 1
			kind := c.kind()
			for k >= 0 && s.openers[k] >= bottom[kind] && !s.marks[s.openers[k]].pairs(c) {
				k--
			}
			if k < 0 || s.openers[k] < bottom[kind] {
				bottom[kind] = i
				break
			}
			o := &s.marks[s.openers[k]]
			use := 1 + btoi(o.rest() > 1 && c.rest() > 1)
			s.pairs = append(s.pairs, pair{s.openers[k], i, c.char})
			o.right += use
			c.left += use
			s.openers = s.openers[:k+btoi(o.rest() > 0)] // those between the two pair with nothing
		}
		if c.open && c.rest() > 0 {
			s.openers = append(s.openers, i)
		}
	}
	s.unpaired = s.unpaired[:from]
}

// kind numbers what decides which marks a closing mark pairs with.
func (m *mark) kind() int {
	return (2*strings.IndexByte("*_~", m.char)+btoi(m.open))*3 + m.n%3
}

// pairs tells whether an opening mark pairs with a closing one. Marks that
// both open and close pair only if their lengths fit: CommonMark's rule 9.
func (m *mark) pairs(c *mark) bool {
	if m.char != c.char {
		return false
	}
	return !(m.close || c.open) || (m.n+c.n)%3 != 0 || m.n%3 == 0 && c.n%3 == 0
}
