package reading

import "strings"

// Near tells whether two words or phrases stand within n words of each other
// in the content, in any form of the words. "Rollback" is also "roll back".
func (r *Reader) Near(a, b string, n int) bool {
	as, bs := r.places(a), r.places(b)
	for i, j := 0, 0; i < len(as) && j < len(bs); {
		d := as[i] - bs[j]
		if d != 0 && -n <= d && d <= n {
			return true
		}
		if d < 0 {
			i++
		} else {
			j++
		}
	}
	return false
}

// places gives the positions of a phrase among the words of the content, in
// ascending order.
func (r *Reader) places(phrase string) []int {
	var stems []string
	var whole strings.Builder
	split(phrase, func(form []byte, _ word) {
		whole.Write(form)
		stems = append(stems, stem(string(form)))
	})
	if len(stems) == 0 {
		return nil
	}
	joined := stem(whole.String())
	// is tells by word of the vocabulary how far it goes: 1 for the first word
	// of the phrase, 2 for the whole in one word, 3 for the beginning of that.
	const first, entire, begins = 1, 2, 3
	is := make([]byte, len(r.entries))
	for i := range r.entries {
		form := r.entries[i].form
		switch {
		case same(form, joined) && stem(form) == joined:
			is[i] = entire
		case same(form, stems[0]) && stem(form) == stems[0]:
			is[i] = first
		case strings.HasPrefix(joined, form):
			is[i] = begins
		}
	}
	var out []int
	words := r.content.words
	for at := range words {
		switch is[words[at].id] {
		case entire:
			out = append(out, at)
		case first:
			if r.follow(words[at:], stems) {
				out = append(out, at)
			}
		case begins:
			if at+1 < len(words) && stem(r.entries[words[at].id].form+r.entries[words[at+1].id].form) == joined {
				out = append(out, at)
			}
		}
	}
	return out
}

// follow tells whether some words have stems in a row.
func (r *Reader) follow(words []word, stems []string) bool {
	if len(words) < len(stems) {
		return false
	}
	for i, s := range stems {
		if form := r.entries[words[i].id].form; !same(form, s) || stem(form) != s {
			return false
		}
	}
	return true
}

// same tells whether a word may have a stem, by its first letters.
func same(form, stem string) bool {
	n := min(3, len(form), len(stem))
	return form[:n] == stem[:n]
}
