package check

import "math/big"

// The claims here are read from the line as a whole, as summaries are: it must
// hold exactly the numbers that the claim needs, and the words that make it one.

// judged tells whether the line in hand is no prose, or something in it was
// found to be wrong already: what would be found next is the same, most likely.
func (c *checker) judged() bool {
	line := &c.t.Lines[c.at]
	if line.Kind == Row || line.Kind == Heading {
		return true
	}
	for i := len(c.found) - 1; i >= 0 && c.found[i].Line >= line.No; i-- {
		if c.found[i].Line == line.No {
			return true
		}
	}
	return false
}

// maxFrame bounds the numbers of such a line.
const maxFrame = 4

// frameNumbers are the numbers of the line in hand, as tokens; ok is false if
// there are more, or some is not exact.
func (l *lexer) frameNumbers() (nums []int, ok bool) {
	nums = make([]int, 0, maxFrame)
	for i := range l.toks {
		switch t := &l.toks[i]; t.kind {
		case tokNumber:
			if t.num.word {
				continue
			}
			between := l.wordAt(i-1) == "between" && gapWords[l.wordAt(i-2)] && t.num.exact()
			if len(nums) == maxFrame || !l.exact(i) && !between || t.num.loose || t.num.wide != nil {
				return nil, false
			}
			nums = append(nums, i)
		case tokApprox:
			if i > 1 {
				return nil, false
			}
		case tokOpaque:
			if t.mark == 'r' {
				return nil, false
			}
		case tokPunct:
			if t.mark == '?' || t.mark == '…' {
				return nil, false
			}
		}
	}
	return nums, true
}

// hasBetween tells whether a word of set stands between tokens a and b.
func (l *lexer) hasBetween(a, b int, set map[string]bool) bool {
	for i := max(a, 0); i < min(b, len(l.toks)); i++ {
		if w := l.wordAt(i); w != "" && set[w] {
			return true
		}
	}
	return false
}

// roughly tells whether a is no further from b than four fifths of it.
func roughly(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(new(big.Rat).Abs(b), big.NewRat(4, 5))) <= 0
}

// frameBreaks are words by which the numbers of a line are about several
// things.
var frameBreaks = wordSet(`another other others while whereas but although though plus additional further target targets goal goals should would could
	might may must can expected estimated each annually weekly monthly yearly example e.g if not no never at more_than about almost nearly around
	roughly approximately until since respectively both also planned plan budget median mean average p95 p99 p50 max min allowed required minimum maximum
	limit threshold least most additionally only still when error errors_in relative rated and_then`)

// pairWords say that two numbers are one thing at two times.
var pairWords = wordSet(`from before after compared vs versus was between now previously instead`)

// differenceWords introduce a difference.
var differenceWords = wordSet(`by of saving saves saved down up reducing cutting cut difference gap delta dropping increasing lowering raising`)

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

// arrows tells whether the line in hand has an arrow.
func (l *lexer) arrows() bool {
	for i := range l.toks {
		if l.markAt(i) == '→' {
			return true
		}
	}
	return false
}

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
		if l.hasBetween(i+1, min(i+5, len(l.toks)), wordSetFrom) {
			return ofOld
		}
		return 0
	}
	if w == "by" || w == "saving" || w == "saves" {
		return ofOld
	}
	return 0
}

var wordSetFrom = wordSet(`from`)

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
	if !roughly(n.rat(), want) {
		return
	}
	c.report(l.text(min(a, d), max(b, d)), l.text(d, d), format(want, n))
}

// roundingWords are about rounding, whatever the frame.
var roundingWords = wordSet(`rounds rounded rounding round`)

// roundingBreaks are words by which a number beside a rounding is another one.
var roundingBreaks = wordSet(`about almost nearly around roughly approximately not no never simplicity table chart budget estimate estimated each
	another other but while if or`)

// roundingFrames checks roundings told in some other order than
// [checker.roundings] knows: "rounded up, 7.2 becomes 8".
func (c *checker) roundingFrames() {
	l := &c.lex
	if c.judged() {
		return
	}
	nums, ok := l.frameNumbers()
	if !ok || l.hasBetween(0, len(l.toks), roundingBreaks) {
		return
	}
	var value []int
	digits, up, down, cue := -1, false, false, false
	for i := range l.toks {
		w := l.wordAt(i)
		cue = cue || roundingWords[w] || w == "decimal" || w == "decimals"
		switch w {
		case "up":
			up = up || roundingWords[l.wordAt(i-1)]
		case "down":
			down = down || roundingWords[l.wordAt(i-1)]
		case "decimal", "decimals":
			if k := i - 1; l.kindAt(k) == tokNumber && k >= 0 && l.toks[k].num.mant < 9 && l.toks[k].num.dec == 0 {
				digits = int(l.toks[k].num.mant)
			}
		case "integer", "whole":
			digits = 0
		case "ten", "hundred", "thousand", "million", "half", "quarter", "multiple", "power", "significant", "figures":
			if w != "hundred" && w != "thousand" {
				return
			}
			digits = -2
			if w == "thousand" {
				digits = -3
			}
		}
	}
	for _, i := range nums {
		if w := l.wordAt(i + 1); w == "decimal" || w == "decimals" || w == "digits" || w == "places" {
			continue
		}
		value = append(value, i)
	}
	if !cue || len(value) != 2 || digits == -1 && !up && !down {
		return
	}
	x, y := value[0], value[1]
	a, b := &l.toks[x].num, &l.toks[y].num
	if a.unit != b.unit && b.unit != "" && a.unit != "" || b.dec > a.dec || a.dec < 1 && digits > -2 || !c.spend(3) || labelWords[l.wordAt(x-1)] || l.kindAt(x+1) == tokOp && !l.toks[x+1].dash {
		return
	}
	if up || down {
		digits = b.dec
	}
	ulp := pow10(-digits)
	q := new(big.Rat).Quo(a.rat(), ulp)
	switch {
	case up:
		q = ceiling(q)
	case down:
		q = floor(q)
	default:
		even := new(big.Rat).Sub(q, big.NewRat(1, 2))
		if even.IsInt() && even.Mul(even, ulp).Cmp(b.rat()) == 0 {
			return // half to even, or down
		}
		q = floor(q.Add(q, big.NewRat(1, 2)))
	}
	q.Mul(q, ulp)
	off := new(big.Rat).Sub(b.rat(), q)
	if off.Sign() == 0 || off.Abs(off).Cmp(new(big.Rat).Mul(ulp, big.NewRat(3, 1))) > 0 {
		return
	}
	like := *b
	if digits >= 0 {
		like.dec = digits
	}
	c.report(l.text(min(x, y), max(x, y)), l.text(y, y), format(q, &like))
}

// rateWords introduce a percentage that restates a count.
var rateWords = wordSet(`rate accuracy ratio i.e ie which that so share coverage precision recall success thus meaning gives giving yields yielding equals
	percentage uptime availability completion yield score`)

// rates checks percentages that restate the only ratio of the line in some
// other frame than [checker.shares] knows: "Of 250 emails, 20 bounced, a bounce
// rate of 8%".
func (c *checker) rates() {
	l := &c.lex
	if c.judged() {
		return
	}
	nums, ok := l.frameNumbers()
	if !ok || len(nums) != 3 || l.hasBetween(0, len(l.toks), frameBreaks) || l.hasBetween(0, len(l.toks), rateBreaks) {
		return
	}
	p := -1
	for _, i := range nums {
		if l.toks[i].num.percent() {
			if p >= 0 {
				return
			}
			p = i
		}
	}
	if p != nums[2] && p != nums[0] || p < 0 {
		return
	}
	a, b := nums[0], nums[1]
	if p == nums[0] {
		a, b = nums[1], nums[2]
	}
	if r, ok := l.ratioAt(a); ok && l.standsAlone(r) && r.m == b {
	} else if l.wordAt(a-1) == "of" && (a == 1 || l.wordAt(a-2) == "out" && a == 2) || l.wordAt(a-1) == "the" && l.wordAt(a-2) == "of" && a == 2 {
		a, b = b, a
	} else if w := l.wordAt(b - 1); w == "to" || w == "from" || w == "among" {
		if !l.hasBetween(b, p, rateNouns) {
			return
		}
	} else {
		return
	}
	n, m, s := &l.toks[a].num, &l.toks[b].num, &l.toks[p].num
	if m.mant == 0 || m.unit != n.unit || m.percent() || m.dec < 0 || m.less(n) || n.compound || m.compound {
		return
	}
	attached := l.kindAt(p-1) == tokOpen && l.kindAt(p+1) == tokClose || l.kindAt(p-1) == tokEquals
	if !attached {
		from := max(nums[1], p-7)
		if p == nums[0] {
			return
		}
		attached = l.hasBetween(from, p, rateWords) && l.endsAt(p+1) || l.thatIs(p-4) > p-4 && l.endsAt(p+1)
	}
	if doneWords[l.wordAt(p+1)] {
		return // how far something is may be measured in many ways
	}
	if !attached || !c.spend(3) || showsShare(n, m, s) {
		return
	}
	v := new(big.Rat).Quo(n.rat(), m.rat())
	v.Mul(v, big.NewRat(100, 1))
	rest := new(big.Rat).Sub(big.NewRat(100, 1), v)
	if shows(exactly(rest), s, false, false, false) || !roughly(s.rat(), v) {
		return
	}
	c.report(l.text(min(a, b, p), max(a, b, p)), l.text(p, p), format(v, s))
}

var rateNouns = wordSet(`rate ratio share percentage`)

// rateBreaks are words by which a percentage beside a ratio is of something
// else.
var rateBreaks = wordSet(`increase decrease reduction faster slower growth grew fell rose up down higher lower more less improved improvement reduced
	from_the confidence discount remaining rest rollout target weight weighted probability line lines branch saving savings cost costs`)

// fractions are parts told in words.
var fractions = map[string][2]int64{"half": {1, 2}, "third": {1, 3}, "thirds": {1, 3}, "quarter": {1, 4}, "quarters": {1, 4}, "fifth": {1, 5}, "fifths": {1, 5}, "tenth": {1, 10}, "tenths": {1, 10}}

// wordShares checks "two thirds of the 90 nodes, 60, were upgraded" and "half
// of the 86 tickets (43)".
func (c *checker) wordShares() {
	l := &c.lex
	if c.judged() {
		return
	}
	for i := range l.toks {
		if l.wordAt(i+1) != "of" {
			continue
		}
		f, ok := fractions[l.wordAt(i)]
		percent := l.percentAt(i)
		if !ok && !percent {
			continue
		}
		part, p := new(big.Rat), i-1
		if ok {
			part.SetFrac64(f[0], f[1])
		} else {
			part.Quo(l.toks[i].num.rat(), big.NewRat(100, 1))
		}
		if percent {
		} else if l.kindAt(p) == tokNumber && p >= 0 {
			if !l.toks[p].num.word {
				continue
			}
			part.Mul(part, l.toks[p].num.rat())
			p--
		} else if w := l.wordAt(p); w == "a" || w == "one" {
			p--
		} else if f[1] != 2 {
			continue
		}
		if w := l.wordAt(p); w != "" && w != "in" && w != "that" && w != "and" && w != "for" && w != "so" && w != "found" && w != "exactly" && w != "upgraded" {
			continue // more than half, nearly two thirds
		}
		m := i + 2
		switch l.wordAt(m) {
		case "the", "our", "all", "these", "those":
			m++
		}
		if m >= len(l.toks) || l.kindAt(m) != tokNumber || !l.exact(m) || l.toks[m].num.loose || l.toks[m].num.percent() {
			continue
		}
		j, ok := l.nouns(m+1, 3)
		if !ok {
			continue
		}
		open := l.kindAt(j) == tokOpen
		if percent && l.thatIs(j) == j && !(l.markAt(j) == ',' && l.wordAt(j+1) == "or") {
			continue // 20% of the 350 entries (60) is read elsewhere
		}
		if !open && l.markAt(j) != ',' && l.markAt(j) != '—' {
			continue
		}
		n := j + 1
		if k := l.thatIs(j); k > j {
			n = k
		}
		if l.wordAt(n) == "or" || l.wordAt(n) == "that" {
			n++
		}
		if l.kindAt(n) == tokEquals {
			n++
		}
		if n >= len(l.toks) || l.kindAt(n) != tokNumber || !l.exact(n) || l.toks[n].num.loose || l.toks[n].num.unit != l.toks[m].num.unit {
			continue
		}
		end, ok := l.nouns(n+1, 2)
		if !ok || open != (l.kindAt(end) == tokClose && end < len(l.toks)) || !l.endsAt(end) || !c.spend(2) {
			continue
		}
		want := part.Mul(part, l.toks[m].num.rat())
		if d := new(big.Rat).Sub(want, l.toks[n].num.rat()); d.Abs(d).Cmp(big.NewRat(1, 1)) < 0 || !roughly(l.toks[n].num.rat(), want) {
			continue
		}
		c.report(l.text(i, n), l.text(n, n), format(want, &l.toks[n].num))
	}
}
