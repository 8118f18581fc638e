package check

import (
	"math/big"
	"slices"
)

// operation is what an expression may call.
type operation uint8

const (
	fnMax operation = iota + 1
	fnMin
	fnMean
	fnMedian
	fnSum
	fnCeil
	fnFloor
	fnRound
	fnAbs
	fnBest // the largest or the smallest
)

// calls are the names that a parenthesis behind makes a call of.
var calls = map[string]operation{
	"max": fnMax, "min": fnMin, "avg": fnMean, "average": fnMean, "mean": fnMean, "median": fnMedian, "sum": fnSum,
	"ceil": fnCeil, "ceiling": fnCeil, "floor": fnFloor, "round": fnRound, "abs": fnAbs,
	"MAX": fnMax, "MIN": fnMin, "AVG": fnMean, "AVERAGE": fnMean, "MEAN": fnMean, "MEDIAN": fnMedian, "SUM": fnSum,
	"CEIL": fnCeil, "FLOOR": fnFloor, "ROUND": fnRound, "ABS": fnAbs,
}

// callAt is the function that is called at token i, 0 if none is.
func (l *lexer) callAt(i int) operation {
	if i+1 >= len(l.toks) || l.toks[i].kind != tokWord || l.toks[i+1].kind != tokOpen || l.toks[i+1].mark != '(' || l.toks[i+1].spaced {
		return 0
	}
	return calls[l.line[l.toks[i].from:l.toks[i].to]]
}

// call computes the call at hand.
func (v *evaluator) call(f operation) (interval, bool) {
	v.i += 2
	var args []interval
	for len(args) < maxOperands {
		a, ok := v.sum()
		if !ok {
			return a, false
		}
		args = append(args, a)
		for v.i < v.to && v.l.toks[v.i].kind == tokWord { // its unit
			v.i++
		}
		if v.i >= v.to {
			break
		}
		t := &v.l.toks[v.i]
		v.i++
		switch {
		case t.kind == tokClose:
			return f.of(args)
		case t.kind != tokPunct:
			return interval{}, false
		}
	}
	return interval{}, false
}

// of computes f of its arguments. Rounding to even and rounding half up both
// count, so that what is rounded may be an interval.
func (f operation) of(args []interval) (interval, bool) {
	one := len(args) == 1
	switch f {
	case fnMax, fnMin, fnMean, fnMedian, fnSum:
		if len(args) < 2 {
			return interval{}, false // of something that is named, not listed
		}
		lo, hi := make([]*big.Rat, len(args)), make([]*big.Rat, len(args))
		for i, a := range args {
			lo[i], hi[i] = a.lo, a.hi
		}
		return interval{f.fold(lo), f.fold(hi)}, true
	case fnCeil:
		return interval{ceiling(args[0].lo), ceiling(args[0].hi)}, one
	case fnFloor:
		return interval{floor(args[0].lo), floor(args[0].hi)}, one
	case fnAbs:
		return exactly(new(big.Rat).Abs(args[0].lo)), one && args[0].isExact()
	case fnRound:
		unit := big.NewRat(1, 1)
		if len(args) == 2 { // to so many digits
			n := args[1].lo
			if !args[1].isExact() || !n.IsInt() || n.Sign() < 0 || n.Cmp(big.NewRat(maxDigits, 1)) > 0 {
				return interval{}, false
			}
			unit = pow10(-int(n.Num().Int64()))
		} else if !one {
			return interval{}, false
		}
		half := big.NewRat(1, 2)
		lo, hi := new(big.Rat).Quo(args[0].lo, unit), new(big.Rat).Quo(args[0].hi, unit)
		lo, hi = ceiling(lo.Sub(lo, half)), floor(hi.Add(hi, half))
		return interval{lo.Mul(lo, unit), hi.Mul(hi, unit)}, true
	}
	return interval{}, false
}

// fold computes a statistic of at least one value. It sorts them.
func (f operation) fold(values []*big.Rat) *big.Rat {
	slices.SortFunc(values, (*big.Rat).Cmp)
	n := len(values)
	switch f {
	case fnMax, fnBest:
		return values[n-1]
	case fnMin:
		return values[0]
	case fnMedian:
		m := new(big.Rat).Add(values[(n-1)/2], values[n/2])
		return m.Quo(m, big.NewRat(2, 1))
	}
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, v)
	}
	if f == fnMean {
		sum.Quo(sum, big.NewRat(int64(n), 1))
	}
	return sum
}

func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom()))
}

func ceiling(r *big.Rat) *big.Rat {
	f := floor(new(big.Rat).Neg(r))
	return f.Neg(f)
}
