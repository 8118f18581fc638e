package figures

import (
	"math"
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Range is what a figure may be. Its ends differ for units that have no exact size: a
// month has 28 to 31 days, a MB 10⁶ or 2²⁰ bytes.
type Range struct {
	Low, High float64 // in the base unit of Of
	// Of is what is measured (time, bytes, %, usd), the word for what is counted in
	// singular (request), or one of both per time (request/time).
	Of string
}

// And gives what both ranges allow; ok is false if they are of different things or
// nothing meets both.
func (r Range) And(o Range) (both Range, ok bool) {
	both = Range{max(r.Low, o.Low), min(r.High, o.High), r.Of}
	lost := 1e-9 * max(math.Abs(both.Low), math.Abs(both.High)) // by binary fractions
	return both, r.Of == o.Of && (both.Low <= both.High || !math.IsInf(lost, 0) && both.Low-both.High <= lost)
}

// rate matches what stands behind the number of a rate: "requests per second", "/s".
var rate = regexp.MustCompile(`^(.*?) ?(?:/ ?|\b(?:per|an?|each|every) )(\pL+)$`)

// Parse reads a text that is nothing but one quantity in digits: 1 hour, 3 attempts,
// 10 requests per second, 99.5 %. Any words that are no unit are what is counted.
func Parse(s string) (r Range, ok bool) {
	s = strings.TrimSpace(s)
	at := currency(s, 0)
	if !isDigit(byteAt(s, at)) {
		return r, false
	}
	n, ok := numberAt(s, at)
	if !ok {
		return r, false
	}
	thing := strings.Join(strings.Fields(strings.Trim(s[n.end:], " .-")), " ")
	per, perTime := &unit{low: 1, high: 1}, ""
	if m := rate.FindStringSubmatch(thing); m != nil && units[m[2]].isTime() {
		thing, per, perTime = m[1], units[m[2]], "/time"
	}
	if n.unit == nil {
		return Range{n.value / per.high, n.value / per.low, singular(thing) + perTime}, true
	}
	return Range{n.value * n.unit.low / per.high, n.value * n.unit.high / per.low, n.unit.of + perTime}, thing == ""
}

// singular gives the words for a counted thing in lower case and without the ending of
// a plural.
func singular(w string) string {
	w = fold.Case(w)
	for _, end := range [][2]string{{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(w, end[0]); ok && stem != "" {
			return stem + end[1]
		}
	}
	return w
}
