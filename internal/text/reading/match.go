package reading

import "strings"

// assignment are items with the words of a work that are theirs.
type assignment struct {
	*Items
	content string          // its source
	whole   cover           // of all its words, once it is asked for
	of      []int32         // by word of the vocabulary: the stem that it is a form of, or one of those below 0
	short   map[int32][]int // by word: the stems that an abbreviation stands for
}

// Words that are a form of no stem.
const (
	foreign      = -1
	abbreviation = -2
	stopWord     = -3
)

// match finds the forms of the items' stems among the words of a work, and
// the words that are the initials of words of an item: SSO for single sign-on.
func (r *Reader) match(items *Items) *assignment {
	a := &assignment{Items: items, content: r.content.doc.Source, of: make([]int32, len(r.entries)), short: map[int32][]int{}}
	for i := range r.entries {
		e := &r.entries[i]
		if e.in&stops != 0 {
			a.of[i] = stopWord
			continue
		}
		if a.of[i] = foreign; !isContent(e.form) {
			continue
		}
		form := e.form
		if e.of != nil && e.of.root != "" {
			form = e.of.root
		}
		if a.of[i] = a.find(form); a.of[i] < 0 && e.of == nil && len(e.form) <= 5 && (len(e.form) > 2 || e.in&capitals != 0) {
			if stems, ok := items.abbreviated(e.form); ok {
				a.of[i], a.short[int32(i)] = abbreviation, stems
			}
		}
	}
	return a
}

// find gives the stem that a word is a form of, also with un, de, re, non or
// in before it, or -1.
func (a *Items) find(form string) int32 {
	if id := a.lookup(form); id >= 0 || len(form) < 7 || strings.IndexByte("udrni", form[0]) < 0 {
		return id
	}
	for _, p := range [...]string{"un", "de", "re", "non", "in"} {
		if rest, ok := strings.CutPrefix(form, p); ok {
			if id := a.lookup(rest); id >= 0 {
				return id
			}
		}
	}
	return -1
}

// manyStems take longer to compare with a word than it takes to stem it.
const manyStems = 32

// lookup stems a word only if it begins as one of the stems does.
func (a *Items) lookup(form string) int32 {
	list := a.prefixes[prefix(form)]
	if list == 0 {
		return foreign
	}
	if id, ok := a.forms[form]; ok {
		return int32(id)
	}
	likely := false
	for n := 0; list > 0 && !likely; n++ {
		s := a.texts[a.lists[list-1].index]
		likely, list = n == manyStems || strings.HasPrefix(form, s[:len(s)-1]), a.lists[list-1].before
	}
	if likely {
		if id, ok := a.stems[stem(form)]; ok {
			return int32(id)
		}
	}
	return foreign
}

// prefix gives the first three bytes of a word. The stemmer leaves most of them.
func prefix(s string) (h uint32) {
	for i := range min(len(s), 3) {
		h = h<<8 | uint32(s[i])
	}
	return h
}
