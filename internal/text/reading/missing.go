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

// missing tells whether nothing of an item is in the work, and in what words
// to say so.
func (r *Reader) missing(a *assignment, i int) (string, bool) {
	it := &a.items[i]
	trace := a.traces[i]
	if trace >= littleTrace || !r.english {
		return "", false
	}
	names := r.absent(it.Text)
	switch {
	case len(names) >= fewestNames, len(names) > 0 && trace < noTrace:
		return "nothing in the text names " + list(names), true
	case trace < noTrace && !it.Deliverable && len(it.terms) >= fewestTerms:
		return "nothing in the text speaks of it", true
	}
	return "", false
}

// absent gives the names in an item, nil if one of them is in the work. A name
// is a word with a capital letter or a digit beside letters, the first word
// aside unless it has several.
func (r *Reader) absent(text string) []string {
	var out []string
	for n, f := range strings.Fields(text) {
		name := strings.Trim(f, "`\"'()[]{}<>,;:!?*“”‘’.")
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
	if first {
		return upper > 1
	}
	return letters > 1 && (upper > 0 || digits > 0)
}

// list joins names as a sentence does.
func list(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// isEnglish tells whether a text is long enough, and English enough, that the
// absence of words means something.
func (r *Reader) isEnglish() bool {
	n := 0
	for i := range r.content.words {
		if r.entries[r.content.words[i].id].in&stops != 0 {
			n++
		}
	}
	return len(r.content.words) >= shortestText && float64(n) >= englishShare*float64(len(r.content.words))
}
