package arithmetic

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// tables checks the tables of the document.
func (r *reader) tables() {
	for i := range r.doc.Tables {
		if t := &r.doc.Tables[i]; len(t.Rows) <= maxRows && len(t.Header) <= maxColumns && len(t.Header) > 1 {
			g := r.tableGrid(t)
			r.totals(&g)
			r.columns(&g)
		}
	}
}

// totals checks the rows that say to be the total or the mean of others. Such
// a row is believed if it holds in one column; the columns in which it does
// not are then wrong. If there is but one column of numbers, nothing may say
// that it is not added up.
func (r *reader) totals(g *grid) {
	for i := range g.rows {
		row := &g.rows[i]
		good, bad, should := 0, []int(nil), []float64(nil)
		for j := 1; j < len(row.cells) && row.sum != "" && len(g.rows) > 2; j++ {
			if !row.cells[j].ok {
				continue
			}
			switch want, fits, ok := g.expected(i, j); {
			case !ok || !fits && (g.numbers(i) > 1 && g.otherwise(i, j)):
			case fits:
				good++
			default:
				bad, should = append(bad, j), append(should, want)
			}
		}
		if len(bad) > max(1, good) || good == 0 && (len(bad) != 1 || !g.alone(i, bad[0])) {
			continue
		}
		for k, j := range bad {
			r.cellFinding(g, "total", i, j, should[k])
		}
	}
}

// expected gives what the summary row i should say in column j, whether it
// does in some reading, and whether that can be said.
func (g *grid) expected(i, j int) (want float64, fits, ok bool) {
	t := &g.rows[i].cells[j]
	if percent(&t.Token) && g.rows[i].sum != "total" {
		return 0, false, false
	}
	for _, part := range g.parts(i, j) {
		if len(part) < 2 {
			continue
		}
		v, tol, good := aggregate(g.rows[i].sum, part, t)
		if !good {
			return 0, false, false
		}
		off := math.Abs(v - t.Value)
		if off <= tol || g.run(part, t, g.rows[i].clean && !strings.HasPrefix(strings.ToLower(g.rows[i].label), "sub")) {
			return v, true, true
		}
		if !ok || off < math.Abs(want-t.Value) {
			want, ok = v, true
		}
	}
	return want, false, ok && (t.Value == 100 || !percent(&t.Token))
}

// parts lists the readings of which cells row i summarises in column j: those
// above up to the summary before, all above that are no summary, the summaries
// above, and for the first row those below. Text with digits counts as a part
// of which nobody knows what to add.
func (g *grid) parts(i, j int) [][]*cell {
	var near, all, sums, below []*cell
	for k := i - 1; k >= 0; k-- {
		c := g.part(k, j)
		switch {
		case g.rows[k].sum != "" && (c == nil || c.ok):
			sums = append(sums, c)
		case g.rows[k].sum != "" || c == nil:
		default:
			all = append(all, c)
			if len(sums) == 0 {
				near = append(near, c)
			}
		}
	}
	for k := 1; i == 0 && k < len(g.rows) && g.rows[0].clean && !g.rows[0].weak; k++ {
		if c := g.part(k, j); c != nil && g.rows[k].sum == "" {
			below = append(below, c)
		}
	}
	if sums = slices.DeleteFunc(sums, func(c *cell) bool { return c == nil }); len(sums) == 0 {
		return [][]*cell{near, below}
	}
	if len(near) == 0 && len(sums) == 1 || percent(&g.rows[i].cells[j].Token) { // a total by month, shares of parts
		return nil
	}
	return [][]*cell{sums, near, all, append(slices.Clone(sums), near...)}
}

func (g *grid) part(i, j int) *cell {
	if j < len(g.rows[i].cells) && strings.ContainsAny(g.rows[i].cells[j].text, "123456789") {
		return &g.rows[i].cells[j]
	}
	return g.cell(i, j)
}

// run tells whether t is the sum of the cells just above where the label says
// of what (total income), the last of sums that run on, the next row number, or the difference or
// the product of two cells.
func (g *grid) run(part []*cell, t *cell, clean bool) bool {
	for n := 2; n <= min(len(part), 40) && !clean; n++ {
		if v, tol, ok := aggregate("total", part[:n], t); ok && math.Abs(v-t.Value) <= tol {
			return true
		}
	}
	a, b := part[0], part[1]
	if len(part) == 2 {
		return math.Abs(math.Abs(a.Value-b.Value)-math.Abs(t.Value)) <= t.Ulp || a.Value*b.Value == t.Value
	}
	return a.Value == t.Value && a.Value > b.Value && b.Value > part[2].Value || t.Value == a.Value+1 && a.Value == b.Value+1
}

// aggregate computes the total or mean of cells in the form of t, with the
// error that their digits allow.
func aggregate(kind string, part []*cell, t *cell) (v, tol float64, ok bool) {
	ulp, large, about := t.Ulp, t.large, t.Approx
	for _, c := range part {
		unit := c.Unit == t.Unit || c.Unit != nil && t.Unit != nil && c.Unit.Of == t.Unit.Of
		bare := (c.Unit == nil || c.Unit.IsMoney()) && (t.Unit == nil || t.Unit.IsMoney() || t.Unit.Of == "time")
		if !c.ok || !unit && !bare || percent(&t.Token) && c.Value >= 100 {
			return 0, 0, false
		}
		by := 1.0
		if c.Unit == nil {
			by = t.unit()
		}
		v += c.Value * by
		ulp, large, about = max(ulp, c.Ulp*by), large || c.large, about || c.Approx
	}
	n := float64(len(part))
	if kind == "mean" {
		return v / n, ulp, true
	}
	if large {
		tol = ulp * max(1, n/2)
		if t.Decimals == 0 {
			tol = max(tol, 5e-4*math.Abs(v))
		}
	}
	if about {
		zeros := 0.5
		for t.Approx && math.Mod(t.Value, zeros*20*t.Ulp) == 0 && zeros*20*t.Ulp <= t.Value {
			zeros *= 10
		}
		tol = max(tol, 0.03*math.Abs(v), zeros*t.Ulp)
	}
	return v, tol*1.001 + 1e-9*math.Abs(v), true
}

// numbers counts the numbers of a row behind its label.
func (g *grid) numbers(i int) (n int) {
	for j := 1; j < len(g.rows[i].cells); j++ {
		if g.rows[i].cells[j].ok {
			n++
		}
	}
	return n
}

// alone tells whether the only figure of a summary row may be judged without
// another column: the row is the last or bold, its label is plain, and nothing
// says that the figures are not added or are of different things.
func (g *grid) alone(i, j int) bool {
	row, t, head, label := &g.rows[i], &g.rows[i].cells[j], strings.ToLower(g.header[0]), strings.ToLower(g.rows[i].label)
	last := i == len(g.rows)-1 || row.bold
	for k := i + 1; k < len(g.rows); k++ {
		last = last || g.rows[k].sum != ""
	}
	if !last || row.weak || notSum(g.header[j]) || cues[strings.ToLower(g.header[j])]&record != 0 || percent(&t.Token) && t.Value != 100 ||
		t.Unit != nil && t.Unit.Of == "time" && t.Unit.High < 3600 {
		return false
	}
	if !row.clean && (row.sum != "total" || cues[head]&record != 0 || !strings.HasPrefix(label, "total") && !strings.HasPrefix(label, "grand") && !strings.Contains(label, "sub")) {
		return false
	}
	for k := range i {
		if text := g.rows[k].cells[j].text; strings.IndexFunc(text, unicode.IsLetter) >= 0 && len(text) > 4 && g.part(k, j) == nil {
			return false // varies
		}
		if name := strings.ToLower(g.rows[k].label); g.rows[k].sum == "" && (strings.HasSuffix(name, " balance") || strings.Contains(name, "of which") || strings.Contains(name, "included")) {
			return false
		}
	}
	return true
}

// otherwise tells whether the summary of a column may be something else than
// the sum that other columns have: a mean, which several rows exceed, or the
// number of a row.
func (g *grid) otherwise(i, j int) bool {
	t, above := &g.rows[i].cells[j], 0
	for k := range g.rows {
		c := g.cell(k, j)
		if k == i || c == nil || g.rows[k].sum != "" {
			continue
		}
		if c.Value > t.Value {
			above++
		}
		if c.Value == t.Value && t.Value != 0 {
			above += 2
		}
	}
	return above > 1 || g.rows[i].sum != "total" || notSum(g.header[j])
}

// cellFinding reports a cell that should hold want base units.
func (r *reader) cellFinding(g *grid, kind string, i, j int, want float64) {
	c := g.rows[i].cells[j]
	what := strings.Trim(g.rows[i].label, "*: ")
	if g.header[j] != "" && g.header[0]+g.header[1] != "" {
		what += " of " + strings.TrimPrefix(g.header[j], "% ")
	}
	t := c.Token
	t.Value, t.Ulp = c.Value/c.unit(), c.Ulp/c.unit()
	r.report(Finding{Line: g.rows[i].line, Kind: kind, Text: what, States: c.text[c.From:c.End], Should: like(want/c.unit(), c.text, &t), cell: true})
}
