package reading

import (
	"strings"
	"unicode"
)

// When an item is missing: of all of its words the work has next to none, or
// few and none of the names that it asks for.
const (
	noTrace      = 0.10
	littleTrace  = 0.30
	fewestTerms  = 4  // an item of fewer words may be there under another name
	fewestNames  = 2  // so many names have no synonyms
	shortestText = 60 // words of a text that could treat an item
	englishShare = 0.2
)

// missing tells whether nothing of an item is in the work, and says so. Absence
// means nothing in another language than the lists of words are for.
func (r *Reader) missing(a *assignment, i int) (string, bool) {
	it := &a.items[i]
	anywhere := a.cover()
	for id := range r.entries {
		anywhere.addWord(int32(id))
	}
	trace := anywhere.of(it)
	if trace >= littleTrace || !r.english || len(r.content.words) < shortestText {
		return "", false
	}
	names := r.absent(it.Text)
	switch {
	case len(names) >= fewestNames, len(names) > 0 && trace < noTrace:
		return "nothing in the text names " + strings.Join(names, " or "), true
	case trace < noTrace && !it.Deliverable && len(it.terms) >= fewestTerms:
		return "nothing in the text speaks of it", true
	}
	return "", false
}

// absent gives the names in an item, none if one of them is in the work.
func (r *Reader) absent(text string) []string {
	var out []string
	for n, f := range strings.Fields(text) {
		name := strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if !isName(name, n == 0) {
			continue
		}
		here := false
		split(name, func(form []byte, _ word) {
			id, ok := r.ids[string(form)]
			here = here || ok && r.entries[id].in&stops == 0
		})
		if here {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// isName tells whether a word is a name: it has a capital letter, or a digit
// beside letters. The first word of a text needs several capitals.
func isName(s string, first bool) bool {
	upper, digits, letters := 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
			letters++
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return upper > 1 || !first && letters > 1 && upper+digits > 0
}
