package check

import (
	"math/big"
	"strings"
)

// maxAggregates bounds the rows of a table that are checked as an average and
// the like: each looks at the whole table.
const maxAggregates = 8

// ratedColumns head columns in which every row counts the same.
var ratedColumns = wordSet(`score scores rating ratings points grade grades mark marks votes run runs`)

// aggregates checks the rows labelled as the average, the median, the least or
// the greatest of the rows above. Means may be weighted and limits may be
// called maxima, so only what lies outside of the values, or is alone in being
// wrong, is reported.
func (c *checker) aggregates(t *Table) {
	var g *grid
	done := 0
	for r := range t.Rows {
		if len(t.Rows[r]) < 2 || r < 2 {
			continue
		}
		f := statisticWords[strings.ToLower(t.Rows[r][0])]
		if f == 0 || f == fnBest || f == fnSum {
			continue
		}
		if done++; done > maxAggregates {
			return
		}
		if g == nil {
			made := c.grid(t)
			g = &made
		}
		c.aggregate(g, r, f)
	}
}

// aggregate checks row r, which is labelled as the statistic f.
func (c *checker) aggregate(g *grid, r int, f operation) {
	right, numeric := 0, 0
	var wrong, beyond []int // columns where it could be right, and where it is out of the range
	want := map[int]*big.Rat{}
	for k := 1; k < len(g.t.Header); k++ {
		stated := g.at(r, k)
		if stated.kind != cellNumber || containsWord(g.t.Header[k], ratioColumns) {
			continue
		}
		numeric++
		var values []*big.Rat
		plain := true
		for i := 0; i < r; i++ {
			if g.kinds[i] == rowTotal || g.kinds[i] == rowSubtotal {
				return
			}
			cl := g.at(i, k)
			if k < len(g.t.Rows[i]) && g.t.Rows[i][k] == "0" && g.kinds[i] == rowPlain {
				values = append(values, new(big.Rat))
				continue
			}
			if g.kinds[i] != rowPlain || cl.kind == cellNone {
				continue
			}
			if cl.kind != cellNumber || cl.num.unit != stated.num.unit && stated.num.unit != "" {
				plain = false
				break
			}
			values = append(values, cl.value())
		}
		if !plain || len(values) < 2 || !c.spend(len(values)) {
			continue
		}
		sum := new(big.Rat)
		for _, v := range values {
			sum.Add(sum, v)
		}
		if shows(exactly(sum), &stated.num, stated.neg, false, false) {
			return // it sums up after all
		}
		v := f.fold(values) // which sorts them
		lo, hi := values[0], values[len(values)-1]
		if shows(exactly(v), &stated.num, v.Sign() < 0, false, false) || f == fnMean && nearly(v, stated.value()) {
			right++ // means of rates differ in what they are taken over
			continue
		}
		outside := stated.value().Cmp(hi) > 0 && !shows(exactly(hi), &stated.num, stated.neg, false, true) || stated.value().Cmp(lo) < 0 && !shows(exactly(lo), &stated.num, stated.neg, false, false)
		if (f == fnMean || f == fnMedian) && outside {
			beyond, want[k] = append(beyond, k), v
			continue
		}
		wrong, want[k] = append(wrong, k), v
	}
	if len(beyond) > 0 && right+len(wrong) == 0 && numeric > 1 || len(beyond) > 1 && right == 0 {
		return // it is not the statistic that its name suggests
	}
	for _, k := range beyond {
		c.blameAggregate(g, r, k, want[k])
	}
	rated := numeric == 1 && len(wrong) == 1 && containsWord(g.t.Header[wrong[0]], ratedColumns) && (f == fnMean || f == fnMedian)
	if right < len(wrong) && !rated {
		return
	}
	for _, k := range wrong {
		c.blameAggregate(g, r, k, want[k])
	}
}

// ratioColumns hold ratios of other columns, of which there is no plain mean.
var ratioColumns = wordSet(`ratio speedup factor multiple`)

// nearly tells whether a is b but for one in a hundred.
func nearly(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Abs(new(big.Rat).Quo(b, big.NewRat(100, 1)))) <= 0
}

func (c *checker) blameAggregate(g *grid, r, k int, want *big.Rat) {
	c.add(Finding{Line: g.t.RowNos[r], Claim: shorten(g.t.Rows[r][0] + " of " + g.t.Header[k] + ": " + g.t.Rows[r][k]),
		States: g.t.Rows[r][k], ShouldBe: format(want, &g.at(r, k).num)})
}

// ratioColumns checks totals like "54/60" of cells like "24/30".
func (c *checker) ratioColumns(g *grid) {
	last := -1
	for r := range g.kinds {
		if g.kinds[r] == rowTotal {
			if last >= 0 {
				return
			}
			last = r
		} else if g.kinds[r] != rowPlain {
			return
		}
	}
	if last < 0 {
		return
	}
	for k := g.label + 1; k < len(g.t.Header); k++ {
		total := g.at(last, k)
		if total.of == nil {
			continue
		}
		part, whole := new(big.Rat), new(big.Rat)
		n := 0
		for r := range g.t.Rows {
			cl := g.at(r, k)
			if r == last || cl.kind == cellNone {
				continue
			}
			if cl.of == nil {
				n = 0
				break
			}
			part.Add(part, cl.num.rat())
			whole.Add(whole, cl.of.rat())
			n++
		}
		// An overall score is no sum: one of the two sums must be right.
		partRight, wholeRight := part.Cmp(total.num.rat()) == 0, whole.Cmp(total.of.rat()) == 0
		if n < 2 || partRight == wholeRight {
			continue
		}
		c.add(Finding{Line: g.t.RowNos[last], Claim: shorten(labelOf(g, last) + " of " + g.t.Header[k] + ": " + g.t.Rows[last][k]),
			States: g.t.Rows[last][k], ShouldBe: format(part, &number{}) + "/" + format(whole, &number{})})
	}
}
