package arithmetic

import (
	"math"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxOperands bounds the tokens of one side of an equation.
const maxOperands = 80

// equations checks the explicit equations of the line: a op b = c, chains of
// them, "a plus b is c", and 90 minutes = 1.5 hours.
func (r *reader) equations() {
	done := -1 // token behind the last equation that was read
	for eq := 1; eq < len(r.toks)-1; eq++ {
		m, word, noun := r.mark(eq), r.is(eq, equals), r.word(eq-1) != ""
		if m != '=' && m != '~' && !word || noun && (m == '~' || m == '=' && r.toks[eq].Tight) {
			continue
		}
		if from, sides := r.left(eq, done); len(sides) > 0 && !(word && sides[0].slash()) {
			if end := r.right(from, eq, sides); end > 0 {
				done = end
			}
		}
	}
}

// left finds the longest expression that ends before the sign of equality at
// eq, read with and without precedence.
func (r *reader) left(eq, done int) (from int, sides []value) {
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
		v, ok := p.expr()
		if !ok || p.i != eq || v.ops == "" && v.unit == nil && first > 0 && r.mark(first-1) != ':' && r.mark(first-1) != '=' && r.word(first-1) != "of" {
			continue
		}
		p = parser{reader: r, i: first, end: eq, flat: true}
		if f, ok := p.expr(); ok && (v.words || r.mark(first) == '(') {
			return first, []value{v, f}
		}
		return first, []value{v}
	}
	return 0, nil
}

// begins tells whether an expression may begin at token i.
func (r *reader) begins(i, done int) bool {
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
		return before.To-before.From > 1 && !before.Tight // a dash
	}
	return before.Mark > 0x2000
}

// right reads what stands behind the sign of equality, compares, and gives the
// token behind it, 0 if it is nothing to compare.
func (r *reader) right(from, eq int, sides []value) int {
	at := eq + 1
	for r.mark(at) == '~' || r.mark(at) == '<' || r.mark(at) == '$' {
		at++
	}
	p := parser{reader: r, i: at, end: min(len(r.toks), at+maxOperands)}
	right, ok := p.expr()
	if !ok || !r.number(at) || !r.ends(p.i) || right.ops == "" && r.mark(at+1) == '*' {
		return 0
	}
	left, t := sides[0], &r.toks[at]
	if left.ops+right.ops == "" {
		if v := convert([]*quantity.Token{&r.toks[from], t}); from == eq-1 && len(v) > 0 && !t.Approx && !(t.Unit.Of == "length" && left.mid() == 1) && r.figure(from) && r.figure(at) && !v[0].fits(t) {
			r.finding("conversion", from, at, at, v[0].mid())
		}
		return p.i
	}
	if r.limited(at) || r.doubtful(left, t, from, eq, eq) || r.explained(from, at, sides) || r.mark(p.i) == '-' && r.toks[p.i].Tight {
		return p.i
	}
	to := at
	if right.ops != "" {
		to = p.i - 1
		for _, v := range sides {
			if tiny := 1e-9 * math.Abs(v.lo); v.lo <= right.hi+tiny && right.lo <= v.hi+tiny {
				return p.i
			}
		}
		if right.mixed || right.slash() || r.mark(p.i) == '+' || r.mark(p.i) == '-' || (left.percents > 0) != (right.percents > 0) || r.doubtful(right, t, at, p.i, eq) {
			return p.i
		}
		if left.ops == "" && left.unit == right.unit && !left.words && from > 0 && r.number(from) {
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
// 640×360, parts with slashes between, a fraction in parentheses, 24/7, a
// division of whole numbers in code, or of other things than its result.
// Operators tell by their spaces.
func (r *reader) doubtful(v value, t *quantity.Token, from, to, eq int) bool {
	ratio := strings.Contains(v.ops, "/")
	if percent(t) && v.percents > 0 && strings.Contains(v.ops, "*") || v.slash() && len(v.ops) > 1 || t.Unit != nil && !percent(t) && !times(t) && v.unit == nil && (v.words || t.Unit.IsMoney()) ||
		t.Unit == nil && v.unit != nil && r.word(eq+2) != "" {
		return true // 95 % × 8 steps, 1998 / 2000 / 2002, 3 tokens × 4 calls = $5
	}
	if percent(t) && v.percents == 0 && !ratio || v.ops != "" && v.slash() && (v.words && !percent(t) || r.mark(from) == '(' || r.is(eq+2, changing)) ||
		r.text[r.toks[from].From:r.toks[to-1].End] == "24/7" {
		return true
	}
	for _, c := range r.doc.Lines[r.at].InlineCode {
		if ratio && len(v.ops) > 1 && t.Decimals == 0 && !percent(t) && c.From <= r.toks[from].From && r.toks[from].To <= c.To {
			return true
		}
	}
	for i := from; i < to; i++ {
		m := r.mark(i)
		if m != 0 && r.toks[i].Tight && r.word(eq) != "" || m == '*' && (r.toks[i].From > r.toks[i-1].End) != (r.toks[i+1].From > r.toks[i].End) || r.toks[i].Tight && !r.toks[eq].Tight && (m == '-' && r.number(i+1) || m == '*' && v.words) {
			return true
		}
	}
	return false
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

// explained tells whether a reading of the left side gives the number at token
// at: as it stands, in percent, in another power of ten if the units do not
// say which, for a year of months, or with one more number of the sentence.
func (r *reader) explained(from, at int, sides []value) bool {
	t := r.toks[at]
	for _, v := range sides {
		t.Approx = t.Approx || v.loose
		if v.fits(&t) || (percent(&t) || v.slash()) && v.scale(100).fits(&t) || v.percents > 0 && (v.scale(0.01).fits(&t) || v.scale(math.Pow(0.01, float64(v.percents))).fits(&t)) {
			return true
		}
		factors := []float64{12, 52, 365, 24, 60, 7, 30, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9}
		if !v.words && (t.Unit == nil || t.Unit.Of != "time") {
			factors = factors[7:]
		}
		for _, f := range factors {
			if (f >= 7 && f < 1e3 || v.unit != t.Unit || t.Unit == nil || v.mixed) && (v.scale(f).fits(&t) || v.percents > 0 && v.scale(f/100).fits(&t) || v.scale(1/f).fits(&t)) {
				return true
			}
		}
		before := v.span
		for i := 0; i < len(r.toks) && v.words; i++ {
			if i >= from && i <= at || !r.number(i) || r.toks[i].Value == 0 {
				continue
			}
			n := of(&r.toks[i])
			if i < from {
				before = before.add(n)
			}
			if before.fits(&t) || v.add(n).fits(&t) || v.sub(n).fits(&t) || v.mul(n).fits(&t) {
				return true
			}
		}
	}
	return false
}

// in gives what the number t should be, and whether that is sure: t must
// measure what the left side measures.
func (v value) in(t *quantity.Token) (float64, bool) {
	switch {
	case v.mixed:
		return v.mid(), v.percents == 0 && !t.Approx
	case percent(t) && v.percents > 0:
		return v.mid(), v.unit == nil && (v.percents == 1 || !strings.Contains(v.ops, "/"))
	case percent(t):
		return v.mid() * 100, v.unit == nil
	case v.percents > 0 && (t.Unit == nil || v.unit != nil):
		return v.mid() * math.Pow(0.01, float64(v.percents)), true
	}
	return v.mid(), t.Unit == nil || v.unit == nil || t.Unit == v.unit
}
