package reading

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// isNamed tells whether a label names an item: it has most of it, or has
// nothing else.
func isNamed(share, mutual float64) bool {
	return share >= named && mutual >= named || share >= hinted && mutual >= mostly
}

// title gives the label that the paragraph of a line begins with, or else the
// heading of its section if the section is short.
func (t *text) title(n int32) (*line, bool) {
	if k := n - 1; k >= 0 && t.doc.Lines[k].Block == t.doc.Lines[n].Block && t.isLabel(k) {
		return &t.lines[k], true
	}
	s := &t.doc.Sections[t.doc.Lines[n].Section]
	short := t.lines[s.Last-1].last-t.lines[s.First].first <= shortSection
	if s.Heading < 0 || t.doc.Lines[n].Kind != markdown.Sentence || !short {
		return nil, false
	}
	return &t.lines[s.Heading], true
}

// isLabel tells whether a line is no sentence but names what the next one of its
// paragraph is about: "**Load test.** Omitted." It has no verb, and no participle.
func (t *text) isLabel(n int32) bool {
	l, lines := &t.lines[n], t.doc.Lines
	if first := n == 0 || lines[n-1].Block != lines[n].Block; !first || !strings.HasSuffix(lines[n].Text, ".") || l.last-l.first > longestLabel || l.cued {
		return false
	}
	for k := l.first; k < l.last; k++ {
		if t.is(k, finites|negators|authors|pronouns|dones) || strings.HasSuffix(t.form(k), "ed") {
			return false
		}
	}
	return true
}

// labelled tells whether the words before a note name an item, or the heading
// over a clause that names nothing.
func (d *decliner) labelled(c *cue, i int, bare bool) bool {
	if c.kind == note && isNamed(d.own[i], d.part(c.lo, c.from, i)) {
		return true
	}
	if other := c.kind != note && !d.known(c.lo, c.from) || c.kind == note && d.t.boxed(c); other && !bare {
		return false
	}
	silent := d.t.count(c.lo, c.from, stops|adverbs) == int(c.from-c.lo)
	if from, to, ok := d.t.label(c); ok && (!c.narrow || bare && silent) && d.names(from, to, i) {
		return true
	}
	h, ok := d.t.title(c.line)
	return ok && c.kind != endNote && bare && d.names(h.first, h.last, i)
}

// boxed tells whether a cue is a mark that stands before what it is about.
func (t *text) boxed(c *cue) bool {
	return t.form(c.from) == "☐" && c.hi > c.to && t.words[c.from].gap >= gapStop
}

// label gives the words before the first colon or dash of the sentence of a cue.
func (t *text) label(c *cue) (from, to int32, ok bool) {
	n := c.line
	from = t.lines[n].first
	for k := from + 1; k <= min(c.from, from+longestLabel) && !t.is(k-1, finites); k++ {
		if t.words[k].gap >= gapBreak && t.words[k].gap != gapStop && t.behind(n, k-1) != ';' {
			return from, k, true
		}
	}
	return 0, 0, false
}

// names tells whether some words name an item.
func (d *decliner) names(first, last int32, i int) bool {
	mutual := d.part(first, last, i)
	d.cover.reset()
	d.cover.add(d.t.words[first:last])
	return isNamed(d.cover.of(&d.a.items[i]), mutual)
}

// part is how much of some words is about an item: of those before the first
// break behind one that it has, those that it has.
func (d *decliner) part(from, to int32, i int) float64 {
	have, others := 0, 0
	for k := from; k < to && (have == 0 || d.t.words[k].gap < gapComma); k++ {
		if d.belongs(k, i) {
			have++
		} else if !d.t.is(k, stops) {
			others++
		}
	}
	return float64(have) / float64(max(have+others, 1))
}

// purity is how much of what the clause of a cue says besides it is about an
// item.
func (d *decliner) purity(c *cue, i int) float64 {
	have, others := 0, 0
	for k := c.lo; k < c.hi; k++ {
		if d.belongs(k, i) {
			have++
		} else if !d.t.is(k, reports) && (c.gapped || k < c.from || k >= c.to) {
			others++
		}
	}
	return float64(have) / float64(max(have+others, 1))
}

// belongs tells whether a word is one of an item.
func (d *decliner) belongs(at int32, i int) bool {
	id := d.t.words[at].id
	s := d.a.of[id]
	return s >= 0 && d.a.items[i].has(int(s)) || s == abbreviation
}

// header gives the line of the header above a line, or -1. Each cue reads it: a
// header that is too long for a row is none.
func (t *text) header(n int32) int {
	at := t.doc.Lines[n].Header
	if at >= 0 && t.lines[at].last-t.lines[at].first > longestRow {
		return -1
	}
	return at
}

// inStatusColumn tells whether a cell is in a column of states, or in a table without
// a header.
func (d *decliner) inStatusColumn(c *cue) bool {
	head := d.headOf(c)
	participle := head.to > head.from && strings.HasSuffix(d.t.form(head.to-1), "ed") // Delivered
	return d.t.header(c.line) < 0 || participle || d.t.count(head.from, head.to, statuses) > 0
}

// definesCode tells whether a cell says what a code or a message stands for: "E-ENC |
// encoding not detected" is content of a table of codes.
func (d *decliner) definesCode(c *cue) bool {
	n := d.t.header(c.line)
	if n < 0 {
		return false
	}
	head, h := d.headOf(c), &d.t.lines[n]
	return d.t.count(head.from, head.to, meanings) > 0 || d.t.count(h.first, d.t.cellEnd(h, h.first+1), codes) > 0 && !d.inStatusColumn(c)
}

// headOf gives the words of the header above the cell of a cue.
func (d *decliner) headOf(c *cue) (head struct{ from, to int32 }) {
	t, n := d.t, d.t.header(c.line)
	if n < 0 {
		return head
	}
	column, h := 0, &t.lines[n]
	for at := t.lines[c.line].first + 1; at <= c.from; at++ {
		if t.words[at].gap >= gapCell {
			column++
		}
	}
	head.from = h.first
	for ; column > 0 && head.from < h.last; column-- {
		head.from = t.cellEnd(h, head.from+1)
	}
	head.to = min(t.cellEnd(h, head.from+1), h.last)
	return head
}

// echoed tells whether an item has the words of a cue, as "Verify that a user
// can no longer log in" has, or the one that makes it a cue, as a list of
// pending approvals has. Then the text may only repeat the item.
func (d *decliner) echoed(c *cue) bool {
	for k := c.from; c.lexical && k < c.to; k++ { // a word of an item that says alone that something is open
		if d.t.is(k, openWords) && d.a.lookup(d.t.form(k)) >= 0 {
			return true
		}
	}
	last := c.to - 1
	text := d.t.doc.Lines[c.line].Text
	end := int(d.t.words[last].at) + len(d.t.form(last))
	phrase := " " + plainText(text[d.t.words[c.from].at:min(end, len(text))]) + " "
	for i := len(d.plain); i < len(d.a.items); i++ {
		d.plain = append(d.plain, " "+plainText(d.a.items[i].text)+" ")
	}
	return slices.ContainsFunc(d.plain, func(item string) bool { return strings.Contains(item, phrase) })
}

// plainText is a text in lower case without hyphens.
func plainText(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", " ") }

// bare tells whether the clause of a cue names nothing itself: it has no words
// but those of items and those that tell what became of something.
func (d *decliner) bare(c *cue) bool {
	if c.kind == note {
		return c.from == d.t.lines[c.line].first && d.t.behind(c.line, c.to-1) != ':' && !d.t.boxed(c)
	}
	return d.known(c.lo, c.from) && (c.kind == endNote || d.known(c.to, c.hi) && (!c.gapped || d.known(c.from, c.to)))
}

// known tells whether some words are of items, or tell what became of something.
func (d *decliner) known(from, to int32) bool {
	for k := from; k < to; k++ {
		if !d.t.is(k, states) && d.a.of[d.t.words[k].id] < 0 {
			return false
		}
	}
	return true
}

// context adds what a clause may speak of: the sentences beside it, the lead-in
// and the heading of a short section; for a row its header, for an entry what
// follows it.
func (d *decliner) context(c *cue) {
	t, n := d.t, int(c.line)
	l := &t.doc.Lines[n]
	beside := []int{n - 1, l.Parent}
	if c.kind == listed {
		beside = []int{n + 1, n + 2, n + 3}
	} else if t.lines[n].row {
		beside = []int{l.Header}
	} else if h, ok := t.title(c.line); ok {
		d.cover.add(t.words[h.first:h.last])
	}
	for _, k := range beside {
		if k >= 0 && k < len(t.lines) && (k == l.Parent || k == l.Header || t.doc.Lines[k].Block == l.Block) {
			d.cover.add(t.firstWords(int32(k)))
		}
	}
}
