package reading

import (
	"math"
	"strings"
)

// item is an item of an assignment, made ready to be looked for.
type item struct {
	Item
	terms   []term
	total   float64
	opening []string // stems of the words that may be its verb
	// initials and stems of all its words, -1 for a word without a stem
	initials []byte
	sequence []int
}

// term is a word of an item.
type term struct {
	stem   int // index in the assignment's stems
	weight float64
}

// assignment are the items that are read together, and which words of the
// text are theirs.
type assignment struct {
	items []item
	stems map[string]int
	// of gives by word of the vocabulary the stem of the items that it is a
	// form of, -1 if there is none.
	of []int16
	// short gives the stems that an abbreviation stands for, by word.
	short map[int32][]int
	// traces gives by item the share of it that is anywhere in the work.
	traces []float64
}

// Weights of words. What opens a sub-task says what to do, not what it is
// about; light words say what kind of text is asked for.
const (
	weightOpening = 0.8
	weightLight   = 0.35
	weightWord    = 1
	weightBehind  = 0.6 // behind the first preposition, of that
	weightName    = 1.5 // parts of an identifier, of that
	weightHead    = 1.6 // the last word before the first preposition, of that
)

func (r *Reader) assign(items []Item) *assignment {
	a := &assignment{items: make([]item, len(items)), stems: map[string]int{}}
	count := []float64{} // by stem, in how many items it is
	for i, it := range items {
		a.items[i].Item = it
		a.parse(&a.items[i])
		for _, t := range a.items[i].terms {
			for len(count) <= t.stem {
				count = append(count, 0)
			}
			count[t.stem]++
		}
	}
	for i := range a.items {
		it := &a.items[i]
		for k := range it.terms {
			it.terms[k].weight /= math.Sqrt(count[it.terms[k].stem])
			it.total += it.terms[k].weight
		}
	}
	a.match(r)
	anywhere := cover{a: a, seen: make([]bool, len(a.stems))}
	for id, s := range a.of {
		if s >= 0 {
			anywhere.seen[s] = true
		}
		for _, s := range a.short[int32(id)] {
			if s >= 0 {
				anywhere.seen[s] = true
			}
		}
	}
	for i := range a.items {
		a.traces = append(a.traces, anywhere.of(&a.items[i]))
	}
	return a
}

// parse finds the terms of an item.
func (a *assignment) parse(it *item) {
	seen := map[int]bool{}
	n, behind, headed := 0, false, -1
	split(it.Text, func(form []byte, w word) {
		f := string(form)
		n++
		it.initials, it.sequence = append(it.initials, f[0]), append(it.sequence, -1)
		l := lexicon[f]
		if !behind && n > 1 && l != nil && l.in&prepositions != 0 {
			behind, headed = true, len(it.terms)-1
		}
		if l != nil && l.in&stops != 0 || len(f) == 1 && !isDigit(f[0]) || f == "☐" || f == "☑" {
			return
		}
		s := stem(f)
		weight := float64(weightWord)
		if n <= 2 && !strings.HasSuffix(f, "ed") && (n == 1 || light[s]) {
			it.opening = append(it.opening, s)
		}
		switch {
		case light[s]:
			weight = weightLight
		case n == 1 && !it.Deliverable && imperative(it.Text):
			weight = weightOpening
		}
		if behind {
			weight *= weightBehind
		}
		if w.glued {
			weight *= weightName
		}
		id, ok := a.stems[s]
		if !ok {
			id = len(a.stems)
			a.stems[s] = id
		}
		it.sequence[n-1] = id
		if !seen[id] {
			seen[id] = true
			it.terms = append(it.terms, term{id, weight})
		}
	})
	if !behind {
		headed = len(it.terms) - 1
	}
	if headed > 0 {
		it.terms[headed].weight *= weightHead
	}
}

// imperative tells whether a text begins with a verb that orders something, as
// far as its form tells.
func imperative(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	for _, end := range [...]string{"ing", "ion", "ions", "ment", "ity", "ness", "ance", "ence", "ed"} {
		if strings.HasSuffix(first, end) {
			return false
		}
	}
	return true
}

// match finds the forms of the items' stems in the vocabulary.
func (a *assignment) match(r *Reader) {
	f := finder{stems: a.stems, heads: make(map[[3]byte][]string, len(a.stems))}
	for s := range a.stems {
		f.heads[head(s)] = append(f.heads[head(s)], s)
		f.begins[pair(s)] = true
	}
	a.of = make([]int16, len(r.entries))
	for i := range r.entries {
		a.of[i] = -1
		e := &r.entries[i]
		if len(e.form) == 1 && !isDigit(e.form[0]) || e.in&stops != 0 {
			continue
		}
		if id, ok := f.find(e.form); ok {
			a.of[i] = int16(id)
		}
	}
	a.abbreviations(r)
}

// finder looks for words among stems. A word is stemmed only if it begins as
// one of the stems does, since the stemmer is slow.
type finder struct {
	stems  map[string]int
	begins [1 << 10]bool        // their first two letters
	heads  map[[3]byte][]string // by their first three
}

func (f *finder) find(form string) (int, bool) {
	if id, ok := f.look(form); ok {
		return id, true
	}
	if len(form) < 7 || !strings.ContainsRune("udrni", rune(form[0])) {
		return 0, false
	}
	for _, p := range [...]string{"un", "de", "re", "non", "in"} {
		if rest, ok := strings.CutPrefix(form, p); ok && len(rest) > 4 {
			if id, ok := f.look(rest); ok {
				return id, true
			}
		}
	}
	return 0, false
}

func (f *finder) look(form string) (int, bool) {
	if !f.begins[pair(form)] {
		return 0, false
	}
	for _, s := range f.heads[head(form)] {
		if strings.HasPrefix(form, s[:max(1, len(s)-1)]) {
			id, ok := f.stems[stem(form)]
			return id, ok
		}
	}
	return 0, false
}

// pair gives a number for the first two letters of a word.
func pair(s string) int {
	n := int(s[0]&31) << 5
	if len(s) > 1 {
		n |= int(s[1] & 31)
	}
	return n
}

// head gives the first three bytes of a word. The stemmer leaves them.
func head(s string) (h [3]byte) {
	copy(h[:], s)
	return h
}

// abbreviations finds words of the text that are the initials of words of an
// item: SSO for single sign-on.
func (a *assignment) abbreviations(r *Reader) {
	a.short = map[int32][]int{}
	for i := range a.items {
		it := &a.items[i]
		for from := range it.initials {
			for to := from + 3; to <= min(len(it.initials), from+5); to++ {
				id, ok := r.ids[string(it.initials[from:to])]
				if ok && r.entries[id].of == nil && a.of[id] < 0 {
					a.short[id] = it.sequence[from:to]
				}
			}
		}
	}
}

// has tells whether a stem is one of an item.
func (it *item) has(stem int) bool {
	for _, t := range it.terms {
		if t.stem == stem {
			return true
		}
	}
	return false
}

// cover is how much of an item stands in some words.
type cover struct {
	a    *assignment
	seen []bool
}

func (c *cover) reset() { clear(c.seen) }

func (c *cover) add(words []word) {
	for i := range words {
		id := words[i].id
		if s := c.a.of[id]; s >= 0 {
			c.seen[s] = true
		} else if len(c.a.short) > 0 {
			for _, s := range c.a.short[id] {
				if s >= 0 {
					c.seen[s] = true
				}
			}
		}
	}
}

// of gives the part of an item's weight that was seen.
func (c *cover) of(it *item) float64 {
	if it.total == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range it.terms {
		if c.seen[t.stem] {
			sum += t.weight
		}
	}
	return sum / it.total
}
