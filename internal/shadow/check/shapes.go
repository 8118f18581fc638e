package check

// shapes are the first and last letters and the lengths of a set of words.
// They rule out most other words without hashing them, which pays where every
// word of a text is looked up in a small set.
type shapes [32 * 32]uint32

// shapesOf gives the shapes of the keys of words, none of which is empty.
func shapesOf[V any](words map[string]V) *shapes {
	s := new(shapes)
	for w := range words {
		s[shapeOf(w)] |= 1 << (len(w) & 31)
	}
	return s
}

// may tells whether w may be in the set, in any case of its first and last
// letter.
func (s *shapes) may(w string) bool { return w != "" && s[shapeOf(w)]&(1<<(len(w)&31)) != 0 }

func shapeOf(w string) int { return int(w[0]&31)<<5 | int(w[len(w)-1]&31) }

// byteSet is a set of bytes.
type byteSet [256]bool

func bytesWhere(in func(byte) bool) *byteSet {
	s := new(byteSet)
	for i := range s {
		s[i] = in(byte(i))
	}
	return s
}

// nameBytes are the ASCII letters and digits and the underscore.
var nameBytes = bytesWhere(isNameByte)
