package reading

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// When a section treats an item, set on the runs of testdata. A heading with a
// word of the item lets all of its section count.
const (
	treats      = 0.5  // a section has so much of the item,
	ownWords    = 16   // and its lines about the item so many words that no item has
	treatsAlone = 0.65 // both for an item that is read alone: the words of others are not known
	ownAlone    = 24
	fewSections = 3   // a word that more have, and half of all, counts for none
	aboutLine   = 0.2 // a line with so much of the item is about it
	echoShare   = 0.8 // a line with so much of the item
	echoWords   = 4   // and no more other words only repeats it
	longestLine = 60  // a longer one is a list without punctuation
)

// evidence is what a section says of an item.
type evidence struct {
	share    float64 // of the item, in the section
	title    float64 // of the item, in the heading
	own      int     // words in the lines about the item that no item has
	line     int32   // the line that has most of the item, -1 if none has any
	best     float64 // its share
	from, to int32   // first and last line about the item
	alone    bool    // the item is read alone
}

// treated tells whether a section treats the item with words of its own.
func (e *evidence) treated() bool {
	if e.alone {
		return e.share >= treatsAlone && e.own >= ownAlone
	}
	return e.share >= treats && e.own >= ownWords
}

// better tells whether e says more of an item than other.
func (e *evidence) better(other *evidence) bool {
	if e.treated() != other.treated() {
		return e.treated()
	}
	return e.share > other.share
}

// itemEvidence is what the sections of the content say of an item: the one that says
// most, and of the others than that of its hit the one that says most.
type itemEvidence struct {
	best, other evidence
	claimed     float64 // the greatest share of it in a line that denies nothing and is no echo
}

// gatherer collects what sections say of items.
type gatherer struct {
	t        *text
	a        *assignment
	evidence []evidence     // of a section, by item
	line     cover          // of a line
	section  cover          // of the section
	added    []int          // by item: the last line that was added to its evidence, + 1
	words    []spread       // by word
	out      []itemEvidence // by item
}

// spread is where a word of no item stands.
type spread struct {
	sections int32 // how many have it
	last     int32 // the last that was counted, + 1
	seen     int32 // the last that was read and has it, + 1
}

// gather tells of each item what the sections of the content say.
func (r *Reader) gather(a *assignment, hits []hit) []itemEvidence {
	g := &gatherer{t: r.content, a: a, evidence: make([]evidence, len(a.items)), line: a.cover(), section: a.cover(), added: make([]int, len(a.items)), words: make([]spread, len(r.entries)), out: make([]itemEvidence, len(a.items))}
	g.countSections()
	out := g.out
	for i := range out {
		out[i] = itemEvidence{best: evidence{line: -1}, other: evidence{line: -1}}
	}
	for n := range r.content.doc.Sections {
		g.read(n)
		for i := range out {
			e, h := &g.evidence[i], &hits[i]
			if e.better(&out[i].best) {
				out[i].best = *e
			}
			sectionOfHit := h.t == r.content && h.line >= 0 && n == r.content.doc.Lines[h.line].Section
			if h.line >= 0 && !sectionOfHit && e.better(&out[i].other) {
				out[i].other = *e
			}
		}
	}
	return out
}

// countSections counts the sections that have a word.
func (g *gatherer) countSections() {
	for k := range g.t.lines {
		l, section := &g.t.lines[k], int32(g.t.doc.Lines[k].Section)+1
		for _, w := range g.t.words[l.first:l.last] {
			if s := &g.words[w.id]; s.last != section {
				s.last = section
				s.sections++
			}
		}
	}
}

// read gathers what a section says of all items.
func (g *gatherer) read(n int) {
	t, s, body := g.t, &g.t.doc.Sections[n], 0
	g.section.reset()
	for i := range g.evidence {
		g.evidence[i] = evidence{line: -1, from: -1, to: -1, alone: len(g.evidence) == 1}
	}
	for k := s.First; k < s.Last; k++ {
		fresh, denies := g.coverLine(int32(n)+1, k), t.denies(k)
		if k != s.Heading && !denies {
			body += fresh
		}
		for _, stem := range g.line.stems {
			g.section.put(stem)
			for list := g.a.holders[stem]; list > 0; list = g.a.lists[list-1].before {
				if i := g.a.lists[list-1].index; g.added[i] <= k {
					g.added[i] = k + 1
					t.addTo(&g.evidence[i], &g.out[i], int32(k), k == s.Heading, denies, g.line.of(&g.a.items[i]), fresh)
				}
			}
		}
	}
	for i := range g.evidence {
		if g.added[i] <= s.First { // the section has nothing of the item
			continue
		}
		e := &g.evidence[i]
		if e.share = g.section.of(&g.a.items[i]); e.title > 0 {
			e.own, e.from, e.to = body, int32(s.First), int32(s.Last-1)
		}
	}
}

// coverLine covers a line, and counts its words of no item that stand first in
// their section, which has a number from 1 on. What stands in many sections is
// filler.
func (g *gatherer) coverLine(section int32, line int) (fresh int) {
	g.line.reset()
	l, rare := &g.t.lines[line], int32(max(fewSections, len(g.t.doc.Sections)/2))
	for _, w := range g.t.words[l.first:l.last] {
		switch s := &g.words[w.id]; {
		case g.a.of[w.id] != foreign:
			g.line.addWord(w.id)
		case s.seen != section && s.sections <= rare:
			s.seen = section
			fresh++
		}
	}
	return fresh
}

// addTo adds a line to the evidence of its section: the share of the item in
// it, and how many words of no item stand first in it.
func (t *text) addTo(e *evidence, of *itemEvidence, n int32, heading, denies bool, share float64, fresh int) {
	l := &t.lines[n]
	if share > e.best {
		e.best, e.line = share, n
	}
	if heading {
		e.title = share
	}
	echo := share >= echoShare && fresh <= echoWords
	if heading || echo || share < aboutLine || denies {
		return
	}
	if !(int(n)+1 < len(t.lines) && t.lines[n+1].cued && t.doc.Lines[n+1].Block == t.doc.Lines[n].Block && t.isLabel(n)) {
		of.claimed = max(of.claimed, share)
	}
	if kind := t.doc.Lines[n].Kind; l.last-l.first > longestLine && kind != markdown.Row && kind != markdown.Code {
		return
	}
	e.own += fresh
	if e.from < 0 {
		e.from = n
	}
	e.to = n
}

// denies tells whether a line may say that something is not there or open. Then
// it is no evidence that anything was done.
func (t *text) denies(n int) bool {
	l := &t.lines[n]
	return l.cued || l.in&negators != 0
}

// found gives the reading of an item that a section treats.
func (r *Reader) found(e *evidence) Reading {
	lines := r.content.doc.Lines
	l := &lines[e.line]
	why := fmt.Sprintf("line %d treats it", l.No)
	if from, to := lines[e.from].No, lines[e.to].No; from != to {
		why = fmt.Sprintf("lines %d to %d treat it", from, to)
	}
	return Reading{Verdict: Found, Line: l.No, Passage: l.Text, Why: why}
}
