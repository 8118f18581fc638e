package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxOperands bounds the tokens of one side of an equation.
const maxOperands = 80

// equations checks the explicit equations of the line: a op b = c, chains of
// them, and "a plus b is c".
func (r *reader) equations() {
	done := -1 // token behind the last equation that was read
	for eq := 1; eq < len(r.toks)-1; eq++ {
		word := r.is(eq, "equals")
		if m := r.mark(eq); m != '=' && m != '~' && !word || m == '~' && r.toks[eq-1].Kind == quantity.Word || m == '=' && r.toks[eq].Tight && r.toks[eq-1].Kind == quantity.Word {
			continue
		}
		from, sides, ok := r.left(eq, done)
		if !ok || word && sides[0].slash {
			continue
		}
		if end, ok := r.right(from, eq, sides); ok {
			done = end
		}
	}
}

// left finds the longest expression that ends before the sign of equality at
// eq, read with and without precedence.
func (r *reader) left(eq, done int) (from int, sides []value, ok bool) {
	first := max(0, eq-maxOperands)
	for i := eq - 1; i >= first; i-- {
		if m := r.mark(i); m == '=' || m == '~' && i < eq-1 && !r.number(i+1) || m == ';' || m == '|' || m == '→' {
			first = i + 1
		}
	}
	tries := 0
	for from = first; from < eq && tries < 8; from++ {
		if !r.begins(from, done) {
			continue
		}
		tries++
		p := parser{reader: r, i: from, end: eq}
		v, ok := p.expr()
		if !ok || p.i != eq {
			continue
		}
		if v.ops == 0 && v.unit == nil && from > 0 && r.mark(from-1) != ':' && r.mark(from-1) != '=' && r.mark(from-1) != '(' && r.low[from-1] != "of" {
			return 0, nil, false
		}
		sides = []value{v}
		if v.words || r.mark(from) == '(' {
			p := parser{reader: r, i: from, end: eq, flat: true}
			if f, ok := p.expr(); ok {
				sides = append(sides, f)
			}
		}
		return from, sides, true
	}
	return 0, nil, false
}

// begins tells whether an expression may begin at token i.
func (r *reader) begins(i, done int) bool {
	if !r.number(i) && r.mark(i) != '(' && functions[r.low[i]] == nil {
		return false
	}
	if r.mark(i-1) == '~' {
		i--
	}
	if i == 0 {
		return true
	}
	before := &r.toks[i-1]
	switch before.Kind {
	case quantity.Word:
		return before.End < r.toks[i].From && r.mark(i-2) != '\\' && !r.labelled(i) && !(r.number(i) && r.unclear(before)) && !r.is(i-1, "rest")
	case quantity.Number:
		return false
	}
	switch before.Mark {
	case ':', ',', ';', '(', '[', '|', '.', '"', '→', '<', '“':
		return before.End < r.toks[i].From || before.Mark != ',' && before.Mark != '.'
	case '=':
		return done == i || before.End == i
	case '-':
		return before.To-before.From > 1 && !before.Tight // a dash
	}
	return before.Mark > 0x2000 || before.Mark == '$' || before.Mark == '>'
}

// unclear tells whether a word is a variable and not a word of a sentence.
func (r *reader) unclear(t *quantity.Token) bool {
	return t.To-t.From == 1 && r.text[t.From] != 'a' && r.text[t.From] != 'A' && r.text[t.From] != 'I'
}

// right reads what stands behind the sign of equality, compares, and gives the
// token behind it.
func (r *reader) right(from, eq int, sides []value) (end int, ok bool) {
	at := eq + 1
	if m := r.mark(at); m == '~' || m == '<' && r.mark(at+1) == '<' {
		at++
	}
	if r.mark(at) == '<' {
		at++
	}
	if r.mark(at) == '$' {
		at++
	}
	if !r.number(at) && r.mark(at) != '(' {
		return 0, false
	}
	p := parser{reader: r, i: at, end: min(len(r.toks), at+maxOperands)}
	right, good := p.expr()
	if !good || !r.number(at) || !r.ends(p.i) {
		return 0, false
	}
	if right.ops > 0 {
		if sides[0].ops == 0 && sides[0].unit != nil || r.doubtful(right, at, p.i, at) || (sides[0].percents > 0) != (right.percents > 0) {
			return p.i, true
		}
		for _, left := range sides {
			if overlap(left.plain, right.plain) || overlap(left.base, right.base) {
				return p.i, true
			}
		}
		if sides[0].ops > 0 && r.explained(from, at, sides) { // 12 + 7 = 19 - 2 of them are new
			return p.i, true
		}
		if right.of == "?" || right.ratio && right.slash {
			return p.i, true
		}
		if sides[0].ops == 0 && right.unit == nil && from > 0 && r.number(from) {
			r.finding("equation", from, p.i-1, from, right.plain.mid())
		} else if v, sure := r.outcome(sides[0], &r.toks[at]); sides[0].ops > 0 && sure {
			r.finding("equation", from, p.i-1, at, v)
		}
		return p.i, true
	}
	if r.mark(at+1) == '*' { // 6.9 × 10^-15
		return p.i, true
	}
	if sides[0].ops == 0 {
		return p.i, from == eq-1 && r.toks[at].Unit != nil && sides[0].unit != nil && !r.toks[at].Approx && r.converted(from, at)
	}
	if r.open(at) || r.doubtful(sides[0], from, eq, at) || r.mark(p.i) == '-' && r.toks[p.i].Tight || r.explained(from, at, sides) {
		return p.i, true
	}
	if v, sure := r.outcome(sides[0], &r.toks[at]); sure {
		r.finding("equation", from, at, at, v)
	}
	return p.i, true
}

// open tells whether a limit stands around the number: 30 at most.
func (r *reader) open(i int) bool {
	if r.toks[i].Bound != quantity.Exact || i+2 >= len(r.toks) {
		return r.toks[i].Bound != quantity.Exact
	}
	a, b := r.low[i+1], r.low[i+2]
	return a == "at" && (b == "most" || b == "least") || a == "or" && (b == "more" || b == "less" || b == "fewer") || a == "in" && r.number(i+2)
}

// doubtful tells whether the left side may be no arithmetic: a size such as
// 640×360, parts with slashes between, a fraction in parentheses, 24/7.
func (r *reader) doubtful(v value, from, eq, at int) bool {
	t := &r.toks[at]
	switch {
	case percent(t) && v.percents == 0 && !v.ratio, v.slash && v.words && !percent(t), v.slash && r.mark(from) == '(':
		return true
	case v.ratio && v.ops > 1 && t.Decimals == 0 && !percent(t) && r.inCode(from): // a division of whole numbers
		return true
	case v.slash && r.is(at+1, "change"), r.text[r.toks[from].From:r.toks[eq-1].End] == "24/7":
		return true
	}
	for i := from; i < eq; i++ { // operators tell by their spaces
		if m := r.mark(i); r.toks[i].Tight && (eq >= len(r.toks) || !r.toks[eq].Tight) && (m == '-' && r.number(i+1) || m == '*' && v.words) {
			return true
		}
	}
	return false
}

// inCode tells whether token i is written as code.
func (r *reader) inCode(i int) bool {
	for _, c := range r.doc.Lines[r.at].InlineCode {
		if c.From <= r.toks[i].From && r.toks[i].To <= c.To {
			return true
		}
	}
	return false
}

func overlap(a, b span) bool {
	tiny := 1e-9 * max(math.Abs(a.lo), math.Abs(b.lo))
	return a.lo <= b.hi+tiny && b.lo <= a.hi+tiny
}

// ends tells whether a side of an equation may end before token i.
func (r *reader) ends(i int) bool {
	if i >= len(r.toks) {
		return true
	}
	switch r.mark(i) {
	case '+':
		return i+1 < len(r.toks) && r.toks[i+1].Kind == quantity.Word
	case '*', '^', '\\', '…', '{', '!':
		return false
	case '/':
		return i+1 < len(r.toks) && r.toks[i+1].Kind == quantity.Word
	case '(':
		return r.toks[i].From > r.toks[i-1].End
	case '-':
		return !r.toks[i].Tight || !r.number(i+1)
	}
	return !r.is(i, "rest") && !(i > 0 && r.is(i-1, "rest"))
}

// explained tells whether a reading of the left side gives the number at
// token at: with its units or without, in percent, in another power of ten if
// a word may stand for that, or with one more number of the sentence.
func (r *reader) explained(from, at int, sides []value) bool {
	t := r.toks[at]
	if eq := r.toks[from:]; len(eq) > 3 && eq[1].Mark == '^' && eq[3].Mark == '=' && float64(int(eq[0].Value)^int(eq[2].Value)) == t.Value {
		return true // an exclusive or
	}
	for _, v := range sides {
		t.Approx = t.Approx || v.loose
		if v.states(&t) {
			return true
		}
		if t.Unit == nil || t.Unit != nil && v.of != t.Unit.Of && !percent(&t) || v.of == "?" {
			for _, f := range [...]float64{1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9} {
				if v.plain.scale(f).fits(&t) {
					return true
				}
			}
		}
		if !v.words {
			continue
		}
		for _, f := range [...]float64{12, 52, 365, 24, 60, 7, 30} { // a year of months
			if v.plain.scale(f).fits(&t) {
				return true
			}
		}
		before := v.plain
		for i := range r.toks {
			if i >= from && i <= at || !r.number(i) || r.toks[i].Value == 0 {
				continue
			}
			n := of(&r.toks[i])
			if i < from {
				before = before.add(n)
			}
			if before.fits(&t) || v.plain.add(n).fits(&t) || v.plain.sub(n).fits(&t) || v.plain.mul(n).fits(&t) {
				return true
			}
		}
	}
	return false
}

// states tells whether the value is what a number says.
func (v value) states(t *quantity.Token) bool {
	if v.plain.fits(t) {
		return true
	}
	switch {
	case percent(t):
		return v.plain.scale(100).fits(t) || v.base.scale(100).fits(t)
	case v.percents > 0 && (v.plain.scale(0.01).fits(t) || v.plain.scale(math.Pow(0.01, float64(v.percents))).fits(t)):
		return true
	case t.Unit != nil && t.Unit.Of != "times":
		return v.base.div(span{t.Unit.Low, t.Unit.High}).fits(t)
	}
	return v.base.fits(t)
}

// outcome gives what the number t should be, and whether that is sure: what it
// measures must be what the left side measures.
func (r *reader) outcome(v value, t *quantity.Token) (float64, bool) {
	if !v.plain.finite() || v.of == "?" && v.percents > 0 {
		return 0, false
	}
	switch {
	case percent(t):
		if v.percents > 0 && v.of == "" {
			return v.plain.mid(), v.percents == 1 || !v.ratio
		}
		return v.plain.mid() * 100, v.of == ""
	case v.percents > 0 && (t.Unit == nil || v.of != ""):
		return v.plain.mid() * math.Pow(0.01, float64(v.percents)), true
	case t.Unit == nil || v.of == "":
		return v.plain.mid(), true
	case t.Unit.Of != v.of:
		return v.plain.mid(), v.of == "?"
	case t.Unit != v.unit:
		return v.base.mid() / t.Unit.Low, true
	}
	return v.plain.mid(), true
}
