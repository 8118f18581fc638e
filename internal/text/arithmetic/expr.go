package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// value is what an expression comes to: with its numbers as they are written,
// and with their units turned into base units.
type value struct {
	plain, base span
	unit        *quantity.Unit // that of all operands that have one
	of          string         // what it measures: "" nothing, "?" several things
	ops         int
	ratio       bool // it has a division
	slash       bool // it has no other operator than that
	words       bool // words stand between the operands
	percents    int  // how many operands are percentages
	loose       bool // an operand is said to be approximate
}

// parser reads an expression from tokens.
//
//	expr    = term { ("+" | "-") term }
//	term    = factor { ("*" | "/") factor }
//	factor  = operand [ "^" number ]
//	operand = number { word } | number "%" "of" number | "(" expr ")"
type parser struct {
	*reader
	i, end, depth int
	flat          bool // without precedence, as "4 old + 6 new rules × 3 pages" is meant
}

var opWords = map[string]rune{"plus": '+', "minus": '-', "times": '*'}

// op gives the operator at the parser's place if an operand may follow it.
func (p *parser) op() rune {
	if p.i >= p.end || p.i+1 < p.end && p.toks[p.i+1].Kind == quantity.Word {
		return 0
	}
	if op := opWords[p.low[p.i]]; op != 0 {
		return op
	}
	return p.mark(p.i)
}

func (p *parser) expr() (value, bool) { return p.chain("+-", (*parser).term) }

func (p *parser) term() (value, bool) {
	if p.flat {
		return p.factor()
	}
	return p.chain("*/", (*parser).factor)
}

func (p *parser) chain(ops string, next func(*parser) (value, bool)) (value, bool) {
	v, ok := next(p)
	for ok {
		op := p.op()
		if op == 0 || op > 0x7f || !(contains(ops, op) || p.flat && contains("*/", op)) {
			break
		}
		p.i++
		var w value
		w, ok = next(p)
		v = v.combine(op, w)
	}
	return v, ok
}

func contains(s string, r rune) bool { return s[0] == byte(r) || s[1] == byte(r) }

func (p *parser) factor() (value, bool) {
	v, ok := p.operand()
	if !ok || p.op() != '^' {
		return v, ok
	}
	if p.i += 2; p.i > p.end || !p.number(p.i-1) || v.unit != nil {
		return v, false
	}
	n := p.toks[p.i-1].Value
	v.plain = span{math.Pow(v.plain.lo, n), math.Pow(v.plain.hi, n)}
	v.base, v.ops, v.slash = v.plain, v.ops+1, false
	return v, v.plain.finite() && p.mark(p.i-3) != '*'
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
		if !ok || p.i >= p.end || p.mark(p.i) != ')' {
			return v, false
		}
		if p.flat && v.ops == 0 { // (0.50) is a loss
			v.plain, v.base = v.plain.scale(-1), v.base.scale(-1)
		}
		p.i++
	case p.number(p.i):
		v = leaf(&p.toks[p.i])
		p.i++
		if k := p.i + 1; v.percents > 0 && p.word(p.i) == "of" {
			for p.word(k) != "" && k < p.i+3 {
				k++
			}
			if k < p.end && p.number(k) && !percent(&p.toks[k]) {
				v, p.i = v.combine('*', leaf(&p.toks[k])), k+1
			}
		}
	default:
		return v, false
	}
	p.nouns(&v)
	return v, true
}

// leaf is the value of a number.
func leaf(t *quantity.Token) value {
	v := value{plain: of(t), slash: true, loose: t.Approx}
	v.base = v.plain
	switch {
	case percent(t):
		v.percents = 1
	case t.Unit != nil && !times(t):
		v.unit, v.of = t.Unit, t.Unit.Of
		v.base = v.plain.mul(span{t.Unit.Low, t.Unit.High})
	}
	return v
}

// nouns passes over up to three words behind an operand (posts/month), and
// over words in parentheses.
func (p *parser) nouns(v *value) {
	for n := 0; n < 3; n++ {
		k := p.i
		if p.mark(k) == '/' && p.word(k+1) != "" {
			k++
		}
		if w := p.word(k); k >= p.end || w == "" || opWords[w] != 0 || len(w) < 2 && w != "a" || w[0] > 0x7f && len(w) < 5 {
			break
		}
		p.i, v.words = k+1, true
	}
	if p.mark(p.i) == '(' && p.toks[p.i-1].End < p.toks[p.i].From {
		for k := p.i + 1; k < min(p.end, p.i+6) && !p.number(k); k++ {
			if p.mark(k) == ')' {
				p.i = k + 1
				return
			}
		}
	}
}

// combine applies an operator.
func (v value) combine(op rune, w value) value {
	out := value{unit: v.unit, of: v.of, ops: v.ops + w.ops + 1, words: v.words || w.words, percents: v.percents + w.percents, loose: v.loose || w.loose,
		slash: op == '/' && v.slash && w.slash, ratio: v.ratio || w.ratio || op == '/'}
	apply := map[rune]func(span, span) span{'+': span.add, '-': span.sub, '*': span.mul, '/': span.div}[op]
	out.plain, out.base = apply(v.plain, w.plain), apply(v.base, w.base)
	sum := op == '+' || op == '-'
	switch {
	case sum && (v.percents > 0) != (w.percents > 0):
		out.of = "?"
	case w.of == "":
	case v.of == "":
		out.unit, out.of = w.unit, w.of
		if op == '/' {
			out.of = "?"
		}
	case v.of != w.of || op == '*':
		out.of = "?"
	case op == '/':
		out.unit, out.of = nil, ""
	case v.unit != w.unit: // 1 h + 30 min
		out.plain = out.base.div(exactly(v.unit.Low))
	}
	return out
}
