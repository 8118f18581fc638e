package reading

import "github.com/swarmspeed/shadowd/internal/text/markdown"

// hit is a passage that says that an item was not delivered.
type hit struct {
	t     *text
	line  int32 // -1 if there is none
	why   string
	share float64 // of the item, in the line and in the heading of a short section
}

// Shares of an item's weight, set on the runs of testdata.
const (
	named   = 0.6  // a passage that has so much of an item is about it
	plainly = 0.75 // and about nothing else
	meant   = 0.37 // enough in a clause that says of something that it was not done
	meantBy = 0.25 // enough where the author speaks of the own work
	hinted  = 0.2  // enough beside a cue to tie the cue to the item
	near    = 0.2  // an item that is named by so much less than another is not meant

	mostly = 0.6 // not of the item: of a clause or label, the share of words that are the item's
)

// Sizes in words.
const (
	longestLabel = 10   // before a colon, or as a sentence
	shortSection = 60   // a section that may do no more than decline
	longestRow   = 1000 // a longer one is data
	maxWindow    = 120  // words on each side of a cue that belong to its line
	maxShown     = 100  // characters of a heading that is quoted
)

// decliner looks for passages that say of items that they were not delivered.
type decliner struct {
	r     *Reader
	a     *assignment
	t     *text
	cover cover
	hits  []hit // by item
	// shares of all items: in the clause of a cue without the cue, in the
	// clause, and with what it may refer to
	beside, own, around []float64
	plain               []string // by item: its plain text between spaces; nil if not yet asked for
	done                []naming // by item: the passage that names most of it and says that something was done; nil if not yet known
}

// declines finds for each item the passage that says most surely that it was
// not delivered.
func (r *Reader) declines(a *assignment) []hit {
	n := len(a.items)
	room := make([]float64, 3*n)
	d := decliner{r: r, a: a, hits: make([]hit, n), cover: a.cover(),
		beside: room[:n], own: room[n : 2*n], around: room[2*n:]}
	for i := range d.hits {
		d.hits[i].line = -1
	}
	for _, t := range []*text{r.content, r.summary} {
		if t == nil {
			continue
		}
		d.t = t
		for i := range t.cues {
			if c := &t.cues[i]; d.standsAlone(c) {
				d.cue(c)
			}
		}
	}
	if n := r.content.nothingDone(); n >= 0 {
		for i := range d.hits {
			d.hits[i] = hit{t: r.content, line: n, why: "says that nothing was done", share: 1}
		}
	}
	return d.hits
}

// nothingDone gives the line of a content that says that it was not done and names
// nothing, if no line says anything else: "We did not do any of this." Otherwise
// it is -1.
func (t *text) nothingDone() int32 {
	line, others := int32(-1), 0 // words that are not of the cues
	for i := range t.cues {
		c := &t.cues[i]
		if c.kind == done || c.kind == listed {
			return -1
		}
		if t.doc.Lines[c.line].Kind == markdown.Heading {
			continue
		}
		if line < 0 {
			line = c.line
		}
		others -= int(c.to-c.from) - t.count(c.from, c.to, reports)
	}
	if line < 0 {
		return -1
	}
	for n := range t.lines {
		if l := &t.lines[n]; t.doc.Lines[n].Kind != markdown.Heading {
			others += int(l.last-l.first) - t.count(l.first, l.last, reports)
		}
	}
	if others > 0 {
		return -1
	}
	return line
}

// record keeps the passage of a cue if it names more of an item than those before.
func (d *decliner) record(i int, c *cue) {
	if d.outdone(i, c) {
		return
	}
	if h, share := &d.hits[i], d.share(i, c); h.line < 0 || share > h.share {
		*h = hit{t: d.t, line: c.line, why: c.why, share: share}
	}
}

// share tells how much the line of a cue names of an item, with its header or the heading of a
// short section. An entry of what is missing is about its item and nothing else.
func (d *decliner) share(i int, c *cue) float64 {
	if c.kind == listed {
		return 1
	}
	l := &d.t.lines[c.line]
	d.cover.reset()
	d.cover.add(d.t.words[l.first:l.last])
	if h, ok := d.t.title(c.line); ok {
		d.cover.add(d.t.words[h.first:h.last])
	} else if n := d.t.header(c.line); n >= 0 {
		d.cover.add(d.t.firstWords(int32(n)))
	}
	return d.cover.of(&d.a.items[i])
}

// measure sets the shares of all items in the words that are covered so far
// and gives the greatest.
func (d *decliner) measure(shares []float64) float64 {
	best := 0.0
	for i := range d.a.items {
		shares[i] = d.cover.of(&d.a.items[i])
		best = max(best, shares[i])
	}
	return best
}

// standsAlone tells whether a cue says something by itself.
func (d *decliner) standsAlone(c *cue) bool {
	t, l := d.t, &d.t.lines[c.line]
	switch {
	case c.kind == done || c.kind == header || c.kind == weakHeader || l.lists != "": // it heads others
		return false
	case c.kind == stateCell && !d.inStatusColumn(c), l.row && d.definesCode(c):
		return false
	}
	for k := c.lo; c.kind == listed && t.struck(c.line, c.lo) && k < c.hi; k++ { // what says that it is open is struck
		if t.is(k, negators|weaks) && d.a.of[t.words[k].id] < 0 && t.behind(c.line, k) != '-' {
			return false
		}
	}
	return !l.ticked && (c.kind == listed || !t.struck(c.line, c.from) && !d.echoed(c))
}

// cue finds the items that a cue is about.
func (d *decliner) cue(c *cue) {
	t := d.t
	d.cover.reset()
	d.cover.add(t.words[c.lo:c.from])
	d.cover.add(t.words[c.to:c.hi])
	d.measure(d.beside)
	d.cover.add(t.words[c.from:c.to])
	best := d.measure(d.own)
	d.cover.add(t.words[t.windowStart(c):c.hi])
	bare, alone := d.bare(c), d.countNamed(best) == 1
	if (bare || best > 0) && d.known(t.windowStart(c), c.lo) {
		d.context(c)
	}
	d.measure(d.around)
	for i := range d.a.items {
		another := d.own[i] < best-near || d.own[i] == 0 && best > 0
		if !another && !d.absenceWanted(i, c) && d.isAbout(c, i, best, bare, alone) {
			d.record(i, c)
		}
	}
}

// isAbout tells whether a cue is about an item, which its clause names about as
// much as the best one.
func (d *decliner) isAbout(c *cue, i int, best float64, bare, alone bool) bool {
	row := d.t.lines[c.line].row
	switch {
	case c.kind == listed:
		return !d.struckAndDone(c, i) && d.own[i] >= hinted && isNamed(d.around[i], d.part(c.lo, c.hi, i))
	case row && d.beside[i] == 0: // a header alone names no item
		return false
	case row || d.t.form(c.from) != "☐":
		return d.labelled(c, i, bare) || d.clauseNames(c, i, best, bare, alone)
	}
	oneSide := max(d.part(c.lo, c.from, i), d.part(c.to, c.hi, i))
	return isNamed(d.own[i], oneSide) || d.t.boxed(c) && d.own[i] >= meant || d.labelled(c, i, bare)
}

// struckAndDone tells whether the verb of an item stands behind what is struck
// out: "~~Order filters~~ ordered on Monday".
func (d *decliner) struckAndDone(c *cue, i int) bool {
	verb := d.a.items[i].verb
	return verb >= 0 && c.hi < d.t.lines[c.line].last && int(d.a.of[d.t.words[c.hi].id]) == verb
}

// absenceWanted tells whether an item asks that something is not there, and a cue
// says no more: not that it was not removed.
func (d *decliner) absenceWanted(i int, c *cue) bool {
	it := &d.a.items[i]
	if !it.absent || c.kind == listed || d.t.form(c.from) == "☐" {
		return false
	}
	denied := d.t.count(c.from, c.to, negators) > 0
	for k := c.lo; k < c.hi; k++ {
		if id := d.a.of[d.t.words[k].id]; id >= 0 && int(id) == it.verb && (denied || k < c.from || k >= c.to) {
			return false
		}
	}
	return true
}

// least is the share of an item that the clause of a cue must have.
func (d *decliner) least(c *cue) float64 {
	switch {
	case c.narrow || c.kind == stateCell:
		return named
	case d.t.is(c.from, authors):
		return meantBy
	}
	return meant
}

// clauseNames tells whether the clause of a cue names an item or, if it names no
// other as much, enough of it that the words around make it clear.
func (d *decliner) clauseNames(c *cue, i int, best float64, bare, alone bool) bool {
	own, around, pure := d.own[i], d.around[i], mostly
	if c.weak || c.narrow {
		pure = plainly
	}
	summary := d.t == d.r.summary   // its clauses stand beside each other and speak of different things
	refers := !summary && !c.narrow // to the words around
	switch {
	case own >= named:
		return true
	case own > 0 && alone:
		return own >= hinted && (own >= d.least(c) || refers && d.beside[i] >= hinted && around >= meant || d.purity(c, i) >= pure)
	}
	return refers && bare && best < named && around >= plainly
}

// countNamed counts the items that the clause of a cue names about as much as the
// one that it names best.
func (d *decliner) countNamed(best float64) (n int) {
	for _, share := range d.own {
		if share >= best-near {
			n++
		}
	}
	return n
}
