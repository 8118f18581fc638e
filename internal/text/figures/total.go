package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

const (
	maxRows    = 400
	maxColumns = 16
	maxLabel   = 60 // bytes of a label that names a total
)

var (
	// sumWords say that a row is a total.
	sumWords = words("total totals sum subtotal subtotals sub-total grand-total σ ∑ gesamt gesamtsumme summe zwischensumme insgesamt totale suma итого всего toplam razem " +
		"合计 总计 小计 合計 総計 小計 총계 합계")
	// notAdded are words of columns and labels whose totals are no sums.
	notAdded = words("median highest largest lowest smallest unique distinct rate rates score scores latency percentile percent percentage % p50 p90 p95 p99 peak mean average avg ratio " +
		"coverage best worst cumulative running remaining max min maximum minimum price id version per geomean pass-rate share change delta δ growth factor weight rank year " +
		"status progress efficiency speedup improvement reduction roi margin vs difference diff savings saved")
)

// empty are the cells that add nothing.
var empty = map[string]bool{"": true, "-": true, "–": true, "—": true, "n/a": true, "none": true, "nil": true}

// labelWords gives the words of a label in lower case.
func labelWords(s string) []string {
	return strings.FieldsFunc(fold.Case(s), func(r rune) bool {
		return r != '%' && r != '-' && !unicode.IsLetter(r) && r != '∑' && !unicode.IsDigit(r)
	})
}

func notSum(text string) bool {
	return slices.ContainsFunc(labelWords(text), func(w string) bool { return notAdded[w] })
}

// row is a row of a table: its label, its cells and whether it says to be a total.
type row struct {
	label string
	cells []cell
	total bool
	plain bool // it says total and no more
}

// cell is a cell of a table. Value and Ulp are in the base unit.
type cell struct {
	quantity.Token
	text   string
	of     string // the word behind the number
	number bool
}

// size is the size of the cell's unit.
func (c *cell) size() float64 {
	if c.Unit == nil {
		return 1
	}
	return c.Unit.Low
}

// grid is a table whose cells are read.
type grid struct {
	header []string
	rows   []row
}

// isTotal tells whether a label says that its row is a total, and no more.
func isTotal(label string) (total, plain bool) {
	if len(label) == 0 || len(label) > maxLabel {
		return false, false
	}
	label, _, noted := strings.Cut(label, "(")
	w := labelWords(label)
	if len(w) == 0 || len(w) > 4 || notSum(label) {
		return false, false
	}
	first, last := sumWords[w[0]], sumWords[w[len(w)-1]]
	total = first || last && w[len(w)-1] != "sum" || w[0] == "grand" && sumWords[w[min(1, len(w)-1)]]
	return total, total && !noted && (len(w) == 1 || w[0] == "grand" && len(w) == 2)
}

// table checks the totals of a table.
func (r *reader) table(t *markdown.Table) {
	n := len(t.Header)
	if len(t.Rows) > maxRows || n > maxColumns || n < 2 || len(t.Rows) < 3 {
		return
	}
	labels := make([]string, len(t.Rows))
	any := false
	for i, cells := range t.Rows {
		for j, c := range cells {
			if c != "" && (j == 0 || !quantity.HasDigit(c)) {
				if total, _ := isTotal(c); total || labels[i] == "" {
					labels[i] = c
					any = any || total
				}
				if j > 1 {
					break
				}
			}
		}
	}
	if !any {
		return
	}
	g := r.grid(t, labels)
	for i := 2; i < len(g.rows); i++ {
		if g.rows[i].total {
			r.total(&g, i, t.RowNos[i])
		}
	}
}

// grid reads the rows of a table. What is struck through is not there.
func (r *reader) grid(t *markdown.Table, labels []string) grid {
	g := grid{header: t.Header, rows: make([]row, len(t.Rows))}
	cells := make([]cell, len(t.Rows)*len(t.Header))
	var buf [24]quantity.Token
	for i, texts := range t.Rows {
		row, at := &g.rows[i], 0
		row.label, row.cells = labels[i], cells[i*len(t.Header):][:len(t.Header)]
		row.total, row.plain = isTotal(labels[i])
		struck := r.doc.Lines[t.Line+1+i].Struck
		for j, text := range texts {
			if !slices.ContainsFunc(struck, func(s markdown.Span) bool { return s.From <= at && at < s.To }) {
				row.cells[j] = readCell(text, buf[:0])
			}
			at += len(text) + len(" | ")
		}
	}
	return g
}

// readCell reads a cell: a number with its unit or one word, in brackets if it is
// negative.
func readCell(text string, buf []quantity.Token) cell {
	c := cell{text: text}
	if len(text) > 64 || !quantity.HasDigit(text) {
		return c
	}
	toks := quantity.Lex(text, buf)
	n := len(toks)
	minus := n == 3 && toks[0].Mark == '(' && toks[2].Mark == ')'
	if minus || n > 1 && toks[0].Mark == '-' {
		minus, toks = true, toks[1:]
	}
	t := &toks[0]
	if t.Kind != quantity.Number || t.Spelled || t.Bound != quantity.Exact || t.Approx || thousands(t) && (t.Unit == nil || t.Unit.Of != "time") {
		return c
	}
	switch rest := toks[1:]; {
	case len(rest) == 1 && rest[0].Kind == quantity.Word:
		c.of = strings.TrimSuffix(fold.Case(text[rest[0].From:rest[0].To]), "s")
	case len(rest) == 1 && rest[0].Kind == quantity.Mark && (rest[0].Mark == ')' || unicode.Is(unicode.So, rest[0].Mark)):
	case len(rest) > 0:
		return c
	}
	c.Token, c.number = *t, true
	if minus {
		c.Value = -math.Abs(c.Value)
	}
	c.Value, c.Ulp = c.Value*c.size(), c.Ulp*c.size()
	return c
}

// grade says how a total stands to the cells above it.
type grade uint8

const (
	unknown grade = iota // it cannot be said, or it may be meant as another sum
	holds                // it is their sum
	wrong
)

// total checks the row i, which says to be a total. It is believed if it holds in one
// column, or if it has only one and says nothing but total.
func (r *reader) total(g *grid, i, line int) {
	good := 0
	var bad []int
	var should []float64
	for j := 1; j < len(g.header); j++ {
		if !g.rows[i].cells[j].number {
			continue
		}
		switch want, is := g.expected(i, j); {
		case is == holds && want != 0:
			good++
		case is == wrong:
			bad, should = append(bad, j), append(should, want)
		}
	}
	if len(bad) > max(good, 1) {
		return
	}
	for k, j := range bad {
		if good > 0 || g.alone(i, j) {
			r.wrongTotal(g, i, j, line, should[k])
		}
	}
}

// expected gives what the total in row i should say in column j, and whether it does
// in some reading.
func (g *grid) expected(i, j int) (want float64, is grade) {
	t := &g.rows[i].cells[j]
	if percent(&t.Token) {
		return 0, unknown
	}
	near, all, totals, ok := g.parts(i, j)
	if !ok {
		return 0, unknown
	}
	for reading, part := range [][]*cell{near, all, totals} {
		if len(part) < 2 {
			continue
		}
		v, tol, ok := add(part, t)
		if !ok {
			return 0, unknown
		}
		if math.Abs(v-t.Value) <= tol {
			return v, holds
		}
		if v == 0 || t.Value == float64(len(part)) { // it counts the rows
			return v, unknown
		}
		if math.Abs(v-2*t.Value) <= tol { // each part stands there with its own parts
			return v, unknown
		}
		for _, c := range part { // one of them is a part of another
			if len(part) > 2 && math.Abs(v-c.Value-t.Value) <= tol {
				return v, unknown
			}
		}
		if reading == 0 || is == unknown || math.Abs(v-t.Value) < math.Abs(want-t.Value) {
			want, is = v, wrong
		}
	}
	// What takes days overlaps, and so may what takes less than its parts.
	parallel := t.Unit != nil && t.Unit.Of == "time" && (want > t.Value || t.Unit.Low >= 86400)
	if is == wrong && (parallel || notSum(g.header[j]) || g.exceeded(i, j)) {
		is = unknown
	}
	return want, is
}

// parts lists what row i may add up in column j: the cells above up to the total
// before, all above that are no totals, and the totals above. A cell with digits
// that is no number is a part of which nobody knows what to add.
func (g *grid) parts(i, j int) (near, all, totals []*cell, ok bool) {
	for k := i - 1; k >= 0; k-- {
		switch c := &g.rows[k].cells[j]; {
		case !c.number && !empty[strings.ToLower(strings.TrimSpace(c.text))]:
			return nil, nil, nil, false
		case !c.number:
		case g.rows[k].total:
			totals = append(totals, c)
		default:
			all = append(all, c)
			if len(totals) == 0 {
				near = append(near, c)
			}
		}
	}
	return near, all, totals, len(near) > 0 || len(totals) != 1 // another kind of total
}

// add computes the sum of cells in the form of t, with the error that their digits
// allow.
func add(part []*cell, t *cell) (v, tol float64, ok bool) {
	ulp, rounded := t.Ulp, t.Decimals > 0 && !(t.Decimals == 2 && t.Unit.IsMoney()) || t.Ulp != t.size()
	for _, c := range part {
		bare := c.Unit == nil && c.of == ""
		if !bare && (c.Unit != t.Unit || c.of != t.of) && !(c.Unit != nil && t.Unit != nil && c.Unit.Of == t.Unit.Of) && !(t.Unit == nil && t.of == "") {
			return 0, 0, false
		}
		by := 1.0
		if c.Unit == nil {
			by = t.size()
		}
		v += c.Value * by
		ulp, rounded = max(ulp, c.Ulp*by), rounded || c.Decimals > 0 && !(c.Decimals == 2 && c.Unit.IsMoney()) || c.Ulp != c.size()
	}
	if rounded {
		tol = ulp * max(1, float64(len(part)+1)/2)
	}
	return v, tol*1.001 + 1e-9*math.Abs(v), true
}

// exceeded tells whether the total may be a mean or the like: a part is larger than
// it, or as large.
func (g *grid) exceeded(i, j int) bool {
	t := &g.rows[i].cells[j]
	n := 0
	for k := range i {
		if c := &g.rows[k].cells[j]; c.number && !g.rows[k].total && c.Value >= t.Value {
			n++
		}
	}
	return n > 1
}

// alone tells whether a total may be judged without another column: it says total
// and no more, and each row above has a label and a number.
func (g *grid) alone(i, j int) bool {
	n := 0
	for k := i - 1; k >= 0 && !g.rows[k].total; k-- {
		if g.rows[k].label == "" {
			return false
		}
		if c := &g.rows[k].cells[j]; c.number {
			n++
		}
	}
	return n >= 2 && (g.rows[i].plain || g.names(i, j))
}

// wrongTotal adds the finding that row i should say want in column j.
func (r *reader) wrongTotal(g *grid, i, j, line int, want float64) {
	c := g.rows[i].cells[j]
	t := c.Token
	t.Value, t.Ulp = c.Value/c.size(), c.Ulp/c.size()
	right := like(want/c.size(), c.text, &t)
	column := fmt.Sprintf("the column %q", strings.TrimSpace(g.header[j]))
	if strings.TrimSpace(g.header[j]) == "" {
		column = fmt.Sprintf("column %d", j+1)
	}
	bars := j
	if strings.HasPrefix(strings.TrimLeft(r.doc.Source[r.offset(line):], " \t>"), "|") {
		bars++
	}
	if c.of != "" {
		right += c.text[c.End:]
		c.End = len(c.text)
	}
	r.add(Total, line, bars, c.text[c.From:c.End], right, fmt.Sprintf("%s adds up to %s, the total says %s", column, right, c.text[c.From:c.End]))
}

// names tells whether the label of row i names what the header of column j does.
func (g *grid) names(i, j int) bool {
	header := labelWords(g.header[j])
	return slices.ContainsFunc(labelWords(g.rows[i].label), func(w string) bool { return !sumWords[w] && slices.Contains(header, w) })
}
