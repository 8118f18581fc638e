package check

import "strings"

// otherAggregates mark a row or a column that sums up in another way, or
// whose numbers cannot be added.
var otherAggregates = wordSet(`average avg mean median mode max maximum min minimum p50 p75 p90 p95 p99 percentile stddev stdev value values variance unique distinct
	rate rates ratio ratios percent percentage pct priority version versions id ids score scores rating ratings coverage latency duration
	time elapsed wall clock date dates year years rank level severity confidence probability likelihood impact speed throughput rps qps per
	cumulative running growth port index no nr number status density temperature accuracy precision recall f1
	uptime availability target threshold limit limits peak phase week day order step estimate range capacity utilisation utilization
	efficiency margin timeline schedule gap wbs concurrency parallel start end from to`)

// rowAggregates begin the label of a row that is no addend.
var rowAggregates = wordSet(`weighted moving average avg mean median mode max maximum min minimum p50 p75 p90 p95 p99 stddev stdev variance`)

// shareColumns are headers of columns whose percentages are parts of a whole.
var shareColumns = wordSet(`share shares % percent percentage pct proportion portion split distribution allocation anteil`)

// selectionWords say that a table does not show everything.
var selectionWords = wordSet(`top selected selection sample samples excerpt largest biggest main examples example some partial partially notable highlights`)

// metricWords head the labels of figures that have nothing to do with each
// other.
var metricWords = wordSet(`metric metrics measure measures statistic statistics stat property properties field attribute parameter kpi indicator
	setting key characteristic check checks verification assertion`)

// cell is what a table cell is to a sum.
type cell struct {
	kind  cellKind
	num   number
	neg   bool
	of    *number // the whole in "24/30"
	share *number // the percentage in "24 (38%)"
	paren bool    // "(300)", which is negative in accounts
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
	sums   bool // the total of some column does
	blamed int  // a column of shares of which one is wrong, so that their sum is too; 0 if none
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
		if len(t.Rows) < 2 || len(t.Header) < 2 || len(c.found) >= maxFindings || c.selects(t) || c.excused(t) {
			continue
		}
		c.aggregates(t)
		c.products(t)
		row, col := c.hasTotal(t)
		if row < 0 {
			c.splitColumn(t)
		}
		if row < 0 && col < 0 {
			continue
		}
		g := c.grid(t)
		if row >= 0 && !g.nested() {
			c.shareColumn(&g)
			c.ratioColumns(&g)
			before := len(c.found)
			for col := range t.Header {
				c.column(&g, col)
			}
			if len(c.found)-before > 3 && !g.sums {
				c.found = c.found[:before] // weighted, or of more than is shown
			}
			if g.kinds[0] == rowTotal {
				c.totalsOnTop(&g)
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
	return containsWord(t.Header[0], selectionWords) || containsWord(t.Header[0], metricWords)
}

// excuses are words by which the text around a table says that its sums need
// not add up.
var excuses = wordSet(`overlap overlaps overlapping rounding rounded duplicates double-counted deduplicated excluding excludes excluded omitted
	unlisted truncated`)

// excused tells whether one of the two lines behind t excuses its sums.
func (c *checker) excused(t *Table) bool {
	for i, n := t.Line+len(t.Rows)+1, 0; i < len(c.t.Lines) && n < 2; i, n = i+1, n+1 {
		l := &c.t.Lines[i]
		if l.Kind == Heading || l.Kind == Code || l.Section != t.Section {
			return false
		}
		if len(l.Text) <= maxLine && containsWord(l.Text, excuses) {
			return true
		}
	}
	return false
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
	if c.unmarkedTotal(t) {
		row = len(t.Rows) - 1
	}
	return row, col
}

// unmarkedTotal tells whether the last row is a total though no label says so:
// it is about "all teams", or its label is empty and its numbers alone are
// bold.
func (c *checker) unmarkedTotal(t *Table) bool {
	last := len(t.Rows) - 1
	row := t.Rows[last]
	if last < 2 || len(row) < 2 {
		return false
	}
	for _, other := range t.Rows[:last] {
		if len(other) > 0 && strings.HasPrefix(strings.ToLower(other[0]), "all ") {
			return false // all open, all closed
		}
	}
	if all, rest, ok := strings.Cut(strings.ToLower(row[0]), " "); ok && all == "all" && len(strings.Fields(rest)) < 3 && !hasDigit(rest) && !strings.Contains(rest, "(") {
		return true
	}
	return row[0] == "" && strings.Contains(c.source(t.RowNos[last]), "**") && !strings.Contains(c.source(t.RowNos[last-1]), "**")
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
		other = other || w == "excl" || w == "excluding" || w == "without" || i > 0 && isDigit(w[0]) && totalWords[words[0]] || otherAggregates[w]
		switch {
		case w == "subtotal" || w == "sub" && i+1 < len(words) && words[i+1] == "total":
			return rowSubtotal
		case w == "sum" && i > 0: // prefix sum
		case totalWords[w] && (i == 0 || i == len(words)-1 || words[0] == "grand"):
			kind = rowTotal
		}
	}
	if kind == rowTotal && len(words) > 2 && words[0] == "total" {
		return rowOther // total archival candidates
	}
	if kind != rowPlain && other {
		return rowOther // total time, overall rate
	}
	return kind
}

// namesTotal tells whether a label names what is totalled, as in "Total
// requests".
func namesTotal(label string) bool {
	words := strings.Fields(strings.ToLower(label))
	return len(words) > 1 && totalWords[words[0]]
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
			// "Total requests" in the middle is one figure among others.
			if g.kinds[r] == rowTotal && k == g.label && r > 0 && r < len(t.Rows)-1 && namesTotal(row[k]) {
				g.kinds[r] = rowOther
			}
		}
	}
	if last := len(t.Rows) - 1; g.kinds[last] == rowPlain && c.unmarkedTotal(t) {
		g.kinds[last] = rowTotal
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
		s := strings.TrimLeft(strings.ToLower(row[0]), "— ")
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

// perWords behind a number mean that it counts more than once.
var perWords = wordSet(`per each every`)

func (c *checker) longCell(text string) cell {
	l := &c.lex
	if !l.read(text, nil) {
		return cell{}
	}
	i := 0
	for l.kindAt(i) == tokPunct && i < len(l.toks) && l.toks[i].mark > 0x2000 { // ✅
		i++
	}
	if l.hasBetween(i, len(l.toks), perWords) {
		return cell{kind: cellText} // 4 per test
	}
	cl := cell{kind: cellNumber}
	if l.kindAt(i) == tokOpen && l.markAt(i) == '(' && l.kindAt(len(l.toks)-1) == tokClose && len(l.toks) == i+3 {
		cl.neg, cl.paren = true, true
		i++
	}
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
	if cl.paren {
		return cl
	}
	if r, ok := l.ratioAt(i - 1); ok && r.to == len(l.toks) && cl.num.whole() && l.kindAt(i) == tokOp {
		of := l.toks[r.m].num
		cl.kind, cl.of = cellText, &of
		return cl
	}
	from := l.toks[i-1].from
	for k := 0; l.kindAt(i) == tokWord && k < 3; k++ {
		i++
	}
	if i == len(l.toks) {
		cl.num.text = l.line[from:] // 12 pd
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

	rounded bool // they are in units so large that they are rounded
}

// roundedColumns are words in the headers of columns of rounded numbers.
var roundedColumns = wordSet(`mn mio million millions bn billion billions crore lakh thousands kb kib mb mib gb gib ms`)

func headOf(header string) head {
	h, rate := head{share: strings.Contains(header, "%")}, false
	eachWord(header, func(w string) {
		h.share = h.share || shareColumns[w]
		h.other = h.other || otherAggregates[w]
		rate = rate || rateColumns[w]
		h.rounded = h.rounded || roundedColumns[w]
	})
	h.share = h.share && !rate
	return h
}
