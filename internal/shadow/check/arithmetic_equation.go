package check

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// equations checks every "=" of the line in hand against what stands on its
// two sides.
func (c *checker) equations() {
	l := &c.lex
	found := len(c.found)
	from := 0 // what precedes belongs to no left side any more
	for k := range l.toks {
		if l.toks[k].kind != tokEquals && l.toks[k].kind != tokApprox {
			continue
		}
		left, ok := c.leftOf(from, k)
		from = k + 1
		if !ok {
			continue
		}
		if right := l.scan(k + 1); len(right.operands) > 0 {
			c.equation(left, right, k)
		}
	}
	if len(c.found)-found > 3 {
		c.found = c.found[:found] // a notation, not one slip after the other
	}
}

// leftOf finds the expression between tokens from and k that ends at k.
func (c *checker) leftOf(from, k int) (expression, bool) {
	l := &c.lex
	for i := from; i < k; {
		e := l.scan(i)
		if e.to == k {
			return e, len(e.operands) > 0 && l.begins(i) && !c.measureBefore(i)
		}
		// What was not taken begins the next try. Every token is looked at
		// by at most two scans, since a scan that ends early ends at
		// something that no scan passes.
		i = max(e.to, i+1)
	}
	return expression{}, false
}

// measureBefore tells whether token i follows a measured number, as the
// minutes follow the hours in "1 h 30 min".
func (c *checker) measureBefore(i int) bool {
	return c.lex.kindAt(i-1) == tokNumber && i > 0
}

// equation judges "left = right" with the sign at token k.
func (c *checker) equation(left, right expression, k int) {
	l := &c.lex
	if left.ops == 0 && right.ops == 0 || !c.settled(right) {
		return
	}
	for _, i := range left.operands {
		if !l.exact(i) {
			return
		}
	}
	for _, i := range right.operands {
		if !l.exact(i) {
			return
		}
	}
	if left.from > 0 && l.kindAt(left.from-1) == tokEquals && l.lists(left) {
		return // 1 mile = 2,000 steps / 1 kilometre = 1,350 steps
	}
	calc, lone := left, right
	stated := right.operands[0]
	if left.ops == 0 { // 19 = 12 + 7
		if !right.whole || l.toks[k].kind == tokApprox || right.calls > 0 && l.kindAt(left.to-1) == tokWord || l.toks[k].mark == 'i' || left.from > 0 && l.kindAt(left.from-1) == tokWord && !totalWords[l.wordAt(left.from-1)] {
			return
		}
		calc, lone, stated = right, left, left.operands[0]
		if l.lists(calc) {
			return
		}
	}
	if l.toks[k].mark == 'i' && calc.dashes || !c.plausible(calc, stated) || !c.spend(2+len(calc.operands)) {
		return
	}
	near := l.toks[k].kind == tokApprox
	if left.ops > 0 && left.from > 0 && l.kindAt(left.from-1) == tokEquals { // of steps that may be rounded
		if v, ok := l.evalRounded(left, false); !ok || shows(v, &l.toks[stated].num, false, false, false) {
			return
		}
	}
	if c.agree(calc, lone, stated, near) || c.looseReading(calc, lone, stated, near) {
		return
	}
	if !c.sameUnits(calc, lone, stated) {
		return
	}
	v, ok := l.eval(calc, false, false)
	if !ok {
		return
	}
	n := &l.toks[stated].num
	if left.ops == 0 && left.from > 1 && l.kindAt(left.from-1) == tokEquals && !l.toks[left.from-1].spaced && l.kindAt(left.from-2) != tokNumber && l.kindAt(left.from-2) != tokClose {
		return // cost=12 = 2^12 rounds
	}
	if left.ops == 0 && l.kindAt(left.from-1) == tokEquals && left.from > 0 && !l.hasScore(right) { // a chain goes on: 48/2 = 24 = 12 × 3
		if !c.doubtful(calc, lone, stated, v.mid()) {
			c.report(l.text(left.from, right.to-1), l.text(right.from, right.to-1), l.text(left.from, left.to-1))
		}
		return
	}
	value := c.inUnitOf(calc, v.mid(), n)
	if c.rescales(calc, lone, value) || c.doubtful(calc, lone, stated, value) || c.cellsBefore(left.from, new(big.Rat).Sub(n.rat(), value)) {
		return
	}
	if len(lone.operands) > 1 { // 1.6 × 10¹⁵ has no digits to be shown like
		n = &number{}
	}
	c.report(l.text(left.from, right.to-1), l.text(lone.from, lone.to-1), format(value, n))
}

// rescales tells whether the two sides may be in units that are not known
// here, as in "10^9 nanoeth = 1 ETH": their names differ, and one is the other
// but for the place of the point.
func (c *checker) rescales(calc, lone expression, value *big.Rat) bool {
	l := &c.lex
	left, right := "", l.wordAt(lone.to-1)
	for i := calc.from; i < calc.to; i++ {
		if t := &l.toks[i]; t.kind == tokWord {
			if l.callAt(i) != 0 {
				continue // the name of a function is no unit
			}
			left = l.wordAt(i)
		} else if t.kind == tokNumber && t.num.unit != "" {
			left = t.num.unit
		}
	}
	shown, ok := l.eval(lone, false, false)
	if left == "" || right == left || !ok || shown.mid().Sign() == 0 || value.Sign() == 0 {
		return false
	}
	r := new(big.Rat).Quo(value, shown.mid())
	r.Abs(r)
	if r.Cmp(big.NewRat(1, 1)) < 0 {
		r.Inv(r)
	}
	for k, p := 0, big.NewRat(1, 1); k < 24; k++ {
		p.Mul(p, big.NewRat(10, 1))
		if d := new(big.Rat).Quo(r, p); d.Cmp(big.NewRat(99, 100)) > 0 && d.Cmp(big.NewRat(101, 100)) < 0 {
			return true
		}
	}
	return false
}

// settled tells whether the right side ends where it seems to: "= 20?" asks,
// "= 1 in 4" and "= 2 h 30 min" go on.
func (c *checker) settled(e expression) bool {
	l := &c.lex
	switch l.kindAt(e.to) {
	case tokNumber, tokOpaque, tokOpen:
		if l.kindAt(e.to) == tokOpen {
			return l.toks[e.to].spaced // not a call
		}
		return e.to-e.from == 1 && l.toks[e.from].num.unit == "" && l.kindAt(e.to) == tokNumber && e.to < len(l.toks)
	case tokOp: // an operator with something else behind it
		return l.toks[e.to].dash
	case tokPunct:
		m := l.markAt(e.to)
		return m != '?' && m != '!' && m != '…' && m != '→' && m != '^' && m != '~'
	case tokWord:
		switch l.wordAt(e.to) {
		case "in", "to", "or", "of", "out", "per", "and":
			return l.kindAt(e.to+1) != tokNumber && (l.wordAt(e.to) != "of" && l.wordAt(e.to) != "out" || l.kindAt(e.to+2) != tokNumber) &&
				(e.to-e.from > 1 || l.toks[e.from].num.unit != "" || l.wordAt(e.to) != "to" && l.wordAt(e.to) != "or" && l.wordAt(e.to) != "out")
		case "plus", "minus", "times":
			return false
		}
	}
	return true
}

// plausible rules out what only looks like arithmetic: 24/7, the phase of
// "Phase 1/2 = 30 days".
func (c *checker) plausible(e expression, stated int) bool {
	l := &c.lex
	for i := e.from; i+2 < e.to; i++ {
		a, op, b := &l.toks[i], &l.toks[i+1], &l.toks[i+2]
		if a.kind != tokNumber || op.kind != tokOp || op.mark != '/' || b.kind != tokNumber || op.spaced || b.spaced {
			continue
		}
		if a.num.mant == 24 && b.num.mant == 7 {
			return false
		}
		// A score or a name, unless the result is a fraction as well.
		s := &l.toks[stated].num
		if e.ops == 1 && !b.num.less(&a.num) && !s.percent() && !s.less(&number{mant: 1}) {
			return false
		}
		if e.ops == 1 && s.percent() && (c.weighted(&a.num, &b.num, s) || l.sibling(e.from, b)) {
			return false
		}
	}
	return true
}

// agree tells whether any fair reading of calc gives what the token stated
// says, or the whole other side.
func (c *checker) agree(calc, lone expression, stated int, near bool) bool {
	l := &c.lex
	n := &l.toks[stated].num
	neg := false
	for i := lone.from; i < stated; i++ {
		neg = neg != (l.toks[i].kind == tokOp && l.toks[i].mark == '-')
	}
	percents := false
	for _, i := range calc.operands {
		percents = percents || l.toks[i].num.percent()
	}
	up := calc.ops > calc.sums && calc.calls == 0 // something is divided, perhaps
	for _, hundreds := range [...]bool{false, true} {
		if hundreds && !percents {
			break
		}
		v, ok := l.eval(calc, hundreds, true)
		if !ok {
			return true
		}
		for _, scaled := range [...]bool{false, true} {
			if scaled && !n.percent() {
				break
			}
			if shows(v, n, neg, scaled, up) || near && resembles(v, n, neg, scaled) {
				return true
			}
		}
		if lone.ops > 0 {
			w, ok := l.evalRounded(lone, hundreds)
			if !ok || v.lo.Cmp(w.hi) <= 0 && w.lo.Cmp(v.hi) <= 0 {
				return true
			}
			within := int64(100) // a step between may be rounded
			if near {
				within = 10
			}
			d := new(big.Rat).Sub(v.mid(), w.mid())
			limit := new(big.Rat).Quo(new(big.Rat).Abs(v.mid()), big.NewRat(within, 1))
			if calc.ops > calc.sums && d.Abs(d).Cmp(limit) <= 0 {
				return true
			}
		}
	}
	return false
}

// looseReading tries what the ends of the equation may mean otherwise: in
// "Goal 2 – 12 + 7 = 19" the dash separates, and in "step 3 100 + 50 = 150"
// the number is not three thousand.
func (c *checker) looseReading(calc, lone expression, stated int, near bool) bool {
	l := &c.lex
	if l.kindAt(stated+1) == tokNumber {
		return true
	}
	if s := &l.toks[stated]; s.num.loose { // "= 3 500 times" may be three
		v, ok := l.eval(calc, false, true)
		text := strings.TrimLeftFunc(l.line[s.from:s.to], func(r rune) bool { return r < '0' || r > '9' }) // €3,50
		var head number
		if text = text[:digitsEnd(text, 0)]; text != "" {
			head, _, _ = numberAt(text, 0)
		}
		if !ok || text == "" || shows(v, &head, false, false, true) {
			return true
		}
	}
	if t := &l.toks[calc.operands[0]]; t.num.loose {
		var rest lexer
		text := l.line[t.from:t.to]
		for i := len(text) - 1; i > 0; i-- {
			if w := max(spaceAt(text, i), spaceAt(strings.Replace(text, ",", " ", 1), i)); w > 0 {
				if next(text, i+w) == '0' && isDigit(next(text, i+w+1)) {
					break // no number begins with a zero: "1 000"
				}
				rest.read(l.line[t.from+i:l.toks[calc.to-1].to], nil)
				e := rest.scan(0)
				if v, ok := rest.eval(e, false, true); !ok || e.to != len(rest.toks) || shows(v, &l.toks[stated].num, false, false, true) {
					return true
				}
				break
			}
		}
	}
	if !calc.dashes {
		return false
	}
	tries := 0
	for i := calc.from; i < calc.to && tries < 4; i++ {
		if l.toks[i].kind != tokOp || !l.toks[i].dash {
			continue
		}
		tries++
		e := l.scan(i + 1)
		if e.to != calc.to || len(e.operands) == 0 {
			continue
		}
		if e.ops > 0 && (!c.spend(len(e.operands)) || c.agree(e, lone, stated, near)) {
			return true
		}
	}
	return false
}

// sameUnits tells whether an error in calc cannot be a change of units: the
// numbers are measured alike, or not at all.
func (c *checker) sameUnits(calc, lone expression, stated int) bool {
	l := &c.lex
	n := &l.toks[stated].num
	if l.rate(calc, n) {
		return true
	}
	seen := ""
	same, resultSeen, bare, percents := true, n.unit == "", 0, 0
	for _, i := range calc.operands {
		u := l.toks[i].num.unit
		if u == "%" {
			percents++
			continue
		}
		if u == "" {
			bare++
			continue
		}
		if seen == "" {
			seen = u
		}
		same = same && u == seen
		resultSeen = resultSeen || u == n.unit
	}
	if percents > 0 && calc.sums > 0 && percents < len(calc.operands) {
		return false // 100 + 10%
	}
	if n.percent() {
		return same && (seen == "" || bare == 0) // not 550 KB / 20 MB
	}
	if seen != "" && n.unit != "" && seen != n.unit && !resultSeen {
		return false
	}
	if calc.calls > 0 && (!same || seen != n.unit && seen != "" && n.unit != "") {
		return false
	}
	if seen == "" && c.inSmaller(calc, n) {
		return false
	}
	if seen == "" && (n.unit == "B" || n.unit == "t") { // 36⁶ ≈ 2.2B
		return false
	}
	if seen != "" && n.unit == "" && l.kindAt(lone.from+1) == tokWord && lone.to > lone.from+1 { // 54 GB + 26 GB ≈ 55 requests
		return false
	}
	if bare > 0 && n.unit == "" && seen != "" && l.dividesBy(calc) { // 1 / 500 µs = 2000 a second
		return false
	}
	if scales[n.unit] && seen != n.unit || scales[seen] && (n.unit != seen || bare > 0 && calc.sums > 0) {
		return false
	}
	if scales[seen] && calc.ops > calc.sums && bare < len(calc.operands)-1 {
		return false // 2k × 3k
	}
	return same || calc.sums == 0 && resultSeen && n.unit != ""
}

// inSmaller tells whether calc, without units, is n in another unit: "64 MiB =
// 64 × 1024 × 1024".
func (c *checker) inSmaller(calc expression, n *number) bool {
	m := measures[n.unit]
	v, ok := c.lex.eval(calc, false, false)
	if m.dimension == "" || !ok {
		return false
	}
	for unit, other := range measures {
		if other.dimension != m.dimension || unit == n.unit {
			continue
		}
		for _, from := range m.readings {
			for _, to := range other.readings {
				if x := new(big.Rat).Mul(n.rat(), from.lo); from.isExact() && to.isExact() && x.Quo(x, to.lo).Cmp(v.lo) == 0 {
					return true
				}
			}
		}
	}
	return false
}

// rate tells whether calc is a rate times what it is per, in one currency:
// "$1,200/month × 12 months = $14,400/year".
func (l *lexer) rate(calc expression, n *number) bool {
	if calc.sums > 0 || calc.calls > 0 || !n.currency || len(calc.operands) != 2 || l.toks[calc.operands[0]+1].mark != '*' {
		return false
	}
	a, b := &l.toks[calc.operands[0]].num, &l.toks[calc.operands[1]].num
	if !a.currency {
		a, b = b, a
	}
	sign, w := utf8.DecodeRuneInString(a.unit)
	result, _ := utf8.DecodeRuneInString(n.unit)
	if !a.currency || b.currency || sign != result || len(a.unit) == w {
		return false
	}
	per := unitOf(a.unit[w:])
	return measures[per].dimension == "time" && (b.unit == per || b.unit == "" && len(n.unit) > w && per == "mo" && b.mant == 12)
}

// dividesBy tells whether e divides by something that has a unit.
func (l *lexer) dividesBy(e expression) bool {
	for i := e.from; i+1 < e.to; i++ {
		if t := &l.toks[i]; t.kind == tokOp && t.mark == '/' && l.toks[i+1].kind == tokNumber && l.toks[i+1].num.unit != "" {
			return true
		}
	}
	return false
}

// scales are units that only abbreviate zeros.
var scales = wordSet(`k million billion trillion hundred dozen x pp`)

// inUnitOf turns the computed value into what the stated number n shows: a
// share into a percentage.
func (c *checker) inUnitOf(calc expression, v *big.Rat, n *number) *big.Rat {
	percents := 0
	for _, i := range calc.operands {
		if c.lex.toks[i].num.percent() {
			percents++
		}
	}
	hundred := big.NewRat(100, 1)
	switch {
	case n.percent() && percents == 0 && v.Cmp(big.NewRat(3, 1)) < 0:
		return new(big.Rat).Mul(v, hundred)
	case !n.percent() && percents > 0 && calc.sums < calc.ops:
		if w, ok := c.lex.eval(calc, true, false); ok {
			return w.mid()
		}
	}
	return v
}
