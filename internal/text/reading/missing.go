package reading

import (
	"regexp"
	"slices"
	"strings"
)

// littleTrace is the share of an item up to which the work may have its words
// where an identifier that the item asks for is missing.
const littleTrace = 0.30

// missing tells whether the work lacks what an item asks for by an identifier,
// and says so. One of several that stands in the work is enough to decide
// nothing. That the words of an item are nowhere decides nothing: other
// words say the same.
func (r *Reader) missing(a *assignment, i int) (string, bool) {
	it := &a.items[i]
	names := identifier.FindAllString(it.Text, -1)
	if len(names) == 0 || slices.ContainsFunc(names, r.hasIdentifier) {
		return "", false
	}
	anywhere := a.cover()
	for id := range r.entries {
		anywhere.addWord(int32(id))
	}
	if anywhere.of(it) >= littleTrace {
		return "", false
	}
	return "nothing in the text names " + strings.Join(names, " or "), true
}

// identifier is a name from a program: refresh_tokens, jwt-service.ts, k6.js.
var identifier = regexp.MustCompile(`[\pL\pN]+(?:[-/.]?[\pL\pN]+)*(?:_[\pL\pN]|\.\pL)[\pL\pN_./-]*`)

// hasIdentifiers tells whether the work has all identifiers that an item names.
func (r *Reader) hasIdentifiers(item string) bool {
	for _, name := range identifier.FindAllString(item, -1) {
		if !r.hasIdentifier(name) {
			return false
		}
	}
	return true
}

// hasIdentifier tells whether an identifier stands in the work as it is. Its
// parts apart are other words: a text on refresh and tokens says nothing of
// refresh_tokens.
func (r *Reader) hasIdentifier(name string) bool {
	return strings.Contains(strings.ToLower(r.content.doc.Source), strings.ToLower(strings.TrimRight(name, ".")))
}
