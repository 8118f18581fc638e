package arithmetic

import (
	"math"
	"strings"
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
		if strings.ContainsRune("=;|→", max(' ', r.mark(i))) {
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
	w := r.word(at + 1) // 30 at most, 30 or less, 1 in 4
	if w == "at" || w == "or" || w == "in" && r.number(at+2) || !ok || right.ops != "" || !r.number(at) || !r.ends(p.i) || r.toks[at].Bound != quantity.Exact || r.text[r.toks[at].From] == '+' || (r.toks[eq].Tight || left.ops == "*" && r.toks[from+1].Tight) && r.word(at+1) != "" || r.doubtful(left, &r.toks[at], from, eq) || r.explained(at, left) {
		return
	}
	if v, sure := left.in(&r.toks[at]); sure && left.finite() && !round(&r.toks[at], v) && !left.another(v, &r.toks[at]) {
		r.finding("equation", from, at, at, v)
	}
}

// round tells whether a number that ends in zeros is v, rounded to them, and
// less than a hundredth off if it is not approximate.
func round(t *quantity.Token, v float64) bool {
	unit := t.Ulp
	for ; math.Abs(t.Value) >= 10*unit && math.Mod(t.Value, 10*unit) == 0; unit *= 10 {
	}
	off := math.Abs(v - t.Value)
	return unit > t.Ulp && off <= unit/2 && (t.Approx || off <= 1e-2*math.Abs(v))
}

// another tells whether a number is so far from what the expression comes to,
// that it is another matter, such as a unit or factor that goes without saying:
// ten times where the number alone has a unit, twice if it is approximate.
func (v *value) another(result float64, t *quantity.Token) bool {
	ratio := max(result/t.Value, t.Value/result)
	alone := t.Unit != nil && v.unit == nil && !percent(t) // 5,000×500 = 0.012 s
	return alone && !(ratio <= 10) || t.Approx && !(ratio <= 2)
}

// doubtful tells whether an expression may be no arithmetic: parts with slashes
// between, 24/7, a share (which [reader.shares] reads), a fraction of one, a
// division that may be one of whole numbers, and what [reader.uneven] says.
func (r *reader) doubtful(v value, t *quantity.Token, from, eq int) bool {
	ratio, mult, share := strings.Contains(v.ops, "/"), strings.Contains(v.ops, "*"), percent(t)
	switch {
	case share && (v.percents > 1 && mult || v.percents == 0 && !ratio):
		return true
	case v.slash() && (share || len(v.ops) > 1 || r.mark(from) == '(' || r.toks[eq].Tight || v.hi < 1 && t.Value > 1):
		return true
	case ratio && len(v.ops) > 1 && t.Decimals == 0 && !share: // (7 + 2) / 2 = 4
		return true
	}
	return r.uneven(v, t, from, eq)
}

// uneven tells whether an operator has other spaces than the rest, whether a
// number may have a mark of thousands, is binary or is added to one of another
// scale, and whether it may be a range or its product its sum.
func (r *reader) uneven(v value, t *quantity.Token, from, eq int) bool {
	mult, sum := strings.Contains(v.ops, "*"), 0.0
	for i := from; i < eq; i++ {
		m, x := r.mark(i), &r.toks[i]
		sum += x.Value
		if r.number(i) && !mult && x.Ulp*math.Pow10(x.Decimals) != t.Ulp*math.Pow10(t.Decimals) {
			return true // 10.8M + 108 = 118.8M
		}
		if m == '*' && (x.From > r.toks[i-1].End) != (r.toks[i+1].From > x.End) || r.number(i) && (thousands(x) || r.text[x.From] == '0' && x.Decimals == 0 && x.To-x.From > 1) ||
			x.Tight && m == '-' && r.number(i+1) && (!r.toks[eq].Tight || r.toks[i-1].Value < r.toks[i+1].Value) {
			return true
		}
	}
	return thousands(t) || v.ops == "*" && sum == t.Value // 64 × 64 = 128 bit
}

// thousands tells whether a number such as 2.400 or $2.365 may be meant as 2,400.
func thousands(t *quantity.Token) bool {
	return t.Decimals == 3 && t.Value >= 1 && t.Value < 1000 && (t.Unit.IsMoney() || math.Mod(math.Round(t.Value*1000), 100) == 0)
}

// ends tells whether a side of an equation may end before token i.
func (r *reader) ends(i int) bool { return !strings.ContainsRune(`*^\…{!`, max(' ', r.mark(i))) }

// readings are the factors of other units that a result may silently be in:
// powers of ten, percent, the other sign, and where units differ, spans of
// time and kinds of bytes. Money alone may be by month or day.
var readings = []float64{1, 100, 1e3, 1e6, 1e9, 12, 52, 365, 24, 60, 3600, 7, 30, 1 << 10, 1 << 20, 1 << 30}

// explained tells whether a reading of the left side gives the number at token
// at: as it stands or in a silent unit.
func (r *reader) explained(at int, v value) bool {
	t := r.toks[at]
	t.Approx = t.Approx || v.loose
	if v.percents > 1 && v.scale(math.Pow(0.01, float64(v.percents))).fits(&t) || r.mark(at+1) == '.' && r.mark(at+2) == '.' {
		return true
	}
	for k, f := range readings {
		if k > 4 && t.Unit == v.unit && !(t.Unit.IsMoney() && (f == 12 || f == 365)) {
			break
		}
		if v.scale(f).fits(&t) || v.scale(1/f).fits(&t) || v.scale(-f).fits(&t) {
			return true
		}
	}
	return false
}
