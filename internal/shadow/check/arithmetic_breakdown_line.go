package check

import (
	"math/big"
	"strings"
)

// breakdownLine checks a sentence that breaks a whole down into counts with
// their shares: "Of 120 tickets: Backend 60 (50%), Frontend 30 (25%), Ops 30
// (33%)". The whole is stated, or the sum of the counts.
func (c *checker) breakdownLine() {
	l := &c.lex
	if strings.Count(l.line, "%)") < 2 || c.judged() {
		return
	}
	var entries []entry
	sum, first, last := new(big.Rat), -1, -1
	whole, unit := -1, ""
	for i := 0; i < len(l.toks); i++ {
		switch t := &l.toks[i]; t.kind {
		case tokNumber:
			if !l.sumable(i) {
				return
			}
			p := l.shareBehind(i)
			if p == 0 {
				if whole >= 0 {
					return
				}
				whole = i
				continue
			}
			n, s := t.num, l.toks[p].num
			if n.wide != nil || n.dec != 0 || n.mant > maxSmall || labelWords[l.wordAt(i-1)] || len(entries) > 0 && n.unit != unit || len(entries) == maxSplit {
				return
			}
			if unit = n.unit; first < 0 {
				first = i
			}
			last = p + 1
			entries = append(entries, entry{count: &n, share: &s, no: c.t.Lines[c.at].No, claim: l.text(i, p+1)})
			sum.Add(sum, n.rat())
			i = last
		case tokOp, tokEquals, tokApprox:
			if t.kind != tokOp || !t.dash {
				return
			}
		case tokOpaque:
			if t.mark == 'r' {
				return
			}
		case tokPunct:
			if t.mark == '?' || t.mark == '→' {
				return
			}
		}
	}
	if len(entries) < 2 || l.hasBetween(0, len(l.toks), partialWords) || c.disowns(&c.t.Lines[c.at]) {
		return
	}
	if whole < 0 {
		if n, ok := wholeNumber(sum); ok && len(entries) > 2 {
			c.breakdown(entries, &n, false)
		}
		return
	}
	n := &l.toks[whole].num
	if whole > first && whole < last || n.unit != unit && unit != "" || n.wide != nil || n.dec != 0 || labelWords[l.wordAt(whole-1)] {
		return
	}
	if c.breakdown(entries, n, false) {
		return
	}
	// Shares that all fit may overlap, unless the whole is called a total.
	if !l.hasBetween(whole-2, whole+4, wholeWords) || sum.Cmp(n.rat()) == 0 {
		return
	}
	for _, e := range entries {
		if !showsShare(e.count, n, e.share) {
			return
		}
	}
	c.report(l.text(min(whole, first), max(whole, last)), l.text(whole, whole), format(sum, n))
}

// shareBehind finds the percentage in parentheses that stands behind the count
// at token i: "60 (50%)", "30 network faults (60%)". It returns 0 if there is
// none.
func (l *lexer) shareBehind(i int) int {
	j, ok := l.nouns(i+1, 3)
	if ok && l.kindAt(j) == tokOpen && l.percentAt(j+1) && l.kindAt(j+2) == tokClose && j+2 < len(l.toks) {
		return j + 1
	}
	return 0
}

// wholeNumber turns a small whole r into a number.
func wholeNumber(r *big.Rat) (number, bool) {
	if !r.IsInt() || !r.Num().IsInt64() {
		return number{}, false
	}
	return number{mant: r.Num().Int64()}, true
}
