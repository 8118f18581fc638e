package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
	"slices"
	"strings"
)

// rule is a way in which a column may be computed from others.
type rule struct {
	name string
	f    func(a, b span) span
}

// rules are for two other columns.
var rules = []rule{
	{"total", span.add},
	{"difference", span.sub},
	{"product", span.mul},
	{"share", func(a, b span) span { return a.div(b).scale(100) }},
	{"change", func(a, b span) span { return b.sub(a).div(a).scale(100) }},
}

// columns looks for a column that is computed from others in all rows but one,
// and reports that row. A rule that the header names (total, change) needs two
// rows in which it holds, any other four.
func (r *reader) columns(g *grid) {
	n := len(g.header)
	if len(g.rows) < 3 {
		return
	}
	for c := n - 1; c > 0; c-- {
		if !g.numeric(c) {
			continue
		}
		named := g.named(c)
		if named == "total" && r.holds(g, c, named, "total", func(i int) (span, bool) { return g.across(i, c) }) {
			continue
		}
		if r.holds(g, c, named, "share", func(i int) (span, bool) { return g.portion(i, c) }) {
			continue
		}
		r.pairs(g, c, named)
	}
}

// pairs tries the rules of two columns for column c.
func (r *reader) pairs(g *grid, c int, named string) {
	for a := range g.header {
		for b := range g.header {
			if a == b || a == c || b == c || !g.numeric(a) || !g.numeric(b) {
				continue
			}
			for k, rule := range rules {
				if k >= 3 && named == "" || (rule.name == "total" || rule.name == "product") && a > b || (k >= 3) != (g.percents(c)) {
					continue
				}
				if r.holds(g, c, named, rule.name, func(i int) (span, bool) { return g.compute(i, a, b, c, rule) }) {
					return
				}
			}
		}
	}
}

// holds tells whether a column is what f says in all rows but at most one,
// and reports that one.
func (r *reader) holds(g *grid, c int, named, kind string, f func(row int) (span, bool)) bool {
	fits, miss, trivial := 0, -1, 0
	var want span
	for i := range g.rows {
		t := g.cell(i, c)
		if t == nil || t.Approx {
			continue
		}
		v, ok := f(i)
		if !ok {
			continue
		}
		switch {
		case v.fits(&t.Token) || rounded(t) && math.Abs(v.mid()-t.Value) < 1.5*t.Ulp:
			if t.Value == 0 || g.repeats(i, c) {
				trivial++
			} else {
				fits++
			}
		case miss >= 0:
			return false
		case g.explained(i, c, v):
		default:
			miss, want = i, v
		}
	}
	need := 4
	if named != "" && kind != "share" {
		need = 2
	} else if named != "" {
		need = 3
	}
	if fits < need {
		return false
	}
	if miss >= 0 && (g.rows[miss].sum == "" || kind == "total") && !slices.Contains(g.reported, miss) {
		g.reported = append(g.reported, miss)
		r.cellFinding(g, kind, miss, c, want.mid()*g.unit(miss, c))
	}
	return true
}

// explained tells whether one more number of the row, such as a discount,
// leads from v to the cell.
func (g *grid) explained(i, c int, v span) bool {
	for j := range g.rows[i].cells {
		if x := g.cell(i, j); j != c && x != nil && x.Value != 0 && (v.add(of(&x.Token)).fits(&g.rows[i].cells[c].Token) || v.sub(of(&x.Token)).fits(&g.rows[i].cells[c].Token)) {
			return true
		}
	}
	return false
}

func (g *grid) unit(i, j int) float64 {
	if c := &g.rows[i].cells[j]; c.Unit != nil && !c.percent() {
		return c.Unit.Low
	}
	return 1
}

// repeats tells whether another cell of the row has the same number, so that
// nothing follows from it.
func (g *grid) repeats(i, c int) bool {
	for j := range g.rows[i].cells {
		if x := g.cell(i, j); j != c && x != nil && math.Abs(x.Value) == math.Abs(g.rows[i].cells[c].Value) {
			return true
		}
	}
	return false
}

// named gives the rule that the header of a column names.
func (g *grid) named(c int) string {
	if strings.ContainsAny(g.header[c], "0123456789") {
		return ""
	}
	for w := range strings.FieldsFuncSeq(fold.Case(g.header[c]), func(r rune) bool { return !('a' <= r && r <= 'z') && r != '%' && r != 'δ' && r != 'Δ' }) {
		class := cues[w]
		switch {
		case slices.Contains(class, "notsum") && w != "percent" && w != "rate" && w != "ratio":
			return ""
		case slices.Contains(class, "sumrow"), w == "cost", w == "amount":
			return "total"
		case slices.Contains(class, "change"), w == "%", w == "percent", w == "share", w == "rate", w == "change", w == "δ":
			return "share"
		}
	}
	return ""
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

func (g *grid) percents(c int) bool {
	for i := range g.rows {
		if x := g.cell(i, c); x != nil && x.percent() {
			return true
		}
	}
	return strings.Contains(g.header[c], "%")
}

// across adds the numbers of a row up to column c.
func (g *grid) across(i, c int) (v span, ok bool) {
	n := 0
	for j := range c {
		x := g.cell(i, j)
		if x == nil {
			if j > 0 && !g.rows[i].cells[j].empty && n > 0 {
				return v, false
			}
			continue
		}
		if !sameKind(&x.Token, &g.rows[i].cells[c].Token) {
			return v, false
		}
		v = v.add(of(&x.Token))
		n++
	}
	return v, n >= 2
}

func sameKind(a, b *quantity.Token) bool {
	return (a.Unit == b.Unit || a.Unit == nil || b.Unit == nil) && percent(a) == percent(b)
}

// portion gives the share of a row's number in the sum of its column, for the
// column left of c.
func (g *grid) portion(i, c int) (v span, ok bool) {
	if !g.percents(c) {
		return v, false
	}
	j := c - 1
	for j > 0 && (!g.numeric(j) || g.percents(j)) {
		j--
	}
	x := g.cell(i, j)
	if x == nil || x.percent() || g.rows[i].sum != "" {
		return v, false
	}
	whole := span{}
	for k := range g.rows {
		if y := g.cell(k, j); y != nil && g.rows[k].sum == "" {
			whole = whole.add(exactly(y.size()))
		} else if y != nil && g.rows[k].sum == "total" && k > i {
			whole = exactly(y.size())
			break
		}
	}
	return exactly(x.size()).div(whole).scale(100), whole.lo > 0
}

// compute applies a rule to a row.
func (g *grid) compute(i, a, b, c int, rule rule) (v span, ok bool) {
	x, y, t := g.cell(i, a), g.cell(i, b), g.cell(i, c)
	if x == nil || y == nil || t == nil {
		return v, false
	}
	if k := rule.name; k == "total" || k == "difference" {
		if !sameKind(&x.Token, &y.Token) || !sameKind(&x.Token, &t.Token) {
			return v, false
		}
	} else if y.Value == 0 || x.Value == 0 || g.rows[i].sum != "" {
		return v, false
	} else if k == "product" && (math.Abs(x.Value) == 1 || math.Abs(y.Value) == 1) {
		return v, false
	}
	v = rule.f(of(&x.Token), of(&y.Token))
	if t.Value < 0 != (v.lo < 0) && rule.name == "change" && !t.Signed {
		v = v.scale(-1)
	}
	return v, v.finite()
}
