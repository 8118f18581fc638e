package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

const (
	maxRows    = 400
	maxColumns = 16
	maxCell    = 64  // bytes of a cell that is a number
	maxNested  = 12  // rows below a row that may be its parts
	mostLeft   = 1.3 // how many times its parts a total is at most: else they are a selection
)

// row is a row of a table.
type row struct {
	label        string
	total, plain bool // the label says that it is a total, and no more
	filled       int  // cells that are not empty
	cells        []cell
}

// cell is a cell of a table.
type cell struct {
	num
	row  *row
	text string
	of   string // the unit or the word behind the number
	is   bool   // it is a number
}

var (
	// sums are words that say that a row is a total, and notSums words of columns whose
	// totals are none.
	sums = fold.WordSet("total totals sum subtotal subtotals sub-total grand-total σ ∑ gesamt gesamtsumme summe zwischensumme insgesamt totale suma итого всего " +
		"toplam razem 合计 总计 小计 合計 総計 小計 총계 합계")
	notSums = fold.WordSet("median highest largest lowest smallest unique distinct rate rates score scores latency percentile percent percentage % p50 p90 p95 p99 peak mean " +
		"average avg ratio coverage best worst cumulative running remaining max min maximum minimum price id version per geomean pass-rate share change delta " +
		"δ growth factor weight rank year status progress efficiency speedup improvement reduction roi margin vs difference diff savings saved team modified " +
		"changed touched weeks days months duration timeline schedule parallel")
)

// notSum tells whether a header or label names what is not added up.
func notSum(s string) bool {
	words := strings.FieldsFunc(fold.Case(s), func(r rune) bool {
		return !strings.ContainsRune("%-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.ContainsFunc(words, func(w string) bool { return notSums[w] })
}

// isTotal tells whether a label says that its row is a total: its first or last word
// does. It is plain if it says no more.
func isTotal(label string) (total, plain bool) {
	label, _, noted := strings.Cut(label, "(")
	w := strings.Fields(strings.ToLower(strings.Trim(label, " :.")))
	if n := len(w); n == 0 || n > 4 {
		return false, false
	}
	last := w[len(w)-1]
	total = (sums[w[0]] || sums[last] && last != "sum" || w[0] == "grand") && !notSum(label)
	return total, total && !noted && (len(w) == 1 && sums[w[0]] || w[0] == "grand" && len(w) == 2)
}

// table checks the totals of a table.
func (f *finder) table(t *markdown.Table) {
	n := len(t.Header)
	if len(t.Rows) > maxRows || n > maxColumns || n < 2 || len(t.Rows) < 3 {
		return
	}
	rows, totals := make([]row, len(t.Rows)), false
	for i, texts := range t.Rows {
		r := &rows[i]
		for _, text := range texts[:min(2, len(texts))] {
			r.label = cmp.Or(r.label, text)
		}
		r.total, r.plain = isTotal(r.label)
		totals = totals || r.total
	}
	if !totals {
		return
	}
	cells := make([]cell, n*len(rows))
	for i, texts := range t.Rows {
		r := &rows[i]
		r.cells = cells[i*n:][:n]
		for j, text := range texts {
			r.cells[j] = readCell(text)
			r.cells[j].row = r
			r.filled += btoi(text != "")
		}
	}
	for i := 2; i < len(rows); i++ {
		if rows[i].total && len(t.Rows[i]) == n {
			f.total(t, rows[:i+1], t.RowNos[i])
		}
	}
}

// readCell reads a cell: a number with its unit or one word.
func readCell(text string) cell {
	c := cell{text: text}
	if len(text) > maxCell {
		return c
	}
	at, minus := 0, false
	for _, sign := range []string{"+", "-", "−", "–"} {
		if strings.HasPrefix(text[at:], sign) {
			at, minus = at+len(sign), sign != "+"
		}
	}
	if at += currency(text, at); !isDigit(byteAt(text, at)) {
		return c
	}
	var ok bool
	if c.num, ok = numberAt(text, at); !ok || c.thousands() && !c.unit.isTime() {
		return c
	}
	if c.unit != nil {
		c.of = fmt.Sprint(c.unit.of, c.unit.low)
	}
	rest := strings.TrimSpace(text[c.end:])
	if e := wordAt(rest, 0); e > 0 && e == len(rest) {
		c.of += strings.TrimSuffix(fold.Case(rest), "s")
	} else if r := []rune(rest); rest != "" && !(len(r) < 3 && unicode.Is(unicode.So, r[0])) {
		return c
	}
	if c.is = true; minus {
		c.value = -c.value
	}
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

// total checks the last of some rows, which says to be a total. It is believed if it
// holds in one column, or if it is wrong in only one and its label leaves no doubt.
func (f *finder) total(t *markdown.Table, rows []row, line int) {
	good := 0
	var bad []int
	grades, should := [maxColumns]grade{}, [maxColumns]float64{}
	last := &rows[len(rows)-1]
	for j := 1; j < len(t.Header); j++ {
		if !last.cells[j].is {
			continue
		}
		switch should[j], grades[j] = expected(rows, j); {
		case grades[j] == holds:
			good += btoi(should[j] != 0)
		case grades[j] != unknown && !notSum(t.Header[j]):
			bad = append(bad, j)
		}
	}
	if len(bad) > max(good, 1) {
		return
	}
	for _, j := range bad {
		left := last.cells[j].value > mostLeft*should[j] // rows may be left out
		if good > 0 && (last.plain || !left) || grades[j] == wrong && last.plain && !left {
			f.wrongTotal(t.Header[j], &last.cells[j], j, line, should[j])
		}
	}
}

// expected gives what the last row should say in column j, and whether it does in some
// reading: the sum of the cells above up to the total before, of all that are no totals,
// or of the totals.
func expected(rows []row, j int) (want float64, is grade) {
	t, larger := &rows[len(rows)-1].cells[j], 0
	var readings [3][]*cell
	for i := len(rows) - 2; i >= 0; i-- {
		c := &rows[i].cells[j]
		switch {
		case !c.is && strings.Trim(c.text, " -–—") != "" && !strings.EqualFold(c.text, "n/a") && !strings.EqualFold(c.text, "none"):
			return 0, unknown
		case !c.is:
		case rows[i].total:
			readings[2] = append(readings[2], c)
		default:
			readings[1] = append(readings[1], c)
			if larger += btoi(c.value >= t.value); len(readings[2]) == 0 {
				readings[0] = append(readings[0], c)
			}
		}
	}
	if t.percent() {
		return 0, unknown
	}
	for _, part := range readings {
		if len(part) < 2 {
			continue
		}
		v, tolerance, ok := add(part, t)
		at := func(x float64) bool { return math.Abs(x-t.value) <= tolerance }
		switch {
		case ok && (at(v) || at(-v)):
			return v, holds
		case !ok || v == 0 || t.value == float64(len(part)) || slices.ContainsFunc(part, func(c *cell) bool { return at(c.value) }):
			return v, unknown // it counts the rows, or says what stands there before or behind all
		case is == unknown:
			want, is = v, wrong
		}
		if doubted(part, v, at) {
			is = doubtful
		}
	}
	// What takes days overlaps, and so do parts of a second. What a part exceeds is a mean.
	overlaps := t.unit.isTime() && (t.unit.low >= 86400 || t.unit.low < 1 || t.unit.low == 1 && want > t.value)
	if overlaps || larger > 1 || larger == 1 && !t.row.plain {
		is = unknown
	}
	return want, is
}

// doubted tells whether a sum v may be too large since a cell is the sum of those right
// below it. part begins with the last row.
func doubted(part []*cell, v float64, at func(float64) bool) bool {
	parents, first := 0, part[len(part)-1].value // it may stand for all, or be what was before
	for k, c := range part {
		sum := 0.0
		for i := k - 1; i >= max(0, k-maxNested); i-- {
			if sum += part[i].value; i < k-1 && math.Abs(sum-c.value) < c.ulp/2 {
				if at(v - c.value) {
					return true
				}
				parents += btoi(c.row.filled < part[k-1].row.filled)
				break
			}
		}
	}
	return parents > 1 || 3*first > v && at(v-first)
}

// add computes the sum of cells in the form of t, with the error that their digits
// allow, if they count the same. Without a word or unit all have that of the total.
func add(part []*cell, t *cell) (v, tolerance float64, ok bool) {
	of, ulp, whole := part[0].of, t.ulp, t.ulp == 1
	for _, c := range part {
		if c.of != of && !(c.of == "" && c.value == 0) || of != t.of && of != "" && t.of != "" {
			return 0, 0, false
		}
		v, ulp, whole = v+c.value, max(ulp, c.ulp), whole && c.ulp == 1
	}
	if !whole { // what is added may be rounded
		tolerance = ulp * max(1, float64(len(part)+1)/2)
	}
	return v, tolerance*1.001 + 1e-9*math.Abs(v), true
}

// wrongTotal adds the finding that cell c of column j should say want.
func (f *finder) wrongTotal(header string, c *cell, j, line int, want float64) {
	rest := strings.TrimRight(c.text[c.end:], " ")
	stated, right := c.text[c.from:c.end]+rest, like(want, c.text, &c.num)+rest
	column := fmt.Sprintf("the column %q", header)
	if header == "" {
		column = fmt.Sprintf("column %d", j+1)
	}
	f.add(line, stated, fmt.Sprintf("%s adds up to %s, the total says %s", column, right, stated))
}
