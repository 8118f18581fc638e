package fold

import (
	"iter"
	"unicode/utf8"
)

// Shapes tells of most words that they are not of a set, for less than a look
// into it takes. The shape of a word is its length and three of its letters, of
// whatever case.
type Shapes [1 << 13]bool

// ShapesOf gives those of some words.
func ShapesOf(lists ...iter.Seq[string]) (s Shapes) {
	for _, words := range lists {
		for w := range words {
			h, _ := shape(w)
			s[h] = true
		}
	}
	return s
}

// May tells whether a word may be of the set, in whatever case.
func (s *Shapes) May(word string) bool {
	h, ascii := shape(word)
	return s[h] || !ascii
}

func shape(w string) (h uint32, ascii bool) {
	if w == "" {
		return 0, true
	}
	a, b, c := w[0], w[len(w)/2], w[len(w)-1]
	h = uint32(a&31) | uint32(b&31)<<5 | uint32(c&31)<<10 | uint32(len(w))<<15
	return h * 0x9E3779B1 >> 19, a|b|c < utf8.RuneSelf
}
