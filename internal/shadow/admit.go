package shadow

import (
	"fmt"
	"strings"
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
	own := v.Own || why != v.Why
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
		v.Outcome, v.Quote, v.Actual, v.Why, v.Own = Undecided, "", "", why, own
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
