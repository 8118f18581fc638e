package arithmetic

import (
	"math"
	"slices"
	"strings"
)

// columns looks for a column that is computed from others in all rows but one,
// and reports that row: the sum of the numbers before it, the sum, difference
// or product of two columns, the percentage of one in another or in its sum. A
// rule that the header names needs two rows in which it holds, shares three,
// any other rule four.
func (r *reader) columns(g *grid) {
	for c := len(g.header) - 1; c > 0 && len(g.rows) > 2; c-- {
		if !g.numeric(c) {
			continue
		}
		share, total := g.named(c)
		switch {
		case total && r.holds(g, c, 2, "total", func(i int) (float64, bool) { return g.across(i, c) }):
		case share && r.holds(g, c, 3, "share", func(i int) (float64, bool) { return g.portion(i, c) }):
		default:
			r.pairs(g, c, share, total)
		}
	}
}

// pairs tries the rules of two columns for column c.
func (r *reader) pairs(g *grid, c int, share, total bool) {
	need := 4
	if total {
		need = 2
	}
	for a := range c {
		for b := range g.header {
			if a == b || b == c || !g.numeric(a) || !g.numeric(b) {
				continue
			}
			rule := func(kind string, f func(x, y float64) float64) bool {
				return r.holds(g, c, need, kind, func(i int) (float64, bool) {
					x, y, t := g.cell(i, a), g.cell(i, b), g.cell(i, c)
					if x == nil || y == nil || percent(&x.Token) != percent(&t.Token) && kind != "share" ||
						kind == "product" && (g.rows[i].sum != "" || math.Abs(x.Value) == 1 || math.Abs(y.Value) == 1) {
						return 0, false
					}
					v := f(x.Value, y.Value)
					return v, !math.IsInf(v, 0) && !math.IsNaN(v)
				})
			}
			if share {
				if rule("share", func(x, y float64) float64 { return 100 * x / y }) || rule("share", func(x, y float64) float64 { return 100 * (y - x) / x }) {
					return
				}
			} else if a < b && (rule("total", func(x, y float64) float64 { return x + y }) || rule("product", func(x, y float64) float64 { return x * y })) ||
				rule("difference", func(x, y float64) float64 { return x - y }) {
				return
			}
		}
	}
}

// holds tells whether a column is what f says in all rows but at most one,
// and reports that one. A row that one more number of it explains, such as a
// discount, does not count.
func (r *reader) holds(g *grid, c, need int, kind string, f func(row int) (float64, bool)) bool {
	fits, miss, want := 0, -1, 0.0
	for i := range g.rows {
		t := g.cell(i, c)
		if t == nil || t.Approx {
			continue
		}
		v, ok := f(i)
		switch near := math.Abs(v-t.Value) < g.slack(t, kind); {
		case !ok || near && (t.Value == 0 || g.beside(i, c, func(x float64) bool { return math.Abs(x) == math.Abs(t.Value) })):
		case near:
			fits++
		case kind == "share" && math.Abs(-v-t.Value) < g.slack(t, kind), g.beside(i, c, func(x float64) bool { return math.Abs(math.Abs(v-t.Value)-math.Abs(x)) < t.Ulp/2 }):
		case miss >= 0:
			return false
		default:
			miss, want = i, v
		}
	}
	if fits < need {
		return false
	}
	if miss >= 0 && (g.rows[miss].sum == "" || kind == "total") && !slices.Contains(g.reported, miss) {
		g.reported = append(g.reported, miss)
		r.cellFinding(g, kind, miss, c, want)
	}
	return true
}

func (g *grid) slack(t *cell, kind string) float64 {
	if t.large || kind == "share" {
		return 1.5 * t.Ulp
	}
	return t.Ulp / 2
}

// beside tells whether f holds for another number of the row.
func (g *grid) beside(i, c int, f func(float64) bool) bool {
	for j := range g.rows[i].cells {
		if x := g.cell(i, j); j != c && x != nil && x.Value != 0 && f(x.Value) {
			return true
		}
	}
	return false
}

// named tells whether the header says that a column has shares or changes in
// percent, or totals.
func (g *grid) named(c int) (share, total bool) {
	words := wordsOf(g.header[c])
	if strings.ContainsAny(g.header[c], "0123456789") || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(cues[w], "notsum") && w != "percent" && w != "rate" && w != "ratio"
	}) {
		return false, false
	}
	for _, w := range words {
		class := cues[w]
		total = total || slices.Contains(class, "sumrow") || w == "cost" || w == "amount"
		share = share || slices.Contains(class, "change") || w == "%" || w == "percent" || w == "share" || w == "rate" || w == "percentage"
	}
	for i := range g.rows {
		if x := g.cell(i, c); x != nil {
			return share && (percent(&x.Token) || strings.Contains(g.header[c], "%")), total && !percent(&x.Token)
		}
	}
	return false, false
}

func (g *grid) numeric(c int) bool {
	n := 0
	for i := range g.rows {
		if g.cell(i, c) != nil {
			n++
		}
	}
	return n >= 2 && 3*n >= 2*len(g.rows)
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

// acrossFits tells whether a cell is the sum of the cells left of it.
func (g *grid) acrossFits(i, j int) bool {
	v, ok := g.across(i, j)
	return ok && math.Abs(v-g.rows[i].cells[j].Value) < g.rows[i].cells[j].Ulp/2
}

// portion gives the share of a row's number in the sum of its column, for the
// column left of c.
func (g *grid) portion(i, c int) (v float64, ok bool) {
	j := c - 1
	for j > 0 && (!g.numeric(j) || g.cell(i, j) != nil && percent(&g.rows[i].cells[j].Token)) {
		j--
	}
	x, whole := g.cell(i, j), 0.0
	for k := range g.rows {
		if y := g.cell(k, j); y != nil && g.rows[k].sum == "" {
			whole += y.Value
		} else if y != nil && k > i && g.rows[k].sum == "total" {
			whole = y.Value
			break
		}
	}
	if x == nil || percent(&x.Token) || g.rows[i].sum != "" || whole <= 0 {
		return 0, false
	}
	return 100 * x.Value / whole, true
}
