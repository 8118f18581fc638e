package check

import "math/big"

// movements are verbs that go from one value to another.
var movements = wordSet(`grew grow grows grown rose rises risen increased increases increase improved improves fell falls fallen dropped drops
	drop decreased decreases decrease reduced reduces reducing cut cuts went goes shrank shrinks jumped jumps climbed climbs declined declines
	lowered lowers raised raises doubled halved sank sinks came down up growing falling rising dropping improving shrinking moved expanded`)

// changes of a value, by what the percentage beside them is a share of.
const (
	ofOld  = iota + 1 // of the old value: an increase of 25%
	ofAny             // of either: 25% faster
	factor            // 3x
)

var changeNouns = map[string]int{
	"increase": ofOld, "increased": ofOld, "rise": ofOld, "growth": ofOld, "grew": ofOld, "rose": ofOld, "more": ofOld, "larger": ofOld, "bigger": ofOld,
	"decrease": ofOld, "reduction": ofOld, "reduced": ofOld, "drop": ofOld, "decline": ofOld, "fall": ofOld, "less": ofOld, "fewer": ofOld, "lower": ofOld,
	"smaller": ofOld, "cut": ofOld, "saving": ofOld, "savings": ofOld, "decreased": ofOld, "dropped": ofOld, "fell": ofOld, "shorter": ofOld,
	"gain": ofOld, "jump": ofOld, "up": ofOld, "down": ofOld, "higher": ofOld, "change": ofOld, "difference": ofOld,
	"faster": ofAny, "slower": ofAny, "quicker": ofAny, "improvement": ofAny, "improved": ofAny, "speedup": ofAny, "speed-up": ofAny, "better": ofAny,
	"worse": ofAny, "regression": ofAny, "slowdown": ofAny,
}

// directions are the directions that words give a change.
var directions = map[string]int{"growth": 1, "increase": 1, "increased": 1, "rise": 1, "grew": 1, "rose": 1, "more": 1, "gain": 1, "higher": 1, "larger": 1,
	"decrease": -1, "decreased": -1, "reduction": -1, "reduced": -1, "drop": -1, "decline": -1, "fall": -1, "less": -1, "fewer": -1, "lower": -1, "smaller": -1}

// changes checks what is said about the way from one value to another: "from
// 200 to 250, an increase of 25%", "80 ms → 60 ms (25% less)", "a 25% increase
// from 200 to 250".
func (c *checker) changes() {
	l := &c.lex
	for i := 0; i+2 < len(l.toks); i++ {
		if l.toks[i].kind != tokNumber || !l.exact(i) {
			continue
		}
		if l.toks[i].num.percent() && c.comparison(i) {
			continue
		}
		from := l.wordAt(i-1) == "from"
		j := i + 1
		for k := 0; k < 3 && (l.wordAt(j) != "" && !notNouns[l.wordAt(j)] || l.perAt(j)); k++ {
			j++
		}
		if !(from && l.wordAt(j) == "to") && l.markAt(j) != '→' {
			continue
		}
		j++
		if j >= len(l.toks) || l.kindAt(j) != tokNumber || !l.exact(j) {
			continue
		}
		a, b := &l.toks[i].num, &l.toks[j].num
		if a.unit != b.unit && a.unit != "" || a.loose || b.loose || scales[b.unit] && a.unit != b.unit || isYear(a) && isYear(b) || a.mant == 0 || a.wide != nil || b.wide != nil ||
			l.kindAt(i-1) == tokNumber && i > 0 || l.markAt(i-1) == '→' {
			continue // no way of two values, or one of more
		}
		moves := !from
		for k := i - 1; k >= 0 && k > i-16 && !moves; k-- {
			if t := &l.toks[k]; t.kind == tokPunct && (t.mark == '.' || t.mark == ';' || t.mark == ':') {
				break
			}
			moves = movements[l.wordAt(k)] || changeNouns[l.wordAt(k)] != 0
		}
		if moves {
			if !c.changeBehind(i, j) {
				c.changeBefore(i, j)
			}
		}
	}
}

// comparison checks "250 is 25% more than 200", where token i is the
// percentage. It returns false for anything else.
func (c *checker) comparison(i int) bool {
	l := &c.lex
	kind := changeNouns[l.wordAt(i+1)]
	j := i + 3
	if kind != ofOld || l.wordAt(i+2) != "than" || l.kindAt(i-1) != tokEquals || i < 2 || j >= len(l.toks) || l.kindAt(i-2) != tokNumber || l.kindAt(j) != tokNumber {
		return false
	}
	if l.exact(i-2) && !l.toks[i-2].num.loose && !l.toks[j].num.loose && l.toks[j].num.exact() && l.toks[i-2].num.unit == l.toks[j].num.unit && l.begins(i-2) {
		c.change(j, i-2, i, kind, 0, i-2, j)
	}
	return true
}

// perAt tells whether token i is the "/s" of "req/s".
func (l *lexer) perAt(i int) bool {
	return l.kindAt(i) == tokOpaque && l.line[l.toks[i].from] == '/'
}

func isYear(n *number) bool {
	return n.unit == "" && n.dec == 0 && n.sep == 0 && n.mant >= 1900 && n.mant < 2100
}

// changeBehind checks what follows "A to B", which are tokens i and j. It
// returns false if nothing about the change does.
func (c *checker) changeBehind(i, j int) bool {
	l := &c.lex
	k := j + 1
	for n := 0; n < 3 && l.wordAt(k) != "" && !notNouns[l.wordAt(k)] && changeNouns[l.wordAt(k)] == 0; n++ {
		k++ // req/s, users
		if l.perAt(k) {
			k++
		}
	}
	paren := l.kindAt(k) == tokOpen
	if !paren && l.markAt(k) != ',' && l.markAt(k) != '—' && !(l.kindAt(k) == tokOp && k < len(l.toks) && l.toks[k].dash) && l.markAt(k) != ':' {
		return false
	}
	k++
	kind, signed := 0, 0
	if l.kindAt(k-1) == tokOp && l.markAt(k-1) == '/' {
		return false
	}
	for n := 0; n < 6 && k < len(l.toks); n++ {
		t := &l.toks[k]
		if t.kind == tokOp && (t.mark == '-' || t.mark == '+') && paren {
			signed = 1
			if t.mark == '-' {
				signed = -1
			}
			k++
			continue
		}
		if t.kind == tokNumber {
			break
		}
		if t.kind == tokEquals && t.mark == 'i' { // so it is 3x faster
			k++
			continue
		}
		w := l.wordAt(k)
		if w == "" || otherwise[w] && w != "from" || w == "about" {
			return false
		}
		if changeNouns[w] != 0 {
			kind = changeNouns[w]
		}
		k++
	}
	if l.kindAt(k) != tokNumber || k >= len(l.toks) || !l.exact(k) {
		return false
	}
	end := k
	if w := l.wordAt(k + 1); changeNouns[w] != 0 {
		kind = changeNouns[w]
		end++
	} else if l.toks[k].num.unit == "x" && changeNouns[l.wordAt(k+2)] != 0 {
		end += 2
	}
	if x := l.wordAt(k + 1); x == "x" && l.toks[k].num.unit == "" && changeNouns[l.wordAt(k+2)] != 0 {
		kind = factor
	}
	if l.toks[k].num.unit == "x" {
		if kind == 0 && !paren {
			return true
		}
		kind = factor
	}
	if kind == 0 && !((signed != 0 || paren && movements[l.wordAt(i-2)]) && l.toks[k].num.percent()) || kind == 0 && l.kindAt(k+1) != tokClose {
		return true
	}
	if w := l.wordAt(end + 1); l.markAt(k+1) == '→' || w != "" && !notNouns[w] {
		return true // what changes besides: "30% faster delivery"
	}
	switch l.wordAt(end + 1) {
	case "in", "of", "on", "for", "than", "per", "year", "yoy", "annually", "compared", "over", "and", "vs", "versus":
		return true // of something else, perhaps
	}
	if kind == 0 {
		kind = ofOld
	}
	c.change(i, j, k, kind, signed, i, end)
	return true
}

// changeBefore checks "grew by 25% from A to B" and "a 25% increase from A to
// B", where A and B are tokens i and j.
func (c *checker) changeBefore(i, j int) {
	l := &c.lex
	if l.wordAt(i-1) != "from" {
		return
	}
	k := i - 2
	if l.kindAt(k) == tokOpen || l.markAt(k) == ',' {
		k--
	}
	kind := changeNouns[l.wordAt(k)]
	if kind != 0 {
		k--
	} else if l.wordAt(k-1) == "by" && (movements[l.wordAt(k-2)] || movements[l.wordAt(k-3)]) {
		kind = ofOld
	} else if movements[l.wordAt(k-1)] && k >= 0 && k < len(l.toks) && l.toks[k].num.percent() { // dropped 40% (from …
		kind = ofOld
	}
	if k < 0 || kind == 0 || l.kindAt(k) != tokNumber || !l.toks[k].num.percent() && l.wordAt(k-1) != "by" || !l.exact(k) {
		return
	}
	c.change(i, j, k, kind, 0, k, j)
}

// change checks that the number at token k is the change from the one at token
// i to the one at token j. The claim is the text from token a to token b.
func (c *checker) change(i, j, k, kind, signed, a, b int) {
	l := &c.lex
	x, y, n := l.toks[i].num, l.toks[j].num, &l.toks[k].num
	if x.unit == "" {
		x.unit, x.currency = y.unit, y.currency
	}
	old, now := x.measured(), y.measured()
	if old.lo.Sign() <= 0 || now.lo.Sign() <= 0 || !c.spend(6) {
		return
	}
	diff := interval{new(big.Rat).Sub(now.lo, old.hi), new(big.Rat).Sub(now.hi, old.lo)}
	neg := y.less(&x)
	if neg {
		diff = interval{new(big.Rat).Neg(diff.hi), new(big.Rat).Neg(diff.lo)}
	}
	if way := directions[l.wordAt(k+1)]; signed != 0 && (signed < 0) != neg || way != 0 && (way < 0) != neg {
		return // which way is up may be a matter of taste
	}
	inv := func(v interval) interval { return interval{new(big.Rat).Inv(v.hi), new(big.Rat).Inv(v.lo)} }
	ok := func(v interval, hundreds bool) bool { return shows(v, n, false, hundreds, false) }
	var want *big.Rat
	switch {
	case n.unit == "x" && x.percent():
		return
	case n.unit == "x":
		up, down := multiply(now, inv(old)), multiply(old, inv(now))
		more := multiply(diff, inv(old))
		if ok(up, false) || ok(down, false) || ok(more, false) {
			return
		}
		if want = up.mid(); neg {
			want = down.mid()
		}
	case n.percent():
		if ok(multiply(diff, inv(old)), true) || x.percent() && ok(diff, false) || kind == ofAny && (ok(multiply(diff, inv(now)), true) || ok(multiply(now, inv(old)), true) || ok(multiply(old, inv(now)), true)) {
			return
		}
		want = new(big.Rat).Quo(new(big.Rat).Sub(y.rat(), x.rat()), x.rat())
		want.Abs(want).Mul(want, big.NewRat(100, 1))
	case x.percent() && n.unit == "" && (l.wordAt(k+1) == "points" || l.wordAt(k+1) == "percentage"), n.unit == x.unit && (n.unit != "" || l.wordAt(k-1) == "of" || l.wordAt(k-1) == "by"):
		if kind == ofAny || ok(diff, false) {
			return
		}
		want = new(big.Rat).Sub(y.rat(), x.rat())
		want.Abs(want)
	default:
		return
	}
	if roundTens(n, want) {
		return
	}
	c.report(l.text(a, b), l.text(k, k), format(want, n))
}

// roundTens tells whether n is v as a round percentage: 70% growth is 71.5%.
func roundTens(n *number, v *big.Rat) bool {
	off := new(big.Rat).Sub(n.rat(), v)
	return n.percent() && n.dec == 0 && n.mant%10 == 0 && off.Abs(off).Cmp(big.NewRat(2, 1)) < 0
}
