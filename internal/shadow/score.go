package shadow

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Score is how many of the sealed criteria a bundle did not pass. It is exact;
// everything that is decided on a score is decided on these integers.
type Score struct {
	Failed int `json:"failed" is:"max=50"`
	Total  int `json:"total" is:"max=50"`
	// Undecided is how many of Failed no judge has failed: nobody could decide.
	Undecided int `json:"undecided,omitempty" is:"max=50"`
}

// Judged is the score of what was judged to fail: without what is undecided.
func (s Score) Judged() Score { return Score{Failed: s.Failed - s.Undecided, Total: s.Total} }

// Percent is failed/total×100 with one decimal, rounded as the public Python
// validator rounds (31.25 is 31.2). It is for showing, never for deciding.
func (s Score) Percent() json.Number {
	if s.Total == 0 {
		return "0.0"
	}
	return json.Number(strconv.FormatFloat(float64(s.Failed)/float64(s.Total)*100, 'f', 1, 64))
}

// Exceeds reports whether the score is above threshold percent.
func (s Score) Exceeds(threshold int) bool { return s.Failed*100 > threshold*s.Total }

// Level classifies the exact score.
func (s Score) Level() Level {
	for _, l := range levels {
		if !s.Exceeds(l.upTo) {
			return l.level
		}
	}
	return Critical
}

// Level is the class of a score.
type Level string

// The levels.
const (
	Perfect     Level = "perfect"
	Minor       Level = "minor"
	Moderate    Level = "moderate"
	Significant Level = "significant"
	Critical    Level = "critical"
)

// levels have their upper bounds in percent and their gates. Critical is beyond.
var levels = []struct {
	level Level
	upTo  int
	gate  Action
}{{Perfect, 0, Proceed}, {Minor, 15, Proceed}, {Moderate, 30, Warn}, {Significant, 50, Quarantine}}

// Rule lists the words, for the decoder.
func (Level) Rule() string { return wordRule(Perfect, Minor, Moderate, Significant, Critical) }

// Action is what a gate tells consensus services to do with a bundle.
type Action string

// The actions of a gate. Pending: a fix is awaited, don't act yet.
const (
	Proceed    Action = "proceed"
	Warn       Action = "warn"
	Quarantine Action = "quarantine"
	Reject     Action = "reject"
	Pending    Action = "pending"
)

// Rule lists the words, for the decoder.
func (Action) Rule() string { return wordRule(Proceed, Warn, Quarantine, Reject, Pending) }

// Action is the gate that belongs to a level.
func (l Level) Action() Action {
	for _, o := range levels {
		if o.level == l {
			return o.gate
		}
	}
	return Reject
}

// Harsher is the harsher of two actions. None is the mildest.
func Harsher(a, b Action) Action {
	if slices.Index(Severity, b) > slices.Index(Severity, a) {
		return b
	}
	return a
}

// milder is the milder of two actions.
func milder(a, b Action) Action {
	if Harsher(a, b) == a {
		return b
	}
	return a
}

// Severity orders the actions, the mildest first.
var Severity = []Action{Proceed, Pending, Warn, Quarantine, Reject}

// Median is the middle of the scores, or the mean of the two middle ones, and its
// level, taken before rounding. The median of nothing is 0.0, perfect.
func Median(scores []Score) (json.Number, Level) {
	sorted := slices.SortedFunc(slices.Values(scores), func(a, b Score) int { return a.Failed*b.Total - b.Failed*a.Total })
	n := len(sorted)
	if n == 0 {
		return "0.0", Perfect
	}
	m := sorted[n/2]
	if a := sorted[(n-1)/2]; n%2 == 0 {
		m = Score{Failed: a.Failed*m.Total + m.Failed*a.Total, Total: 2 * a.Total * m.Total}
	}
	return m.Percent(), m.Level()
}

// velocity is (initial − final) / cycles in percentage points with one decimal;
// both are of the same criteria, and cycles is at least 1.
func velocity(initial, final Score, cycles int) json.Number {
	return Score{Failed: initial.Failed - final.Failed, Total: initial.Total * cycles}.Percent()
}

// coverage compares sealed criteria with open tests by category, or is nil where the
// bundle does not say which its tests are of. One that is not known is "unknown".
func coverage(sealed []Category, open map[Category]TestTally) map[Category]Coverage {
	if len(open) == 0 {
		return nil
	}
	out := map[Category]Coverage{}
	add := func(c Category, sealed, open int) {
		n := out[c]
		n.Sealed += sealed
		n.Open += open
		n.Delta = n.Sealed - n.Open
		out[c] = n
	}
	for _, c := range sealed {
		add(c, 1, 0)
	}
	for c, t := range open {
		if !slices.Contains(Categories(), c) {
			c = "unknown"
		}
		add(c, 0, t.Total)
	}
	return out
}
