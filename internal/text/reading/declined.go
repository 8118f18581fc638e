package reading

import "github.com/swarmspeed/shadowd/internal/text/markdown"

// hit is a passage that says that an item was not delivered.
type hit struct {
	t    *text
	line int32 // -1 if there is none
	why  string
	sure float64 // how much of the item it names, with the heading of a short section
}

// Shares of an item's weight.
const (
	named   = 0.6  // a passage that has so much of an item is about it
	plainly = 0.75 // it is about nothing else
	mostly  = 0.6  // so many of the words of a clause or label are of an item that is meant
	meant   = 0.37 // enough in a clause that says of something that it was not done
	meantBy = 0.25 // enough where the author speaks of the own work
	hinted  = 0.2  // so much of it beside a cue ties the cue to it
	near    = 0.2  // what is named less by so much is not the one meant
)

// Sizes in words.
const (
	longestLabel = 10   // before a colon
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
			if c := &t.cues[i]; d.counts(c) {
				d.cue(c)
			}
		}
	}
	if n := r.content.blanket(); n >= 0 {
		for i := range d.hits {
			d.hits[i] = hit{t: r.content, line: n, why: "says that nothing was done", sure: 1}
		}
	}
	return d.hits
}

// blanket gives the line of a content that says that it was not done and names
// nothing, if no line says anything else: "We did not do any of this." Otherwise
// it is -1.
func (t *text) blanket() int32 {
	line, names := int32(-1), 0
	for n := range t.lines {
		if l := &t.lines[n]; t.doc.Lines[n].Kind != markdown.Heading {
			names += int(l.last-l.first) - t.count(l.first, l.last, reports)
		}
	}
	for i := range t.cues {
		c := &t.cues[i]
		if c.about == 'D' || c.about == 'I' {
			return -1
		}
		if t.doc.Lines[c.line].Kind == markdown.Heading {
			continue
		}
		if line < 0 {
			line = c.line
		}
		names -= int(c.to-c.from) - t.count(c.from, c.to, reports)
	}
	if names > 0 {
		return -1
	}
	return line
}

// take records a passage about an item.
func (d *decliner) take(i int, c *cue) {
	if d.outdone(i, c) {
		return
	}
	if h, sure := &d.hits[i], d.sure(i, c); h.line < 0 || sure > h.sure {
		*h = hit{t: d.t, line: c.line, why: c.why, sure: sure}
	}
}

// sure tells how much the line of a cue names of an item, with the heading of a
// short section. An entry of what is missing is about its item and nothing else.
func (d *decliner) sure(i int, c *cue) float64 {
	if c.about == 'I' {
		return 1
	}
	l := &d.t.lines[c.line]
	d.cover.reset()
	d.cover.add(d.t.words[l.first:l.last])
	if h, ok := d.t.title(c.line); ok {
		d.cover.add(d.t.words[h.first:h.last])
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

// counts tells whether a cue says something by itself.
func (d *decliner) counts(c *cue) bool {
	t, l := d.t, &d.t.lines[c.line]
	switch {
	case c.about == 'D' || c.about == 'H' || c.about == 'P' || l.lists != "": // it heads others
		return false
	case c.about == 'C' && !d.inStates(c), l.row && d.defined(c):
		return false
	}
	for k := c.lo; c.about == 'I' && t.struck(c.line, c.lo) && k < c.hi; k++ { // what says that it is open is struck
		if t.is(k, negators|weaks) && d.a.of[t.words[k].id] < 0 && t.behind(c.line, k) != '-' {
			return false
		}
	}
	return !l.ticked && (c.about == 'I' || !t.struck(c.line, c.from) && !d.echoed(c))
}

// cue finds the items that a cue is about.
func (d *decliner) cue(c *cue) {
	t, l := d.t, &d.t.lines[c.line]
	d.cover.reset()
	d.cover.add(t.words[c.lo:c.from])
	d.cover.add(t.words[c.to:c.hi])
	d.measure(d.beside)
	d.cover.add(t.words[c.from:c.to])
	best := d.measure(d.own)
	d.cover.add(t.words[t.begins(c):c.hi])
	bare, alone := d.bare(c), d.foremost(best) == 1
	if (bare || best > 0) && d.known(t.begins(c), c.lo) {
		d.context(c)
	}
	d.measure(d.around)
	for i := range d.a.items {
		if d.own[i] < best-near || d.own[i] == 0 && best > 0 { // it is about another
			continue
		}
		if d.wanted(i, c) {
			continue
		}
		if c.about == 'I' {
			if d.own[i] >= max(hinted, best-near) && isNamed(d.around[i], d.part(c.lo, c.hi, i)) {
				d.take(i, c)
			}
		} else if t.form(c.from) == "☐" && !l.row {
			if d.own[i] >= best-near && (isNamed(d.own[i], max(d.part(c.lo, c.from, i), d.part(c.to, c.hi, i))) || t.boxed(c) && d.own[i] >= meant) || d.titled(c, i, bare) {
				d.take(i, c)
			}
		} else if l.row && d.beside[i] == 0 { // a header alone names no item
			continue
		} else if d.titled(c, i, bare) || d.tells(c, i, best, bare, alone) {
			d.take(i, c)
		}
	}
}

// wanted tells whether an item asks that something is not there, and a cue says
// no more: not that it was not removed.
func (d *decliner) wanted(i int, c *cue) bool {
	it := &d.a.items[i]
	if !it.absent || c.about == 'I' || d.t.form(c.from) == "☐" {
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
	case c.narrow || c.about == 'C':
		return named
	case d.t.is(c.from, authors):
		return meantBy
	}
	return meant
}

// tells tells whether the clause of a cue names an item, or enough of it that
// the words around make it clear. Where it names others as much, they do not, unless the
// item stands alone.
func (d *decliner) tells(c *cue, i int, best float64, bare, alone bool) bool {
	own, around, pure := d.own[i], d.around[i], mostly
	if c.weak || c.narrow {
		pure = plainly
	}
	summary := d.t == d.r.summary // its clauses stand beside each other and speak of different things
	switch {
	case own >= best-near && own >= named:
		return true
	case own > 0 && alone:
		return own >= hinted && (own >= d.least(c) || !summary && !c.narrow && d.beside[i] >= hinted && around >= meant || d.purity(c, i) >= pure)
	}
	return !summary && !c.narrow && bare && best < named && around >= plainly
}

// foremost counts the items that the clause of a cue names as much as the one that
// it names best.
func (d *decliner) foremost(best float64) (n int) {
	for _, share := range d.own {
		if share >= best-near {
			n++
		}
	}
	return n
}
