package reading

import (
	"regexp"
	"slices"
	"strings"
)

// How much of an item the work may have, anywhere in it, if the item is missing.
const (
	littleTrace = 0.30 // where it lacks the identifiers that the item asks for
	noTrace     = 0.20 // where it treats the other items in their words
	inTheirs    = 0.53 // so much of the others on average, in the section that has most of each, if it does
)

// missing tells whether the work lacks what an item asks for by an identifier,
// and says so. One of several that stands in the work is enough to decide
// nothing.
func (a *assignment) missing(i int) (string, bool) {
	names := a.items[i].identifiers
	if len(names) == 0 || slices.ContainsFunc(names, a.hasIdentifier) || a.anywhere(i) >= littleTrace {
		return "", false
	}
	return "nothing in the text names " + strings.Join(names, " or "), true
}

// absent finds the items that are missing since the work has next to none of
// their words. That alone decides nothing, for other words may say the same:
// the work must treat the other items in the words of the assignment.
func (a *assignment) absent(out []Reading, said []said) {
	all := 0.0
	for i := range said {
		all += said[i].best.share
	}
	for i := range out {
		if out[i].Verdict != Unread || len(a.items[i].terms) == 0 || a.anywhere(i) > noTrace {
			continue
		}
		if others := float64(len(out) - 1); others > 0 && (all-said[i].best.share)/others >= inTheirs {
			out[i] = Reading{Verdict: Missing, Why: "nothing in the text is about it"}
		}
	}
}

// anywhere gives the share of an item that stands anywhere in the work.
func (a *assignment) anywhere(i int) float64 { return a.whole.of(&a.items[i]) }

// identifier is a name from a program: refresh_tokens, jwt-service.ts, k6.js.
var identifier = regexp.MustCompile(`[\pL\pN]+(?:[-/.]?[\pL\pN]+)*(?:_[\pL\pN]|\.\pL)[\pL\pN_./-]*`)

// identifiers lists the identifiers in a text.
func identifiers(text string) []string {
	names := identifier.FindAllString(text, -1)
	for i := range names {
		names[i] = strings.TrimRight(names[i], ".")
	}
	return names
}

// hasIdentifiers tells whether the work has all identifiers that an item names.
func (a *assignment) hasIdentifiers(i int) bool {
	for _, name := range a.items[i].identifiers {
		if !a.hasIdentifier(name) {
			return false
		}
	}
	return true
}

// hasIdentifier tells whether an identifier stands in the work as it is. Its
// parts apart are other words: a text on refresh and tokens says nothing of
// refresh_tokens.
func (a *assignment) hasIdentifier(name string) bool {
	return strings.Contains(a.source, strings.ToLower(name))
}
