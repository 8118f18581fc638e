package arithmetic

import (
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
	maxColumns = 12
	maxLabel   = 80 // bytes of a label that names a total
	minParts   = 3  // of a total that no other column believes
)

// grid is a table whose cells are read.
type grid struct {
	header []string
	rows   []gridRow
}

type gridRow struct {
	line  int // 1-based source line
	label string
	cells []cell
	total bool // the label says that it is a total
	plain bool // and nothing else
	loose bool // it says overall or all, and not total
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(fold.Case(s), func(r rune) bool { return r != '_' && r != '%' && !unicode.IsLetter(r) })
}

// notSum tells whether a text names a measure that is not added up: a rate, an
// average, unique visitors.
func notSum(text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w string) bool { return cues[w]&notAdded != 0 })
}

// readLabel finds what the label of a row says of a total. The word for it stands
// first or last.
func (row *gridRow) readLabel() {
	label, _, noted := strings.Cut(row.label, "(")
	if len(label) > maxLabel {
		return
	}
	words := wordsOf(label)
	n := len(words)
	if n == 0 || n > 6 {
		return
	}
	first, last := cues[words[0]], cues[words[n-1]]
	if words[n-1] == "sum" && n > 1 { // a provisional sum, a lump sum
		last = 0
	}
	row.loose = first&weakSum != 0 && n == 1
	row.total = (row.loose || (first|last)&sumRow != 0 || words[0] == "grand") && !notSum(row.label)
	alone := n == 1 || n == 2 && last&sumRow != 0 && (words[0] == "grand" || words[0] == "sub")
	row.plain = row.total && alone && !noted && !strings.ContainsAny(label, "0123456789")
}

// readGrid reads the rows of a table. What is struck through is not there. The labels
// say something of numbers only.
func readGrid(doc *markdown.Doc, t *markdown.Table) grid {
	g := grid{header: t.Header, rows: make([]gridRow, len(t.Rows))}
	cells, lines := make([]cell, len(t.Rows)*len(t.Header)), doc.Lines[t.Line+1:]
	var buf [24]quantity.Token
	numbers := false
	for i, texts := range t.Rows {
		row, at := &g.rows[i], 0
		row.line, row.cells = t.RowNos[i], cells[i*len(t.Header):][:len(t.Header)]
		for j, text := range texts {
			if !slices.ContainsFunc(lines[i].Struck, func(s markdown.Span) bool { return s.From <= at && at < s.To }) {
				row.cells[j] = readCell(text, buf[:0])
				numbers = numbers || row.cells[j].ok
			}
			if row.label == "" && (j == 0 || !row.cells[j].ok) {
				row.label = text
			}
			at += len(text) + len(" | ")
		}
	}
	if !numbers {
		return g
	}
	for i := range g.rows {
		g.rows[i].readLabel()
	}
	return g
}

// tables checks the totals of the document's tables. A row that says to be a
// total is believed if it holds in one column, and a last row in any case if it
// holds in two; the columns in which it does not are then wrong.
func (r *reader) tables() {
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		if len(t.Rows) > maxRows || len(t.Header) > maxColumns || len(t.Header) < 2 || len(t.Rows) < 3 {
			continue
		}
		g := readGrid(r.doc, t)
		for i := range g.rows {
			if g.rows[i].total || i == len(g.rows)-1 {
				r.checkTotal(&g, i)
			}
		}
	}
}

// checkTotal checks a row that says to be a total, or the last row, which is one
// without saying so if it holds in two columns that add up three parts or more.
func (r *reader) checkTotal(g *grid, i int) {
	row := &g.rows[i]
	var good, bad []int
	var should []float64
	for j := 1; j < len(row.cells); j++ {
		if !row.cells[j].ok {
			continue
		}
		switch want, is := g.expected(i, j); {
		case is == holds && (row.total || g.hasParts(i, j)):
			good = append(good, j)
		case is == wrong && !g.noSum(i, j) && !(row.loose && row.cells[j].Decimals > 0):
			bad, should = append(bad, j), append(should, want)
		}
	}
	believed := len(good) > 1 || row.total && (len(good) == 1 || len(bad) == 1 && g.alone(i, bad[0]))
	if !believed || len(bad) > max(1, len(good)/2) {
		return
	}
	for k, j := range bad {
		if !g.hasOther(i, j, good) {
			r.cellFinding(g, i, j, should[k])
		}
	}
}

// hasParts tells whether enough of the cells above row i are something in column
// j: of zeros any row is the total.
func (g *grid) hasParts(i, j int) bool {
	n := 0
	for _, row := range g.rows[:i] {
		if c := &row.cells[j]; c.ok && c.Value != 0 && !row.total {
			n++
		}
	}
	return n >= minParts
}

// hasOther tells whether a row above i has a number in column j and none in the
// columns that add up. Then it may be no part of the total: work to come.
func (g *grid) hasOther(i, j int, good []int) bool {
	return len(good) > 0 && slices.ContainsFunc(g.rows[:i], func(row gridRow) bool {
		return row.cells[j].ok && !row.total && !slices.ContainsFunc(good, func(c int) bool { return row.cells[c].ok })
	})
}

// grade says how a total stands to the cells above it.
type grade uint8

const (
	unknown grade = iota // it cannot be said, or it may be meant as another sum
	holds                // it is their sum
	wrong
)

// expected gives what the total in row i should say in column j, and whether it
// does in some reading.
func (g *grid) expected(i, j int) (want float64, is grade) {
	t := &g.rows[i].cells[j]
	for reading, part := range g.parts(i, j) {
		if len(part) < 2 {
			continue
		}
		v, tol, ok := add(part, t)
		if !ok {
			return 0, unknown
		}
		off := math.Abs(v - t.Value)
		if off <= tol {
			return v, holds
		}
		if withParts := math.Abs(v-2*t.Value) <= tol; reading == 0 && withParts { // each part stands there with its own parts
			return v, unknown
		}
		if is == unknown || off < math.Abs(want-t.Value) {
			want, is = v, wrong
		}
	}
	if percent(&t.Token) && (t.Value != 100 || math.Abs(want-100) >= 50) {
		return want, unknown
	}
	return want, is
}

// parts lists the readings of which cells row i adds up in column j: those
// above up to the total before, and all above that are no total. Text with
// digits counts as a part of which nobody knows what to add.
func (g *grid) parts(i, j int) [][]*cell {
	near, all, totals := make([]*cell, 0, i), make([]*cell, 0, i), 0
	for k := i - 1; k >= 0; k-- {
		switch c := &g.rows[k].cells[j]; {
		case !c.ok && !strings.ContainsAny(c.text, "123456789"):
		case g.rows[k].total:
			totals++
		default:
			if all = append(all, c); totals == 0 {
				near = append(near, c)
			}
		}
	}
	if len(near) == 0 && totals == 1 { // another kind of total
		return nil
	}
	return [][]*cell{near, all}
}

// add computes the sum of cells in the form of t, with the error that their
// digits allow. Of approximate cells it knows none.
func add(part []*cell, t *cell) (v, tol float64, ok bool) {
	ulp, inexact := t.Ulp, t.inexact
	for _, c := range part {
		if !c.ok || c.Approx || t.Approx || !alike(c.Unit, t.Unit) || times(&c.Token) {
			return 0, 0, false
		}
		by := 1.0
		if c.Unit == nil {
			by = t.size()
		}
		v += c.Value * by
		ulp, inexact = max(ulp, c.Ulp*by), inexact || c.inexact
	}
	if inexact {
		tol = ulp * max(1, float64(len(part))/2)
	}
	return v, tol*1.001 + 1e-9*math.Abs(v), true
}

// alike tells whether a cell of one unit may be a part of a total in another.
// Bare numbers and money have the unit of the total.
func alike(part, total *quantity.Unit) bool {
	bare := (part == nil || part.IsMoney()) && (total == nil || total.IsMoney() || total.Of == "time")
	return bare || part == total || part != nil && total != nil && part.Of == total.Of
}

// alone tells whether a total may be judged without another column: its label
// names it, and every row above has a label.
func (g *grid) alone(i, j int) bool {
	return g.names(i, j) && g.hasParts(i, j) && !slices.ContainsFunc(g.rows[:i], func(row gridRow) bool { return row.label == "" })
}

// names tells whether the label of row i is total and no more, or names what
// the header of column j names.
func (g *grid) names(i, j int) bool {
	row, words := &g.rows[i], wordsOf(g.header[j])
	return !row.loose && (row.plain || slices.ContainsFunc(wordsOf(row.label), func(w string) bool { return cues[w]&sumRow == 0 && slices.Contains(words, w) }))
}

// noSum tells whether the total of a column may be something else than the
// sum: a mean, which several rows exceed, or the number of a row.
func (g *grid) noSum(i, j int) bool {
	t, above := &g.rows[i].cells[j], 0
	for k := range g.rows {
		if c := &g.rows[k].cells[j]; k == i || !c.ok || g.rows[k].total {
			continue
		} else if c.Value > t.Value {
			above++
		} else if c.Value == t.Value && t.Value != 0 {
			above += 2
		}
	}
	return above > 1 || notSum(g.header[j])
}

// cellFinding reports a cell that should hold want base units.
func (r *reader) cellFinding(g *grid, i, j int, want float64) {
	c := g.rows[i].cells[j]
	what := strings.Trim(g.rows[i].label, "*: ")
	if g.header[j] != "" {
		what = strings.TrimPrefix(what+", column "+g.header[j], ", ")
	}
	t := c.Token
	t.Value, t.Ulp = c.Value/c.size(), c.Ulp/c.size()
	r.report(Finding{Line: g.rows[i].line, Kind: "total", Text: what, States: c.text[c.From:c.End], Should: like(want/c.size(), c.text, &t), cell: true})
}
