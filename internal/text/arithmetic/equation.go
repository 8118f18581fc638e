package arithmetic

import (
	"cmp"
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
		if r.isMark(eq, "=~") {
			if from, v, ok := r.left(eq); ok {
				r.right(from, eq, v)
			}
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
		if v, ok = p.expr(); ok && p.i == eq && v.computed {
			return first, v, true
		}
	}
	return 0, v, false
}

// begins tells whether an expression may begin at token i.
func (r *reader) begins(i int) bool {
	if !r.number(i) && r.mark(i) != '(' || r.number(i-1) {
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
	case ':', ';', '(', '[', '|', '"', '→', '<', '>', '$':
		return true
	case '=', '.', ',':
		return spaced && !before.Tight
	}
	return before.Mark > 0x2000 && !unicode.Is(unicode.Sm, before.Mark)
}

// right compares the number behind the sign of equality. A limit is left alone,
// and so is what goes on: 3 × 4 = 12 or 13.
func (r *reader) right(from, eq int, left value) {
	at := eq + 1
	for r.isMark(at, "~$") {
		at++
	}
	next := at + 1
	operator := r.isMark(next, "+-*/^") && (r.number(next+1) || r.mark(next+1) == '(')
	goesOn := operator || r.isMark(next, `*^\…{!.`) && r.toks[next].Tight || r.word(next) == "or" || r.word(next) == "at"
	if !r.number(at) || goesOn {
		return
	}
	t := &r.toks[at]
	if t.Bound != quantity.Exact || percent(t) || thousands(t) {
		return
	}
	alike := left.unit == nil || t.Unit == nil || left.unit == t.Unit
	if alike && !left.explains(t) {
		r.finding("equation", from, at, at, left.mid())
	}
}

// scales are the factors by which a result may silently be written smaller or
// larger; conversions also those between units of time and of bytes.
var (
	scales      = []float64{1, 100, 1e3, 1e6, 1e9}
	conversions = slices.Concat(scales, []float64{12, 24, 60, 3600, 7, 30, 1 << 10, 1 << 20, 1 << 30})
)

// explains tells whether a reading of the left side gives the number t: in a
// silent unit, with the other sign, or rounded to its zeros at the end.
func (v value) explains(t *quantity.Token) bool {
	factors := conversions
	if t.Unit == v.unit {
		factors = scales
	}
	for _, f := range factors {
		if v.scale(f).fits(t) || v.scale(1/f).fits(t) || v.scale(-f).fits(t) {
			return true
		}
	}
	last := t.Ulp // what one more in the last digit before the zeros is worth
	for last < t.Value && math.Mod(t.Value, 10*last) == 0 {
		last *= 10
	}
	off := math.Abs(v.mid() - t.Value)
	return last > t.Ulp && off <= last/2 && off <= 5e-3*math.Abs(v.mid())
}

// value is what an expression comes to.
type value struct {
	span
	unit     *quantity.Unit // that of the operands that have one
	computed bool           // it has an operator
}

// parser reads an expression from tokens.
//
//	expr    = term { ("+" | "-") term }
//	term    = power { ("*" | "/") power }
//	power   = operand { "^" operand }
//	operand = number | number "%" "of" number | "(" expr ")"
type parser struct {
	*reader
	i, end, depth int
}

func (p *parser) expr() (value, bool)  { return p.chain("+-", (*parser).term) }
func (p *parser) term() (value, bool)  { return p.chain("*/", (*parser).power) }
func (p *parser) power() (value, bool) { return p.chain("^", (*parser).operand) }

func (p *parser) chain(ops string, next func(*parser) (value, bool)) (value, bool) {
	v, ok := next(p)
	for ok && p.i < p.end && p.word(p.i+1) == "" && p.isMark(p.i, ops) {
		op := p.toks[p.i]
		p.i++
		var w value
		if w, ok = next(p); ok {
			v, ok = v.combine(op.Mark, w)
			ok = ok && (!op.Tight || v.calculated(op.Mark))
		}
	}
	return v, ok
}

func (p *parser) operand() (v value, ok bool) {
	if p.mark(p.i) == '~' {
		p.i++
	}
	switch t := p.i; {
	case t >= p.end || p.depth > 8:
		return v, false
	case p.mark(t) == '(':
		p.i++
		p.depth++
		v, ok = p.expr()
		p.depth--
		ok = ok && v.computed && p.i < p.end && p.mark(p.i) == ')' // (0.50) may be a loss
	case p.number(t) && !percent(&p.toks[t]):
		v = value{span: spanOf(&p.toks[t]), unit: p.toks[t].Unit}
		ok = !thousands(&p.toks[t]) && !p.toks[t].Approx
	case p.number(t) && p.word(t+1) == "of":
		if k := p.skip(t+2, 2, 0); k < p.end && p.count(k) {
			v, ok = value{spanOf(&p.toks[t]).mul(spanOf(&p.toks[k])).scale(0.01), p.toks[k].Unit, true}, true
			p.i = k
		}
	}
	p.i++
	return v, ok
}

// calculated tells whether a sign without spaces is an operator by what it comes
// to: 48/2 and 10^3, and not 24/7, 3-5, 64x64 or batch 1+2.
func (v value) calculated(op rune) bool {
	whole := v.lo > 0 && v.mid() == math.Trunc(v.mid())
	return op == '^' || whole && (op == '/' || op == '-')
}

// thousands tells whether a number such as 2.400 may be meant as 2,400.
func thousands(t *quantity.Token) bool { return t.Decimals == 3 && t.Value >= 1 && t.Value < 1000 }

// combine applies an operator, if the units of the operands allow it.
func (v value) combine(op rune, w value) (out value, ok bool) {
	out = value{unit: cmp.Or(v.unit, w.unit), computed: true}
	both := v.unit != nil && w.unit != nil
	switch op {
	case '+', '-':
		out.span, ok = v.add(w.span), !both || v.unit == w.unit
		if op == '-' {
			out.span = v.sub(w.span)
		}
	case '*':
		out.span, ok = v.mul(w.span), !both
	case '/':
		out.span, ok = v.div(w.span), w.unit == nil || v.unit == w.unit
		if w.unit != nil {
			out.unit = nil
		}
	case '^':
		out.span, ok = exactly(math.Pow(v.mid(), w.mid())), w.unit == nil
	}
	return out, ok
}
