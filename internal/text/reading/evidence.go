package reading

import "fmt"

// When a section treats an item: it has so much of the item, and its lines
// about the item have so many words that no item has. A heading that names the
// item lets less be enough, or all of its section count. A line that has most
// of an item and next to nothing else is its echo. An item that is read alone
// needs more, since the words of other items are then not known.
const (
	treats      = 0.5
	ownWords    = 12
	titleNames  = 0.3
	underTitle  = 0.4
	ownUnder    = 10
	titleIsItem = 0.5
	aboutLine   = 0.2
	echoShare   = 0.8
	echoWords   = 4
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
	fresh []int // by line: words of no item that stand first in their section
}

type occurrence struct{ line, stem int32 }

func (a *assignment) occurrences(r *Reader) *occurrences {
	t := r.content
	o := &occurrences{fresh: make([]int, len(t.lines)), hits: make([]occurrence, 0, len(t.words)/8)}
	seen := make([]int, len(r.entries)) // by word, the section it was seen in last, + 1
	for n := range t.lines {
		l, section := &t.lines[n], t.doc.Lines[n].Section+1
		for _, w := range t.words[l.first:l.last] {
			if s := a.of[w.id]; s >= 0 {
				o.hits = append(o.hits, occurrence{int32(n), s})
			} else if short := a.short[w.id]; short != nil {
				for _, s := range short {
					if s >= 0 {
						o.hits = append(o.hits, occurrence{int32(n), int32(s)})
					}
				}
			} else if seen[w.id] != section && r.entries[w.id].in&stops == 0 {
				seen[w.id] = section
				o.fresh[n]++
			}
		}
	}
	return o
}

// gatherer collects what the sections say of one item.
type gatherer struct {
	r                 *Reader
	o                 *occurrences
	weight            []float64 // by stem, as a share of the item
	inLine, inSection []int32   // by stem, the line and section it was seen in last, + 1
	alone             bool
}

// gather gives for each section with a word of an item what it says of it.
func (r *Reader) gather(a *assignment, o *occurrences, i int) []evidence {
	n := len(a.stems)
	g := gatherer{r: r, o: o, weight: make([]float64, n), inLine: make([]int32, n), inSection: make([]int32, n), alone: len(a.items) == 1}
	for _, t := range a.items[i].terms {
		g.weight[t.stem] = t.weight / a.items[i].total
	}
	var out []evidence
	for at := 0; at < len(o.hits); {
		var e evidence
		if e, at = g.section(at); e.share > 0 {
			out = append(out, e)
		}
	}
	return out
}

// section reads the occurrences in one section, from the one at index at on,
// and gives the index behind them.
func (g *gatherer) section(at int) (evidence, int) {
	t, hits := g.r.content, g.o.hits
	n := t.doc.Lines[hits[at].line].Section
	s := &t.doc.Sections[n]
	e := evidence{line: -1, from: -1, to: -1, alone: g.alone}
	for at < len(hits) && int(hits[at].line) < s.Last {
		line, share := hits[at].line, 0.0
		for ; at < len(hits) && hits[at].line == line; at++ {
			stem := hits[at].stem
			if g.inLine[stem] != line+1 {
				g.inLine[stem] = line + 1
				share += g.weight[stem]
			}
			if g.inSection[stem] != int32(n)+1 {
				g.inSection[stem] = int32(n) + 1
				e.share += g.weight[stem]
			}
		}
		if int(line) == s.Heading {
			e.title = share
		}
		g.line(&e, line, share, int(line) == s.Heading)
	}
	if e.title >= titleIsItem {
		e.own, e.from, e.to = 0, int32(s.First), int32(s.Last-1)
		for k := s.First + 1; k < s.Last; k++ {
			if !t.lines[k].cued {
				e.own += g.o.fresh[k]
			}
		}
	}
	return e, at
}

// line adds a line to the evidence of its section.
func (g *gatherer) line(e *evidence, n int32, share float64, heading bool) {
	if share > e.best {
		e.best, e.line = share, n
	}
	t, fresh := g.r.content, g.o.fresh[n]
	echo := share >= echoShare && fresh <= echoWords
	if heading || share < aboutLine || echo || t.lines[n].cued || t.doc.Lines[n].Nav {
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
