package check

import (
	"math/big"
	"strings"
)

// splitWords say that what they introduce are the parts of one whole.
var splitWords = wordSet(`split splits divided divides distribution distributed shares allocated allocates allocation composition consists comprises
	breakdown weights weighting weightings`)

// overlaps are words by which parts may overlap, or are not all.
var overlapWords = wordSet(`more than one several multiple overlap overlapping overlaps both each top some mainly mostly including
	include includes among about roughly approximately around nearly almost least most other others rest remaining remainder additional
	up growth increase increased reduction reduced faster less fewer coverage was were previously formerly initially target stretch from current holdings`)

// maxSplit bounds the parts that a whole is split into: more are data.
const maxSplit = 40

// splits checks that the parts of a whole in one sentence are 100 % together:
// "split three ways: 40% to staff, 45% to hosting and 15% to licences".
func (c *checker) splits() {
	l := &c.lex
	if c.remainder() {
		return
	}
	whole, colon, first, last, slashed := false, false, -1, -1, 0
	sum := new(tally)
	for i := range l.toks {
		switch t := &l.toks[i]; t.kind {
		case tokNumber:
			if !t.num.percent() {
				if first >= 0 || !t.num.word && l.kindAt(i+1) != tokWord {
					return
				}
				continue
			}
			if !l.exact(i) || t.num.loose || l.kindAt(i-1) == tokOp && i > 0 && (l.markAt(i-1) != '/' || first < 0) {
				return
			}
			if l.markAt(i-1) == '/' {
				slashed++
			}
			if first < 0 {
				first = i
			}
			last = i
			if sum.n == maxSplit {
				return
			}
			sum.add(&cell{kind: cellNumber, num: t.num})
		case tokWord:
			w := l.wordAt(i)
			if overlapWords[w] && !(w == "up" && l.wordAt(i-1) == "made") {
				return
			}
			whole = whole || first < 0 && (splitWords[w] || w == "mix" || w == "made" && l.wordAt(i+1) == "up" || w == "every" && l.wordAt(i+2) == "of")
		case tokPunct:
			colon = colon || t.mark == ':' && first < 0 && whole
			if t.mark == '.' && i+1 < len(l.toks) || t.mark == ';' && first < 0 || t.mark == '→' || t.mark == '?' {
				return
			}
		case tokOpaque, tokEquals, tokApprox:
			return
		}
	}
	if sum.n < 3 && !(sum.n == 2 && slashed == 1 && whole) {
		return
	}
	// The last part is joined by "and", so that there are no more.
	if w := l.wordAt(last + 1); w == "of" && l.wordAt(last+2) == "the" && (l.wordAt(last+3) == "total" || l.wordAt(last+3) == "whole") {
		whole = true
	}
	if !whole {
		return
	}
	j := last - 1
	for j > first && (l.kindAt(j) == tokWord || l.kindAt(j) == tokOpen) && l.wordAt(j) != "and" {
		j--
	}
	closed := colon && (l.endsAt(last+1) || l.wordAt(last+1) != "")
	if !closed && l.wordAt(j) != "and" && l.markAt(j) != '&' && slashed != sum.n-1 || !c.spend(sum.n) || hundred(sum) {
		return
	}
	c.report(l.text(first, last), format(sum.total(), &l.toks[last].num), "100%")
}

// remainder checks "90% are reads and the remaining 10% are writes". It
// returns false for other sentences.
func (c *checker) remainder() bool {
	l := &c.lex
	var shares []int
	at := -1
	for i := range l.toks {
		if l.toks[i].kind != tokNumber {
			continue
		}
		if !l.toks[i].num.percent() {
			continue
		}
		if shares = append(shares, i); len(shares) > maxSplit {
			return false
		}
		if w := l.wordAt(i - 1); (w == "remaining" || w == "other") && l.wordAt(i-2) == "the" || l.restIs(i) {
			at = i
			break
		}
	}
	if at < 0 {
		return false
	}
	if len(shares) < 2 || len(shares) > 4 {
		return true
	}
	sum := new(tally)
	for k := len(shares) - 1; k >= 0; k-- {
		i := shares[k]
		if !l.exact(i) || l.toks[i].num.loose {
			return true
		}
		for j := i + 1; k+1 < len(shares) && j < shares[k+1]; j++ {
			if l.markAt(j) == '.' || l.markAt(j) == ';' || l.markAt(j) == '→' || movements[l.wordAt(j)] || l.kindAt(j) == tokApprox || l.wordAt(j) == "then" {
				return true
			}
		}
		sum.add(&cell{kind: cellNumber, num: l.toks[i].num})
		if k < len(shares)-1 && (k == 0 || sum.total().Cmp(big.NewRat(70, 1)) >= 0) && hundred(sum) {
			return true
		}
	}
	if len(shares) > 2 && !splitsOff(l, shares) || !c.spend(4) {
		return true
	}
	c.report(l.text(shares[0], at), format(sum.total(), &number{text: "0%", unit: "%"}), "100%")
	return true
}

// restIs tells whether the percentage at token i is "the rest, 15%," or "the
// rest (15%)".
func (l *lexer) restIs(i int) bool {
	w := l.wordAt(i - 2)
	return (w == "rest" || w == "remainder") && (l.markAt(i-1) == ',' || l.kindAt(i-1) == tokOpen) && l.endsAt(i+1)
}

// splitsOff tells whether shares are told one right behind the other, as in
// "80% pass, 15% fail and the remaining 5% hang".
func splitsOff(l *lexer, shares []int) bool {
	for k := 1; k < len(shares); k++ {
		if shares[k]-shares[k-1] > 9 {
			return false
		}
	}
	return true
}

// hundred tells whether the percentages of a tally may be 100 together, or are
// so far from it that they cannot be meant to be.
func hundred(t *tally) bool {
	t.goExact()
	full := &number{mant: 100, unit: "%"}
	slack := new(big.Rat).Mul(t.slack, big.NewRat(2, 1)) // truncated: up to a whole digit each
	v := interval{new(big.Rat).Sub(t.sum, t.slack), new(big.Rat).Add(t.sum, slack)}
	return shows(v, full, false, false, false) || t.sum.Cmp(big.NewRat(70, 1)) < 0 || t.sum.Cmp(big.NewRat(135, 1)) > 0
}

// splitList checks a list of nothing but parts, "EU: 45%", under a lead-in or
// heading that calls them so.
func (c *checker) splitList(list *List) {
	if len(list.Items) < 3 || len(list.Items) > maxSplit || !strings.Contains(list.Items[0].Text, "%") {
		return
	}
	lead := c.leadIn(list)
	intro := ""
	if lead >= 0 {
		intro = c.t.Lines[lead].Text
	} else if h := c.t.Sections[list.Section].Heading; h >= 0 && c.firstUnder(h, list) {
		intro = c.t.Lines[h].Text
	}
	if !containsWord(intro, splitWords) || containsWord(intro, overlapWords) || strings.Contains(intro, "rollout") {
		return
	}
	sum := new(tally)
	for i := range list.Items {
		n, ok := c.partItem(list.Items[i].Text)
		if !ok || n.mant == 100 && n.dec == 0 {
			return // each of a whole of its own
		}
		sum.add(&cell{kind: cellNumber, num: n})
	}
	if hundred(sum) || takesBack(intro) {
		return
	}
	last := sum.total()
	c.add(Finding{Line: list.Items[0].No, Claim: shorten(intro + " " + list.Items[0].Text + ", …, " + list.Items[len(list.Items)-1].Text),
		States: format(last, &number{text: "0%", unit: "%"}), ShouldBe: "100%"})
}

// firstUnder tells whether list is the first thing under the heading h.
func (c *checker) firstUnder(h int, list *List) bool {
	return len(list.Items) > 0 && list.Items[0].Line == h+1
}

// partItem reads an item like "EU: 45%" or "45% to the EU".
func (c *checker) partItem(text string) (number, bool) {
	l := &c.lex
	if !l.read(text, nil) {
		return number{}, false
	}
	at := -1
	for i := range l.toks {
		switch t := &l.toks[i]; t.kind {
		case tokNumber:
			if at >= 0 || !l.percentAt(i) || t.num.loose {
				return number{}, false
			}
			at = i
		case tokOpaque, tokEquals, tokApprox:
			return number{}, false
		case tokOp:
			if !t.dash {
				return number{}, false
			}
		case tokWord:
			if overlapWords[l.wordAt(i)] && at >= 0 {
				return number{}, false
			}
		}
	}
	return l.toks[max(at, 0)].num, at >= 0
}

// splitColumn checks a column of shares or weights in a table without totals.
func (c *checker) splitColumn(t *Table) {
	for k := 1; k < len(t.Header) && len(t.Rows) <= maxSplit; k++ {
		h := headOf(t.Header[k])
		if !containsWord(t.Header[k], wholeColumns) || h.other || containsWord(t.Header[k], overlapWords) || len(strings.Fields(t.Header[k])) > 3 {
			continue
		}
		sum := new(tally)
		labelled := true
		for _, row := range t.Rows {
			if k >= len(row) || totalLabel(row[0]) != rowPlain || containsWord(row[0], overlapWords) {
				labelled = false
				break
			}
			cl := c.cell(row[k])
			if cl.kind != cellNumber || !cl.num.percent() || cl.neg || strings.Contains(row[k], "(") {
				labelled = false
				break
			}
			sum.add(&cl)
		}
		if !labelled || sum.n < 3 || hundred(sum) || sum.total().Cmp(big.NewRat(100, 1)) < 0 && !strings.Contains(strings.ToLower(t.Header[k]), "weight") || priced(t) {
			continue
		}
		c.add(Finding{Line: t.No, Claim: shorten("sum of " + t.Header[k] + ": " + format(sum.total(), &number{text: "0%", unit: "%"})),
			States: format(sum.total(), &number{text: "0%", unit: "%"}), ShouldBe: "100%"})
	}
}

// priced tells whether t lists amounts of money, as of what is held: what is
// not listed, or is owed, counts as well.
func priced(t *Table) bool {
	for _, cell := range t.Rows[0] {
		if strings.ContainsAny(cell, "$€£") {
			return true
		}
	}
	return false
}

// wholeColumns head columns whose percentages are one whole.
var wholeColumns = wordSet(`share weight weighting weights allocation proportion split distribution`)
