package arithmetic

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxStated bounds the numbers of a summary that are looked up.
const maxStated = 1000

// Unbacked lists the numbers that a summary states and the document backs
// nowhere. A number is backed if the document states it in any form (digits or
// words, rounded, in another unit), if it is the sum of a column, the count of
// a list's items, of a table's rows or of sections, or the percentage of a
// part of a whole that the document names. Years, labels (phase 2), names and
// numbers up to 2 state nothing. Lines are those of the summary.
func Unbacked(doc *markdown.Doc, summary string) []Finding {
	r := reader{doc: markdown.Parse(summary)}
	var f *facts
	stated := 0
	for i := range r.doc.Lines {
		l := &r.doc.Lines[i]
		if l.Kind == markdown.Code || len(l.Text) > maxLine {
			continue
		}
		r.at = i
		r.read(l.Text, l.InlineCode, quantity.Comma(l.Text))
		for k := range r.toks {
			t := &r.toks[k]
			if !r.number(k) || r.labelled(k) || year(t) || math.Abs(t.Value) <= 1 || t.Spelled && (t.Value < 3 || k+1 == len(r.toks) || r.toks[k+1].Kind != quantity.Word) {
				continue
			}
			if stated++; stated > maxStated {
				return r.found
			}
			if f == nil {
				f = factsOf(doc)
			}
			if !f.back(t) && !r.listed(k) {
				to := k
				for to+1 < len(r.toks) && to < k+3 && r.toks[to+1].Kind == quantity.Word {
					to++
				}
				r.report(Finding{Line: l.No, Kind: "unbacked", Text: l.Text[t.From:r.toks[to].End], states: l.Text[t.From:t.End], quoted: true})
			}
		}
	}
	return r.found
}

// listed tells whether the number counts what the text lists behind it:
// "three modules (a.go, b.go, c.go)".
func (r *reader) listed(i int) bool {
	items := 1
	for k := i + 1; k < len(r.toks); k++ {
		if r.mark(k) == '.' && k+1 < len(r.toks) && r.toks[k].End < r.toks[k+1].From {
			break
		}
		if r.mark(k) == ',' || r.low[k] == "and" && r.mark(k-1) != ',' {
			items++
		}
	}
	return items > 2 && float64(items) == r.toks[i].Value
}

// facts are the numbers that a document backs, in ascending order.
type facts struct {
	plain    []float64            // as written, and what is counted or added up
	measured map[string][]float64 // in base units, by what is measured
	shares   []float64            // percentages, stated or of a part of a whole
}

// factsOf collects the numbers of a document, its code included.
func factsOf(doc *markdown.Doc) *facts {
	f := &facts{measured: map[string][]float64{}}
	f.count(len(doc.Tables), len(doc.Lists), len(doc.Sections)-1, len(doc.Code))
	sections := map[[2]int]int{}
	for i := range doc.Sections {
		sections[[2]int{doc.Sections[i].Up, doc.Sections[i].Level}]++
	}
	for _, n := range sections {
		f.count(n)
	}
	for i := range doc.Lists {
		checked := 0
		for _, it := range doc.Lists[i].Items {
			if it.Checked != nil && *it.Checked {
				checked++
			}
		}
		f.count(len(doc.Lists[i].Items), checked)
	}
	r := reader{doc: doc}
	for i := range doc.Tables {
		f.count(len(doc.Tables[i].Rows), len(doc.Tables[i].Header))
		f.columns(&r, &doc.Tables[i])
	}
	var toks []quantity.Token
	for i := range doc.Lines {
		s := doc.Lines[i].Text
		toks = quantity.Lex(s, toks[:0], quantity.Comma(s))
		last := -1
		for k := range toks {
			if toks[k].Kind != quantity.Number {
				continue
			}
			f.add(&toks[k])
			if last >= 0 && k-last <= 6 { // 38 of 42
				f.ratio(&toks[last], &toks[k])
			}
			last = k
		}
	}
	slices.Sort(f.plain)
	slices.Sort(f.shares)
	for _, list := range f.measured {
		slices.Sort(list)
	}
	return f
}

func (f *facts) count(n ...int) {
	for _, n := range n {
		f.plain = append(f.plain, float64(n))
	}
}

// columns adds the sums of the columns of a table.
func (f *facts) columns(r *reader, t *markdown.Table) {
	if len(t.Rows) > maxRows || len(t.Header) > maxColumns {
		return
	}
	g := r.tableGrid(t)
	for j := range g.header {
		all, size, unit := 0.0, 0.0, ""
		for i := range g.rows {
			if c := g.cell(i, j); c != nil && g.rows[i].sum == "" {
				all, size = all+c.Value, size+c.size()
				if c.Unit != nil {
					unit = c.Unit.Of
				}
			}
		}
		f.plain = append(f.plain, all)
		if unit != "" {
			f.measured[unit] = append(f.measured[unit], size)
		}
	}
}

func (f *facts) add(t *quantity.Token) {
	v := math.Abs(t.Value)
	f.plain = append(f.plain, v)
	if t.Unit == nil {
		return
	}
	if percent(t) {
		f.shares = append(f.shares, v, 100-v)
		return
	}
	f.measured[t.Unit.Of] = append(f.measured[t.Unit.Of], v*t.Unit.Low, v*t.Unit.High)
}

// ratio adds the percentage that one number is of the next, and what is left.
func (f *facts) ratio(a, b *quantity.Token) {
	if a.Value > 0 && b.Value >= a.Value && sameKind(a, b) {
		p := 100 * a.Value / b.Value
		f.shares = append(f.shares, p, 100-p)
	}
}

// back tells whether the document backs a number of the summary.
func (f *facts) back(t *quantity.Token) bool {
	v, slack := math.Abs(t.Value), t.Ulp
	if t.Approx || t.Bound != quantity.Exact {
		slack = max(slack, v/10)
	}
	if t.Decimals == 0 && t.Ulp == 1 && !t.Approx && t.Bound == quantity.Exact && t.Unit == nil {
		slack = 1e-9
	}
	if percent(t) {
		return within(f.shares, v, slack) || within(f.plain, v/100, slack/100)
	}
	if t.Unit != nil && within(f.measured[t.Unit.Of], v*t.Unit.Low, max(slack*t.Unit.Low, v*(t.Unit.High-t.Unit.Low))) {
		return true
	}
	if within(f.plain, v, slack) {
		return true
	}
	if t.Unit == nil || len(t.Unit.Of) == 3 { // 2.1 million of 2,100 thousand
		return v >= 1000 && (within(f.plain, v/1000, slack/1000) || within(f.plain, v/1e6, slack/1e6))
	}
	return false
}

// within tells whether a value of an ascending list differs from v by no more
// than half of slack above and slack below.
func within(list []float64, v, slack float64) bool {
	tiny := 1e-9 * math.Abs(v)
	i, _ := slices.BinarySearch(list, v-slack/2-tiny)
	return i < len(list) && list[i] < v+slack+tiny
}
