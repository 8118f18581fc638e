package arithmetic

import (
	"math"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// value is what an expression comes to.
type value struct {
	span
	unit     *quantity.Unit // that of the operands that have one
	mixed    bool           // they have several, or shares and other numbers are added
	ops      string         // the operators
	percents int            // how many operands are percentages
	approx   bool           // an operand is said to be approximate
}

// onlySlashes tells whether the value is a mere a/b, which may be no division.
func (v value) onlySlashes() bool { return strings.Trim(v.ops, "/") == "" }

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

func (p *parser) expr() (value, bool) { return p.chain("+-", (*parser).term) }
func (p *parser) term() (value, bool) { return p.chain("*/", (*parser).power) }

func (p *parser) power() (value, bool) { return p.chain("^", (*parser).operand) }

func (p *parser) chain(ops string, next func(*parser) (value, bool)) (value, bool) {
	v, ok := next(p)
	for ok && p.i < p.end && p.word(p.i+1) == "" && p.isMark(p.i, ops) {
		op := p.mark(p.i)
		p.i++
		var w value
		w, ok = next(p)
		v = v.combine(op, w)
	}
	return v, ok
}

func (p *parser) operand() (v value, ok bool) {
	if p.mark(p.i) == '~' {
		p.i++
	}
	switch {
	case p.i >= p.end || p.depth > 8:
		return v, false
	case p.mark(p.i) == '(':
		p.i++
		p.depth++
		v, ok = p.expr()
		p.depth--
		if !ok || v.ops == "" || p.i >= p.end || p.mark(p.i) != ')' { // (0.50) may be a loss
			return v, false
		}
		p.i++
	case p.number(p.i) && !p.adjective(p.i):
		v = leaf(&p.toks[p.i])
		p.i++
		if k := p.skip(p.i+1, 2, 0); v.percents > 0 && p.word(p.i) == "of" && k < p.end && p.count(k) {
			v, p.i = v.combine('*', leaf(&p.toks[k])), k+1
		}
	default:
		return v, false
	}
	return v, true
}

func leaf(t *quantity.Token) value {
	v := value{span: spanOf(t), approx: t.Approx}
	if percent(t) {
		v.percents = 1
	} else if !times(t) {
		v.unit = t.Unit
	}
	return v
}

// combine applies an operator.
func (v value) combine(op rune, w value) value {
	out := value{unit: v.unit, ops: v.ops + w.ops + string(op), percents: v.percents + w.percents, approx: v.approx || w.approx, mixed: v.mixed || w.mixed}
	switch op {
	case '+':
		out.span = v.add(w.span)
	case '-':
		out.span = v.sub(w.span)
	case '*':
		out.span = v.mul(w.span)
	case '/':
		out.span = v.div(w.span)
	case '^':
		out.span = exactly(math.Pow(v.mid(), w.mid()))
	}
	switch both := v.unit != nil && w.unit != nil; {
	case (op == '+' || op == '-') && (v.percents > 0) != (w.percents > 0):
		out.mixed = true
	case both && (v.unit != w.unit || op == '*'), v.unit == nil && w.unit != nil && op == '/':
		out.mixed = true
	case v.unit == nil:
		out.unit = w.unit
	case w.unit != nil && op == '/':
		out.unit = nil
	}
	return out
}

// expected gives what the number t should be, and whether that is sure: t must
// measure what the value measures. Bare numbers may get their unit at the end; a
// result without one may be of any, unless it is a sum or money.
func (v value) expected(t *quantity.Token) (float64, bool) {
	adds := !strings.ContainsAny(v.ops, "*/")
	switch {
	case percent(t) && v.percents > 0:
		return v.mid(), !v.mixed && v.unit == nil && (adds || v.ops == "*")
	case percent(t):
		return v.mid() * 100, !v.mixed && v.unit == nil && !adds && !v.onlySlashes()
	}
	alike := t.Unit == v.unit || v.unit == nil || t.Unit == nil && (adds || v.unit.IsMoney())
	return v.mid() * math.Pow(0.01, float64(v.percents)), !v.mixed && alike
}
