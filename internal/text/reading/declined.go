package reading

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// hit is a passage that says that an item was not delivered.
type hit struct {
	t    *text
	line int32 // -1 if there is none
	why  string
	sure float64 // how much of the item it names
}

// Shares of an item's weight.
const (
	named    = 0.5  // a passage that has so much of an item is about it
	hinted   = 0.2  // so much of it beside a cue ties the cue to it
	labelled = 0.29 // so much of it alone in a heading, cell or entry names it
	near     = 0.2  // an item named less by so much is not the one meant
)

// Sizes in words.
const (
	bareClause   = 1   // a clause with no more of its own speaks of what stands before it
	shortSection = 60  // a section that may do no more than decline
	maxWindow    = 120 // words on each side of a cue that belong to its line
)

// declines finds for each item the passage that says most surely that it was
// not delivered.
func (r *Reader) declines(a *assignment) []hit {
	d := decliner{r: r, a: a, hits: make([]hit, len(a.items)), cover: cover{a: a, seen: make([]bool, len(a.stems))}, shares: make([]float64, len(a.items))}
	for i := range d.hits {
		d.hits[i].line = -1
	}
	for _, t := range []*text{r.content, r.summary} {
		if t == nil {
			continue
		}
		d.t = t
		for i := range t.cues {
			d.cue(&t.cues[i])
		}
		for i := range t.lines {
			d.line(int32(i))
		}
	}
	return d.hits
}

type decliner struct {
	r      *Reader
	a      *assignment
	t      *text
	cover  cover
	shares []float64
	hits   []hit
}

// take records a passage about an item.
func (d *decliner) take(i int, line int32, sure float64, why string) {
	if h := &d.hits[i]; h.line < 0 || sure > h.sure {
		*h = hit{t: d.t, line: line, why: why, sure: sure}
	}
}

// measure sets the shares of all items in the words that are covered so far
// and gives the greatest.
func (d *decliner) measure() float64 {
	best := 0.0
	for i := range d.a.items {
		d.shares[i] = d.cover.of(&d.a.items[i])
		best = max(best, d.shares[i])
	}
	return best
}

// cue finds the items that a cue is about.
func (d *decliner) cue(c *cue) {
	t := d.t
	if c.about == 'H' || c.about == 'P' || c.about == 'C' && !d.states(c) || t.lines[c.line].box == tickedBox || t.struck(c.line, t.words[c.from].at) || d.echoed(c) || t.lines[c.line].gaps {
		return
	}
	d.cover.reset()
	d.cover.add(t.words[c.lo:c.from])
	d.cover.add(t.words[c.to:c.hi])
	d.measure()
	beside := append([]float64(nil), d.shares...)
	d.cover.add(t.words[c.from:c.to])
	best := d.measure()
	own := append([]float64(nil), d.shares...)
	l := &t.lines[c.line]
	first := &d.r.entries[t.words[c.from].id]
	if t.doc.Lines[c.line].Kind == markdown.Heading && c.about == 'N' {
		return
	}
	if t.doc.Lines[c.line].Header >= 0 && l.row {
		d.header(c)
	}
	d.cover.add(t.words[max(l.first, c.lo-maxWindow):min(l.last, c.hi+maxWindow)])
	d.measure()
	wide := append([]float64(nil), d.shares...)
	bare := d.bare(c)
	if c.surely() {
		bare = false
	} else if bare || best >= hinted {
		d.context(c)
		d.measure()
	}
	for i := range d.a.items {
		it := &d.a.items[i]
		if note := c.about == 'L' || c.about == 'C' || c.about == 'R'; note && l.row && max(d.label(c, i), d.part(c.lo, c.from, i)) < named {
			continue
		}
		if c.opening && c.verb >= 0 && !it.opens(d.r, d.a, c.un, t.words[c.verb:min(l.last, c.verb+2)]) {
			continue
		}
		switch {
		case first.in&authors != 0 && d.labelled(c, i):
			d.take(i, c.line, named, "says that it was not done")
		case bare && d.titled(c, i), c.about == 'L' && isNamed(own[i], d.part(c.lo, c.from, i)):
			d.take(i, c.line, max(own[i], named), "says that it was not done")
		case c.narrow && d.r.silent(t.words[c.lo:c.from]) && c.about == 'B' && wide[i] >= named,
			own[i] >= c.least() && own[i] >= best-near,
			!c.surely() && wide[i] >= named && beside[i] >= hinted && own[i] >= best-near,
			!c.surely() && d.shares[i] >= named && (bare || beside[i] >= hinted && own[i] >= best-near):
			d.take(i, c.line, max(own[i], d.shares[i]), "says that it was not done")
		}
	}
}

// states tells whether a cell is in a column of states, or in a table without
// a header.
func (d *decliner) states(c *cue) bool {
	n := d.t.doc.Lines[c.line].Header
	if n < 0 {
		return true
	}
	l, h := &d.t.lines[c.line], &d.t.lines[n]
	column := 0
	for at := l.first; at < c.from; at++ {
		if d.t.words[at+1].gap >= gapCell {
			column++
		}
	}
	from := h.first
	for ; column > 0 && from < h.last; column-- {
		from = d.t.cellEnd(h, from+1)
	}
	to := d.t.cellEnd(h, from+1)
	for k := from; k < min(to, h.last); k++ {
		e := &d.r.entries[d.t.words[k].id]
		if e.in&statuses != 0 || to-from == 1 && strings.HasSuffix(e.form, "ed") {
			return true
		}
	}
	return false
}

// surely tells whether the clause of a cue itself must name the item.
func (c *cue) surely() bool { return c.narrow || c.remark || c.about == 'N' }

// least is the share of an item that the clause of a cue must have. What
// speaks of the author's own work needs less.
func (c *cue) least() float64 {
	switch {
	case c.remark:
		return plain
	case c.narrow || c.about == 'N' || c.about == 'C':
		return named
	case c.elements[0].in&authors != 0:
		return 0.25
	}
	return 0.37
}

// opens tells whether one of some words is a form of the verb that opens an
// item, or, for one that begins with un, of any word of it.
func (it *item) opens(r *Reader, a *assignment, un bool, words []word) bool {
	for _, w := range words {
		s := int(a.of[w.id])
		if _, ok := a.stems[stem(r.entries[w.id].form)]; ok && un {
			continue // the item has it as it is
		}
		for _, o := range it.opening {
			if s >= 0 && a.stems[o] == s {
				return true
			}
		}
		for _, t := range it.terms {
			if un && t.stem == s {
				return true
			}
		}
	}
	return false
}

// echoed tells whether an item uses the word that makes a cue, as a list of
// pending approvals does.
func (d *decliner) echoed(c *cue) bool {
	for k := c.from; k < c.to && c.lexical; k++ {
		id := d.t.words[k].id
		if d.r.entries[id].in&(undones|weaks|setasides) != 0 && d.a.of[id] >= 0 {
			return true
		}
	}
	return false
}

// header adds the header of a row.
func (d *decliner) header(c *cue) {
	h := &d.t.lines[d.t.doc.Lines[c.line].Header]
	d.cover.add(d.t.words[h.first:min(h.last, h.first+maxWindow)])
}

// bare tells whether the clause of a cue names nothing itself: its subject is a
// pronoun, or it has next to no words but those of items.
func (d *decliner) bare(c *cue) bool {
	if c.about == 'L' {
		return c.from == d.t.lines[c.line].first
	}
	return d.contents(c.lo, c.from)+d.contents(c.to, c.hi) <= bareClause || c.about == 'B' && d.r.silent(d.t.words[c.lo:c.from])
}

// contents counts the words between two places that are neither stop words nor
// of an item.
func (d *decliner) contents(from, to int32) int {
	n := 0
	for _, w := range d.t.words[from:to] {
		if d.r.entries[w.id].in&(stops|adverbs) == 0 && d.a.of[w.id] < 0 {
			n++
		}
	}
	return n
}

// silent tells whether some words are nothing but stop words.
func (r *Reader) silent(words []word) bool {
	for _, w := range words {
		if r.entries[w.id].in&(stops|adverbs) == 0 {
			return false
		}
	}
	return true
}

// context adds what a clause may speak of: the sentence before, the lead-in
// and the heading of a short section.
func (d *decliner) context(c *cue) {
	t, n := d.t, int(c.line)
	l := &t.doc.Lines[n]
	for _, k := range []int{n - 1, n + 1, l.Parent} {
		if k >= 0 && k < len(t.lines) && (k == l.Parent || t.doc.Lines[k].Block == l.Block) {
			d.cover.add(t.words[t.lines[k].first:min(t.lines[k].last, t.lines[k].first+maxWindow)])
		}
	}
	s := &t.doc.Sections[l.Section]
	if s.Heading >= 0 && t.lines[s.Last-1].last-t.lines[s.First].first <= shortSection {
		d.cover.add(t.words[t.lines[s.Heading].first:t.lines[s.Heading].last])
	}
}

// labelled tells whether the sentence of a cue begins with a label, before a
// colon or a dash, that names an item.
func (d *decliner) labelled(c *cue, i int) bool {
	from := d.t.sentence(&d.t.lines[c.line], c.from)
	to := from + 1
	for to < c.from && d.t.words[to].gap < gapBreak {
		to++
	}
	if to > c.from || d.t.words[to].gap < gapBreak {
		return false
	}
	mutual := d.part(from, to, i)
	d.cover.reset()
	d.cover.add(d.t.words[from:to])
	return isNamed(d.cover.of(&d.a.items[i]), mutual)
}

// titled tells whether the heading of a short section names an item.
func (d *decliner) titled(c *cue, i int) bool {
	s := &d.t.doc.Sections[d.t.doc.Lines[c.line].Section]
	if s.Heading < 0 || d.t.lines[s.Last-1].last-d.t.lines[s.First].first > shortSection {
		return false
	}
	h := &d.t.lines[s.Heading]
	mutual := d.part(h.first, h.last, i)
	d.cover.reset()
	d.cover.add(d.t.words[h.first:h.last])
	return isNamed(d.cover.of(&d.a.items[i]), mutual)
}

// line finds the items that a line declines by its form: an empty box, struck
// text, an entry of a list of what is missing.
func (d *decliner) line(n int32) {
	t := d.t
	l := &t.lines[n]
	if len(t.doc.Lines[n].Struck) > 0 {
		d.struckOut(n)
	}
	gov := t.governed(n)
	if l.box != openBox && gov == "" || l.box == tickedBox {
		return
	}
	d.cover.reset()
	d.cover.add(t.words[l.first:min(l.last, l.first+maxWindow)])
	best := d.measure()
	own := append([]float64(nil), d.shares...)
	for k := int(n) + 1; k < len(t.lines) && k < int(n)+4 && t.doc.Lines[k].Block == t.doc.Lines[n].Block; k++ {
		d.cover.add(t.words[t.lines[k].first:min(t.lines[k].last, t.lines[k].first+maxWindow)])
	}
	d.measure()
	for i := range d.a.items {
		if own[i] < hinted || own[i] < best-near {
			continue
		}
		if !isNamed(d.shares[i], d.mutual(n, i)) {
			continue
		}
		if l.box == openBox {
			d.take(i, n, d.shares[i], "leaves its box empty")
		} else {
			d.take(i, n, d.shares[i], fmt.Sprintf("lists it under %s", gov))
		}
	}
}

// label is how much of a cell beside a cue is about an item.
func (d *decliner) label(c *cue, i int) float64 {
	best := 0.0
	for at := c.lo; at < c.hi; {
		end := d.t.cellEnd(&d.t.lines[c.line], at+1)
		if c.from < at || c.from >= end {
			best = max(best, d.part(at, end, i))
		}
		at = end
	}
	return best
}

// mutual is how much of an entry is about an item: of the words before its
// first break, those that the item has.
func (d *decliner) mutual(n int32, i int) float64 {
	l := &d.t.lines[n]
	return d.part(l.first, l.last, i)
}

// isNamed tells whether a label names an item: it has most of it, or has
// nothing else.
func isNamed(share, mutual float64) bool {
	return share >= named && mutual >= named || share >= labelled && mutual >= plain
}

func (d *decliner) part(first, last int32, i int) float64 {
	have, all := 0, 0
	d.cover.reset()
	for _, t := range d.a.items[i].terms {
		d.cover.seen[t.stem] = true
	}
	for k := first; k < last; k++ {
		w := &d.t.words[k]
		if k > first && w.gap >= gapBreak && have > 0 {
			break
		}
		if d.r.entries[w.id].in&stops != 0 {
			continue
		}
		all++
		if s := d.a.of[w.id]; s >= 0 && d.cover.seen[s] || d.a.short[w.id] != nil {
			have++
		}
	}
	return float64(have) / float64(max(all, 1))
}

// struckOut finds the items that a line strikes through without saying that
// they are done.
func (d *decliner) struckOut(n int32) {
	t := d.t
	l := &t.lines[n]
	if l.box == tickedBox {
		return
	}
	d.cover.reset()
	for k := l.first; k < l.last; k++ {
		if t.struck(n, t.words[k].at) {
			d.cover.add(t.words[k : k+1])
		} else if d.r.entries[t.words[k].id].in&dones != 0 && (k == l.first || d.r.entries[t.words[k-1].id].in&negators == 0) {
			return
		}
	}
	best := d.measure()
	for i := range d.a.items {
		if d.shares[i] >= named && d.shares[i] >= best-near {
			d.take(i, n, d.shares[i], "has it struck through")
		}
	}
}

// struck tells whether an offset of a line is in struck text.
func (t *text) struck(n, at int32) bool {
	for _, s := range t.doc.Lines[n].Struck {
		if int(at) >= s.From && int(at) < s.To {
			return true
		}
	}
	return false
}

// governed gives the heading or lead-in above a line that says that what
// follows is missing, "" if there is none.
func (t *text) governed(n int32) string {
	l := &t.doc.Lines[n]
	if l.Kind == markdown.Heading || l.Kind == markdown.Code {
		return ""
	}
	if h := t.doc.Sections[l.Section].Heading; h >= 0 && t.lines[h].gaps {
		return t.doc.Lines[h].Text
	}
	if l.Parent >= 0 && t.lines[l.Parent].gaps {
		return t.doc.Lines[l.Parent].Text
	}
	return ""
}
