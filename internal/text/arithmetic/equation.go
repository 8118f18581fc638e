package arithmetic

import (
	"math"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxOperands bounds the tokens of one side of an equation.
const maxOperands = 80

// equations checks the explicit equations of the line: a op b = c, and chains
// of them.
func (r *reader) equations() {
	done := -1 // token behind the last equation that was read
	for eq := 1; eq < len(r.toks)-1; eq++ {
		m, noun := r.mark(eq), r.word(eq-1) != ""
		if m != '=' && m != '~' || noun && (m == '~' || r.toks[eq].Tight) {
			continue
		}
		if from, v, ok := r.left(eq, done); ok {
			if end := r.right(from, eq, v); end > 0 {
				done = end
			}
		}
	}
}

// left finds the longest expression that ends before the sign of equality at
// eq. It is none if an operator that it does not hold stands before it.
func (r *reader) left(eq, done int) (from int, v value, ok bool) {
	first := max(0, eq-maxOperands)
	for i := eq - 1; i >= first; i-- {
		if strings.ContainsRune("=;|→", max(' ', r.mark(i))) {
			first = i + 1
		}
	}
	for tries := 0; first < eq && tries < 8; first++ {
		if !r.begins(first, done) {
			continue
		}
		tries++
		p := parser{reader: r, i: first, end: eq}
		if v, ok = p.expr(); ok && p.i == eq && (v.ops != "" || first == 0 || r.mark(first-1) == ':' || r.mark(first-1) == '=') {
			before := first - 1
			for before > first-4 && r.word(before) != "" {
				before--
			}
			return first, v, !strings.ContainsRune("*/+^", max(' ', r.mark(before)))
		}
	}
	return 0, v, false
}

// begins tells whether an expression may begin at token i.
func (r *reader) begins(i, done int) bool {
	if !r.number(i) && r.mark(i) != '(' || r.number(i-1) || r.mark(i) == '(' && r.word(i-1) != "" {
		return false
	}
	if r.mark(i-1) == '~' {
		i--
	}
	if i == 0 {
		return true
	}
	before, spaced := &r.toks[i-1], r.toks[i-1].End < r.toks[i].From
	if w := r.low[i-1]; w != "" {
		return spaced && r.mark(i-2) != '\\' && !r.labelled(i) && (len(w) > 1 || w == "a" || w == "i") && !r.is(i-1, rest)
	}
	switch before.Mark {
	case ':', ';', '(', '[', '|', '"', '→', '<', '>', '$':
		return true
	case '.', ',':
		return spaced
	case '=':
		return done == i
	case '-':
		return before.To-before.From > 1 && !before.Tight && !r.number(i-2) // a dash
	}
	return before.Mark > 0x2000 && !unicode.Is(unicode.Sm, before.Mark)
}

// right reads what stands behind the sign of equality, compares, and gives the
// token behind it, 0 if it is nothing to compare.
func (r *reader) right(from, eq int, left value) int {
	at := eq + 1
	for r.mark(at) == '~' || r.mark(at) == '$' {
		at++
	}
	p := parser{reader: r, i: at, end: min(len(r.toks), at+maxOperands)}
	right, ok := p.expr()
	if !ok || !r.number(at) || !r.ends(p.i) || right.ops == "" && r.mark(at+1) == '*' {
		return 0
	}
	t, to := &r.toks[at], at
	if left.ops+right.ops == "" || r.limited(at) || r.doubtful(left, t, from, eq, eq) || r.explained(from, at, left) || r.mark(p.i) == '-' && r.toks[p.i].Tight {
		return p.i
	}
	if right.ops != "" {
		to = p.i - 1
		if left.lo <= right.hi+1e-3*math.Abs(left.lo) && right.lo <= left.hi+1e-3*math.Abs(left.lo) || right.mixed || right.slash() || r.mark(p.i) == '+' || r.mark(p.i) == '-' ||
			(left.percents > 0) != (right.percents > 0) || r.doubtful(right, t, at, p.i, eq) {
			return p.i
		}
		if left.ops == "" && left.unit == right.unit && !left.words && from > 0 && r.number(from) && !r.toks[from].Signed && !right.loose {
			r.finding("equation", from, to, from, right.mid())
		}
	}
	if v, sure := left.in(t); sure && left.ops != "" && left.finite() {
		r.finding("equation", from, to, at, v)
	}
	return p.i
}

// limited tells whether a limit stands around the number: 30 at most, 1 in 4.
func (r *reader) limited(i int) bool {
	a, b := r.word(i+1), r.word(i+2)
	return r.toks[i].Bound != quantity.Exact || a == "at" && (b == "most" || b == "least") || a == "or" && (b == "more" || b == "less" || b == "fewer") || a == "in" && r.number(i+2)
}

// doubtful tells whether an expression may be no arithmetic: a size such as
// 640×360, parts with slashes between, 24/7, a division of whole numbers in
// code, numbers that may have a mark of thousands, several operators with words
// between, or a product of other things than its result.
func (r *reader) doubtful(v value, t *quantity.Token, from, to, eq int) bool {
	ratio, mult := strings.Contains(v.ops, "/"), strings.Contains(v.ops, "*")
	if percent(t) && (v.percents > 0 && mult || v.percents == 0 && !ratio) || v.slash() && (len(v.ops) > 1 || v.words && !percent(t) || r.mark(from) == '(' || v.hi < 1 && t.Value > 1 && !percent(t)) ||
		t.Unit != nil && !percent(t) && !times(t) && v.unit == nil && (v.words || v.slash() || t.Unit.IsMoney()) || t.Unit == nil && v.unit != nil && r.word(eq+2) != "" ||
		mult && strings.ContainsAny(v.ops, "+-") && (v.words || r.mark(from) == '(') || ratio && len(v.ops) > 1 && t.Decimals == 0 && !percent(t) {
		return true // 95 % × 8 steps, 3 tokens × 4 calls = $5, (7 + 2) / 2 = 4
	}
	for i := from; i < to; i++ {
		m, x := r.mark(i), &r.toks[i]
		if m == '*' && (x.From > r.toks[i-1].End) != (r.toks[i+1].From > x.End) || r.number(i) && thousands(x) ||
			x.Tight && !r.toks[eq].Tight && (m == '-' && r.number(i+1) || m == '*' && v.words) {
			return true
		}
	}
	return thousands(t)
}

// thousands tells whether a number such as 2.400 may be meant as 2,400.
func thousands(t *quantity.Token) bool {
	return t.Decimals == 3 && t.Value >= 1 && t.Value < 1000 && math.Mod(math.Round(t.Value*1000), 100) == 0
}

// ends tells whether a side of an equation may end before token i.
func (r *reader) ends(i int) bool {
	switch r.mark(i) {
	case '*', '^', '\\', '…', '{', '!':
		return false
	case '+', '/':
		return r.word(i+1) != ""
	case '(':
		return r.toks[i].From > r.toks[i-1].End
	}
	return !r.is(i, rest) && !r.is(i-1, rest)
}

// readings are the factors of other units that a result may silently be in:
// powers of ten, percent, and spans of time.
var readings = []float64{1, 100, 1e3, 1e6, 1e9, 12, 52, 365, 24, 60, 3600, 7, 30}

// explained tells whether a reading of the left side gives the number at token
// at: as it stands but for a thousandth, in a silent unit, or with one more
// number of the sentence.
func (r *reader) explained(from, at int, v value) bool {
	t := r.toks[at]
	t.Approx = t.Approx || v.loose
	if math.Abs(v.mid()-t.Value) < 1e-3*math.Abs(t.Value) || v.percents > 1 && v.scale(math.Pow(0.01, float64(v.percents))).fits(&t) || r.mark(at+1) == '.' && r.mark(at+2) == '.' {
		return true
	}
	for _, f := range readings {
		if v.scale(f).fits(&t) || v.scale(1/f).fits(&t) || v.percents > 0 && f >= 1e3 && (v.scale(f/100).fits(&t) || v.scale(0.01/f).fits(&t)) {
			return true
		}
	}
	before := v.span
	for i := 0; i < len(r.toks); i++ {
		if i >= from && i <= at || !r.number(i) || r.toks[i].Value == 0 {
			continue
		}
		n := of(&r.toks[i])
		if i < from {
			before = before.add(n)
		}
		if !strings.ContainsAny(v.ops, "*/") && before.fits(&t) || v.words && (v.add(n).fits(&t) || v.sub(n).fits(&t) || v.mul(n).fits(&t)) {
			return true
		}
	}
	return false
}
