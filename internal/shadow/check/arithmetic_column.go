package check

import (
	"math/big"
	"strings"
)

// column checks the totals of column k.
func (c *checker) column(g *grid, k int) {
	if k <= g.label || k == g.blamed || g.kinds[0] == rowTotal {
		return
	}
	all, since, subs, others := new(tally), new(tally), new(tally), new(tally)
	for _, t := range [...]*tally{all, since, subs, others} {
		t.rounded = g.heads[k].rounded
	}
	for r := range g.t.Rows {
		cl := g.at(r, k)
		switch g.kinds[r] {
		case rowPlain:
			all.add(cl)
			since.add(cl)
			others.add(cl)
		case rowOther:
			others.add(cl) // "Max" may be a name
		case rowSubtotal:
			c.total(g, r, k, since, since)
			subs.add(cl)
			since = &tally{rounded: since.rounded}
		case rowTotal:
			c.total(g, r, k, all, since, subs, others)
			since = &tally{rounded: since.rounded}
		}
		if all.text || len(c.found) >= maxFindings {
			return
		}
	}
}

// totalsOnTop checks a table whose first row is the total. Such a row may also
// be one figure among others ("Total", "Passed", "Duration"), so that it takes
// another column that adds up.
func (c *checker) totalsOnTop(g *grid) {
	right := false
	var wrong []int
	sums := make(map[int]*tally)
	for k := g.label + 1; k < len(g.t.Header); k++ {
		below := new(tally)
		for r := 1; r < len(g.t.Rows); r++ {
			if g.kinds[r] == rowTotal || g.kinds[r] == rowSubtotal {
				return
			}
			if g.kinds[r] == rowPlain {
				below.add(g.at(r, k))
			}
		}
		total := g.at(0, k)
		if below.text || below.n < 2 || total.kind != cellNumber {
			continue
		}
		if below.fits(total) {
			right = true
		} else {
			wrong = append(wrong, k)
			sums[k] = below
		}
	}
	if right {
		for _, k := range wrong {
			c.total(g, 0, k, sums[k])
		}
	}
}

// total checks the total in row r and column k against the tallies that it may
// be the sum of. The first one is the likeliest.
func (c *checker) total(g *grid, r, k int, tallies ...*tally) {
	total := g.at(r, k)
	main := tallies[0]
	if total.kind != cellNumber || main.text || main.n < 2 {
		return
	}
	for _, t := range tallies {
		if t.n > 0 && t.fits(total) {
			g.sums = true
			return
		}
	}
	if strings.EqualFold(labelOf(g, r), "overall") && !isPlural(clean(g.t.Header[k][strings.LastIndexByte(g.t.Header[k], ' ')+1:])) {
		return // a grade, most likely
	}
	for i := 0; i < r && strings.Contains(labelOf(g, r), " "); i++ {
		if len(g.t.Rows[i]) == 0 {
			continue
		}
		if first, _, _ := strings.Cut(strings.ToLower(g.t.Rows[i][0]), " "); goneWords[first] {
			return // a surviving total is without what was dropped
		}
	}
	if low := strings.ToLower(strings.Join(g.t.Rows[r], " ")); strings.Contains(low, "unique") || strings.Contains(low, "distinct") {
		return // what is in several rows counts once
	}
	if !slip(total.value(), main.total()) || g.countsElse(r, k) || g.remarked(r, k, main, total) {
		return
	}
	if main.owed != nil { // the parentheses may say something else
		for _, by := range [...]int64{1, 2} {
			v := new(big.Rat).Mul(main.owed, big.NewRat(by, 1))
			if shows(exactly(v.Add(v, main.total())), &total.num, total.neg, false, false) {
				return
			}
		}
	}
	if main.mixed || total.num.unit != main.unit && total.num.unit != "" || total.num.unit == "" && main.unit == "%" || scales[main.unit] && total.num.unit != main.unit || main.isOther(total) {
		return
	}
	if main.unit == "%" {
		if total.value().Cmp(big.NewRat(100, 1)) != 0 || !g.heads[k].share {
			return
		}
		for i := 0; i < r; i++ {
			if g.kinds[i] == rowPlain && g.at(i, k).kind == cellNone {
				return // a share is to come
			}
		}
	} else if g.heads[k].other {
		return
	}
	if namesTotal(labelOf(g, r)) && measures[main.unit].dimension == "time" {
		return // a total refresh may do its parts at once
	}
	if g.counted(r, k, main, total) {
		return
	}
	name := g.t.Header[k]
	if name == "" {
		name = "column"
	}
	c.add(Finding{Line: g.t.RowNos[r], Claim: shorten(labelOf(g, r) + " of " + name + ": " + g.t.Rows[r][k]),
		States: g.t.Rows[r][k], ShouldBe: strings.Replace(format(main.total(), &total.num), "-", g.minus(r, k), 1)})
}

// countsElse tells whether the total of column k in row r says what it counts
// though neither the header nor a row does: "33 blocking" of items.
func (g *grid) countsElse(r, k int) bool {
	_, what, ok := strings.Cut(g.t.Rows[r][k], " ")
	if what, _, _ = strings.Cut(what, " "); !ok || !isLetterAt(what, 0) {
		return false
	}
	what = singular(clean(what))
	for i := range g.t.Rows {
		if i != r && k < len(g.t.Rows[i]) && strings.Contains(strings.ToLower(g.t.Rows[i][k]), what) {
			return false
		}
	}
	return !isPlural(clean(g.t.Rows[r][k][strings.IndexByte(g.t.Rows[r][k], ' ')+1:])) && !strings.Contains(strings.ToLower(g.t.Header[k]), what)
}

// remarked tells whether the total leaves out rows that a remark in
// parentheses sets apart, all of them or one: "(if needed)", "(counted above)".
func (g *grid) remarked(r, k int, main *tally, total *cell) bool {
	rest, above := new(tally), new(big.Rat)
	over := new(big.Rat).Sub(main.total(), total.value())
	for i := 0; i < r; i++ {
		cl := g.at(i, k)
		if g.kinds[i] != rowPlain || cl.kind == cellNone {
			continue
		}
		if !strings.Contains(g.t.Rows[i][k], "(") && !remarks(g.t.Rows[i][0]) {
			rest.add(cl)
		}
	}
	if rest.fits(total) && rest.n > 0 {
		return true
	}
	for i := 0; i < r; i++ {
		cl := g.at(i, k)
		if g.kinds[i] != rowPlain || cl.kind != cellNumber {
			continue
		}
		above.Add(above, cl.value())
		same := cl.value().Cmp(over) == 0
		if same && remarks(strings.Join(g.t.Rows[i], " ")) || over.Cmp(big.NewRat(10, 1)) > 0 && (same || above.Cmp(over) == 0) {
			return true // a row, or the first ones, are parts of others
		}
	}
	return false
}

// remarks tells whether a parenthesis in s says that something may not count.
func remarks(s string) bool {
	_, remark, ok := strings.Cut(s, "(")
	return ok && containsWord(remark, remarkWords)
}

var remarkWords = wordSet(`if needed optional include included includes counted excluded excludes excl reduced above below separate separately
	existing duplicate duplicates same already not merged outside meta shared deferred removed`)

// counted tells whether the total leaves out a row that speaks of another row
// as the one that counts for it.
func (g *grid) counted(r, k int, t *tally, total *cell) bool {
	over := new(big.Rat).Sub(t.total(), total.value())
	for i, tries := 0, 0; i < r && tries < 4; i++ {
		if cl := g.at(i, k); cl.kind != cellNumber || cl.value().Cmp(over) != 0 {
			continue
		}
		tries++
		row := strings.Join(g.t.Rows[i][1:], " ")
		for j := 0; j < r && j < 200; j++ {
			if len(g.t.Rows[j]) == 0 {
				continue
			}
			if label := g.t.Rows[j][0]; j != i && len(label) > 3 && strings.Contains(row, label) {
				return true
			}
		}
	}
	return false
}

// minus is the minus sign that the cell in row r and column k has.
func (g *grid) minus(r, k int) string {
	if strings.HasPrefix(g.t.Rows[r][k], "−") {
		return "−"
	}
	return "-"
}

// rateColumns are headers of percentages that are no parts of a whole.
var rateColumns = wordSet(`rate coverage pass passed success done complete completed completion progress growth change discount tax vat utilization utilisation`)

// labelOf is the label of row r.
func labelOf(g *grid, r int) string {
	for k := 0; k <= g.label && k < len(g.t.Rows[r]); k++ {
		if totalLabel(g.t.Rows[r][k]) != rowPlain {
			return g.t.Rows[r][k]
		}
	}
	return g.t.Rows[r][0]
}

// rowSums checks the column k, headed "Total", against the numbers left of it
// in each row. Which columns belong to it is not certain, so a row counts as
// wrong only where as many rows at least are right.
func (c *checker) rowSums(g *grid, k int) {
	right := 0
	var wrong []int
	var sums []*big.Rat
	from, to := 1, k
	if k == 1 { // the total comes first
		from, to = 2, len(g.t.Header)
	}
	cols := make([]int, 0, 8)
	for j := from; j < to; j++ {
		if totalLabel(g.t.Header[j]) == rowPlain && !g.heads[j].other && g.numeric(j) {
			cols = append(cols, j)
		}
	}
	if len(cols) < 2 {
		return
	}
	for r := range g.t.Rows {
		total := g.at(r, k)
		if total.kind != cellNumber || total.num.percent() || g.kinds[r] == rowOther {
			continue
		}
		t := new(tally)
		for _, j := range cols {
			t.add(g.at(r, j))
			t.text = t.text || j < len(g.t.Rows[r]) && strings.Contains(g.t.Rows[r][j], " ") && !g.worded(j) // 5 enhanced
		}
		for j := from; j < to; j++ { // a number in a column of words
			t.text = t.text || (g.at(r, j).kind == cellNumber || j < len(g.t.Rows[r]) && hasDigit(g.t.Rows[r][j]) && g.counts(j)) && !g.heads[j].other && totalLabel(g.t.Header[j]) == rowPlain && !g.numeric(j)
		}
		if t.text || t.mixed || t.n < 2 || t.unit != total.num.unit && t.unit != "" && total.num.unit != "" {
			continue
		}
		if t.fits(total) {
			right++
		} else {
			wrong = append(wrong, r)
			sums = append(sums, t.total())
		}
	}
	if right == 0 || right < len(wrong) {
		return
	}
	for i, r := range wrong {
		if right < 2*len(wrong) && sums[i].Cmp(g.at(r, k).value()) > 0 {
			continue // the columns may overlap
		}
		c.add(Finding{Line: g.t.RowNos[r], Claim: shorten(g.t.Rows[r][0] + ", " + g.t.Header[k] + ": " + g.t.Rows[r][k]),
			States: g.t.Rows[r][k], ShouldBe: format(sums[i], &g.at(r, k).num)})
	}
}

// worded tells whether most numbers in column j have a word behind them.
func (g *grid) worded(j int) bool {
	n := 0
	for r := range g.t.Rows {
		if j < len(g.t.Rows[r]) && strings.Contains(g.t.Rows[r][j], " ") {
			n++
		}
	}
	return 2*n > len(g.t.Rows)
}

// counts tells whether some row has a number in column j.
func (g *grid) counts(j int) bool {
	for r := range g.t.Rows {
		if g.at(r, j).kind == cellNumber {
			return true
		}
	}
	return false
}

// numeric tells whether column j holds numbers, and nothing else but gaps.
func (g *grid) numeric(j int) bool {
	n := 0
	for r := range g.t.Rows {
		switch g.at(r, j).kind {
		case cellText:
			return false
		case cellNumber:
			n++
		}
	}
	return n > 0
}
