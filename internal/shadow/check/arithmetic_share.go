package check

import "math/big"

// changeWords between a count and a percentage mean that the percentage is
// about something else: "3 of 5 teams reduced costs (20%)".
var changeWords = wordSet(`reduced reduce reduces improved improve improves increased increase increases cut cuts grew grow saved save saves
	dropped drop fell fall rose rise gained lost faster slower lowered lower decreased decrease boosted boost gain loss raised raise
	cost costs latency coverage traffic load cpu memory budget effort time confidence weight growth discount higher less more
	rest remaining rollout rolled probability chance likely risk at up down by only share target goal threshold
	rule split principle ratio mix`)

// shareWords may stand behind the percentage inside its parentheses.
var shareWords = wordSet(`pass passed passing success succeeded`)

// ratio is "38/42", "38 of 42" or "38 out of the 42" in the line in hand.
type ratio struct {
	from, to int // tokens, to excluded
	n, m     int // tokens of its two numbers
}

// ratioAt reads the ratio that begins at token i.
func (l *lexer) ratioAt(i int) (ratio, bool) {
	r := ratio{from: i, n: i}
	j := i + 1
	switch {
	case l.kindAt(j) == tokOp && l.toks[j].mark == '/':
		j++
	case l.wordAt(j) == "of":
		j++
	case l.wordAt(j) == "out" && l.wordAt(j+1) == "of":
		j += 2
	default:
		return r, false
	}
	switch l.wordAt(j) {
	case "the", "all", "our", "these", "those", "its", "their":
		j++
	}
	if i >= len(l.toks) || j >= len(l.toks) || l.kindAt(i) != tokNumber || l.kindAt(j) != tokNumber || !l.countable(i) || !l.countable(j) && !l.measuredAlike(i, j) || !l.exact(i) || !l.exact(j) {
		return r, false
	}
	r.m, r.to = j, j+1
	return r, l.toks[j].num.mant > 0 && (l.kindAt(i+1) == tokWord || !l.toks[j].num.less(&l.toks[i].num)) // not 80/20
}

// countable tells whether token i is a number that counts something.
func (l *lexer) countable(i int) bool {
	n := &l.toks[i].num
	return n.unit == "" && !n.loose && n.dec >= 0 && n.dec <= 2
}

// measuredAlike tells whether tokens i and j are "20 of 80 ms" or "20 ms of 80
// ms".
func (l *lexer) measuredAlike(i, j int) bool {
	if l.kindAt(j-1) == tokOp && l.toks[i].num.unit == "" {
		return false // 20/80 px are two widths
	}
	a, b := &l.toks[i].num, &l.toks[j].num
	return !a.loose && !b.loose && !b.percent() && !scales[b.unit] && (a.unit == "" || a.unit == b.unit)
}

// standsAlone tells whether the ratio is no part of something else: a label,
// a score, a longer fraction.
func (l *lexer) standsAlone(r ratio) bool {
	if labelWords[l.wordAt(r.from-1)] || l.wordAt(r.from-1) == "of" {
		return false
	}
	if p := l.kindAt(r.from - 1); r.from > 0 && (p == tokNumber || p == tokOp && !l.toks[r.from-1].dash || p == tokOpaque && (l.markAt(r.from-1) != 'c' || !l.toks[r.from].spaced)) {
		return false
	}
	return l.kindAt(r.to) != tokOp || l.toks[r.to].dash
}

// shares checks the percentages that are stated beside the counts they come
// from: "38 of 42 (90%)", "90% (38/42)", "20% of 50 is 10".
func (c *checker) shares() {
	l := &c.lex
	for i := range l.toks {
		if l.toks[i].kind != tokNumber {
			continue
		}
		if l.toks[i].num.percent() {
			c.percentFirst(i)
			continue
		}
		if l.wordAt(i-1) == "of" && (i == 1 || i == 2 && l.wordAt(0) == "out") {
			c.shareOfWhole(i)
		}
		if r, ok := l.ratioAt(i); ok && l.standsAlone(r) {
			if p := c.percentBehind(r); p > 0 {
				c.share(r, p)
			}
		}
	}
}

// shareOfWhole checks "Of the 120 tests, 110 passed (92%)", where token i is
// the whole.
func (c *checker) shareOfWhole(i int) {
	l := &c.lex
	j, ok := l.nouns(i+1, 3)
	if !ok || l.markAt(j) != ',' || l.kindAt(j+1) != tokNumber || !l.countable(i) || !l.countable(j+1) || !l.exact(i) || !l.exact(j+1) {
		return
	}
	r := ratio{from: i, n: j + 1, m: i}
	if j, ok = l.nouns(j+2, 2); ok && l.kindAt(j) == tokOpen && l.percentAt(j+1) && l.kindAt(j+2) == tokClose && j+2 < len(l.toks) && l.toks[i].num.mant > 0 {
		r.to = j
		c.share(r, j+1)
	}
}

// nouns skips up to most nouns from token i. It returns false at a word by
// which a new statement begins.
func (l *lexer) nouns(i, most int) (int, bool) {
	for k := 0; l.kindAt(i) == tokWord && i < len(l.toks); k++ {
		w := l.wordAt(i)
		if k == most || notNouns[w] || changeWords[w] {
			return i, false
		}
		i++
	}
	return i, true
}

// percentBehind finds the percentage that restates r: in parentheses, or
// behind a comma or a dash. It returns its token, 0 if there is none.
func (c *checker) percentBehind(r ratio) int {
	l := &c.lex
	i, ok := l.nouns(r.to, 4)
	if !ok && l.wordAt(i) != "or" {
		return 0
	}
	words := i - r.to
	switch k := l.kindAt(i); {
	case i >= len(l.toks):
		return 0
	case k == tokOpen:
		i++
		switch l.markAt(i) {
		case '=':
			i++
		}
		switch l.wordAt(i) {
		case "or", "i":
			i++
		}
		if !l.percentAt(i) {
			return 0
		}
		j := i + 1
		if shareWords[l.wordAt(j)] {
			for l.wordAt(j) != "" {
				j++
			}
		}
		if l.kindAt(j) == tokClose || l.markAt(j) == ',' || l.markAt(j) == ';' {
			return i
		}
		return 0
	case k == tokPunct && (l.markAt(i) == ',' || l.markAt(i) == '—'), k == tokOp && l.toks[i].dash, k == tokWord && l.wordAt(i) == "or", k == tokEquals:
		if k == tokEquals && l.kindAt(r.from+1) == tokOp && words == 0 {
			return 0 // an equation
		}
		if j := l.thatIs(i); j > i {
			i = j - 1
		}
		i++
		switch l.wordAt(i) {
		case "or", "i":
			i++
		}
		if words > 2 || words == 0 && l.kindAt(r.from+1) == tokOp || !l.percentAt(i) || !l.endsAt(i+1) {
			return 0
		}
		return i
	}
	return 0
}

// percentAt tells whether token i is a percentage that is meant exactly.
func (l *lexer) percentAt(i int) bool {
	return i < len(l.toks) && l.kindAt(i) == tokNumber && l.toks[i].num.percent() && l.exact(i)
}

// endsAt tells whether a statement ends before token i.
func (l *lexer) endsAt(i int) bool {
	if i >= len(l.toks) {
		return true
	}
	switch l.toks[i].kind {
	case tokClose:
		return true
	case tokPunct:
		switch l.toks[i].mark {
		case '.', ';', '|', ',', '—':
			return true
		}
	case tokOp:
		return l.toks[i].dash
	}
	return false
}

// share checks that the percentage at token p is r.
func (c *checker) share(r ratio, p int) {
	l := &c.lex
	if !c.spend(3) {
		return
	}
	stated := &l.toks[p].num
	n, m := &l.toks[r.n].num, &l.toks[r.m].num
	if showsShare(n, m, stated) || m.mant == 1 || n.dec > 0 || l.sibling(r.from, &l.toks[r.m]) || c.weighted(n, m, stated) || c.levels(r) || pointWords[l.wordAt(r.to)] {
		return
	}
	if stated.mant == 1 && stated.dec == 0 && n.mant > 0 && 100*n.mant < m.mant {
		return // less than 1 % is at least that
	}
	a, b := min(r.from, p), max(r.to-1, p)
	if l.derived(r, p) && c.aims() {
		return
	}
	for k := a - 4; k <= b+3; k++ {
		if lackWords[l.wordAt(k)] && c.complements(r, p) {
			return // covered is 6% (161 of 172 lines are missing)
		}
	}
	if l.kindAt(b+1) == tokClose && b+1 < len(l.toks) {
		b++
	}
	v := new(big.Rat).Quo(l.toks[r.n].num.rat(), l.toks[r.m].num.rat())
	v.Mul(v, big.NewRat(100, 1))
	if stated.mant < 100 && roundTens(stated, v) {
		return
	}
	c.report(l.text(a, b), l.text(p, p), format(v, stated))
}

// percentFirst checks "90% (38/42)", and "20% of 50 is 10" or "20% of 50
// users (10)".
func (c *checker) percentFirst(i int) {
	l := &c.lex
	if m := l.markAt(i - 1); !l.exact(i) || m == '>' || m == '≠' || m == '≥' || m == '<' || m == '≤' || l.kindAt(i-1) == tokEquals && (l.markAt(i-2) == '>' || l.markAt(i-2) == '<') {
		return
	}
	if l.wordAt(i+1) == "of" {
		if c.percentOf(i) {
			return
		}
	}
	j, ok := l.nouns(i+1, 2)
	if l.wordAt(i+1) == "of" { // 90% of findings (38/42)
		j = i + 2
		if w := l.wordAt(j); w == "the" || w == "all" || w == "our" {
			j++
		}
		j, ok = l.nouns(j, 3)
	}
	if l.kindAt(j) == tokEquals && j == i+1 || doneWords[l.wordAt(i+1)] || l.wordAt(i-2) == "progress" && l.markAt(i-1) == ':' {
		return // an equation; how far something is may be measured in many ways
	}
	if !ok || l.kindAt(j) != tokOpen || j >= len(l.toks) {
		return
	}
	r, ok := l.ratioAt(j + 1)
	if !ok {
		return
	}
	end, ok := l.nouns(r.to, 4)
	if !ok && l.wordAt(end) == "" || l.kindAt(end) != tokClose || l.toks[r.n].num.mant == l.toks[r.m].num.mant {
		return // what follows may count in part: "88% (3/4 done, 1 half)"
	}
	n, m := &l.toks[r.n].num, &l.toks[r.m].num
	off := new(big.Rat).Quo(n.rat(), m.rat())
	off.Mul(off, big.NewRat(100, 1)).Sub(off, l.toks[i].num.rat())
	if c.complements(r, i) || m.less(&number{mant: 20}) && off.Abs(off).Cmp(big.NewRat(5, 1)) > 0 {
		return // few may be rated one by one: 95% (4 of 5 goals met)
	}
	c.share(r, i)
}

// pointWords behind a ratio make it a score.
var pointWords = wordSet(`pts points marks stars`)

// levels tells whether r is a level on a scale whose percentages are together a
// hundred: "5/5 (40%), 4/5 (55%), 3/5 (5%)".
func (c *checker) levels(r ratio) bool {
	l := &c.lex
	if l.wordAt(r.from-1) == "at" {
		return true
	}
	if !c.spend(len(l.toks)) {
		return true
	}
	sum, counted, levels := new(big.Rat), int64(0), 0
	for i := range l.toks {
		if q, ok := l.ratioAt(i); ok && l.toks[q.m].num.mant == l.toks[r.m].num.mant && l.kindAt(q.to) == tokOpen && l.percentAt(q.to+1) {
			counted += l.toks[q.n].num.mant
			sum.Add(sum, l.toks[q.to+1].num.rat())
			levels++
		}
	}
	return levels > 1 && sum.Cmp(big.NewRat(100, 1)) == 0 && counted != l.toks[r.m].num.mant
}

// aimWords make a percentage the one that is given, and the count what follows
// from it.
var aimWords = wordSet(`exceed exceeds abort warn target goal minimum min maximum threshold required requirement quota sample sampled sampling least aim need needs`)

// aims tells whether the line is about what should be reached.
func (c *checker) aims() bool {
	if c.aimKnown != c.at+1 { // once a line
		c.aimKnown, c.aim = c.at+1, containsWord(c.lex.line, aimWords)
	}
	return c.aim
}

// derived tells whether the count of r is the percentage at token p of its
// whole, rounded to a whole number: 95 % of 36 are 34.
func (l *lexer) derived(r ratio, p int) bool {
	d := new(big.Rat).Mul(l.toks[p].num.rat(), l.toks[r.m].num.rat())
	d.Quo(d, big.NewRat(100, 1)).Sub(d, l.toks[r.n].num.rat())
	return d.Abs(d).Cmp(big.NewRat(1, 1)) < 0
}

// lackWords say that what is counted is the other part of the whole.
var lackWords = wordSet(`missing failed failing failures fail uncovered untested lost left remaining open not pending skipped missed wrong errors broken
	violation violations error issue issues defects invalid unresolved incorrect reduces reduced reduction saves saved fewer`)

// complements tells whether the percentage at token p is what r leaves.
func (c *checker) complements(r ratio, p int) bool {
	l := &c.lex
	rest := new(big.Rat).Sub(l.toks[r.m].num.rat(), l.toks[r.n].num.rat())
	return shows(exactly(rest.Quo(rest, l.toks[r.m].num.rat())), &l.toks[p].num, false, true, false)
}

// percentOf checks the statement of a part of a whole that begins at token i,
// a percentage. It returns false if there is none.
func (c *checker) percentOf(i int) bool {
	l := &c.lex
	m := i + 2
	switch l.wordAt(m) {
	case "the", "all", "our", "these", "those":
		m++
	}
	if m >= len(l.toks) || l.kindAt(m) != tokNumber || !l.exact(m) || l.toks[m].num.percent() || l.toks[m].num.loose {
		return false
	}
	j, ok := l.nouns(m+1, 3)
	if j >= len(l.toks) {
		return true
	}
	paren := false
	switch {
	case l.kindAt(j) == tokEquals:
	case l.wordAt(j) == "is":
	case ok && l.kindAt(j) == tokOpen:
		paren = true
	default:
		return true
	}
	n := j + 1
	if l.markAt(n) == '=' && paren {
		n++
	}
	if n >= len(l.toks) || l.kindAt(n) != tokNumber || !l.exact(n) || l.toks[n].num.loose {
		return true
	}
	whole, part := &l.toks[m].num, &l.toks[n].num
	if part.percent() || part.unit != "" && part.unit != whole.unit || scales[whole.unit] && part.unit != whole.unit {
		return true
	}
	end, ok := l.nouns(n+1, 3)
	switch k := l.kindAt(end); {
	case paren && (!ok || k != tokClose):
		return true
	case l.kindAt(j) == tokEquals && l.markAt(j) == '=':
		if end == len(l.toks) {
			break
		}
		if w := l.wordAt(end); k == tokNumber || k == tokOp || k == tokOpaque || k == tokEquals || w == "of" || w == "per" || w == "or" || w == "to" {
			return true
		}
	case !paren && (!ok || !l.endsAt(end)):
		return true
	}
	if !c.spend(3) {
		return true
	}
	// The percentage may be rounded itself.
	v := evaluator{l: l, hundreds: true, loosely: true}
	got := multiply(v.operand(&l.toks[i].num), exactly(whole.rat()))
	if shows(got, part, false, false, true) {
		return true
	}
	c.report(l.text(i, end-1), l.text(n, n), format(got.mid(), part))
	return true
}
