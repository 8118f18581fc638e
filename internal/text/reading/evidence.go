package reading

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// When a section treats an item: it has so much of the item, and its lines
// about the item have so many words that no item has. A heading that names the
// item lets all of its section count. A line that has most
// of an item and next to nothing else is its echo. An item that is read alone
// needs more, since the words of other items are then not known.
const (
	treats      = 0.5
	ownWords    = 12
	titleIsItem = 0.5
	aboutLine   = 0.2
	echoShare   = 0.8
	echoWords   = 4
	longestLine = 60 // a longer one is a list without punctuation
	treatsAlone = 0.65
	ownAlone    = 24
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

// gatherer collects what the sections of the content say of items.
type gatherer struct {
	t           *text
	a           *assignment
	inLine, all cover
	fresh       []int  // by line: words of no item that stand first in their section
	touched     []bool // by line: it has a word of an item
}

func (r *Reader) gatherer(a *assignment) *gatherer {
	t := r.content
	g := &gatherer{t: t, a: a, inLine: a.cover(), all: a.cover(), fresh: make([]int, len(t.lines)), touched: make([]bool, len(t.lines))}
	seen := make([]int, len(r.entries)) // by word, the section it was seen in last, + 1
	for n := range t.lines {
		l, section := &t.lines[n], t.doc.Lines[n].Section+1
		for k := l.first; k < l.last; k++ {
			id := t.words[k].id
			if a.of[id] >= 0 || a.short[id] != nil {
				g.touched[n] = true
			} else if seen[id] != section && !t.is(k, stops) {
				seen[id] = section
				g.fresh[n]++
			}
		}
	}
	return g
}

// section gives what a section says of an item.
func (g *gatherer) section(n int, it *item) evidence {
	t, s := g.t, &g.t.doc.Sections[n]
	e := evidence{line: -1, from: -1, to: -1, alone: len(g.a.items) == 1}
	g.all.reset()
	for k := s.First; k < s.Last; k++ {
		if g.touched[k] {
			g.line(&e, int32(k), k == s.Heading, it)
		}
	}
	e.share = g.all.of(it)
	if e.title >= titleIsItem {
		e.own, e.from, e.to = 0, int32(s.First), int32(s.Last-1)
		for k := s.First + 1; k < s.Last; k++ {
			if !t.lines[k].cued {
				e.own += g.fresh[k]
			}
		}
	}
	return e
}

// line adds a line to the evidence of its section.
func (g *gatherer) line(e *evidence, n int32, heading bool, it *item) {
	l, fresh := &g.t.lines[n], g.fresh[n]
	g.inLine.reset()
	g.inLine.add(g.t.words[l.first:l.last])
	g.all.add(g.t.words[l.first:l.last])
	share := g.inLine.of(it)
	if share > e.best {
		e.best, e.line = share, n
	}
	if heading {
		e.title = share
	}
	echo := share >= echoShare && fresh <= echoWords || l.last-l.first > longestLine && !l.row && g.t.doc.Lines[n].Kind != markdown.Code
	if heading || share < aboutLine || echo || l.cued || g.t.doc.Lines[n].Nav {
		return
	}
	e.own += fresh
	if e.from < 0 {
		e.from = n
	}
	e.to = n
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
