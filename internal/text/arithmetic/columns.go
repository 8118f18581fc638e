package arithmetic

import (
	"math"
	"slices"
	"strings"
)

// columns looks for a column that is the sum of the numbers before it in all
// rows but one, or the percentage that a number is of its column's sum, and
// reports that row. The header must name a total, or shares.
func (r *reader) columns(g *grid) {
	for c := len(g.header) - 1; c > 0 && len(g.rows) > 2; c-- {
		words := wordsOf(g.header[c])
		named := func(c class) bool {
			return slices.ContainsFunc(words, func(w string) bool { return cues[w]&c != 0 })
		}
		switch first := g.first(c); {
		case first == nil || strings.ContainsAny(g.header[c], "0123456789"):
		case percent(&first.Token) || strings.Contains(g.header[c], "%"):
			if j := g.plain(c); j > 0 && named(shared) {
				r.holds(g, c, 3, "share", func(i int) (float64, bool) { return g.portion(i, j) })
			}
		case named(sumrow) && !notSum(g.header[c]):
			r.holds(g, c, 2, "total", func(i int) (float64, bool) { return g.across(i, c) })
		}
	}
}

// first gives the first number of a column.
func (g *grid) first(c int) *cell {
	for i := range g.rows {
		if x := g.cell(i, c); x != nil {
			return x
		}
	}
	return nil
}

// plain gives the last column of plain numbers before c, 0 if there is none.
func (g *grid) plain(c int) int {
	for c--; c > 0; c-- {
		if first := g.first(c); first != nil && !percent(&first.Token) {
			return c
		}
	}
	return 0
}

// holds tells whether a column is what f says in all rows but at most one, and
// reports that one. A row does not count if one more number of it, such as a
// discount, explains the difference, or if it has the same number twice.
func (r *reader) holds(g *grid, c, need int, kind string, f func(row int) (float64, bool)) {
	fits, miss, want := 0, -1, 0.0
	for i := range g.rows {
		t := g.cell(i, c)
		v, ok := f(i)
		if t == nil || t.Approx || !ok {
			continue
		}
		slack := t.Ulp / 2
		if t.large || kind == "share" {
			slack *= 3
		}
		near, other := math.Abs(v-t.Value) < slack, t.Value == 0
		for j := range g.rows[i].cells {
			if x := g.cell(i, j); x != nil && j != c && x.Value != 0 {
				other = other || near && x.Value == t.Value || !near && math.Abs(math.Abs(v-t.Value)-math.Abs(x.Value)) < t.Ulp/2
			}
		}
		switch {
		case other:
		case near:
			fits++
		case miss >= 0:
			return
		default:
			miss, want = i, v
		}
	}
	if fits >= need && miss >= 0 {
		r.cellFinding(g, kind, miss, c, want)
	}
}

// across adds the numbers of a row up to column c.
func (g *grid) across(i, c int) (v float64, ok bool) {
	n := 0
	for j := range c {
		switch x := g.cell(i, j); {
		case x != nil && x.Unit == g.rows[i].cells[min(c, len(g.rows[i].cells)-1)].Unit:
			v, n = v+x.Value, n+1
		case x != nil || n > 0 && g.part(i, j) != nil:
			return v, false
		}
	}
	return v, n > 1
}

// portion gives the share of a row's number in the sum of its column.
func (g *grid) portion(i, j int) (v float64, ok bool) {
	x, whole := g.cell(i, j), 0.0
	for k := range g.rows {
		if y := g.cell(k, j); y != nil && g.rows[k].sum == "" {
			whole += y.Value
		} else if y != nil && k > i {
			whole = y.Value
			break
		}
	}
	if x == nil || g.rows[i].sum != "" || whole <= 0 {
		return 0, false
	}
	return 100 * x.Value / whole, true
}
