package quantity

import "math"

// Range is what a quantity may be, in the base unit of Of.
type Range struct {
	Low, High float64
	Of        string
}

// Range gives the values that meet the quantity: all up to a limit, all from
// one on, and otherwise the value itself.
func (q Quantity) Range() Range {
	r := Range{q.Low, q.High, q.Of}
	switch q.Bound {
	case AtMost:
		r.Low = math.Inf(-1)
	case AtLeast:
		r.High = math.Inf(1)
	}
	return r
}

// As gives the quantity as a limit.
func (q Quantity) As(b Bound) Quantity {
	q.Bound = b
	return q
}

// And gives what both ranges allow; ok is false if they are of different
// things or nothing meets both.
func (r Range) And(o Range) (both Range, ok bool) {
	both = Range{max(r.Low, o.Low), min(r.High, o.High), r.Of}
	return both, r.Of == o.Of && both.Low <= both.High+slack(both.Low, both.High)
}

// Meets tells whether a value may meet both ranges, which are of one thing.
func (r Range) Meets(o Range) bool {
	_, ok := r.And(o)
	return ok
}

// Within tells whether all of r lies in o; of a unit without an exact size,
// whether some of it does.
func (r Range) Within(o Range) bool {
	low, high := r.Low, r.High
	if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
		low, high = high, low
	}
	return r.Of == o.Of && low >= o.Low-slack(low, o.Low) && high <= o.High+slack(high, o.High)
}

// slack is what two values may differ by for reasons of binary fractions.
func slack(a, b float64) float64 {
	s := 1e-9 * max(math.Abs(a), math.Abs(b))
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return 0
	}
	return s
}
