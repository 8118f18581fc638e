package check

import "math/big"

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
