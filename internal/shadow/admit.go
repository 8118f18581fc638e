package shadow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Bounds on a vote's texts, in characters, and on how short a quote may be, in
// letters and digits: a word that any text has proves nothing.
const (
	maxQuote  = 1000
	maxReason = 2000
	minQuote  = 8
)

// Admit makes a vote fit to be counted, or turns it into none: a pass must
// quote the bundle, a fail must say what is wrong, and who calls a criterion
// not applicable must say why. A judge that was talked into a verdict has
// nothing to quote for it.
func (q *Question) Admit(v Vote) Vote {
	v.Quote, v.Actual, v.Why = strings.TrimSpace(v.Quote), strings.TrimSpace(v.Actual), clip.To(strings.TrimSpace(v.Why), maxReason)
	why := q.refuses(&v)
	if v.Outcome == Failed {
		if v.Quote = clip.To(v.Quote, maxQuote); !q.quotes(v.Quote) {
			v.Quote = ""
		}
	}
	if v.Outcome != NotApplicable {
		v.Why = ""
	} else {
		v.Quote, v.Actual = "", ""
	}
	v.Actual = clip.To(v.Actual, maxReason)
	if why != "" {
		v.Outcome, v.Quote, v.Actual, v.Why = Undecided, "", "", why
	}
	return v
}

// refuses says why a vote cannot be counted, or returns nothing.
func (q *Question) refuses(v *Vote) string {
	switch v.Outcome {
	case Passed:
		switch {
		case utf8.RuneCountInString(v.Quote) > maxQuote:
			return fmt.Sprintf("its quote has more than %d characters", maxQuote)
		case letters(v.Quote) < minQuote:
			return "a pass without a quote of the bundle"
		case !q.quotes(v.Quote):
			return "a pass whose quote does not stand in the bundle"
		}
		return ""
	case Failed:
		if v.Actual == "" {
			return "a fail that does not say what is wrong"
		}
		return ""
	case NotApplicable:
		// What applies follows from the assignment, never from the bundle. An
		// item is a part of the assignment.
		switch {
		case q.Item != nil:
			return "an item of the assignment is always applicable"
		case q.Domain == nil:
			return "not applicable, though the assignment is not known"
		case letters(v.Why) < minQuote:
			return "not applicable, without a reason"
		}
		return ""
	}
	if v.Why != "" {
		return v.Why
	}
	return "neither passed nor failed"
}

// quotes reports whether a text stands in the bundle, verbatim but for how it
// is spaced and broken into lines.
func (q *Question) quotes(quote string) bool {
	if quote = spaced(quote); quote == "" {
		return false
	}
	for _, text := range q.Bundle.texts() {
		if strings.Contains(spaced(text), quote) {
			return true
		}
	}
	return false
}

// texts are the parts of a bundle that a commander writes at length.
func (b *Bundle) texts() []string {
	texts := []string{b.Content, b.Summary}
	for _, c := range b.Conflicts {
		texts = append(texts, c.Description, c.Resolution)
	}
	return texts
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
