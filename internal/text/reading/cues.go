package reading

import (
	"math/bits"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// cue is a place of a text that says that something was not delivered.
type cue struct {
	*pattern
	line     int32
	from, to int32 // its words
	lo, hi   int32 // the words that say what it is about, itself among them
	why      string
}

// maxSpan is how many words on each side of a cue say what it is about.
const maxSpan = 40

// findCues adds the cues of a line.
func (t *text) findCues(n int32) {
	l, gaps := &t.lines[n], false
	if l.in&beginners == 0 || !l.row && strings.HasSuffix(strings.TrimSpace(t.doc.Lines[n].Text), "?") {
		return
	}
	for at := l.first; at < l.last; at++ {
		if !t.is(at, beginners) { // most words
			continue
		}
		c, ok := t.cueAt(n, at)
		if !ok {
			continue
		}
		t.bound(l, &c)
		at = c.to - 1
		if t.cues = append(t.cues, c); c.kind == done {
			continue
		}
		if c.kind == header || c.kind == weakHeader && !t.success {
			gaps = true
		}
		l.cued = true
	}
	if gaps || l.cued && t.heads(n) && t.namesNothing(l) {
		l.lists = "lists it under " + clip.Line(strings.TrimSuffix(t.doc.Lines[n].Text, ":"), maxShown)
	}
}

// cueAt gives the cue that begins at a word of the lexicon.
func (t *text) cueAt(n, at int32) (cue, bool) {
	best, l := cue{to: at}, &t.lines[n]
	e := t.entry(at)
	if t.words[at].quoted || e.in&negators != 0 && t.behind(n, at) == '-' { // no-show
		return best, false
	}
	follows := &loose
	if k := at + 1; k < l.last && t.is(k, adverbs) {
		follows = &every
	} else if k < l.last && t.entry(k).of != nil {
		follows = &t.entry(k).of.follows
	}
	for i := range follows {
		for set := e.of.begins[i] & follows[i]; set != 0; set &= set - 1 {
			p := patterns[64*i+bits.TrailingZeros64(set)]
			if p.anchored && t.words[at].gap == gapNone {
				continue
			}
			to, ok := t.matchRest(p, 1, at+1, l.last)
			if ok && best.worse(p, to) && t.holds(p, n, at, to) {
				best = cue{pattern: p, line: n, from: at, to: to, why: "says that it was not done"}
			}
		}
	}
	return best, best.pattern != nil
}

// worse tells whether a pattern that ends at a word is to be preferred: one
// that fits in one place only, then the longer one.
func (c *cue) worse(p *pattern, to int32) bool {
	switch {
	case c.pattern == nil:
		return true
	case c.anchored != p.anchored:
		return p.anchored
	case to == c.to:
		return c.narrow && !p.narrow
	}
	return to > c.to
}

// matchRest matches a pattern from its element i on, and tells where it ends.
// Adverbs may stand between its words.
func (t *text) matchRest(p *pattern, i int, at, end int32) (int32, bool) {
	for ; i < len(p.elements); i++ {
		el := &p.elements[i]
		if el.gap > 0 {
			return t.matchBehind(p, i, at, end)
		}
		first := p.elements[i-1].gap > 0
		for !first && at < end && t.words[at].gap <= gapComma && t.is(at, adverbs) && !t.fits(el, at) {
			at++
		}
		if at < end && (first || t.words[at].gap == gapNone) && t.fits(el, at) {
			at++
		} else if !el.optional {
			return 0, false
		}
	}
	if p.closed && at < end && t.words[at].gap == gapNone {
		return 0, false
	}
	return at, true
}

// matchBehind matches what stands behind a gap, which is element i.
func (t *text) matchBehind(p *pattern, i int, at, end int32) (int32, bool) {
	end = min(end, at+int32(p.elements[i].gap)+maxElements)
	for k := at; k < min(end, at+int32(p.elements[i].gap)+1) && t.words[k].gap < gapBreak; k++ {
		if t.fits(&p.elements[i+1], k) {
			if to, ok := t.matchRest(p, i+1, k, end); ok {
				return to, true
			}
		}
	}
	return 0, false
}

// maxElements bounds how far a pattern goes on behind a gap, adverbs included.
const maxElements = 10

func (t *text) fits(e *element, at int32) bool { return e.matches(t.entry(at)) }

// heads tells whether a line stands over others: it is a heading, or ends in a
// colon.
func (t *text) heads(n int32) bool {
	l := &t.doc.Lines[n]
	return l.Kind == markdown.Heading || strings.HasSuffix(strings.TrimSpace(l.Text), ":")
}

// namesNothing tells whether a line with a cue speaks of no thing in particular:
// "The following items were not completed". What is out of scope is content.
func (t *text) namesNothing(l *line) bool {
	c := &t.cues[len(t.cues)-1]
	if c.kind == weakHeader {
		return false
	}
	for k := l.first; k < l.last; k++ {
		if (k < c.from || k >= c.to) && !t.is(k, generals) || t.form(k) == "scope" {
			return false
		}
	}
	return true
}
