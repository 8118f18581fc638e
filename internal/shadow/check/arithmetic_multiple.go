package check

import "math/big"

// multiples are verbs that say by which factor something changed.
var multiples = map[string][2]int64{"doubled": {2, 1}, "doubling": {2, 1}, "doubles": {2, 1}, "tripled": {3, 1}, "tripling": {3, 1}, "trebled": {3, 1},
	"quadrupled": {4, 1}, "quadrupling": {4, 1}, "halved": {1, 2}, "halving": {1, 2}, "halves": {1, 2}}

// multipleBreaks are words by which a factor is not meant exactly, or applies
// more than once or to something else.
var multipleBreaks = wordSet(`each every yearly annually monthly twice again almost nearly roughly about around approximately more over than less virtually
	effectively practically essentially not never or then once times by while whereas but when if and as or per with slightly just close target
	expected should would could may might`)

// multiplied checks "doubled from 40 to 90". Speech is loose here: what is off
// by less than a tenth passes.
func (c *checker) multiplied() {
	l := &c.lex
	at := -1
	for i := range l.toks {
		w := l.wordAt(i)
		if _, ok := multiples[w]; ok {
			if at >= 0 {
				return
			}
			at = i
		} else if multipleBreaks[w] {
			return
		}
	}
	if at < 0 || c.judged() {
		return
	}
	switch l.wordAt(at - 1) {
	case "is", "are", "be", "gets", "get":
		return // fares are doubled from 10 to 16: hours of the day
	}
	x, y := l.wayAt(at)
	if x < 0 {
		return
	}
	a, b := l.toks[x].num, &l.toks[y].num
	if a.unit == "" {
		a.unit, a.currency = b.unit, b.currency
	}
	if a.unit != b.unit || a.loose || b.loose || scales[b.unit] || a.wide != nil || b.wide != nil || isYear(&a) || a.mant == 0 || !c.spend(4) {
		return
	}
	f := multiples[l.wordAt(at)]
	factor := big.NewRat(f[0], f[1])
	old, now := a.measured(), b.measured()
	least, most := new(big.Rat).Mul(factor, big.NewRat(9, 10)), new(big.Rat).Mul(factor, big.NewRat(11, 10))
	if now.hi.Cmp(least.Mul(least, old.lo)) >= 0 && now.lo.Cmp(most.Mul(most, old.hi)) <= 0 {
		return
	}
	want := factor.Mul(factor, a.rat())
	if !roughly(b.rat(), want) {
		return
	}
	c.report(l.text(min(at, x), max(at, y)), l.text(y, y), format(want, b))
}

// wayAt finds the only two numbers of the line in hand if they are the way
// that the verb at token at speaks of: "doubled the load from 40 to 90", "from
// 40 to 90, doubling in size". It returns -1 if they are not.
func (l *lexer) wayAt(at int) (x, y int) {
	x, y = -1, -1
	for i := range l.toks {
		switch t := &l.toks[i]; {
		case t.kind == tokNumber && x < 0:
			x = i
		case t.kind == tokNumber && y < 0:
			y = i
		case t.kind == tokNumber, t.kind == tokOp && !t.dash, t.kind == tokApprox, t.kind == tokEquals, t.kind == tokPunct && (t.mark == '?' || t.mark == '→' || t.mark == ';'):
			return -1, -1
		}
	}
	if y < 0 || l.wordAt(x-1) != "from" || l.wordAt(y-1) != "to" || !l.exact(x) || !l.toks[y].num.exact() || l.wordAt(y+1) == "of" || l.wordAt(y+1) == "out" {
		return -1, -1
	}
	if j, ok := l.nouns(x+1, 3); !ok && j != y-1 || j != y-1 {
		return -1, -1
	}
	if at > y { // from 40 to 90, doubling in size
		j, ok := l.nouns(y+1, 2)
		if !ok || l.markAt(j) != ',' || j+1 != at || !l.endsAt(at+1) && !(l.wordAt(at+1) == "in" && (l.wordAt(at+2) == "size" || l.wordAt(at+2) == "number") && l.endsAt(at+3)) {
			return -1, -1
		}
		return x, y
	}
	if x-at > 8 {
		return -1, -1
	}
	for k := at + 1; k < x-1; k++ {
		switch w := l.wordAt(k); {
		case l.kindAt(k) == tokOpen, l.markAt(k) == ',':
		case w == "" || movements[w] || changeNouns[w] != 0 || len(w) > 4 && w[len(w)-3:] == "ing":
			return -1, -1
		}
	}
	return x, y
}
