package reading

import (
	"regexp"
	"strings"
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
	names := it.names // all of them, or none if the work has one
	for _, name := range names {
		if _, here := r.ids[strings.ToLower(name)]; here {
			names = nil
			break
		}
	}
	switch {
	case len(names) >= fewestNames, len(names) > 0 && trace < noTrace:
		return "nothing in the text names " + strings.Join(names, " or "), true
	case trace < noTrace && !it.Deliverable && len(it.terms) >= fewestTerms:
		return "nothing in the text speaks of it", true
	}
	return "", false
}

// identifier is a name from a program: refresh_tokens, jwt-service.ts, k6.js.
var identifier = regexp.MustCompile(`[\pL\pN]+(?:[-/.]?[\pL\pN]+)*(?:_[\pL\pN]|\.\pL)[\pL\pN_./-]*`)

// hasIdentifiers tells whether the work has all identifiers that an item names.
// Their parts apart are other words: a text on refresh and tokens says nothing
// of refresh_tokens.
func (r *Reader) hasIdentifiers(item string) bool {
	for _, name := range identifier.FindAllString(item, -1) {
		if !strings.Contains(strings.ToLower(r.content.doc.Source), strings.ToLower(strings.TrimRight(name, "."))) {
			return false
		}
	}
	return true
}
