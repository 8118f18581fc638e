package arithmetic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

const (
	maxRows    = 400
	maxColumns = 12
)

// tables checks the tables of the document.
func (r *reader) tables() {
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		if len(t.Rows) > maxRows || len(t.Header) > maxColumns || len(t.Header) < 2 {
			continue
		}
		g := r.tableGrid(t)
		r.totals(&g)
		r.columns(&g)
	}
}

func (r *reader) tableGrid(t *markdown.Table) grid {
	var buf [24]quantity.Token
	g := grid{header: slices.Clone(t.Header)}
	comma := false
	for _, row := range t.Rows {
		for _, c := range row {
			comma = comma || quantity.Comma(c)
		}
	}
	shares := map[int]int{} // column of counts: column of the shares beside them
	for i, row := range t.Rows {
		gr := gridRow{line: t.RowNos[i], cells: make([]cell, len(t.Header))}
		for j, text := range row {
			c, share := cellOf(text, comma, buf[:0])
			gr.cells[j] = c
			if share.ok {
				if shares[j] == 0 {
					shares[j] = len(g.header)
					g.header = append(g.header, t.Header[j])
				}
				gr.cells = append(gr.cells, make([]cell, shares[j]+1-len(gr.cells))...)
				gr.cells[shares[j]] = share
			}
			if j == 0 || gr.label == "" && !c.ok {
				gr.label = text
			}
		}
		if gr.cells[0].ok && gr.sum == "" && len(row) > 1 {
			gr.label = row[0]
		}
		gr.sum, gr.clean, gr.weak = sumLabel(gr.label)
		gr.bold = strings.Contains(r.source(gr.line), "**")
		if gr.weak && !gr.clean { // all squads, in a table of squads
			first, rest, _ := strings.Cut(gr.label, " ")
			if a, _ := quantity.Singular(rest); !strings.EqualFold(first, "all") || !strings.EqualFold(a, t.Header[0]) {
				gr.sum = ""
			}
		}
		g.rows = append(g.rows, gr)
	}
	if n := len(g.rows); n > 2 && strings.TrimSpace(g.rows[n-1].label) == "" && len(t.Rows[n-1]) > 1 {
		g.rows[n-1].sum, g.rows[n-1].clean = "total", true
	}
	return g
}

// totals checks the rows that say to be the total, the mean or the median of
// others. Such a row is believed if it holds in one column; the columns in
// which it does not are then wrong. If there is but one column of numbers, the
// label must say nothing else and the column must be of a kind that is added.
func (r *reader) totals(g *grid) {
	for i := range g.rows {
		row := &g.rows[i]
		if row.sum == "" {
			continue
		}
		good, bad := 0, []int(nil)
		var should []float64
		for j := range row.cells {
			if j == 0 && !row.cells[0].ok || !row.cells[j].ok {
				continue
			}
			want, fits, ok := g.expected(i, j)
			switch {
			case !ok:
			case fits:
				good++
			case g.acrossFits(i, j):
			case g.otherwise(i, j) && g.numbers(i) > 1:
			default:
				bad, should = append(bad, j), append(should, want)
			}
		}
		if good == 0 && (len(bad) != 1 || !g.alone(i, bad[0])) || len(bad) > max(1, good) {
			continue
		}
		for k, j := range bad {
			r.cellFinding(g, "total", i, j, should[k])
		}
	}
}

// expected gives what the summary row i should say in column j, whether it
// does in some reading, and whether it can be said.
func (g *grid) expected(i, j int) (want float64, fits, ok bool) {
	t := &g.rows[i].cells[j]
	if len(g.rows) < 3 || t.percent() && (t.Value < 90 || t.Value > 110 || g.rows[i].sum != "total") {
		return 0, false, false
	}
	for _, part := range g.parts(i, j) {
		if len(part) < 2 {
			continue
		}
		v, tol, good := aggregate(g.rows[i].sum, part, t)
		if !good || slices.ContainsFunc(part, func(c *cell) bool { return !c.ok }) {
			return 0, false, false
		}
		if g.run(part, t, g.rows[i].clean) {
			return v, true, true
		}
		off := math.Abs(v - t.size())
		if off <= tol {
			return v, true, true
		}
		if !ok || off < math.Abs(want-t.size()) {
			want, ok = v, true
		}
	}
	return want, false, ok
}

// acrossFits tells whether a cell is the sum of the cells left of it.
func (g *grid) acrossFits(i, j int) bool {
	v, ok := g.across(i, j)
	return ok && v.fits(&g.rows[i].cells[j].Token)
}

// numbers counts the numbers of a row.
func (g *grid) numbers(i int) int {
	n := 0
	for j := range g.rows[i].cells {
		if j > 0 && g.cell(i, j) != nil {
			n++
		}
	}
	return n
}

// parts lists the readings of which cells row i summarises in column j: those
// above up to the summary before, all above that are no summary, the
// summaries above, and for the first row those below.
func (g *grid) parts(i, j int) [][]*cell {
	var near, all, sums, below []*cell
	open := true
	for k := i - 1; k >= 0; k-- {
		c := g.part(k, j)
		switch {
		case g.rows[k].sum != "":
			open = false
			if c != nil && c.ok {
				sums = append(sums, c)
			}
		case c == nil:
		default:
			all = append(all, c)
			if open {
				near = append(near, c)
			}
		}
	}
	if i == 0 && !g.rows[0].weak {
		for k := 1; k < len(g.rows); k++ {
			if c := g.part(k, j); c != nil && g.rows[k].sum == "" {
				below = append(below, c)
			}
		}
	}
	out := [][]*cell{near}
	if len(sums) > 0 {
		out = [][]*cell{sums, near, all, append(slices.Clone(sums), near...)}
	}
	return append(out, below)
}

// part gives a cell that may be part of a total: one that holds a number, or
// text with digits of which nobody knows what to add.
func (g *grid) part(i, j int) *cell {
	if j < len(g.rows[i].cells) && strings.ContainsAny(g.rows[i].cells[j].text, "123456789") {
		return &g.rows[i].cells[j]
	}
	return g.cell(i, j)
}

// cell gives a cell that holds a number, nil for others.
func (g *grid) cell(i, j int) *cell {
	if j >= len(g.rows[i].cells) || !g.rows[i].cells[j].ok {
		return nil
	}
	return &g.rows[i].cells[j]
}

// run tells whether t is the sum of the cells just above, at least two, where
// the label says of what (total income), or the last of sums that run on.
func (g *grid) run(part []*cell, t *cell, clean bool) bool {
	for n := 2; n <= min(len(part), 40) && !clean; n++ {
		if v, tol, ok := aggregate("total", part[:n], t); ok && math.Abs(v-t.size()) <= tol {
			return true
		}
	}
	if len(part) == 2 { // income and expense, or a size and how many
		a, b := part[0], part[1]
		return math.Abs(math.Abs(a.size()-b.size())-math.Abs(t.size())) <= t.ulp() || a.Value*b.Value == t.Value
	}
	return len(part) > 2 && part[0].Value == t.Value && part[0].Value > part[1].Value && part[1].Value > part[2].Value
}

// aggregate computes the total, mean or median of cells in the form of t, with
// the error that their digits allow.
func aggregate(kind string, part []*cell, t *cell) (v, tol float64, ok bool) {
	values := make([]span, 0, len(part))
	ulp, round, about := t.ulp(), rounded(t), t.Approx
	for _, c := range part {
		if c.percent() != t.percent() || t.percent() && c.Value >= 100 || c.Unit != nil && t.Unit == nil && !c.plainUnit() ||
			c.Unit != nil && t.Unit != nil && c.Unit.Of != t.Unit.Of {
			return 0, 0, false
		}
		size := c.size()
		if c.Unit == nil && t.Unit != nil && !t.percent() {
			size *= t.Unit.Low
		}
		values = append(values, exactly(size))
		ulp, round = max(ulp, c.ulp()), round || rounded(c)
		about = about || c.Approx
	}
	switch kind {
	case "mean":
		return mean(values).lo, ulp, true
	case "median":
		return median(values).lo, ulp, true
	}
	if round {
		tol = ulp * max(1, float64(len(part))/2)
		if ulp >= 1 {
			tol = max(tol, 5e-4*math.Abs(total(values).lo))
		}
	}
	v = total(values).lo
	if about {
		tol = max(tol, 0.03*math.Abs(v), t.zeros()/2*t.ulp())
	}
	return v, tol*1.001 + 1e-9*math.Abs(v), true
}

// zeros is what one more in the last digit that is not zero is worth.
func (c *cell) zeros() float64 {
	n := 1.0
	for c.Approx && c.Ulp >= 1 && c.Value >= n*10 && math.Mod(c.Value/c.Ulp, n*10) == 0 {
		n *= 10
	}
	return n
}

// plainUnit tells whether the unit does not change what is added: money.
func (c *cell) plainUnit() bool { return c.Unit == nil || len(c.Unit.Of) == 3 && c.Unit.Low == 1 }

// alone tells whether the only figure of a summary row may be judged without
// another column: the label is plain, the rows above are of one kind, and
// nothing says that they are not added.
func (g *grid) alone(i, j int) bool {
	row := &g.rows[i]
	t := &row.cells[j]
	if j < len(g.header) && (notSum(g.header[j]) || slices.Contains(cues[strings.ToLower(g.header[j])], "record")) || !row.bold && !g.last(i) || t.percent() && t.Value != 100 || t.Unit != nil && t.Unit.Of == "time" && t.Unit.High < 3600 {
		return false
	}
	if first := strings.ToLower(g.header[0]); row.weak || !row.clean && (slices.Contains(cues[first], "record")) {
		return false
	}
	if row.sum != "total" {
		return row.clean && len(g.rows) > 3
	}
	if label := strings.ToLower(row.label); !row.clean && !strings.HasPrefix(label, "total") && !strings.HasPrefix(label, "grand") && !strings.Contains(label, "sub") {
		return false
	}
	n := 0
	for k := range i {
		c := g.cell(k, j)
		if c == nil {
			continue
		}
		if g.rows[k].sum == "" && (row.weak && c.Value >= t.Value || partial(g.rows[k].label)) {
			return false
		}
		n++
	}
	return n >= 2
}

// partial tells whether a label says that its row is part of another, or
// states what is left.
func partial(label string) bool {
	for w := range strings.FieldsSeq(label) {
		if w = strings.ToLower(strings.Trim(w, "()")); w == "which" || w == "included" {
			return true
		}
	}
	return strings.HasSuffix(strings.ToLower(label), " balance")
}

// last tells whether row i is the last, but for rows that are summaries too.
func (g *grid) last(i int) bool {
	for k := i + 1; k < len(g.rows); k++ {
		if g.rows[k].sum != "" {
			return true
		}
	}
	return i == len(g.rows)-1
}

// otherwise tells whether the summary of a column may be something else than
// the sum that other columns have: a mean, which several rows exceed, or the
// number of a row.
func (g *grid) otherwise(i, j int) bool {
	t := &g.rows[i].cells[j]
	if g.rows[i].sum != "total" || j < len(g.header) && notSum(g.header[j]) {
		return true
	}
	above := 0
	for k, c := range g.column(j) {
		if k == i || c == nil || !c.ok || g.rows[k].sum != "" {
			continue
		}
		if c.Value > t.Value {
			above++
		}
		if c.Value == t.Value && t.Value != 0 {
			return true
		}
	}
	return above > 1
}

// cellFinding reports a cell.
func (r *reader) cellFinding(g *grid, kind string, i, j int, want float64) {
	c := &g.rows[i].cells[j]
	if c.Unit != nil && !c.percent() {
		want /= c.Unit.Low
	}
	what := g.rows[i].label
	if j < len(g.header) && g.header[j] != "" {
		what = fmt.Sprintf("%s of %s", what, g.header[j])
	}
	r.report(Finding{Line: g.rows[i].line, Kind: kind, Text: strings.Trim(what, "*: "), states: c.text[c.From:c.End], Should: like(want, c.text, &c.Token)})
}
