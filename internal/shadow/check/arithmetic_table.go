package check

import (
	"math/big"
	"strings"
)

// otherAggregates mark a row or a column that sums up in another way, or
// whose numbers cannot be added.
var otherAggregates = wordSet(`average avg mean median mode max maximum min minimum p50 p75 p90 p95 p99 percentile stddev variance unique distinct
	rate rates ratio ratios percent percentage pct priority version versions id ids score scores rating ratings coverage latency duration
	time elapsed wall clock date dates year years rank level severity confidence probability likelihood impact speed throughput rps qps per
	cumulative running change delta diff growth port index no nr number status density temperature accuracy precision recall f1
	uptime availability target threshold limit limits peak phase week day order step estimate range capacity utilisation utilization
	efficiency margin concurrency parallel start end from to`)

// rowAggregates begin the label of a row that is no addend.
var rowAggregates = wordSet(`average avg mean median mode max maximum min minimum p50 p75 p90 p95 p99 stddev variance`)

// shareColumns are headers of columns whose percentages are parts of a whole.
var shareColumns = wordSet(`share shares % percent percentage pct proportion portion split distribution allocation anteil`)

// selectionWords say that a table does not show everything.
var selectionWords = wordSet(`top selected selection sample samples excerpt largest biggest main examples example some partial partially notable highlights`)

// cell is what a table cell is to a sum.
type cell struct {
	kind  cellKind
	num   number
	neg   bool
	share *number // the percentage in "24 (38%)"
}

type cellKind uint8

const (
	cellText   cellKind = iota // no number, or one that is not meant exactly
	cellNone                   // empty, a dash, "none"
	cellNumber                 //
)

// grid is a table, read for sums.
type grid struct {
	t      *Table
	cells  [][]cell // by row, as long as the header
	kinds  []rowKind
	label  int // column of the labels
	heads  []head
	blamed int // a column of shares of which one is wrong, so that their sum is too; 0 if none
}

type rowKind uint8

const (
	rowPlain rowKind = iota
	rowTotal
	rowSubtotal
	rowOther // an average and the like: neither summed nor a sum
)

func (c *checker) tables() {
	for i := range c.t.Tables {
		t := &c.t.Tables[i]
		if len(t.Rows) < 2 || len(t.Header) < 2 || len(c.found) >= maxFindings || c.selects(t) {
			continue
		}
		row, col := c.hasTotal(t)
		if row < 0 && col < 0 {
			continue
		}
		g := c.grid(t)
		if row >= 0 && !g.nested() {
			c.shareColumn(&g)
			for col := range t.Header {
				c.column(&g, col)
			}
		}
		if col >= 0 {
			c.rowSums(&g, col)
		}
	}
}

// selects tells whether a table's header or lead-in says that it shows only
// some of what it sums up.
func (c *checker) selects(t *Table) bool {
	if t.LeadIn >= 0 && containsWord(c.t.Lines[t.LeadIn].Text, selectionWords) {
		return true
	}
	return containsWord(t.Header[0], selectionWords)
}

// hasTotal finds out whether some row is a total, and which column is; -1 if
// none.
func (c *checker) hasTotal(t *Table) (row, col int) {
	row, col = -1, -1
	for i, h := range t.Header {
		if i > 0 && totalLabel(h) == rowTotal {
			col = i
			break
		}
	}
	for i, r := range t.Rows {
		for k := 0; k < len(r) && k < 2; k++ {
			if kind := totalLabel(r[k]); kind == rowTotal || kind == rowSubtotal {
				return i, col
			}
		}
	}
	return row, col
}

// totalLabel tells what a label says about its row or column.
func totalLabel(s string) rowKind {
	if len(s) > 40 || s == "" {
		return rowPlain
	}
	if strings.TrimSpace(s) == "Σ" || strings.TrimSpace(s) == "∑" {
		return rowTotal
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWordRune(r) && r != '%' })
	if len(words) == 0 || len(words) > 4 {
		return rowPlain
	}
	if rowAggregates[words[0]] {
		return rowOther
	}
	kind, other := rowPlain, false
	for i, w := range words {
		other = other || otherAggregates[w]
		switch {
		case w == "subtotal" || w == "sub" && i+1 < len(words) && words[i+1] == "total":
			return rowSubtotal
		case totalWords[w] && (i == 0 || i == len(words)-1 || words[0] == "grand"):
			kind = rowTotal
		}
	}
	if kind != rowPlain && other {
		return rowOther // total time, overall rate
	}
	return kind
}

// grid reads the cells of t.
func (c *checker) grid(t *Table) grid {
	g := grid{t: t, cells: make([][]cell, len(t.Rows)), kinds: make([]rowKind, len(t.Rows)), heads: make([]head, len(t.Header))}
	for k, h := range t.Header {
		g.heads[k] = headOf(h)
	}
	for r, row := range t.Rows {
		g.cells[r] = make([]cell, len(row))
		for k := range row {
			if k < 2 {
				if kind := totalLabel(row[k]); kind != rowPlain && g.kinds[r] == rowPlain {
					g.kinds[r] = kind
					g.label = max(g.label, k)
				}
			}
			g.cells[r][k] = c.cell(row[k])
		}
	}
	return g
}

// at is the cell in row r and column k; rows may be short.
func (g *grid) at(r, k int) *cell {
	if k < len(g.cells[r]) {
		return &g.cells[r][k]
	}
	return &cell{kind: cellNone}
}

// nested tells whether some rows are parts of other rows, or stand for rows
// that are left out.
func (g *grid) nested() bool {
	for _, row := range g.t.Rows {
		if len(row) == 0 {
			continue
		}
		s := strings.ToLower(row[0])
		for _, p := range [...]string{"of which", "thereof", "incl", "davon", "└", "├", "↳", "→", "- ", "– ", "…", "...", "•", "·"} {
			if strings.HasPrefix(s, p) {
				return true
			}
		}
	}
	return false
}

// cell reads the number of a cell: "24", "**64** tests", "$1,200", "24 (38%)",
// "✅ 3".
func (c *checker) cell(text string) cell {
	switch text {
	case "", "-", "–", "—", "―", "n/a", "N/A", "none", "None", "0":
		return cell{kind: cellNone}
	}
	if !isDigit(text[len(text)-1]) || !isDigit(text[0]) || len(text) > 9 {
		return c.longCell(text)
	}
	n := number{} // the common case, without tokens
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) || text[0] == '0' {
			return c.longCell(text)
		}
		n.mant = n.mant*10 + int64(text[i]-'0')
	}
	return cell{kind: cellNumber, num: n}
}

func (c *checker) longCell(text string) cell {
	l := &c.lex
	if !l.read(text, nil) {
		return cell{}
	}
	i := 0
	for l.kindAt(i) == tokPunct && i < len(l.toks) && l.toks[i].mark > 0x2000 { // ✅
		i++
	}
	cl := cell{kind: cellNumber}
	if l.kindAt(i) == tokOp && (l.toks[i].mark == '-' || l.toks[i].mark == '+') {
		cl.neg = l.toks[i].mark == '-'
		i++
	}
	if i >= len(l.toks) || l.kindAt(i) != tokNumber || !l.exact(i) {
		return cell{}
	}
	cl.num = l.toks[i].num
	if cl.num.loose && cl.num.sep == 0 && cl.num.dec == 0 {
		return cell{}
	}
	i++
	for k := 0; l.kindAt(i) == tokWord && k < 3; k++ {
		i++
	}
	for l.kindAt(i) == tokPunct && i < len(l.toks) && l.toks[i].mark > 0x2000 {
		i++
	}
	if l.kindAt(i) == tokOpen && l.percentAt(i+1) && l.kindAt(i+2) == tokClose && i+3 == len(l.toks) {
		p := l.toks[i+1].num
		cl.share = &p
		return cl
	}
	if k := l.remark(i); l.kindAt(i) == tokOpen && k > 0 {
		i = k + 1
	}
	if i < len(l.toks) {
		return cell{}
	}
	return cl
}

// head is what the header of a column says about its numbers.
type head struct {
	share bool // they are parts of a whole
	other bool // they cannot be added up
}

func headOf(header string) head {
	h, rate := head{share: strings.Contains(header, "%")}, false
	eachWord(header, func(w string) {
		h.share = h.share || shareColumns[w]
		h.other = h.other || otherAggregates[w]
		rate = rate || rateColumns[w]
	})
	h.share = h.share && !rate
	return h
}

// tally adds up the cells of one column or row. While all are small whole
// numbers, it does so without exact arithmetic, which is what most tables
// need.
type tally struct {
	n     int // numbers
	unit  string
	mixed bool // of units
	text  bool // some cell is no number

	whole, min, max int64 // sum, least and greatest, unless exact is set

	exact     bool
	sum       *big.Rat
	lo, hi    *big.Rat
	slack     *big.Rat // what rounding of the numbers may account for
	fractions bool
	halves    bool // every fraction is a half
}

// maxSmall bounds what is added up in machine words: 256 Ki cells of it fit.
const maxSmall = 1 << 40

func (t *tally) add(cl *cell) {
	switch cl.kind {
	case cellText:
		t.text = true
		return
	case cellNone:
		return
	}
	if t.n == 0 {
		t.unit = cl.num.unit
	}
	t.mixed = t.mixed || t.unit != cl.num.unit
	t.n++
	if !t.exact && cl.small() && !cl.num.percent() && t.n < 1<<20 {
		v := cl.num.mant
		if cl.neg {
			v = -v
		}
		t.whole += v
		if t.n == 1 {
			t.min, t.max = v, v
		}
		t.min, t.max = min(t.min, v), max(t.max, v)
		return
	}
	t.goExact()
	v := cl.value()
	t.sum.Add(t.sum, v)
	if t.lo == nil || v.Cmp(t.lo) < 0 {
		t.lo = v
	}
	if t.hi == nil || v.Cmp(t.hi) > 0 {
		t.hi = v
	}
	if cl.num.dec > 0 || cl.num.percent() {
		t.fractions = true
		t.halves = t.halves && cl.num.dec == 1 && cl.num.mant%5 == 0
		half := cl.num.ulp()
		t.slack.Add(t.slack, half.Quo(half, big.NewRat(2, 1)))
	}
}

// goExact turns to exact arithmetic.
func (t *tally) goExact() {
	if t.exact {
		return
	}
	t.exact, t.halves = true, true
	t.sum, t.slack = big.NewRat(t.whole, 1), new(big.Rat)
	if t.n > 1 {
		t.lo, t.hi = big.NewRat(t.min, 1), big.NewRat(t.max, 1)
	}
}

// total is the sum.
func (t *tally) total() *big.Rat {
	t.goExact()
	return t.sum
}

// small tells whether cl is a whole number that fits a machine word.
func (cl *cell) small() bool {
	return cl.num.wide == nil && cl.num.dec == 0 && cl.num.mant < maxSmall
}

func (cl *cell) value() *big.Rat {
	v := cl.num.rat()
	if cl.neg {
		v.Neg(v)
	}
	return v
}

// fits tells whether total is the tally's sum, up to rounding.
func (t *tally) fits(total *cell) bool {
	if !t.exact && total.small() {
		return t.whole == total.num.mant && !total.neg || t.whole == -total.num.mant && total.neg
	}
	t.goExact()
	v := exactly(t.sum)
	if t.fractions && !t.halves && !total.num.currency {
		v = interval{new(big.Rat).Sub(t.sum, t.slack), new(big.Rat).Add(t.sum, t.slack)}
	}
	return shows(v, &total.num, total.neg, false, false)
}

// isOther tells whether total sums the tally up in some other way: it is the
// largest, smallest, mean, or how many there are.
func (t *tally) isOther(total *cell) bool {
	if t.n == 0 {
		return true
	}
	n := int64(t.n)
	if !t.exact && total.small() {
		v := total.num.mant
		if total.neg {
			v = -v
		}
		off := t.whole - v*n // from the mean, n times
		return v == t.min || v == t.max || v == n || 2*off <= n && -2*off <= n || off > 0 && off < n && v >= 0
	}
	t.goExact()
	for _, v := range [...]*big.Rat{t.lo, t.hi, big.NewRat(n, 1), new(big.Rat).Quo(t.sum, big.NewRat(n, 1))} {
		if shows(exactly(v), &total.num, total.neg, false, false) {
			return true
		}
	}
	return false
}

// column checks the totals of column k.
func (c *checker) column(g *grid, k int) {
	if k <= g.label || k == g.blamed {
		return
	}
	all, since, subs, others := new(tally), new(tally), new(tally), new(tally)
	for r := range g.t.Rows {
		cl := g.at(r, k)
		switch g.kinds[r] {
		case rowPlain:
			all.add(cl)
			since.add(cl)
			others.add(cl)
		case rowOther:
			others.add(cl) // "Max" may be a name
		case rowSubtotal:
			c.total(g, r, k, since, since)
			subs.add(cl)
			since = new(tally)
		case rowTotal:
			if r == 0 {
				c.totalOnTop(g, k)
				return
			}
			c.total(g, r, k, all, since, subs, others)
			since = new(tally)
		}
		if all.text || len(c.found) >= maxFindings {
			return
		}
	}
}

// totalOnTop checks column k where the first row is the total.
func (c *checker) totalOnTop(g *grid, k int) {
	below := new(tally)
	for r := 1; r < len(g.t.Rows); r++ {
		if g.kinds[r] != rowPlain && g.kinds[r] != rowOther {
			return
		}
		if g.kinds[r] == rowPlain {
			below.add(g.at(r, k))
		}
	}
	if !below.text {
		c.total(g, 0, k, below)
	}
}

// total checks the total in row r and column k against the tallies that it may
// be the sum of. The first one is the likeliest.
func (c *checker) total(g *grid, r, k int, tallies ...*tally) {
	total := g.at(r, k)
	main := tallies[0]
	if total.kind != cellNumber || main.text || main.n < 2 {
		return
	}
	for _, t := range tallies {
		if t.n > 0 && t.fits(total) {
			return
		}
	}
	if main.mixed || total.num.unit != main.unit && total.num.unit != "" || total.num.unit == "" && main.unit == "%" || scales[main.unit] && total.num.unit != main.unit || main.isOther(total) {
		return
	}
	if main.unit == "%" {
		if total.num.dec > 0 || total.num.mant != 100 || !g.heads[k].share {
			return
		}
	} else if g.heads[k].other {
		return
	}
	name := g.t.Header[k]
	if name == "" {
		name = "column"
	}
	c.add(Finding{Line: g.t.RowNos[r], Claim: shorten(labelOf(g, r) + " of " + name + ": " + g.t.Rows[r][k]),
		States: g.t.Rows[r][k], ShouldBe: format(main.total(), &total.num)})
}

// rateColumns are headers of percentages that are no parts of a whole.
var rateColumns = wordSet(`rate coverage pass passed success done complete completed completion progress growth change discount tax vat utilization utilisation`)

// labelOf is the label of row r.
func labelOf(g *grid, r int) string {
	for k := 0; k <= g.label && k < len(g.t.Rows[r]); k++ {
		if totalLabel(g.t.Rows[r][k]) != rowPlain {
			return g.t.Rows[r][k]
		}
	}
	return g.t.Rows[r][0]
}

// rowSums checks the column k, headed "Total", against the numbers left of it
// in each row. Which columns belong to it is not certain, so a row counts as
// wrong only where as many rows at least are right.
func (c *checker) rowSums(g *grid, k int) {
	right := 0
	var wrong []int
	var sums []*big.Rat
	from, to := 1, k
	if k == 1 { // the total comes first
		from, to = 2, len(g.t.Header)
	}
	cols := make([]int, 0, 8)
	for j := from; j < to; j++ {
		if totalLabel(g.t.Header[j]) == rowPlain && !g.heads[j].other && g.numeric(j) {
			cols = append(cols, j)
		}
	}
	if len(cols) < 2 {
		return
	}
	for r := range g.t.Rows {
		total := g.at(r, k)
		if total.kind != cellNumber || total.num.percent() || g.kinds[r] == rowOther {
			continue
		}
		t := new(tally)
		for _, j := range cols {
			t.add(g.at(r, j))
		}
		if t.text || t.mixed || t.n < 2 {
			continue
		}
		if t.fits(total) {
			right++
		} else {
			wrong = append(wrong, r)
			sums = append(sums, t.total())
		}
	}
	if right == 0 || right < len(wrong) {
		return
	}
	for i, r := range wrong {
		c.add(Finding{Line: g.t.RowNos[r], Claim: shorten(g.t.Rows[r][0] + ", " + g.t.Header[k] + ": " + g.t.Rows[r][k]),
			States: g.t.Rows[r][k], ShouldBe: format(sums[i], &g.at(r, k).num)})
	}
}

// numeric tells whether column j holds numbers, and nothing else but gaps.
func (g *grid) numeric(j int) bool {
	n := 0
	for r := range g.t.Rows {
		switch g.at(r, j).kind {
		case cellText:
			return false
		case cellNumber:
			n++
		}
	}
	return n > 0
}
