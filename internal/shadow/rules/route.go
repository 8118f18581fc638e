package rules

import "strings"

const (
	// clearly is by how much the words of a requirement must speak for one
	// domain more than for any other.
	clearly = 0.75
	// enough is how many words of its own a domain must share with it.
	enough = 2.0
	// headingWeight is what a word of the headings above a requirement counts:
	// they say whose business it is.
	headingWeight = 1.5
)

// router finds the domain that a requirement is the business of, where no
// single item says so: by the words that only few domains use.
type router struct {
	vocabulary []map[string]bool // by domain
	users      map[string]int    // of each word, in domains
	scores     []float64         // scratch
}

func newRouter(builders []*builder) *router {
	r := &router{users: map[string]int{}, scores: make([]float64, len(builders))}
	for _, b := range builders {
		words := map[string]bool{}
		see := func(stems []string) {
			for _, w := range stems {
				if !words[w] {
					words[w] = true
					r.users[w]++
				}
			}
		}
		see(b.lex.content(wordsOf(strings.ReplaceAll(b.dom.Domain, "_", " "))))
		see(b.lex.content(wordsOf(clip(b.dom.TaskBrief, maxBrief))))
		for m := range b.matters {
			for i := range b.matters[m].items {
				see(b.matters[m].items[i].words)
			}
		}
		r.vocabulary = append(r.vocabulary, words)
	}
	return r
}

// domain returns the domain that a requirement clearly belongs to, or -1.
func (r *router) domain(it *item) int {
	best, second := -1, 0.0
	for i, words := range r.vocabulary {
		r.scores[i] = 0
		for _, w := range it.words {
			if words[w] {
				r.scores[i] += 1 / float64(r.users[w])
			}
		}
		for _, w := range it.heads {
			if words[w] {
				r.scores[i] += headingWeight / float64(r.users[w])
			}
		}
		switch {
		case best < 0 || r.scores[i] > r.scores[best]:
			if best >= 0 {
				second = r.scores[best]
			}
			best = i
		case r.scores[i] > second:
			second = r.scores[i]
		}
	}
	if best < 0 || r.scores[best] < enough || r.scores[best] < second+clearly {
		return -1
	}
	return best
}
