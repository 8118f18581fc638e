package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// bareFrom is the number from which one is recognised without its unit. A
// smaller one stands in too many other places.
const bareFrom = 10

// States tells whether the text states a quantity of the phrase. It is
// generous, because a figure that is there in a form nobody thought of would
// be called missing:
//
//   - 1 hour is also 1h, "one hour", "hourly", 60 minutes or 3600; a month may
//     have 28 to 31 days;
//   - 2 GB is also 2000 or 2048 MB, $500 is 500 USD, and 300 requests per
//     minute are 5 requests per second;
//   - 95 % is also "95 percent" or 0.95, and 100 % is "all" or "every";
//   - a number from 10 needs no unit, a smaller one stands up to three words
//     before what it counts;
//   - a bound is met by any figure of its kind, since a text that stays below
//     it may state only what it reaches.
//
// Of several quantities one suffices. It is false if the phrase has none that
// is [Quantity.Searchable].
func (t *Text) States(phrase string) bool {
	for _, q := range quantitiesOf(phrase) {
		if q.Searchable() && t.figured().state(&q) {
			return true
		}
	}
	return false
}

func (e *evaluation) states(args []ref.Val) (ref.Val, error) {
	t, err := e.text(args[0])
	if err != nil {
		return nil, err
	}
	p, ok := args[1].(types.String)
	if !ok {
		return nil, errors.New("the argument is not a string")
	}
	if len(p) > MaxPhrase {
		return nil, fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, len(p), MaxPhrase)
	}
	if !hasQuantity(string(p)) {
		return nil, errNoQuantity(string(p))
	}
	return types.Bool(t.States(string(p))), nil
}

// hasQuantity tells whether a phrase has a quantity that States looks for.
func hasQuantity(phrase string) bool {
	return slices.ContainsFunc(quantitiesOf(phrase), func(q Quantity) bool { return q.Searchable() })
}

func errNoQuantity(phrase string) error {
	return fmt.Errorf("%q has no quantity to look for: ask has_quantity first, or give a number with what it counts or measures", clip(phrase, maxQuote))
}

func (f *figures) state(q *Quantity) bool {
	switch q.kind {
	case share:
		return f.stateShare(q)
	case duration:
		return f.stateDuration(q)
	case count:
		return f.stateCount(q) || q.per != nil && f.stateRate(q)
	case measured:
		return f.stateMeasure(q)
	}
	return false
}

func (f *figures) stateShare(q *Quantity) bool {
	part := q.Value / 100
	switch {
	case q.Bound && len(f.shares) > 0, q.Value == 100 && f.whole, f.hasNumber(part):
		return true
	case q.Bound && part < 0.5: // who stays below 5 % may write 0.03
		return f.numberIn(0, part)
	case q.Bound:
		return f.numberIn(part, 1)
	}
	return slices.ContainsFunc(f.shares, func(v float64) bool { return same(v, q.Value) })
}

func (f *figures) stateDuration(q *Quantity) bool {
	if q.Value >= bareFrom && f.hasNumber(q.Value) || q.Bound && f.timed {
		return true
	}
	if q.Bound {
		return false
	}
	seconds := q.Value * q.unit.seconds
	for _, d := range f.durations {
		if sameTime(seconds/d.unit.seconds, d.value, d.unit) {
			return true
		}
	}
	// Numbers of a size that only another unit gives, such as 3600.
	for i := range timeUnitList {
		u := &timeUnitList[i]
		v := seconds / u.seconds
		if whole := math.Round(v); whole >= 60 && sameTime(v, whole, u) && f.hasNumber(whole) {
			return true
		}
	}
	return false
}

// sameTime tells whether a text that states have of a unit states what is
// want of it. A month has 28 to 31 days and a year 365 or 366: rounded, they
// still say the same.
func sameTime(want, have float64, u *timeUnit) bool {
	if same(want, have) {
		return true
	}
	return u.seconds >= monthSeconds && have == math.Round(want) && math.Abs(want-have) <= 0.07*have
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }

// hasNumber tells whether a number stands in the text in digits.
func (f *figures) hasNumber(want float64) bool {
	i, _ := slices.BinarySearch(f.values, want*(1-1e-9))
	return i < len(f.values) && same(f.values[i], want)
}

// numberIn tells whether a number between two others stands in the text.
func (f *figures) numberIn(from, to float64) bool {
	i, _ := slices.BinarySearch(f.values, math.Nextafter(from, to))
	return i < len(f.values) && f.values[i] < to
}

// repeated are the beginnings of the words for how often something is done.
var (
	repeated      = []string{"times", "attempt", "retr", "tries", "try"}
	repeatedNouns = wordSet(`times attempts retries tries`)
)

func (f *figures) stateCount(q *Quantity) bool {
	if q.Value >= bareFrom && f.hasNumber(q.Value) {
		return true
	}
	if q.thing == "" {
		return false
	}
	things, between, repeats := []string{q.thing}, 3, repeatedNouns[q.Unit]
	if repeats {
		things, between = repeated, 2
	}
	last := int32(-1) // where the number tried last begins: one may have several readings
	for i := range f.list {
		n := &f.list[i]
		if q.Bound || !n.article && same(n.value, q.Value) {
			if f.counts(int(n.after), things, between, repeats) {
				return true
			}
		}
		if q.Bound && !n.word && n.from != last {
			if last = n.from; f.isSet(int(n.from), things, repeats) {
				return true
			}
		}
	}
	return false
}

// maxBetween bounds the length in bytes of a word between a number and what it
// counts: one that is data would be gone through for each number in it.
const maxBetween = 40

// counts tells whether one of the things is named at offset at, behind a
// number, with some words between them.
func (f *figures) counts(at int, things []string, between int, repeats bool) bool {
	s := f.low
	if repeats && (strings.HasPrefix(s[at:], "×") || strings.HasPrefix(s[at:], "x") && !isNameByte(next(s, at+1))) {
		return true
	}
	for {
		for _, thing := range things {
			if strings.HasPrefix(s[at:], thing) {
				return true
			}
		}
		end := at
		for end < len(s) && end-at <= maxBetween && (isNameByte(s[end]) || s[end] == '-') {
			end++
		}
		after := end
		for after < len(s) && isSpaceByte(s[after]) {
			after++
		}
		if between == 0 || end == at || after == end || end-at > maxBetween {
			return false
		}
		at, between = after, between-1
	}
}

// isSet tells whether one of the things is named just before the number at
// offset at, as in "LIMIT rows: 200".
func (f *figures) isSet(at int, things []string, repeats bool) bool {
	from := at
	for n := 0; n < 20 && from > 0 && f.low[from-1] != '\n' && f.low[from-1] != '.'; n++ {
		for from--; from > 0 && f.low[from]&0xC0 == 0x80; { // to the beginning of the character
			from--
		}
	}
	for _, thing := range things {
		if strings.Contains(f.low[max(0, from-len(thing)):at], thing) {
			return true
		}
	}
	if !repeats {
		return false
	}
	if strings.Contains(f.low[max(0, from-len("×")):at], "×") {
		return true
	}
	for i := max(0, from-1); i < at; i++ {
		if f.low[i] == 'x' && !isNameByte(f.low[i+1]) {
			return true
		}
	}
	return false
}

// onPhrase makes a function of a short string, the receiver.
func onPhrase(f func(string) bool) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(_ *evaluation, args []ref.Val) (ref.Val, error) {
		p, ok := args[0].(types.String)
		if !ok {
			return nil, errNotStrings
		}
		if len(p) > MaxPhrase {
			return nil, fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, len(p), MaxPhrase)
		}
		return types.Bool(f(string(p))), nil
	}
}
