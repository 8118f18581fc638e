package figures

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	sumWords = cased("total totals sum subtotal subtotals sub-total grand-total σ ∑ gesamt gesamtsumme summe zwischensumme insgesamt totale suma итого всего toplam razem " +
		"合计 总计 小计 合計 総計 小計 총계 합계")
	// notAdded are words of columns and labels whose totals are no sums.
	notAdded = words("median highest largest lowest smallest unique distinct rate rates score scores latency percentile percent percentage % p50 p90 p95 p99 peak mean average avg ratio " +
		"coverage best worst cumulative running remaining max min maximum minimum price id version per geomean pass-rate share change delta δ growth factor weight rank year " +
		"status progress efficiency speedup improvement reduction roi margin vs difference diff savings saved team modified changed touched weeks days months duration timeline schedule parallel")
)

// cased gives words in small letters, with a capital and in capitals.
func cased(list string) map[string]bool {
	set := words(list + " " + strings.ToUpper(list))
	for w := range words(list) {
		r, n := utf8.DecodeRuneInString(w)
		set[string(unicode.ToUpper(r))+w[n:]] = true
	}
	return set
}

// hanSum matches a longer label that ends with a word for a total in Chinese or
// Japanese, which put no spaces between words.
var hanSum = regexp.MustCompile(`\p{Han}(?:小计|合计|总计|小計|合計|総計)$`)

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
	label  string
	cells  []cell
	total  bool
	plain  bool // it says total and no more
	filled int  // cells that are not empty
}

// cell is a cell of a table. Value and Ulp are in the base unit.
type cell struct {
	quantity.Token
	text   string
	of     string // the word behind the number
	number bool
	inside bool // it may be a part of another cell, or have its parts below it
	parent bool // it is the sum of those right below it, and its row says less than theirs
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

// isTotal tells whether a label says that its row is a total: its first or last word
// does. It is plain if it says no more.
func isTotal(label string) (total, plain bool) {
	label, _, noted := strings.Cut(label, "(")
	label = strings.Trim(label, " :.*_#")
	if label == "" || len(label) > maxLabel {
		return false, false
	}
	if hanSum.MatchString(label) {
		return true, false
	}
	if !sumWords[label[:wordEnd(label)]] && !sumWords[label[wordStart(label):]] {
		return false, false
	}
	w := labelWords(label)
	if len(w) == 0 || len(w) > 4 || w[len(w)-1] == "sum" && len(w) > 1 || notSum(label) {
		return false, false
	}
	return true, !noted && (len(w) == 1 || w[0] == "grand" && len(w) == 2)
}

func isLetter(r rune) bool { return r == '-' || r == '∑' || unicode.IsLetter(r) }

// wordEnd gives the end of the first word of s, and wordStart the beginning of its last.
func wordEnd(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !isLetter(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func wordStart(s string) int {
	n := strings.LastIndexFunc(s, func(r rune) bool { return !isLetter(r) })
	if n < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[n:])
	return n + size
}

// table checks the totals of a table.
func (r *reader) table(t *markdown.Table) {
	n := len(t.Header)
	if len(t.Rows) > maxRows || n > maxColumns || n < 2 || len(t.Rows) < 3 {
		return
	}
	labels := make([]string, len(t.Rows))
	totals := false
	for i, cells := range t.Rows {
		for j, c := range cells {
			if c != "" && (j == 0 || !quantity.HasDigit(c)) {
				if total, _ := isTotal(c); total || labels[i] == "" {
					labels[i] = c
					totals = totals || total
				}
				if j > 1 {
					break
				}
			}
		}
	}
	if !totals {
		return
	}
	g := r.grid(t, labels)
	g.nest()
	for i := 2; i < len(g.rows); i++ {
		if g.rows[i].total && len(t.Rows[i]) == n {
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
			if text != "" {
				row.filled++
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
	unknown  grade = iota // it cannot be said, or it may be meant as something else
	holds                 // it is their sum
	wrong                 // it is not
	doubtful              // it is not, unless a row is part of another one
)

// total checks the row i, which says to be a total. It is believed if it holds in one
// column, or if it has only one and its label leaves no doubt.
func (r *reader) total(g *grid, i, line int) {
	good := 0
	var bad []int
	grades, should := [maxColumns]grade{}, [maxColumns]float64{}
	for j := 1; j < len(g.header); j++ {
		if !g.rows[i].cells[j].number {
			continue
		}
		switch should[j], grades[j] = g.expected(i, j); grades[j] {
		case holds:
			if should[j] != 0 {
				good++
			}
		case wrong, doubtful:
			bad = append(bad, j)
		}
	}
	if len(bad) > max(good, 1) {
		return
	}
	for _, j := range bad {
		t := g.rows[i].cells[j].Value
		left := t > mostLeft*should[j] // rows may be left out
		if good > 0 && !g.apart(i, j, grades[:]) && !(left && !g.rows[i].plain) || good == 0 && grades[j] == wrong && !left && g.alone(i, j) {
			r.wrongTotal(g, i, j, line, should[j])
		}
	}
}

// mostLeft is by how much a total may exceed its parts before they are thought to be
// a selection.
const mostLeft = 1.3

// apart tells whether a row above i has a number in column j and none in the columns
// that hold. Then it may be no part of the total.
func (g *grid) apart(i, j int, grades []grade) bool {
	return slices.ContainsFunc(g.rows[:i], func(r row) bool {
		for k := range r.cells {
			if grades[k] == holds && r.cells[k].number {
				return false
			}
		}
		return r.cells[j].number && !r.total
	})
}

// expected gives what the total in row i should say in column j, and whether it does
// in some reading.
func (g *grid) expected(i, j int) (want float64, is grade) {
	t := &g.rows[i].cells[j]
	readings, ok := g.parts(i, j)
	if percent(&t.Token) || !ok {
		return 0, unknown
	}
	for _, part := range readings {
		if len(part) < 2 {
			continue
		}
		v, tol, ok := add(part, t)
		at := func(x float64) bool { return math.Abs(x-t.Value) <= tol }
		switch {
		case ok && (at(v) || at(-v)):
			return v, holds
		case !ok || v == 0 || t.Value == float64(len(part)) || slices.ContainsFunc(part, func(c *cell) bool { return at(c.Value) }):
			return v, unknown // it counts the rows, or says what stands there before or behind all
		case is == unknown:
			want, is = v, wrong
		}
		first := part[len(part)-1].Value // it may stand for all, or be what was before
		if at(v/2) || at(v-first) && 3*first > v || parents(part) > 1 || slices.ContainsFunc(part, func(c *cell) bool { return c.inside && at(v-c.Value) }) {
			is = doubtful
		}
	}
	if is != unknown && (overlaps(t, want) || notSum(g.header[j]) || g.exceeded(i, j)) {
		is = unknown
	}
	return want, is
}

// days are words for days, weeks and months that are no units of ours.
var days = words("tag tage woche wochen monat monate jour moi semaine día dia semana mese 天 周 月 个月 人天 人日")

// overlaps tells whether a total of times may be less than the sum: phases of days
// run side by side, and so do parts of a second.
func overlaps(t *cell, want float64) bool {
	if days[t.of] {
		return true
	}
	return t.Unit != nil && t.Unit.Of == "time" && (t.Unit.Low >= 86400 || t.Unit.Low < 1 || t.Unit.Low == 1 && want > t.Value)
}

// nest marks the cells that may be inside others: by their label, or since a cell is
// the sum of those right below it.
func (g *grid) nest() {
	for i := range g.rows {
		label := strings.ToLower(g.rows[i].label)
		marked := slices.ContainsFunc(insideMarks, func(m string) bool { return strings.HasPrefix(label, m) })
		for j := range g.rows[i].cells {
			c, sum := &g.rows[i].cells[j], 0.0
			c.inside = c.number && marked
			for k := i + 1; k < min(len(g.rows), i+maxNested) && c.number && !c.inside; k++ {
				sum += g.rows[k].cells[j].Value
				c.inside = k > i+1 && math.Abs(sum-c.Value) < c.Ulp/2
				c.parent = c.inside && g.rows[i].filled < g.rows[i+1].filled
			}
		}
	}
}

// parents counts the cells that have their parts below them. One may be chance.
func parents(part []*cell) (n int) {
	for _, c := range part {
		if c.parent {
			n++
		}
	}
	return n
}

// maxNested is how many rows below a row may be its parts.
const maxNested = 12

// insideMarks begin the labels of rows that are parts of another one, or are left out.
var insideMarks = []string{"- ", "– ", "└", "├", "↳", "• ", "of ", "incl", "thereof", "davon", "其中", "delete", "remove", "exclude", "optional", "删除"}

// parts lists what row i may add up in column j: the cells above up to the total
// before, all above that are no totals, and the totals above. It knows nothing of a
// column where something stands that is no number.
func (g *grid) parts(i, j int) (readings [3][]*cell, ok bool) {
	near, all, totals := &readings[0], &readings[1], &readings[2]
	for k := i - 1; k >= 0; k-- {
		switch c := &g.rows[k].cells[j]; {
		case !c.number && !empty[strings.ToLower(strings.TrimSpace(c.text))]:
			return readings, false
		case !c.number:
		case g.rows[k].total:
			*totals = append(*totals, c)
		default:
			*all = append(*all, c)
			if len(*totals) == 0 {
				*near = append(*near, c)
			}
		}
	}
	return readings, len(*near) > 0 || len(*totals) != 1 // else another kind of total
}

// alike tells whether two cells measure or count the same.
func (c *cell) alike(d *cell) bool {
	return c.of == d.of && (c.Unit == d.Unit || c.Unit != nil && d.Unit != nil && c.Unit.Of == d.Unit.Of)
}

// add computes the sum of cells in the form of t, with the error that their digits
// allow.
func add(part []*cell, t *cell) (v, tol float64, ok bool) {
	ulp, rounded := t.Ulp, t.Decimals > 0 && !(t.Decimals == 2 && t.Unit.IsMoney()) || t.Ulp != t.size()
	for _, c := range part {
		bare := c.Unit == nil && c.of == ""
		if !bare && !c.alike(t) && !(t.Unit == nil && t.of == "" && c.alike(part[0])) || bare && c.Value != 0 && !t.alike(part[0]) && !c.alike(part[0]) {
			return 0, 0, false
		}
		by := 1.0
		if c.Unit == nil {
			by = t.size()
		}
		v += c.Value * by
		ulp, rounded = max(ulp, c.Ulp*by), rounded || c.Decimals > 0 && !(c.Decimals == 2 && c.Unit.IsMoney()) || c.Ulp != c.size() || !bare && c.size() != t.size()
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
	for k := range g.rows[:i] {
		if c := &g.rows[k].cells[j]; c.number && !g.rows[k].total && c.Value >= t.Value {
			n++
		}
	}
	return n > 1 || n == 1 && !g.rows[i].plain
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
	return slices.ContainsFunc(labelWords(g.rows[i].label), func(w string) bool { return !sumWords[w] && w != "grand" && slices.Contains(header, w) })
}
