package reading

import "github.com/swarmspeed/shadowd/internal/text/markdown"

// naming is what some words have of an item.
type naming struct {
	share float64
	terms uint64 // a bit for each of the item's first 64 terms
}

// outdone tells whether a passage that says that something was done names an
// item better than a cue does: it has all that the cue has of the item, and
// more. Of "[x] CSV import for contacts" and "[ ] CSV import for deals", the
// second is not about the import of contacts.
func (d *decliner) outdone(i int, c *cue) bool {
	if d.done == nil {
		d.affirm()
	}
	d.cover.reset()
	d.cover.add(d.t.words[c.lo:c.hi])
	if from, to, ok := d.t.label(c); ok {
		d.cover.add(d.t.words[from:to])
	}
	if h, ok := d.t.title(c.line); ok {
		d.cover.add(d.t.words[h.first:h.last])
	}
	own := d.cover.naming(&d.a.items[i])
	return d.done[i].share >= named && d.done[i].share > own.share && own.terms&^d.done[i].terms == 0
}

// affirm finds what the passages that say that something was done name of the
// items: ticked entries, and clauses such as "dark mode is live".
func (d *decliner) affirm() {
	d.done = make([]naming, len(d.a.items))
	for _, t := range []*text{d.r.content, d.r.summary} {
		if t == nil {
			continue
		}
		for i := range t.cues {
			if c := &t.cues[i]; c.kind == done && t.doc.Lines[c.line].Kind != markdown.Heading {
				d.affirmed(t.words[c.lo:c.hi])
			}
		}
		for n := range t.lines {
			if l := &t.lines[n]; l.ticked {
				d.affirmed(t.words[l.first:l.last])
			}
		}
	}
}

func (d *decliner) affirmed(words []word) {
	d.cover.reset()
	d.cover.add(words)
	for i := range d.done {
		if n := d.cover.naming(&d.a.items[i]); n.share > d.done[i].share {
			d.done[i] = n
		}
	}
}

// naming gives what was seen of an item.
func (c *cover) naming(it *item) naming {
	n := naming{share: c.of(it)}
	for k, t := range it.terms {
		if c.seen[t.stem] {
			n.terms |= 1 << k
		}
	}
	return n
}
