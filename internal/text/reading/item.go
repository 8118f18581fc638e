package reading

import (
	"bytes"
	"slices"
)

// Items are the items of an assignment made ready to be read: their words are
// stemmed once for all works. They are immutable and safe for concurrent use.
type Items struct {
	items    []item
	stems    map[string]int   // stems of all items, with their index
	texts    []string         // by stem: itself
	weights  []float64        // by stem: what its words weigh
	holders  []int32          // by stem: the list of the items that have it
	prefixes map[uint32]int32 // by the first letters of words: the list of their stems
	lists    lists
	forms    map[string]int // words of all items as they stand there, with the index of their stem
	initials []byte         // of the words of all items, those of an item in a row, as SSO
	sequence []int          // their stems, -1 for a word without one
	terms    int            // how many terms all items have, and one for each item
	names    int            // how many identifiers
}

// lists are lists of indexes in one slice. A list is the place of its last index,
// from 1 on, and 0 if it is empty.
type lists []struct{ index, before int32 }

// add gives a list with one more index.
func (l *lists) add(list int32, index int) int32 {
	*l = append(*l, struct{ index, before int32 }{int32(index), list})
	return int32(len(*l))
}

// item is an item of an assignment, made ready to be looked for.
type item struct {
	text        string
	terms       []term
	total       float64  // weight of all terms
	identifiers []string // the identifiers that it names
	absent      bool     // it asks for something that is not, as "Leave out nuts"
	verb        int      // the stem of its first word, -1 if it has none
}

// term is a word of an item.
type term struct {
	stem   int // index in the assignment's stems
	weight float64
}

// Weights of words. Light words say what kind of work or text is asked for.
const (
	weightLight  = 0.35
	weightBehind = 0.6 // behind the first preposition, of that
	weightHead   = 1.6 // the last word before the first preposition, of that
)

// Prepare makes the items of an assignment ready.
func Prepare(items []string) *Items {
	n := 5 * len(items) // as many stems as items mostly have, with as many other words
	a := &Items{items: make([]item, len(items)), stems: make(map[string]int, n), forms: make(map[string]int, n), prefixes: make(map[uint32]int32, n),
		texts: make([]string, 0, n), weights: make([]float64, 0, n), holders: make([]int32, 0, n), lists: make(lists, 0, 3*n), initials: make([]byte, 0, 3*n), sequence: make([]int, 0, 3*n)}
	words := newSplitter()
	for i := range items {
		a.items[i].text = items[i]
		a.parse(i, words.split(items[i]))
		a.terms += 1 + len(a.items[i].terms)
		a.names += len(a.items[i].identifiers)
	}
	return a
}

// parse finds the terms of an item among its words.
func (a *Items) parse(i int, words []token) {
	it := &a.items[i]
	it.verb, it.terms = -1, make([]term, 0, len(words))
	behind, before, first := false, 0, len(a.sequence) // behind the first preposition, the terms before it
	it.identifiers = identifiers(it.text)
	for _, w := range words {
		n, l := len(a.sequence), lexicon[w.form]
		a.initials, a.sequence = append(a.initials, w.form[0]), append(a.sequence, -1)
		if l != nil && (n == first && l.in&absences != 0 || l.in&negators != 0) {
			it.absent = true
		}
		if l != nil && l.in&prepositions != 0 && n > first && !behind {
			behind, before = true, len(it.terms)
		}
		if l != nil && l.in&stops != 0 || !isContent(w.form) {
			continue
		}
		id := a.stem(w.form, l)
		if n == first {
			it.verb = id
		}
		weight := a.weights[id]
		if behind {
			weight *= weightBehind
		}
		if a.sequence[n] = id; !it.has(id) {
			it.terms = append(it.terms, term{id, weight})
			a.holders[id] = a.lists.add(a.holders[id], i)
		}
	}
	if !behind {
		before = len(it.terms)
	}
	if before > 1 {
		it.terms[before-1].weight *= weightHead
	}
	for _, t := range it.terms {
		it.total += t.weight
	}
	a.initials, a.sequence = append(a.initials, ' '), append(a.sequence, -1)
}

// abbreviated gives the stems of the words whose initials an abbreviation is.
func (a *Items) abbreviated(form string) (stems []int, ok bool) {
	at := bytes.Index(a.initials, []byte(form))
	if at < 0 {
		return nil, false
	}
	for _, s := range a.sequence[at : at+len(form)] {
		if s >= 0 {
			stems = append(stems, s)
		}
	}
	return stems, true
}

// isContent tells whether a word means something: "layout C" is not "layout A",
// but the English words of one letter say nothing.
func isContent(form string) bool { return form != "a" && form != "i" && form != "☐" && form != "☑" }

// stem gives the index of the stem of a word, of which the lexicon may have something.
func (a *Items) stem(form string, known *lexeme) int {
	if id, ok := a.forms[form]; ok {
		return id
	}
	s := stem(form)
	if known != nil && known.root != "" {
		s = known.root
	}
	id, ok := a.stems[s]
	if !ok {
		id = len(a.stems)
		a.stems[s] = id
		a.texts, a.weights, a.holders = append(a.texts, s), append(a.weights, 1), append(a.holders, 0)
		if light[s] {
			a.weights[id] = weightLight
		}
		a.prefixes[prefix(s)] = a.lists.add(a.prefixes[prefix(s)], id)
	}
	a.forms[form] = id
	if h := prefix(form); h != prefix(s) { // dying, die
		a.prefixes[h] = a.lists.add(a.prefixes[h], id)
	}
	return id
}

func (it *item) has(stem int) bool {
	return slices.ContainsFunc(it.terms, func(t term) bool { return t.stem == stem })
}

// cover is which stems stand in some words.
type cover struct {
	a     *assignment
	seen  []bool // by stem
	stems []int  // those that were seen
}

func (a *assignment) cover() cover { return cover{a: a, seen: make([]bool, len(a.stems))} }

func (c *cover) reset() {
	for _, s := range c.stems {
		c.seen[s] = false
	}
	c.stems = c.stems[:0]
}

func (c *cover) put(stem int) {
	if !c.seen[stem] {
		c.seen[stem] = true
		c.stems = append(c.stems, stem)
	}
}

func (c *cover) add(words []word) {
	for i := range words {
		c.addWord(words[i].id)
	}
}

func (c *cover) addWord(id int32) {
	if s := c.a.of[id]; s >= 0 {
		c.put(int(s))
	} else if s == abbreviation {
		for _, s := range c.a.short[id] {
			c.put(s)
		}
	}
}

// of gives the share of an item's weight that was seen.
func (c *cover) of(it *item) float64 {
	sum := 0.0
	for _, t := range it.terms {
		if c.seen[t.stem] {
			sum += t.weight
		}
	}
	return sum / max(it.total, 1e-9)
}
