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
	words    bool           // words stand between the operands
	percents int            // how many operands are percentages
	loose    bool           // an operand is said to be approximate
}

// slash tells whether the value is a mere a/b, which may be no division.
func (v value) slash() bool { return strings.Trim(v.ops, "/") == "" }

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
	if p.i >= p.end || p.word(p.i+1) != "" {
		return ' '
	}
	if op := opWords[p.low[p.i]]; op != 0 {
		return op
	}
	return p.mark(p.i)
}

func (p *parser) expr() (value, bool) {
	if p.flat {
		return p.chain("+-*/", (*parser).factor)
	}
	return p.chain("+-", func(p *parser) (value, bool) { return p.chain("*/", (*parser).factor) })
}

func (p *parser) chain(ops string, next func(*parser) (value, bool)) (value, bool) {
	v, ok := next(p)
	for op := p.op(); ok && op != 0 && strings.ContainsRune(ops, op); op = p.op() {
		p.i++
		var w value
		w, ok = next(p)
		v = v.combine(op, w)
	}
	return v, ok
}

func (p *parser) factor() (value, bool) {
	v, ok := p.operand()
	if !ok || p.op() != '^' {
		return v, ok
	}
	if p.i += 2; p.i > p.end || !p.number(p.i-1) || v.unit != nil || p.mark(p.i-4) == '*' {
		return v, false
	}
	n := p.toks[p.i-1].Value
	v.span, v.ops = span{math.Pow(v.lo, n), math.Pow(v.hi, n)}, v.ops+"^"
	return v, v.finite()
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
		if p.i++; p.flat && v.ops == "" { // (0.50) is a loss
			v.span = v.scale(-1)
		}
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

func leaf(t *quantity.Token) value {
	v := value{span: of(t), loose: t.Approx}
	if percent(t) {
		v.percents = 1
	} else if !times(t) {
		v.unit = t.Unit
	}
	return v
}

// nouns passes over up to three words behind an operand (posts/month), and
// over words in parentheses.
func (p *parser) nouns(v *value) {
	for range 3 {
		k := p.i
		if p.mark(k) == '/' && p.word(k+1) != "" {
			k++
		}
		if w := p.word(k); k >= p.end || w == "" || opWords[w] != 0 || len(w) < 2 && w != "a" || w[0] > 0x7f && len(w) < 5 {
			break
		}
		p.i, v.words = k+1, true
	}
	if p.mark(p.i) != '(' || p.toks[p.i-1].End == p.toks[p.i].From {
		return
	}
	for k := p.i + 1; k < min(p.end, p.i+6) && !p.number(k); k++ {
		if p.mark(k) == ')' {
			p.i = k + 1
			return
		}
	}
}

// combine applies an operator.
func (v value) combine(op rune, w value) value {
	out := value{unit: v.unit, ops: v.ops + w.ops + string(op), words: v.words || w.words, percents: v.percents + w.percents, loose: v.loose || w.loose, mixed: v.mixed || w.mixed}
	switch op {
	case '+':
		out.span = v.add(w.span)
	case '-':
		out.span = v.sub(w.span)
	case '*':
		out.span = v.mul(w.span)
	case '/':
		out.span = v.div(w.span)
	}
	switch {
	case (op == '+' || op == '-') && (v.percents > 0) != (w.percents > 0), v.unit != nil && w.unit != nil && (v.unit != w.unit || op == '*'), v.unit == nil && w.unit != nil && op == '/':
		out.mixed = true
	case v.unit == nil:
		out.unit = w.unit
	case w.unit != nil && op == '/':
		out.unit = nil
	}
	return out
}
