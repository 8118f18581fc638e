package figures

import (
	"fmt"
	"math"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxOperands bounds the numbers of an equation.
const maxOperands = 40

// equations checks the equations of the line: numbers with operators between them, a
// sign of equality and one number. Nothing else may stand beside them that could be
// part of a longer expression.
func (r *reader) equations() {
	for eq := 3; eq < len(r.toks)-1; eq++ {
		if r.mark(eq) != '=' {
			continue
		}
		from := r.operands(eq)
		if from < 0 || !r.ends(eq+1) {
			continue
		}
		v, ok := r.compute(from, eq)
		if t := &r.toks[eq+1]; ok && !v.explains(t) {
			right := like(v.at, r.in.Text, t)
			r.add(Equation, r.in.No, 0, r.text(from, eq+1), right, fmt.Sprintf("%s is %s, the text says %s", r.text(from, eq-1), right, r.text(eq+1, eq+1)))
		}
	}
}

// operands gives the token at which the numbers and operators before the sign at eq
// begin, -1 if they are no whole expression.
func (r *reader) operands(eq int) int {
	i := eq - 1
	for ; i > 0 && i > eq-2*maxOperands && r.figure(i) && r.isMark(i-1, "+-*/") && r.number(i-2); i -= 2 {
		if op := &r.toks[i-1]; op.Tight && op.Mark != '*' && op.Mark != '+' || op.Mark == '/' && r.toks[i].Signed {
			return -1 // 3-5 is a range, 24/7 is a name, and +5 / -3 are two
		}
	}
	if i == eq-1 || !r.figure(i) || !r.begins(i) {
		return -1
	}
	return i
}

// partial are words by which a number before an equation is part of it: a third of
// 3 + 4.
var partial = words("of by from plus minus times over per than between x and or")

// begins tells whether an expression may begin at token i: at the beginning of a
// line, a cell or brackets, behind a colon, or behind a word in small letters.
func (r *reader) begins(i int) bool {
	if i == 0 {
		return true
	}
	before := &r.toks[i-1]
	if w := r.word(i - 1); w != "" {
		return len(w) > 1 && !partial[w] && before.End < r.toks[i].From && w == r.in.Text[before.From:before.To]
	}
	return r.isMark(i-1, ":|(→—") && !(before.Mark == '(' && (r.word(i-2) != "" && before.From == r.toks[i-2].End))
}

// ends tells whether the number at token i ends an equation.
func (r *reader) ends(i int) bool {
	if !r.figure(i) {
		return false
	}
	switch next := r.mark(i + 1); {
	case i+1 == len(r.toks):
		return true
	case r.word(i+1) != "":
		return r.word(i+1) != "or" && r.word(i+1) != "to"
	case next == ')' || next == '|' || next == ';' || unicode.Is(unicode.So, next):
		return true
	case next == '(' || next == '.' || next == ',' || next == ':':
		return !r.toks[i+1].Tight
	case next == '<' || next == '>' || next == '/':
		return next != '/' || r.word(i+2) != ""
	}
	return false
}

// compute computes the numbers before the sign at eq. It knows no sums of different
// units, and a percentage only among its like or as a factor.
func (r *reader) compute(from, eq int) (v span, ok bool) {
	right := &r.toks[eq+1]
	if right.Unit != nil && right.Unit.Of == "bits" { // 64 × 64 = 128 bits
		return v, false
	}
	unit, sum, slashes := right.Unit, span{}, 0
	term, op := span{}, '+'
	for i := from; i < eq; i += 2 {
		t := &r.toks[i]
		x := spanOf(t)
		factor := i > from && r.isMark(i-1, "*/") || i+1 < eq && r.isMark(i+1, "*/")
		switch {
		case percent(t) && factor:
			x = x.scale(0.01)
		case t.Unit != nil && unit == nil && i+1 < eq:
			unit = t.Unit
		}
		if u := t.Unit; u != nil && u != unit && !(percent(t) && factor) {
			return v, false
		}
		switch m := r.mark(i - 1); {
		case i == from:
			term = x
		case m == '*' || m == '/':
			if m == '/' {
				slashes++
			}
			term = term.apply(m, x)
		default:
			sum, term, op = sum.apply(op, term), x, m
		}
	}
	return sum.apply(op, term), slashes == 0 || slashes == 1 && !right.Signed
}

// scales are the factors by which a result may silently be written smaller or
// larger; conversions also those between units of time and of bytes.
var (
	scales      = []float64{1, 100, 1e3, 1e6, 1e9}
	conversions = append([]float64{12, 24, 60, 3600, 7, 30, 365, 52, 1 << 10, 1 << 20, 1 << 30}, scales...)
)

// explains tells whether a reading of the left side gives the number t: in a silent
// unit, with the other sign, or rounded to its zeros at the end.
func (a span) explains(t *quantity.Token) bool {
	factors := scales
	if t.Unit != nil {
		factors = conversions
	}
	for _, f := range factors {
		if (t.Value != 0 || f == 1) && (a.scale(f).near(t) || a.scale(1/f).near(t) || a.scale(-f).near(t)) {
			return true
		}
	}
	last := t.Ulp // what one more in the last digit before the zeros is worth
	for last < t.Value && math.Mod(t.Value, 10*last) == 0 {
		last *= 10
	}
	off := math.Abs(a.at - t.Value)
	return last > t.Ulp && off <= last/2 && off <= 0.01*math.Abs(a.at)
}
