package check

import "math/big"

// tally adds up the cells of one column or row. While all are small whole
// numbers, it does so without exact arithmetic, which is what most tables
// need.
type tally struct {
	n     int // numbers
	unit  string
	mixed bool     // of units
	text  bool     // some cell is no number
	owed  *big.Rat // sum of the numbers in parentheses, nil if there are none

	rounded bool // the header says so: "in millions"
	uneven  int  // numbers that do not end in a zero

	whole, min, max int64 // sum, least and greatest, unless exact is set

	exact     bool
	sum       *big.Rat
	lo, hi    *big.Rat
	slack     *big.Rat // what rounding of the numbers may account for
	fractions bool
	halves    bool // every fraction is a half
}

// roundedUnits are units that what is measured is hardly ever a whole number of.
var roundedUnits = map[string]bool{"KB": true, "KiB": true, "MB": true, "MiB": true, "ms": true, "µs": true, "ns": true}

// maxSmall bounds what is added up in machine words: 256 Ki cells of it fit.
const maxSmall = 1 << 40

func (t *tally) add(cl *cell) {
	switch cl.kind {
	case cellText:
		t.text = true
		return
	case cellNone:
		return
	}
	if t.n == 0 {
		t.unit = cl.num.unit
	}
	t.mixed = t.mixed || t.unit != cl.num.unit
	t.n++
	if cl.paren {
		if t.owed == nil {
			t.owed = new(big.Rat)
		}
		t.owed.Add(t.owed, cl.num.rat())
	}
	if !t.exact && cl.small() && !cl.num.percent() && t.n < 1<<20 {
		v := cl.num.mant
		if cl.neg {
			v = -v
		}
		t.whole += v
		if v%10 != 0 {
			t.uneven++
		}
		if t.n == 1 {
			t.min, t.max = v, v
		}
		t.min, t.max = min(t.min, v), max(t.max, v)
		return
	}
	t.goExact()
	v := cl.value()
	t.sum.Add(t.sum, v)
	if t.lo == nil || v.Cmp(t.lo) < 0 {
		t.lo = v
	}
	if t.hi == nil || v.Cmp(t.hi) > 0 {
		t.hi = v
	}
	if cl.num.dec > 0 || cl.num.percent() {
		t.fractions = true
		t.halves = t.halves && cl.num.dec == 1 && cl.num.mant%5 == 0
		half := cl.num.ulp()
		t.slack.Add(t.slack, half.Quo(half, big.NewRat(2, 1)))
	}
}

// goExact turns to exact arithmetic.
func (t *tally) goExact() {
	if t.exact {
		return
	}
	t.exact, t.halves = true, true
	t.sum, t.slack = big.NewRat(t.whole, 1), new(big.Rat)
	if t.n > 1 {
		t.lo, t.hi = big.NewRat(t.min, 1), big.NewRat(t.max, 1)
	}
}

// total is the sum.
func (t *tally) total() *big.Rat {
	t.goExact()
	return t.sum
}

// small tells whether cl is a whole number that fits a machine word.
func (cl *cell) small() bool {
	return cl.num.wide == nil && cl.num.dec == 0 && cl.num.mant < maxSmall
}

func (cl *cell) value() *big.Rat {
	v := cl.num.rat()
	if cl.neg {
		v.Neg(v)
	}
	return v
}

// fits tells whether total is the tally's sum, up to rounding.
func (t *tally) fits(total *cell) bool {
	if !t.exact && total.small() {
		v := total.num.mant
		if total.neg {
			v = -v
		}
		if v != 0 && (roundedUnits[t.unit] || t.rounded || total.num.currency && max(v, -v) >= 1000 && 2*t.uneven >= t.n) {
			return 2*max(t.whole-v, v-t.whole) <= int64(t.n)
		}
		return t.whole == v
	}
	t.goExact()
	v := exactly(t.sum)
	if t.fractions && !t.halves && !total.num.currency {
		v = interval{new(big.Rat).Sub(t.sum, t.slack), new(big.Rat).Add(t.sum, t.slack)}
	}
	if t.fractions && total.num.currency && t.n > 2 {
		v = interval{new(big.Rat).Sub(t.sum, total.num.ulp()), new(big.Rat).Add(t.sum, total.num.ulp())}
	}
	return shows(v, &total.num, total.neg, false, false)
}

// isOther tells whether total may sum the tally up in some other way: it lies
// between the smallest and the largest, as every kind of mean does (which says
// little where signs are mixed), or is how many there are.
func (t *tally) isOther(total *cell) bool {
	if t.n == 0 {
		return true
	}
	n := int64(t.n)
	if !t.exact && total.small() {
		v := total.num.mant
		if total.neg {
			v = -v
		}
		off := t.whole - v*n // from the mean, n times
		return t.min >= 0 && t.min <= v && v <= t.max || v == t.min || v == t.max || v == n || 2*off <= n && -2*off <= n
	}
	t.goExact()
	if v := total.value(); t.lo.Sign() >= 0 && t.lo.Cmp(v) <= 0 && v.Cmp(t.hi) <= 0 {
		return true
	}
	for _, v := range [...]*big.Rat{t.lo, t.hi, big.NewRat(n, 1), new(big.Rat).Quo(t.sum, big.NewRat(n, 1))} {
		if shows(exactly(v), &total.num, total.neg, false, false) {
			return true
		}
	}
	return false
}
