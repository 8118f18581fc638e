package reading

import (
	"regexp"
	"slices"
	"strings"
)

// maxTrace is the share of an item up to which the work may have its words
// where it lacks the identifiers that the item asks for.
const maxTrace = 0.30

// missing tells whether the work lacks what an item asks for by an identifier,
// and says so. One of several that stands in the work is enough to decide
// nothing. That the words of an item are nowhere decides nothing: other words
// say the same.
func (a *assignment) missing(i int) (string, bool) {
	names := a.items[i].identifiers
	if len(names) == 0 || slices.ContainsFunc(names, a.hasIdentifier) {
		return "", false
	}
	if a.whole.a == nil {
		a.whole = a.cover()
		for id := range a.of {
			a.whole.addWord(int32(id))
		}
	}
	if a.whole.of(&a.items[i]) >= maxTrace {
		return "", false
	}
	return "nothing in the text names " + strings.Join(names, " or "), true
}

// identifier is a name from a program: refresh_tokens, jwt-service.ts, k6.js.
var identifier = regexp.MustCompile(`[\pL\pN]+(?:[-/.]?[\pL\pN]+)*(?:_[\pL\pN]|\.\pL)[\pL\pN_./-]*`)

// identifiers lists the identifiers in a text.
func identifiers(text string) []string {
	if !strings.ContainsAny(text, "_.") {
		return nil
	}
	var names []string
	for field := range strings.FieldsSeq(text) {
		if strings.ContainsAny(field[:len(field)-1], "_.") { // the expression is slow
			for _, name := range identifier.FindAllString(field, -1) {
				names = append(names, strings.TrimRight(name, "."))
			}
		}
	}
	return names
}

// hasIdentifiers tells whether the work has all identifiers that an item names.
func (a *assignment) hasIdentifiers(i int) bool {
	return !slices.ContainsFunc(a.items[i].identifiers, func(name string) bool { return !a.hasIdentifier(name) })
}

// hasIdentifier tells whether an identifier stands in the work as it is. Its
// parts apart are other words: a text on refresh and tokens says nothing of
// refresh_tokens.
func (a *assignment) hasIdentifier(name string) bool {
	mark := strings.IndexAny(name, "_.")
	for at := mark; at < len(a.content); at++ {
		i := strings.IndexByte(a.content[at:], name[mark])
		if i < 0 {
			return false
		}
		at += i
		if end := at - mark + len(name); end <= len(a.content) && strings.EqualFold(a.content[at-mark:end], name) {
			return true
		}
	}
	return false
}
