package arithmetic

import (
	"math"
	"slices"
	"strings"
)

// columns looks for a column that is computed from those before it in all rows
// but one, and reports that row: the sum of the row, the product of two
// columns, or the percentage of the column's sum. Sums and products need two
// rows that hold and a header that names a total, shares three.
func (r *reader) columns(g *grid) {
	for c := len(g.header) - 1; c > 0 && len(g.rows) > 2; c-- {
		first, words := g.column(c), wordsOf(g.header[c])
		named := func(class string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(cues[w], class) })
		}
		switch {
		case first == nil || strings.ContainsAny(g.header[c], "0123456789"):
		case percent(&first.Token) || strings.Contains(g.header[c], "%"):
			if named("share") {
				r.holds(g, c, 3, "share", func(i int) (float64, bool) { return g.portion(i, c) })
			}
		case (named("sumrow") || named("product")) && !notSum(g.header[c]):
			if r.holds(g, c, 2, "total", func(i int) (float64, bool) { return g.across(i, c) }) {
				continue
			}
			for a := range c {
				for b := range a {
					r.holds(g, c, 2, "product", func(i int) (float64, bool) {
						x, y := g.cell(i, a), g.cell(i, b)
						ok := x != nil && y != nil && g.rows[i].sum == "" && math.Abs(x.Value) != 1 && math.Abs(y.Value) != 1
						if !ok {
							return 0, false
						}
						return x.Value * y.Value, true
					})
				}
			}
		}
	}
}

// column gives the first number of a column of which most cells are numbers.
func (g *grid) column(c int) (first *cell) {
	n := 0
	for i := range g.rows {
		if x := g.cell(i, c); x != nil {
			if n++; first == nil {
				first = x
			}
		}
	}
	if 3*n < 2*len(g.rows) {
		return nil
	}
	return first
}

// holds tells whether a column is what f says in all rows but at most one, and
// reports that one. A row does not count if one more number of it, such as a
// discount, explains the difference, or if it has the same number twice.
func (r *reader) holds(g *grid, c, need int, kind string, f func(row int) (float64, bool)) bool {
	fits, miss, want := 0, -1, 0.0
	for i := range g.rows {
		t := g.cell(i, c)
		if t == nil || t.Approx {
			continue
		}
		v, ok := f(i)
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
		case !ok || other:
		case near:
			fits++
		case miss >= 0:
			return false
		default:
			miss, want = i, v
		}
	}
	if fits >= need && miss >= 0 && (g.rows[miss].sum == "" || kind == "total") {
		r.cellFinding(g, kind, miss, c, want)
	}
	return fits >= need
}

// across adds the numbers of a row up to column c.
func (g *grid) across(i, c int) (v float64, ok bool) {
	n := 0
	for j := range c {
		switch x := g.cell(i, j); {
		case x != nil && x.Unit == g.rows[i].cells[c].Unit:
			v, n = v+x.Value, n+1
		case x != nil || n > 0 && strings.ContainsAny(g.rows[i].cells[j].text, "123456789"):
			return v, false
		}
	}
	return v, n > 1
}

// portion gives the share of a row's number in the sum of its column, for the
// last column of plain numbers before c.
func (g *grid) portion(i, c int) (v float64, ok bool) {
	j := c - 1
	for first := g.column(j); j > 0 && (first == nil || percent(&first.Token)); first = g.column(j) {
		j--
	}
	x, whole := g.cell(i, j), 0.0
	for k := range g.rows {
		if y := g.cell(k, j); y != nil && g.rows[k].sum == "" {
			whole += y.Value
		} else if y != nil && k > i {
			whole = y.Value
			break
		}
	}
	if x == nil || percent(&x.Token) || g.rows[i].sum != "" || whole <= 0 {
		return 0, false
	}
	return 100 * x.Value / whole, true
}
