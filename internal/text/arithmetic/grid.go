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
)

// grid is a table, or a list with a number in each item.
type grid struct {
	header []string
	rows   []gridRow
}

type gridRow struct {
	line  int // 1-based source line
	label string
	cells []cell
	sum   string // total or mean: what the label says
	clean bool   // the label says nothing else
	weak  bool   // it says overall or all, and not total
	bold  bool
}

// cell is a cell of a grid. Value and Ulp are in the base unit.
type cell struct {
	quantity.Token
	text  string
	ok    bool // it holds a number
	large bool // it may be rounded: decimals, sizes of data, money, large amounts
}

func cellAt(t quantity.Token, text string) cell {
	c := cell{Token: t, text: text, ok: true}
	c.large = t.Decimals > 0 || percent(&t) || math.Abs(t.Value) >= 1000 || t.Unit.IsMoney() || t.Unit != nil && t.Unit.Of == "bytes"
	c.Value, c.Ulp = t.Value*c.unit(), t.Ulp*c.unit()
	return c
}

// unit is the size of the cell's unit.
func (c *cell) unit() float64 {
	if c.Unit == nil {
		return 1
	}
	return c.Unit.Low
}

// readCell reads a cell: a number with its unit, in parentheses if it is
// negative, with up to two words behind it of which the last is a plural. The
// second cell is the share in "24 (38 %)".
func readCell(text string, buf []quantity.Token) (c, share cell) {
	c.text = text
	if len(text) > 64 {
		return c, share
	}
	toks := quantity.Lex(text, buf)
	n := len(toks)
	minus := n == 3 && toks[0].Mark == '(' && toks[2].Mark == ')' || n > 1 && toks[0].Mark == '-'
	for len(toks) > 1 && (toks[0].Mark == '(' && minus || toks[0].Mark == '-' || toks[0].Mark == '~') {
		toks = toks[1:]
	}
	if len(toks) == 0 || toks[0].Kind != quantity.Number || toks[0].Spelled || toks[0].Bound != quantity.Exact {
		return c, share
	}
	t, rest := toks[0], toks[1:]
	for n := 0; n < 2 && len(rest) > 0 && rest[0].Kind == quantity.Word; n++ {
		if rest = rest[1:]; (len(rest) == 0 || rest[0].Kind == quantity.Mark) && (text[toks[n+1].End-1] != 's' || notSum(text)) {
			return c, share
		}
	}
	if len(rest) == 3 && rest[0].Mark == '(' && rest[1].Kind == quantity.Number && percent(&rest[1]) {
		share, rest = cellAt(rest[1], text), nil
	}
	if len(rest) > 0 && (len(rest) > 1 || rest[0].Kind != quantity.Mark || rest[0].Mark == '+' || rest[0].Mark == '/') {
		return c, share
	}
	if minus {
		t.Value = -math.Abs(t.Value)
	}
	return cellAt(t, text), share
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(fold.Case(s), func(r rune) bool { return r != '_' && r != '%' && !unicode.IsLetter(r) })
}

// labelled reads the label of a row: whether it is a total or a mean of
// others. The word for it stands first or last.
func (row *gridRow) labelled(columns string) {
	label, note, cut := strings.Cut(row.label, "(")
	if strings.ContainsAny(note, "0123456789") || notSum(note) { // one of several totals
		return
	}
	words := wordsOf(label)
	for i, w := range words {
		switch class := cues[w]; {
		case class&sumrow != 0 && (i == 0 || i == len(words)-1 || words[0] == "grand") && len(words) <= 6:
			row.sum, row.weak = "total", w == "all" || w == "overall" || w == "combined"
		case row.sum == "" && i == 0 && class&meanrow != 0:
			row.sum = "mean"
		case class&notsum != 0:
			row.sum = ""
			return
		}
	}
	row.clean = len(words) == 1 && !cut
	if row.weak && !row.clean { // all squads, in a table of squads
		if a, _ := quantity.Singular(strings.Join(words[1:], " ")); words[0] != "all" || !strings.EqualFold(a, columns) {
			row.sum = ""
		}
	}
}

// notSum tells whether a text names a measure that is not added up: a rate, an
// average, unique visitors.
func notSum(text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w string) bool { return cues[w]&(notsum|meanrow) != 0 })
}

func (r *reader) tableGrid(t *markdown.Table) grid {
	var buf [24]quantity.Token
	g := grid{header: slices.Clone(t.Header)}
	shares := map[int]int{} // column of counts: column of the shares beside them
	for i, texts := range t.Rows {
		row := gridRow{line: t.RowNos[i], cells: make([]cell, len(t.Header)), bold: strings.Contains(r.source(t.RowNos[i]), "**")}
		for j, text := range texts {
			c, share := readCell(text, buf[:0])
			row.cells[j] = c
			if share.ok {
				if shares[j] == 0 {
					shares[j] = len(g.header)
					g.header = append(g.header, "% "+t.Header[j])
				}
				row.cells = append(row.cells, make([]cell, max(0, shares[j]+1-len(row.cells)))...)
				row.cells[shares[j]] = share
			}
			if j == 0 || row.label == "" && !c.ok {
				row.label = text
			}
		}
		row.labelled(t.Header[0])
		if row.label == "" && i > 1 && i == len(t.Rows)-1 {
			row.sum, row.clean = "total", true
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// cell gives a cell that holds a number, nil for others.
func (g *grid) cell(i, j int) *cell {
	if j >= len(g.rows[i].cells) || !g.rows[i].cells[j].ok {
		return nil
	}
	return &g.rows[i].cells[j]
}

// lists checks lists whose items have one number each, as tables.
func (r *reader) lists() {
	for i := range r.doc.Lists {
		items := r.doc.Lists[i].Items
		if len(items) < 3 || len(items) > maxRows {
			continue
		}
		g := grid{header: []string{"", "", "%"}}
		for _, it := range items {
			if row, ok := itemRow(it.Text, it.No); ok {
				g.rows = append(g.rows, row)
			}
		}
		if len(g.rows) < len(items) {
			continue
		}
		if end := items[len(items)-1].Line + 1; end < len(r.doc.Lines) && r.doc.Lines[end].Kind == markdown.Sentence {
			if row, ok := itemRow(r.doc.Lines[end].Text, r.doc.Lines[end].No); ok && row.sum != "" {
				g.rows = append(g.rows, row)
			}
		}
		if len(g.rows) > 3 {
			r.totals(&g)
			r.columns(&g)
		}
	}
}

// itemRow makes a row of a text that has a label and one number, or a number
// with its share.
func itemRow(text string, no int) (row gridRow, ok bool) {
	var buf [32]quantity.Token
	row = gridRow{line: no, cells: make([]cell, 3)}
	if len(text) > 200 {
		return row, false
	}
	for _, t := range quantity.Lex(text, buf[:0]) {
		switch {
		case t.Kind != quantity.Number:
		case t.Bound != quantity.Exact || times(&t) || row.cells[2].ok || row.cells[1].ok && !percent(&t) || strings.HasPrefix(text[t.End:], "+"):
			return row, false
		case row.cells[1].ok:
			row.cells[2] = cellAt(t, text)
		default:
			row.cells[1] = cellAt(t, text)
			row.label = strings.Trim(text[:t.From], " :-–—~*")
		}
	}
	if row.labelled(""); !row.clean || row.weak {
		row.sum = ""
	}
	return row, row.cells[1].ok && strings.Contains(text, "(") == row.cells[2].ok
}
