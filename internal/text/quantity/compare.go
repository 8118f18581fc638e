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

// And gives what both ranges allow; ok is false if they are of different
// things or nothing meets both.
func (r Range) And(o Range) (both Range, ok bool) {
	both = Range{max(r.Low, o.Low), min(r.High, o.High), r.Of}
	return both, r.Of == o.Of && below(both.Low, both.High)
}

// Within tells whether all of r lies in o; of a unit without an exact size,
// whether some of it does.
func (r Range) Within(o Range) bool {
	some := below(o.Low, r.High) && below(r.Low, o.High)
	if limit := math.IsInf(r.Low, 0) || math.IsInf(r.High, 0); limit {
		some = below(o.Low, r.Low) && below(r.High, o.High)
	}
	return r.Of == o.Of && some
}

// below tells whether a is at most b, but for what binary fractions lose.
func below(a, b float64) bool {
	return a <= b || a-b <= 1e-9*max(math.Abs(a), math.Abs(b)) && !math.IsInf(a, 0) && !math.IsInf(b, 0)
}
