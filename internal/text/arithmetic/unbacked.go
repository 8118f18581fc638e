package arithmetic

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// maxSummary is how much of a summary is read, in bytes.
const maxSummary = 64 << 10

// Unbacked lists the numbers that a summary states and the document backs
// nowhere. A number is backed if the document states it in any form (digits or
// words, rounded, in another unit), if it is the sum of a column, the count of
// items, rows or sections, or the percentage of a part of a whole that the
// document names. Years, labels (phase 2), limits and numbers up to 2 state
// nothing. Lines are those of the summary, of which the first 64 KiB are read.
func Unbacked(doc *markdown.Doc, summary string) []Finding {
	r := reader{doc: markdown.Parse(summary[:min(len(summary), maxSummary)])}
	f := sync.OnceValue(func() facts { return factsOf(doc) })
	for i := range r.doc.Lines {
		l := &r.doc.Lines[i]
		if l.Kind == markdown.Code || len(l.Text) > maxLine {
			continue
		}
		r.read(i)
		for k := range r.toks {
			t := &r.toks[k]
			if !r.states(k) || asWritten(doc.Source, l.Text[t.From:t.To]) || f().back(t) {
				continue
			}
			to := k
			for r.word(to+1) != "" && to < k+3 {
				to++
			}
			r.report(Finding{Line: l.No, Kind: "unbacked", Text: l.Text[t.From:r.toks[to].End], States: l.Text[t.From:t.End]})
		}
	}
	return r.found
}

// states tells whether token i is a number that states something: it is more than
// 1, and one in words counts something from 3 on.
func (r *reader) states(i int) bool {
	t := &r.toks[i]
	return r.figure(i) && math.Abs(t.Value) > 1 && (!t.Spelled || t.Value >= 3 && r.word(i+1) != "")
}

// asWritten tells whether a number stands in a text in the same characters, and
// is not a part of a longer number or a name. Most that are backed are: that
// saves reading the whole text for its numbers.
func asWritten(text, number string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], number)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		behind := strings.TrimLeft(text[at+len(number):], ".,")
		after, _ := utf8.DecodeRuneInString(behind)
		glued := len(behind) == len(text)-at-len(number) && unicode.IsLetter(after)
		begun := unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune(".,_-#@", before)
		if !begun && !glued && !unicode.IsDigit(after) {
			return true
		}
	}
}

// facts are the numbers that a document backs, by what is measured and in
// base units; "" has all of them as they are written.
type facts map[string][]float64

func factsOf(doc *markdown.Doc) facts {
	f := facts{}
	f[""] = append(f[""], float64(len(doc.Sections)-1))
	items := 0
	for i := range doc.Lines {
		if doc.Lines[i].Mark != 0 {
			items++
		} else if doc.Lines[i].Kind != markdown.Item && items > 0 {
			f[""], items = append(f[""], float64(items)), 0
		}
	}
	f[""] = append(f[""], float64(items))
	for i := range doc.Tables {
		f[""] = append(f[""], float64(len(doc.Tables[i].Rows)))
		if len(doc.Tables[i].Rows) > maxRows || len(doc.Tables[i].Header) > maxColumns {
			continue
		}
		g := readGrid(doc, &doc.Tables[i])
		for j := range g.header {
			sum, of := 0.0, ""
			for k := range g.rows {
				if c := &g.rows[k].cells[j]; c.ok && !g.rows[k].total {
					if sum += c.Value; c.Unit != nil {
						of = c.Unit.Of
					}
				}
			}
			f[of] = append(f[of], sum)
		}
	}
	var toks []quantity.Token
	for i := range doc.Lines {
		if text := doc.Lines[i].Text; len(text) > maxLine && !quantity.HasDigit(text) {
			continue // data without a number
		}
		for part := range quantity.Parts(doc.Lines[i].Text) {
			toks = quantity.Lex(part, toks[:0])
			f.add(toks)
		}
	}
	for _, list := range f {
		slices.Sort(list)
	}
	return f
}

// add adds the numbers of a line.
func (f facts) add(toks []quantity.Token) {
	last := -9
	for k := range toks {
		if toks[k].Kind != quantity.Number {
			continue
		}
		v := math.Abs(toks[k].Value)
		f[""] = append(f[""], v)
		if u := toks[k].Unit; u != nil {
			f[u.Of] = append(f[u.Of], v*u.Low, v*u.High)
		}
		if a := &toks[max(0, last)]; k-last <= 6 && a.Value > 0 && toks[k].Value >= a.Value { // 38 of 42
			share := 100 * a.Value / toks[k].Value
			f["%"] = append(f["%"], share, 100-share)
		}
		last = k
	}
}

// back tells whether the document backs a number of the summary.
func (f facts) back(t *quantity.Token) bool {
	v, slack := math.Abs(t.Value), t.Ulp
	switch {
	case t.Approx:
		slack = max(slack, v/10)
	case t.Ulp == 1 && t.Unit == nil:
		slack = 0
	}
	within := func(of string, v, slack float64) bool {
		i, _ := slices.BinarySearch(f[of], v-slack/2-1e-9*v)
		return i < len(f[of]) && f[of][i] < v+slack+1e-9*v
	}
	if u := t.Unit; u != nil && within(u.Of, v*u.Low, max(slack*u.Low, v*(u.High-u.Low))) {
		return true
	}
	if percent(t) {
		return within("%", 100-v, slack) || within("", v/100, slack/100)
	}
	return within("", v, slack) || v >= 1000 && (within("", v/1e3, slack/1e3) || within("", v/1e6, slack/1e6))
}
