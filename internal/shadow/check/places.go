package check

import "slices"

// places gives the positions of a word of the text, or of a phrase, in
// ascending order.
func (x *index) places(words string) []int32 {
	var stems []string
	whole, before := "", ""
	tokenise(words, lowerASCII(words), func(t lexeme) {
		if t.joined {
			whole = stem(t.word)
			return
		}
		stems = append(stems, stem(t.word))
		if joined := compound(before, t.word); joined != "" {
			whole = stem(joined)
		}
		before = t.word
	})
	var out []int32
	add := func(id int32, _ float32) {
		for _, h := range x.of(id) {
			if h.pos != noPlace {
				out = append(out, h.pos)
			}
		}
	}
	switch len(stems) {
	case 0:
		return nil
	case 1:
		whole = stems[0]
	default:
		for _, h := range x.sequence(stems) {
			out = append(out, h.pos)
		}
	}
	if whole != "" {
		if id, ok := x.id(whole); ok {
			add(id, 1)
		}
		for _, g := range synonyms.of[whole] {
			for _, other := range synonyms.groups[g] {
				if id, ok := x.id(other); ok && other != whole {
					add(id, qualitySynonym)
				}
			}
		}
		x.alike(whole, add)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
