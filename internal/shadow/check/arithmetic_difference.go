package check

import "math/big"

// pairWords say that two numbers are one thing at two times.
var pairWords = wordSet(`from before after compared vs versus was between now previously instead`)

// differences checks changes whose two values and whose difference are told in
// some other order or frame than [checker.changes] knows.
func (c *checker) differences() {
	l := &c.lex
	if c.judged() {
		return
	}
	nums, ok := l.frameNumbers()
	if !ok || len(nums) != 3 && !(len(nums) == 1) || l.hasBetween(0, len(l.toks), frameBreaks) {
		return
	}
	if len(nums) == 1 {
		c.differenceOfBefore(nums[0])
		return
	}
	d, kind := -1, 0
	for _, i := range nums {
		if k := l.differenceAt(i); k != 0 {
			if d >= 0 {
				return
			}
			d, kind = i, k
		}
	}
	if d == nums[0] && changeNouns[l.wordAt(d+1)] == 0 {
		return // by 70% (6 → 1) may be of something else
	}
	if d < 0 {
		if !(l.hasBetween(0, nums[0], gapWords) && l.hasBetween(0, nums[0], betweenWord)) {
			return
		}
		d, kind = nums[2], ofOld
		if p := l.wordAt(d - 1); l.kindAt(d-1) != tokEquals && p != "is" && p != "was" && p != "of" {
			return
		}
	}
	if !l.hasBetween(0, len(l.toks), pairWords) && !l.arrows() {
		return
	}
	var x, y int
	switch d {
	case nums[0]:
		x, y = nums[1], nums[2]
	case nums[1]:
		x, y = nums[0], nums[2]
	default:
		x, y = nums[0], nums[1]
	}
	if p := l.toks[max(x-1, 0)]; x > 0 && p.kind == tokOp && (p.mark == '-' || p.mark == '+') {
		return // from below zero
	}
	if changeNouns[l.wordAt(x+1)] != 0 || changeNouns[l.wordAt(y+1)] != 0 {
		return // a reduction of one thing and one of another
	}
	if a, b := l.counted(x), l.counted(y); a != "" && b != "" && a != b {
		return // 8 workers, 500 files
	}
	for i := d + 1; d < x && i < x; i++ {
		if l.markAt(i) == ',' && l.wordAt(i+1) != "from" {
			return // 3x better, which took this from 12 to 2
		}
	}
	if y-x > 4 && l.toks[x].num.unit != l.toks[y].num.unit || nums[2]-nums[0] > 24 {
		return // of two things, or too far apart
	}
	if w := l.wordAt(x - 1); w != "" && w == l.wordAt(y-1) && w != "of" && w != "were" && w != "was" || labelWords[l.wordAt(d-1)] {
		return // pass 1 to pass 9
	}
	if l.kindAt(d-1) == tokOp && d > 0 && !l.arrows() && !l.hasBetween(x, y, toWord) {
		return
	}
	for _, i := range [...]int{x, y} {
		if labelWords[l.wordAt(i-1)] || l.wordAt(i+1) == "of" || l.wordAt(i+1) == "out" || isYear(&l.toks[i].num) || l.kindAt(i+1) == tokOp && !l.toks[i+1].dash && l.markAt(i+1) != '+' {
			return
		}
	}
	if l.wordAt(y-1) == "from" { // 75, down 15 from 90
		x, y = y, x
	}
	c.difference(l.toks[x].num, l.toks[y].num, d, kind, nums[0], nums[2])
}

var gapWords = wordSet(`difference gap delta margin distance`)
var toWord = wordSet(`to`)
var betweenWord = wordSet(`between`)

// differenceAt tells what kind of change the number at token i is said to be,
// 0 if it is said to be none.
func (l *lexer) differenceAt(i int) int {
	n := &l.toks[i].num
	after := l.wordAt(i + 1)
	if after == "x" || n.unit == "x" {
		if k := changeNouns[l.wordAt(i+1)]; k != 0 && n.unit == "x" {
			return factor
		}
		return 0
	}
	k := changeNouns[after]
	if k == 0 && after != "" && !notNouns[after] && !n.percent() {
		switch l.wordAt(i + 2) {
		case "fewer", "less", "more": // 8 incidents fewer
			if isPlural(after) {
				k = ofOld
			}
		}
	}
	if after == "of" || after == "out" {
		return 0
	}
	if k != 0 {
		if w := l.wordAt(i + 2); w == "than" && l.wordAt(i+3) != "the" && l.wordAt(i+3) != "before" {
			return 0
		}
		return k
	}
	if p := l.toks[max(i-1, 0)]; i > 0 && p.kind == tokOp && (p.mark == '-' || p.mark == '+') && l.kindAt(i-2) == tokOpen {
		return ofOld
	}
	w := l.wordAt(i - 1)
	if w == "of" || w == "is" || w == "a" || w == "exactly" {
		if v := l.wordAt(i - 2); changeNouns[v] == ofOld || v == "gap" || v == "difference" {
			return changeNouns["change"]
		}
		return 0
	}
	if w == "up" || w == "down" {
		if l.hasBetween(i+1, min(i+5, len(l.toks)), fromWord) {
			return ofOld
		}
		return 0
	}
	if w == "by" || w == "saving" || w == "saves" {
		return ofOld
	}
	return 0
}

var fromWord = wordSet(`from`)

// differenceOfBefore checks "That is a 75% reduction" where the sentences
// before it told the two values, and nothing else in numbers.
func (c *checker) differenceOfBefore(d int) {
	l := &c.lex
	if c.at < 1 || len(l.line) > 80 || l.kindAt(d) != tokNumber {
		return
	}
	kind := l.differenceAt(d)
	switch l.wordAt(0) {
	case "that", "this", "which", "a", "an", "so", "it":
	default:
		return
	}
	if kind == 0 || !l.toks[d].num.percent() && kind != factor {
		return
	}
	block := c.t.Lines[c.at].Block
	var two [2]number
	n := 0
	from := c.at - 1
	if from > 0 && c.t.Lines[from-1].Block == block {
		from--
	}
	if c.t.Lines[c.at-1].Block != block {
		return
	}
	bad := func() bool {
		defer c.aside()()
		paired := false
		for k := from; k < c.at; k++ {
			if !c.lex.read(c.t.Lines[k].Text, c.t.Lines[k].code) {
				continue
			}
			nums, ok := c.lex.frameNumbers()
			if !ok || c.lex.hasBetween(0, len(c.lex.toks), frameBreaks) || n+len(nums) > 2 {
				return true
			}
			paired = paired || c.lex.hasBetween(0, len(c.lex.toks), pairWords) || c.lex.arrows()
			for _, i := range nums {
				if changeNouns[c.lex.wordAt(i+1)] != 0 {
					return true
				}
				two[n] = c.lex.toks[i].num
				n++
			}
		}
		return n != 2 || !paired
	}()
	if !bad {
		c.difference(two[0], two[1], d, kind, d, min(d+1, len(l.toks)-1))
	}
}

// difference checks that the number at token d is the change from x to y.
func (c *checker) difference(x, y number, d, kind, a, b int) {
	l := &c.lex
	n := &l.toks[d].num
	if x.unit == "" {
		x.unit, x.currency = y.unit, y.currency
	}
	if y.unit == "" {
		y.unit, y.currency = x.unit, x.currency
	}
	if x.unit != y.unit || x.compound || y.compound || scales[x.unit] || x.mant == 0 || y.mant == 0 || !c.spend(6) {
		return
	}
	old, now := x.measured(), y.measured()
	diff := interval{new(big.Rat).Sub(now.lo, old.hi), new(big.Rat).Sub(now.hi, old.lo)}
	if y.less(&x) {
		diff = interval{new(big.Rat).Neg(diff.hi), new(big.Rat).Neg(diff.lo)}
	}
	inv := func(v interval) interval { return interval{new(big.Rat).Inv(v.hi), new(big.Rat).Inv(v.lo)} }
	ok := func(v interval, hundreds bool) bool { return shows(v, n, false, hundreds, false) }
	if way := directions[l.wordAt(d+1)]; way != 0 && (way < 0) != y.less(&x) {
		return
	}
	exact := new(big.Rat).Sub(y.rat(), x.rat())
	exact.Abs(exact)
	if exact.Sign() == 0 {
		return
	}
	var want *big.Rat
	switch {
	case n.unit == "x":
		if ok(multiply(now, inv(old)), false) || ok(multiply(old, inv(now)), false) || ok(multiply(diff, inv(old)), false) || ok(multiply(diff, inv(now)), false) {
			return
		}
		want = new(big.Rat).Quo(y.rat(), x.rat())
		if y.less(&x) {
			want.Inv(want)
		}
	case n.percent() && !x.percent():
		if ok(multiply(diff, inv(old)), true) || ok(multiply(diff, inv(now)), true) || kind == ofAny && (ok(multiply(now, inv(old)), true) || ok(multiply(old, inv(now)), true)) {
			return
		}
		want = new(big.Rat).Quo(exact, x.rat())
		want.Mul(want, big.NewRat(100, 1))
	case n.percent():
		if ok(diff, false) || ok(multiply(diff, inv(old)), true) || ok(multiply(diff, inv(now)), true) {
			return
		}
		want = new(big.Rat).Quo(exact, x.rat())
		want.Mul(want, big.NewRat(100, 1))
		if n.rat().Cmp(new(big.Rat).Quo(want, big.NewRat(2, 1))) < 0 { // points, then
			want = exact
		}
	case n.unit == x.unit, x.percent() && (n.unit == "" || n.unit == "pp"):
		if kind == ofAny || ok(diff, false) || x.percent() && n.unit == "" && l.wordAt(d+1) != "points" && l.wordAt(d+1) != "percentage" {
			return
		}
		want = exact
	default:
		return
	}
	if !roughly(n.rat(), want) || roundTens(n, want) {
		return
	}
	c.report(l.text(min(a, d), max(b, d)), l.text(d, d), format(want, n))
}
