package arithmetic

import (
	"math"
	"slices"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxOperands bounds the tokens of one side of an equation.
const maxOperands = 80

// equations checks the explicit equations of the line: a op b = c. What stands
// behind c, as in a = b = c, is read as an equation of its own.
func (r *reader) equations() {
	for eq := 1; eq < len(r.toks)-1; eq++ {
		if m := r.mark(eq); m != '=' && m != '~' {
			continue
		}
		if from, v, ok := r.left(eq); ok {
			r.right(from, eq, v)
		}
	}
}

// left finds the longest expression that ends before the sign of equality at
// eq.
func (r *reader) left(eq int) (from int, v value, ok bool) {
	first := max(0, eq-maxOperands)
	for i := eq - 1; i >= first; i-- {
		if r.isMark(i, "=;|→") {
			first = i + 1
		}
	}
	for tries := 0; first < eq && tries < 8; first++ {
		if !r.begins(first) {
			continue
		}
		tries++
		p := parser{reader: r, i: first, end: eq}
		if v, ok = p.expr(); ok && p.i == eq && v.ops != "" {
			return first, v, true
		}
	}
	return 0, v, false
}

// begins tells whether an expression may begin at token i.
func (r *reader) begins(i int) bool {
	call := r.mark(i) == '(' && r.word(i-1) != "" && r.toks[i].Tight // f(3)
	if !r.number(i) && r.mark(i) != '(' || r.number(i-1) || call {
		return false
	}
	if r.mark(i-1) == '~' {
		i--
	}
	if i == 0 {
		return true
	}
	before, spaced := &r.toks[i-1], r.toks[i-1].End < r.toks[i].From
	if r.low[i-1] != "" {
		return spaced && r.mark(i-2) != '\\' && !r.labelled(i) && !r.is(i-1, rest)
	}
	switch before.Mark {
	case ')':
		return spaced && r.mark(i-3) == '(' // (4) 13 + 10 = 23
	case ':', ';', '(', '[', '|', '"', '→', '<', '>', '$':
		return true
	case '=', '.', ',':
		return spaced && !before.Tight
	}
	return before.Mark > 0x2000 && !unicode.Is(unicode.Sm, before.Mark)
}

// right compares the number behind the sign of equality.
func (r *reader) right(from, eq int, left value) {
	at := eq + 1
	for r.mark(at) == '~' || r.mark(at) == '$' {
		at++
	}
	p := parser{reader: r, i: at, end: min(len(r.toks), at+maxOperands)}
	right, ok := p.expr()
	goesOn := r.isMark(p.i, `*^\…{!.`) && r.toks[p.i].Tight
	if !ok || right.ops != "" || !r.number(at) || goesOn || r.doubtful(left, from, eq, at) {
		return
	}
	if v, sure := left.expected(&r.toks[at]); sure && left.finite() && !r.explained(left, v, at) {
		r.finding("equation", from, at, at, v)
	}
}

// doubtful tells whether an equation may be no arithmetic: a limit, a pair
// such as 24/7, a range such as 2010-2016, a size such as 64x64, and a number
// such as 2.400, which may be meant as 2,400.
func (r *reader) doubtful(v value, from, eq, at int) bool {
	t, behind := &r.toks[at], r.word(at+1)
	if t.Bound != quantity.Exact || thousands(t) || behind == "or" || behind == "at" {
		return true
	}
	for i := from; i < eq; i++ {
		x := &r.toks[i]
		if thousands(x) || x.Mark == '+' && x.Tight && !r.toks[eq].Tight && r.word(from-1) != "" { // batch 1+2 = 65 files
			return true
		}
		if !x.Tight || i == from {
			continue
		}
		a, b := r.toks[i-1].Value, r.toks[i+1].Value
		aRange := x.Mark == '-' && (a < b || !r.toks[eq].Tight)
		aPair := x.Mark == '/' && v.onlySlashes() && max(a, b) < 100 && math.Mod(a, b) != 0
		aSize := x.Mark == '*' && r.text[x.From] != '*' && v.ops == "*"
		if aRange || aPair || aSize {
			return true
		}
	}
	return false
}

// thousands tells whether a number such as 2.400 may be meant as 2,400.
func thousands(t *quantity.Token) bool { return t.Decimals == 3 && t.Value >= 1 && t.Value < 1000 }

// scales are the factors by which a result may silently be written smaller or
// larger; conversions also those between units of time and of bytes.
var (
	scales      = []float64{1, 100, 1e3, 1e6, 1e9}
	conversions = slices.Concat(scales, []float64{12, 24, 60, 3600, 7, 30, 1 << 10, 1 << 20, 1 << 30})
)

// explained tells whether a reading of the left side, which comes to v in the
// unit of the number at token at, gives that number: in a silent unit, with the
// other sign, or rounded to its zeros at the end. Where the number alone has a
// unit, ten times as much is another matter.
func (r *reader) explained(left value, v float64, at int) bool {
	t := r.toks[at]
	if ratio := v / t.Value; left.unit == nil && t.Unit != nil && !percent(&t) && !(0.1 <= ratio && ratio <= 10) {
		return true
	}
	t.Approx = t.Approx || left.approx
	factors := conversions
	if t.Unit == left.unit {
		factors = scales
	}
	for _, f := range factors {
		if left.scale(f).fits(&t) || left.scale(1/f).fits(&t) || left.scale(-f).fits(&t) {
			return true
		}
	}
	if left.percents > 1 && left.scale(math.Pow(0.01, float64(left.percents))).fits(&t) {
		return true
	}
	last := t.Ulp // what one more in the last digit before the zeros is worth
	for last < t.Value && math.Mod(t.Value, 10*last) == 0 {
		last *= 10
	}
	off := math.Abs(v - t.Value)
	return last > t.Ulp && off <= last/2 && off <= 5e-3*math.Abs(v)
}
