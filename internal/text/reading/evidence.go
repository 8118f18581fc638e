package reading

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// When a section treats an item: it has so much of the item, its lines about
// the item have so many words that no item has, and a line that has most of an
// item needs a few words more to be more than its echo. A heading that names
// the item lets all of its section count, and less is enough.
const (
	treats      = 0.5
	ownWords    = 12
	underTitle  = 0.4
	titleNames  = 0.3
	titleIsItem = 0.5
	ownUnder    = 10
	aboutLine   = 0.2
	echoShare   = 0.8
	echoWords   = 4
	treatsAlone = 0.65
	ownAlone    = 24
)

// evidence is what a section says of an item.
type evidence struct {
	share float64 // of the item, in the section
	title float64 // of the item, in the heading
	own   int     // words in the lines about the item that no item has
	line  int32   // the line that has most of the item, -1 if none has any
	best  float64 // its share
	from  int32   // first and last line about the item
	to    int32
	alone bool // the item was read without the other items of its assignment
}

// treated tells whether a section treats the item with words of its own. An
// item that is read alone needs more of everything, since the words of other
// items cannot be told from words of its own.
func (e *evidence) treated() bool {
	if e.alone {
		return e.share >= treatsAlone && e.own >= ownAlone
	}
	return e.share >= treats && e.own >= ownWords || e.title >= titleNames && e.share >= underTitle && e.own >= ownUnder
}

// better tells whether e says more of an item than other.
func (e *evidence) better(other *evidence) bool {
	if e.treated() != other.treated() {
		return e.treated()
	}
	return e.share > other.share
}

// occurrences are the places of the text that have words of the items.
type occurrences struct {
	hits  []occurrence
	fresh []int16 // by line: words of no item that stand first in their section
}

type occurrence struct {
	line int32
	stem int16
}

func (a *assignment) occurrences(r *Reader) *occurrences {
	t := r.content
	o := &occurrences{fresh: make([]int16, len(t.lines)), hits: make([]occurrence, 0, len(t.words)/8)}
	seen := make([]int32, len(r.entries)) // by word, the section it was seen in last, + 1
	for n := range t.lines {
		l := &t.lines[n]
		section := int32(t.doc.Lines[n].Section) + 1
		for _, w := range t.words[l.first:l.last] {
			if s := a.of[w.id]; s >= 0 {
				o.hits = append(o.hits, occurrence{int32(n), s})
				continue
			}
			if short := a.short[w.id]; short != nil {
				for _, s := range short {
					if s >= 0 {
						o.hits = append(o.hits, occurrence{int32(n), int16(s)})
					}
				}
				continue
			}
			if seen[w.id] != section && r.entries[w.id].in&stops == 0 {
				seen[w.id] = section
				o.fresh[n]++
			}
		}
	}
	return o
}

// gather gives for each section with a word of an item what it says of it.
func (r *Reader) gather(a *assignment, o *occurrences, i int) []evidence {
	it := &a.items[i]
	weight := make([]float64, len(a.stems))
	for _, t := range it.terms {
		weight[t.stem] = t.weight / it.total
	}
	g := gatherer{r: r, o: o, items: a.items, weight: weight, inLine: make([]int32, len(a.stems)), inSection: make([]int32, len(a.stems))}
	for at := 0; at < len(o.hits); {
		at = g.section(at)
	}
	return g.out
}

type gatherer struct {
	r                 *Reader
	o                 *occurrences
	items             []item
	weight            []float64
	inLine, inSection []int32 // by stem, the line and section it was seen in last, + 1
	out               []evidence
}

// section reads the occurrences in one section, from the one at index at on,
// and gives the index behind them.
func (g *gatherer) section(at int) int {
	t := g.r.content
	n := t.doc.Lines[g.o.hits[at].line].Section
	s := &t.doc.Sections[n]
	e := evidence{line: -1, alone: len(g.items) == 1}
	e.from, e.to = -1, -1
	for at < len(g.o.hits) && int(g.o.hits[at].line) < s.Last {
		line, share := g.o.hits[at].line, 0.0
		for ; at < len(g.o.hits) && g.o.hits[at].line == line; at++ {
			stem := g.o.hits[at].stem
			w := g.weight[stem]
			if w == 0 {
				continue
			}
			if g.inLine[stem] != line+1 {
				g.inLine[stem] = line + 1
				share += w
			}
			if g.inSection[stem] != int32(n)+1 {
				g.inSection[stem] = int32(n) + 1
				e.share += w
			}
		}
		g.line(&e, s, line, share)
	}
	if e.title >= titleIsItem {
		e.own = 0
		for k := s.First; k < s.Last; k++ {
			if k != s.Heading && !t.lines[k].cued {
				e.own += int(g.o.fresh[k])
			}
		}
		e.from, e.to = int32(s.First), int32(s.Last-1)
	}
	if e.share > 0 {
		g.out = append(g.out, e)
	}
	return at
}

// line adds a line to the evidence of its section.
func (g *gatherer) line(e *evidence, s *markdown.Section, n int32, share float64) {
	if share > e.best {
		e.best, e.line = share, n
	}
	if int(n) == s.Heading {
		e.title = share
		return
	}
	fresh := int(g.o.fresh[n])
	echo := share >= echoShare && fresh <= echoWords
	if share < aboutLine || echo || g.r.content.lines[n].cued || g.r.content.doc.Lines[n].Nav {
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
