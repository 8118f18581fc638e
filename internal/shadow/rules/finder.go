package rules

const (
	// alike is the share of the shorter one's words from which two phrases
	// are about the same thing.
	alike = 0.6
	// bearsOn is the share of a requirement's words from which it bears on an
	// item of a domain.
	bearsOn = 0.4
	// maxAlike and maxBearing bound how many phrases a word may stand in to
	// count when phrases of one domain, or of all, are compared. A word that
	// stands everywhere tells nothing, and would make comparing quadratic.
	maxAlike   = 40
	maxBearing = 250
)

// finder finds the phrase that shares most words with another one.
type finder struct {
	postings map[string][]int32
	length   []int // words of each phrase
	shared   []int // scratch: words shared with the phrase looked for
	most     int
}

func newFinder(most int) *finder { return &finder{postings: map[string][]int32{}, most: most} }

// add makes the phrase with these words findable as n. Numbers begin at 0 and
// do not skip.
func (f *finder) add(n int, words []string) {
	for n >= len(f.length) {
		f.length = append(f.length, 0)
		f.shared = append(f.shared, 0)
	}
	f.length[n] = max(f.length[n], len(words))
	for _, w := range words {
		if p := f.postings[w]; len(p) <= f.most && (len(p) == 0 || p[len(p)-1] != int32(n)) {
			f.postings[w] = append(p, int32(n))
		}
	}
}

// each calls visit for every phrase that shares a word with the given ones,
// with the number of words shared, in the order in which they come up.
func (f *finder) each(words []string, visit func(n, shared int)) {
	var touched []int32
	for _, w := range words {
		p := f.postings[w]
		if len(p) > f.most {
			continue
		}
		for _, n := range p {
			if f.shared[n] == 0 {
				touched = append(touched, n)
			}
			f.shared[n]++
		}
	}
	for _, n := range touched {
		visit(int(n), f.shared[n])
		f.shared[n] = 0
	}
}

// best returns the phrase that shares the largest share of the shorter one's
// words, that share, and how many words it shares.
func (f *finder) best(words []string) (n int, share float64, shared int) {
	n = -1
	f.each(words, func(k, s int) {
		sh := float64(s) / float64(min(len(words), f.length[k]))
		if sh > share || sh == share && s > shared {
			n, share, shared = k, sh, s
		}
	})
	return n, share, shared
}
