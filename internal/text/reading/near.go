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
// ascending order: where its words stand in a row, or the whole as one word or
// two.
func (r *Reader) places(phrase string) []int {
	var stems []string
	whole := ""
	split(phrase, func(form []byte, _ word) {
		stems = append(stems, stem(string(form)))
		whole += string(form)
	})
	if whole = stem(whole); whole == "" {
		return nil
	}
	begins := make([]bool, len(r.entries)) // the words that a place may begin with
	for i := range r.entries {
		form := r.entries[i].form
		begins[i] = strings.HasPrefix(whole, form) || head(form) == head(whole) || head(form) == head(stems[0])
	}
	var out []int
	words := r.content.words
	for at := range words {
		if begins[words[at].id] && (r.spell(words[at:], whole) || r.spell(words[at:], stems...)) {
			out = append(out, at)
		}
	}
	return out
}

// spell tells whether some words have stems in a row, or for one stem, whether
// the first two words are the halves of one that has it.
func (r *Reader) spell(words []word, stems ...string) bool {
	for i, s := range stems {
		if i == len(words) || stem(r.entries[words[i].id].form) != s {
			return len(stems) == 1 && len(words) > 1 && stem(r.entries[words[0].id].form+r.entries[words[1].id].form) == s
		}
	}
	return true
}
