package arithmetic

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// value is what an expression comes to: with its numbers as they are written,
// and with their units turned into base units.
type value struct {
	plain, base span
	unit        *quantity.Unit // that of all operands that have one
	of          string         // what it measures: "" nothing, "?" several things
	ops         int
	words       bool // words stand between the operands
	slash       bool // the only operator is a slash
	ratio       bool // it has a slash
	percents    int  // how many operands are percentages
	loose       bool // an operand is said to be approximate
}

// parser reads an expression from tokens.
//
//	expr    = term { ("+" | "-") term }
//	term    = factor { ("*" | "/") factor }
//	factor  = operand [ "^" number ]
//	operand = number { word } | number "%" "of" number | "(" expr ")" | function "(" expr { "," expr } ")"
type parser struct {
	*reader
	i, end int
	depth  int
	flat   bool // without precedence, as "4 old + 6 new rules × 3 pages" is meant
}

const maxDepth = 8

// op gives the operator at the parser's place: a mark or a word for it.
func (p *parser) op() rune {
	if p.i >= p.end {
		return 0
	}
	switch p.low[p.i] {
	case "plus":
		return '+'
	case "minus":
		return '-'
	case "times":
		return '*'
	}
	return p.mark(p.i)
}

func (p *parser) expr() (value, bool) {
	v, ok := p.term()
	for ok {
		op := p.op()
		if op != '+' && op != '-' && !(p.flat && (op == '*' || op == '/')) || p.i+1 < p.end && p.toks[p.i+1].Kind == quantity.Word && functions[p.low[p.i+1]] == nil {
			break
		}
		p.i++
		w, good := p.term()
		if !good {
			return v, false
		}
		v = v.combine(op, w)
	}
	return v, ok
}

func (p *parser) term() (value, bool) {
	v, ok := p.factor()
	for ok && !p.flat {
		op := p.op()
		if op != '*' && op != '/' {
			break
		}
		p.i++
		w, good := p.factor()
		if !good {
			return v, false
		}
		v = v.combine(op, w)
	}
	return v, ok
}

func (p *parser) factor() (value, bool) {
	v, ok := p.operand()
	if !ok || p.op() != '^' {
		return v, ok
	}
	p.i++
	if p.i >= p.end || !p.number(p.i) {
		return v, false
	}
	n := p.toks[p.i].Value
	if p.i++; v.unit != nil {
		return v, false
	}
	v.plain, v.base, v.ops, v.slash = v.plain.pow(n), v.base.pow(n), v.ops+1, false
	return v, v.plain.finite()
}

func (p *parser) operand() (value, bool) {
	if p.i >= p.end {
		return value{}, false
	}
	if p.mark(p.i) == '(' {
		return p.group()
	}
	if f := functions[p.low[p.i]]; f != nil && p.mark(p.i+1) == '(' {
		return p.call(f)
	}
	if p.mark(p.i) == '~' && p.number(p.i+1) {
		p.i++
	}
	if !p.number(p.i) {
		return value{}, false
	}
	v := leaf(&p.toks[p.i])
	p.i++
	if p.i+3 < p.end && p.mark(p.i) == '*' && p.mark(p.i+2) == '^' && p.number(p.i+1) && p.number(p.i+3) && p.toks[p.i+1].Value == 10 { // 7.2 × 10^14
		by := math.Pow(10, p.toks[p.i+3].Value)
		v.plain, v.base, p.i = v.plain.scale(by), v.base.scale(by), p.i+4
	}
	for p.number(p.i) && p.i < p.end && p.toks[p.i].Unit != nil && v.unit != nil && p.toks[p.i].Unit.Of == v.of && p.toks[p.i].Unit.High < v.unit.Low { // 3 h 30 min
		w := leaf(&p.toks[p.i])
		v.plain = v.plain.add(w.base.div(exactly(v.unit.Low)))
		v.base = v.base.add(w.base)
		p.i++
	}
	if v.percents > 0 && p.i < p.end && p.low[p.i] == "of" {
		k := p.i + 1
		for k < p.end && p.toks[k].Kind == quantity.Word && k < p.i+3 {
			k++
		}
		if p.number(k) && k < p.end && !percent(&p.toks[k]) {
			w := leaf(&p.toks[k])
			w.plain, w.base = w.plain.mul(v.plain).scale(0.01), w.base.mul(v.base).scale(0.01)
			w.ops, p.i = 1, k+1
			v = w
		}
	}
	p.nouns(&v)
	return v, true
}

// leaf is the value of a number.
func leaf(t *quantity.Token) value {
	v := value{plain: of(t), slash: true, loose: t.Approx}
	v.base = v.plain
	if t.Unit != nil && t.Unit.Of != "times" {
		v.unit, v.of = t.Unit, t.Unit.Of
		if percent(t) {
			v.unit, v.of, v.percents = nil, "", 1
		} else {
			v.base = v.plain.mul(span{t.Unit.Low, t.Unit.High})
		}
	}
	return v
}

// nouns passes over up to three words behind an operand, and words in
// parentheses.
func (p *parser) nouns(v *value) {
	for n := 0; n < 3 && p.i < p.end; n++ {
		if p.mark(p.i) == '/' && p.i+1 < p.end && p.toks[p.i+1].Kind == quantity.Word { // posts/month
			p.i++
		}
		if t := &p.toks[p.i]; t.Kind != quantity.Word || p.op() != 0 || p.unclear(t) || p.text[t.From] >= 0x80 && t.To-t.From < 5 {
			break
		}
		p.i++
		v.words = true
	}
	if p.mark(p.i) != '(' || p.i >= p.end || p.toks[p.i-1].End == p.toks[p.i].From {
		return
	}
	for k := p.i + 1; k < min(p.end, p.i+6); k++ {
		if p.mark(k) == ')' {
			p.i = k + 1
			return
		}
		if p.toks[k].Kind == quantity.Number {
			return
		}
	}
}

func (p *parser) group() (value, bool) {
	if p.depth++; p.depth > maxDepth {
		return value{}, false
	}
	p.i++
	flat := p.flat
	p.flat = false
	v, ok := p.expr()
	p.flat = flat
	p.depth--
	if !ok || p.i >= p.end || p.mark(p.i) != ')' {
		return v, false
	}
	p.i++
	if p.flat && v.ops == 0 { // (0.50) is a loss
		v.plain, v.base = v.plain.scale(-1), v.base.scale(-1)
	}
	p.nouns(&v)
	return v, true
}

// call reads the arguments of a function and gives its value.
func (p *parser) call(f func([]span) span) (value, bool) {
	if p.depth++; p.depth > maxDepth {
		return value{}, false
	}
	p.i++
	var args, based []span
	v := value{}
	for more := true; more; more = p.mark(p.i) == ',' && p.i < p.end {
		p.i++
		w, ok := p.expr()
		if !ok {
			return v, false
		}
		v.unit, v.of = w.unit, w.of
		args, based = append(args, w.plain), append(based, w.base)
	}
	p.depth--
	if p.i >= p.end || p.mark(p.i) != ')' {
		return v, false
	}
	p.i++
	v.plain, v.base, v.ops = f(args), f(based), 1
	return v, true
}

// functions are those that texts compute with.
var functions = map[string]func([]span) span{
	"max":     func(a []span) span { return slices.MaxFunc(a, bySize) },
	"min":     func(a []span) span { return slices.MinFunc(a, bySize) },
	"sum":     total,
	"avg":     mean,
	"mean":    mean,
	"average": mean,
	"median":  median,
	"floor":   func(a []span) span { return exactly(math.Floor(a[0].mid())) },
	"ceil":    func(a []span) span { return exactly(math.Ceil(a[0].mid())) },
	"round":   func(a []span) span { return span{math.RoundToEven(a[0].mid()), math.Round(a[0].mid())} },
	"sqrt":    func(a []span) span { return span{math.Sqrt(max(0, a[0].lo)), math.Sqrt(max(0, a[0].hi))} },
}

func bySize(a, b span) int {
	switch d := a.mid() - b.mid(); {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

func total(a []span) span {
	s := span{}
	for _, x := range a {
		s = s.add(x)
	}
	return s
}

func mean(a []span) span { return total(a).scale(1 / float64(len(a))) }

func median(a []span) span {
	b := slices.SortedFunc(slices.Values(a), bySize)
	return mean(b[(len(b)-1)/2 : len(b)/2+1])
}

// combine applies an operator.
func (v value) combine(op rune, w value) value {
	out := value{unit: v.unit, of: v.of, ops: v.ops + w.ops + 1, words: v.words || w.words, percents: v.percents + w.percents, loose: v.loose || w.loose,
		slash: op == '/' && v.slash && w.slash, ratio: v.ratio || w.ratio || op == '/'}
	switch op {
	case '+':
		out.plain, out.base = v.plain.add(w.plain), v.base.add(w.base)
	case '-':
		out.plain, out.base = v.plain.sub(w.plain), v.base.sub(w.base)
	case '*':
		out.plain, out.base = v.plain.mul(w.plain), v.base.mul(w.base)
	case '/':
		out.plain, out.base = v.plain.div(w.plain), v.base.div(w.base)
	}
	switch {
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
	}
	if (op == '+' || op == '-') && (v.percents > 0) != (w.percents > 0) {
		out.of = "?"
	}
	if (op == '+' || op == '-') && v.unit != nil && w.unit != nil && v.unit != w.unit { // 1 h + 30 min
		out.plain = out.base.div(exactly(v.unit.Low))
	}
	return out
}
