package reading

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// cue is a place of a text that says that something was not delivered.
type cue struct {
	*pattern
	line     int32
	from, to int32 // its words
	verb     int32 // the word that stands for *, -1 if there is none
	// lo and hi bound the words that say what it is about.
	lo, hi int32
	// remark: it is a note on a whole sentence, which must then be the item.
	remark bool
}

// maxSpan is how many words on each side of a cue say what it is about.
const maxSpan = 40

// bareSpan is how many words behind "no" may say that none is needed.
const bareSpan = 8

// findCues adds the cues of a line.
func (t *text) findCues(v *vocabulary, n int32) {
	l := &t.lines[n]
	for at := l.first; at < l.last; at++ {
		e := &v.entries[t.words[at].id]
		if e.of == nil || t.words[at].quoted {
			continue
		}
		best := cue{to: at}
		for _, p := range e.of.begins {
			to, verb, ok := t.match(v, p, at, l.last)
			if ok && best.worse(p, to) && t.holds(v, p, l, t.doc.Lines[n].Kind, at, to) {
				best = cue{pattern: p, line: n, from: at, to: to, verb: verb}
			}
		}
		if best.pattern == nil {
			continue
		}
		t.bound(v, l, &best)
		best.remark = best.about == 'L' && !l.row && t.finds(v, t.sentence(l, at), at, finites)
		if best.about == 'H' || best.about == 'P' && !v.success {
			l.gaps = true
		}
		l.cued = true
		t.cues = append(t.cues, best)
		if !best.opening {
			at = best.to - 1
		}
	}
	if l.cued && t.heads(n) {
		l.gaps = l.gaps || t.general(v, l)
	}
}

// heads tells whether a line stands over others: it is a heading, or ends in a
// colon.
func (t *text) heads(n int32) bool {
	l := &t.doc.Lines[n]
	return l.Kind == markdown.Heading || strings.HasSuffix(strings.TrimSpace(l.Text), ":")
}

// general tells whether a line with one cue speaks of no thing in particular:
// "The following items were not completed".
func (t *text) general(v *vocabulary, l *line) bool {
	c := &t.cues[len(t.cues)-1]
	for k := l.first; k < l.last; k++ {
		e := &v.entries[t.words[k].id]
		if (k < c.from || k >= c.to) && e.in&(stops|adverbs|generics|packages|periods|laters|thises|finites) == 0 || e.form == "scope" {
			return false
		}
	}
	return true
}

// worse tells whether a pattern that ends at a word is to be preferred: one
// that fits in one place only, then the longer one.
func (c *cue) worse(p *pattern, to int32) bool {
	switch {
	case c.pattern == nil:
		return true
	case c.anchored != p.anchored:
		return p.anchored
	case (c.about == 'H') != (p.about == 'H'):
		return p.about == 'H'
	case c.opening != p.opening:
		return c.opening
	case to == c.to:
		return c.narrow && !p.narrow
	}
	return to > c.to
}

// match tells whether a pattern stands at a word, where it ends, and which word
// stands for *. Adverbs may stand between its words.
func (t *text) match(v *vocabulary, p *pattern, at, end int32) (to, verb int32, ok bool) {
	if p.anchored && t.words[at].gap == gapNone {
		return 0, 0, false
	}
	return t.matchRest(v, p, 0, at, end, -1)
}

// matchRest matches a pattern from its element i on.
func (t *text) matchRest(v *vocabulary, p *pattern, i int, at, end, verb int32) (int32, int32, bool) {
	for ; i < len(p.elements); i++ {
		el := &p.elements[i]
		if el.gap > 0 {
			for k := at; k < min(end, at+int32(el.gap)+1) && t.words[k].gap < gapBreak; k++ {
				if next := &v.entries[t.words[k].id]; p.elements[i+1].matches(next.form, next.in) {
					if to, verb, ok := t.matchRest(v, p, i+1, k, end, verb); ok {
						return to, verb, true
					}
				}
			}
			return 0, 0, false
		}
		first := i == 0 || p.elements[i-1].gap > 0
		for !first && at < end && t.words[at].gap <= gapComma && !el.matches(v.entries[t.words[at].id].form, v.entries[t.words[at].id].in) && v.entries[t.words[at].id].in&adverbs != 0 {
			at++
		}
		if at < end && (first || t.words[at].gap == gapNone) && el.matches(v.entries[t.words[at].id].form, v.entries[t.words[at].id].in) {
			if el.any || el.ending != "" || el.start != "" {
				verb = at
			}
			at++
		} else if !el.optional {
			return 0, 0, false
		}
	}
	if p.closed && at < end && t.words[at].gap == gapNone {
		return 0, 0, false
	}
	return at, verb, true
}

// holds tells whether the grammar around a cue lets it speak of the work. In
// a condition ("if it is not done"), in a relative clause ("jobs that were not
// finished"), in a question and behind another negation ("nothing was
// skipped") it speaks of the matter.
func (t *text) holds(v *vocabulary, p *pattern, l *line, kind markdown.Kind, at, to int32) bool {
	if to < l.last && t.words[to].gap == gapNone && v.entries[t.words[to].id].in&limits != 0 {
		return false
	}
	switch p.about {
	case 'H', 'P':
		return at == l.first && to == l.last
	case 'R':
		from := t.sentence(l, at)
		if t.words[at].gap != gapNone || l.row && from == l.first || t.finds(v, from, at, finites|negators) || t.has(v, from, min(l.last, to+maxSpan), "nothing", "none", "☑") {
			return false
		}
	case 'L':
		if l.row && t.finds(v, to, t.cellEnd(l, to), dones) {
			return false
		}
		if p.weak && t.words[at].gap < gapBreak {
			return false
		}
		if t.has(v, to, min(l.last, to+maxSpan), "nothing", "none", "☑") || t.has(v, t.sentence(l, at), at, "☑") {
			return false
		}
	case 'C':
		if t.words[at].gap != gapCell || to < l.last && t.words[to].gap < gapComma || to < l.last && t.words[to].gap == gapParen {
			return false
		}
	case 'N':
		if t.finds(v, to, min(l.last, to+bareSpan), needless) {
			return false
		}
		if kind == markdown.Sentence && !l.row {
			return false
		}
		for k := to; k < min(l.last, to+maxSpan) && t.words[k].gap < gapBreak; k++ {
			if v.entries[t.words[k].id].in&(finites|dones) != 0 {
				return false
			}
		}
	}
	for k := at + 1; k < to; k++ {
		in := v.entries[t.words[k].id].in
		switch {
		case in&relatives != 0 && v.entries[t.words[at].id].in&negators != 0, // none of which
			in&perceives != 0 && p.free, in&needless != 0 && p.weak, // did not find, not needed
			in&contrasts != 0 && v.entries[t.words[k-1].id].in&negators != 0: // not only
			return false
		}
	}
	k := at
	for k > l.first && t.words[k].gap <= gapComma && v.entries[t.words[k-1].id].in&adverbs != 0 && v.entries[t.words[k-1].id].in&(negators|breakers) == 0 {
		k--
	}
	if t.settled(v, l, to) {
		return false
	}
	if v.entries[t.words[at].id].in&negators == 0 && t.restricted(v, l, k) {
		return false
	}
	if p.lexical && k > l.first && v.entries[t.words[k-1].id].in&modals != 0 {
		return false
	}
	aside := false // between ( and )
	for n := 0; k > l.first && t.words[k].gap < gapBreak && n < maxSpan; n++ {
		aside = aside != (t.words[k].gap == gapParen)
		if k--; aside {
			continue
		}
		in := v.entries[t.words[k].id].in
		switch {
		case in&conditions != 0 && in&breakers == 0, in&negators != 0 && !p.anchored:
			return false
		case in&breakers != 0 && v.entries[t.words[k].id].form != "and":
			return true
		}
	}
	return true
}

// settled tells whether a sentence goes on to say that it is different now.
func (t *text) settled(v *vocabulary, l *line, at int32) bool {
	for k := at; k < min(l.last, at+maxSpan) && t.words[k].gap < gapStop; k++ {
		if v.entries[t.words[k].id].form == "now" && v.entries[t.words[k-1].id].form != "for" && v.entries[t.words[k-1].id].in&(breakers|finites) != 0 {
			return true
		}
	}
	return false
}

// restricted tells whether a relative clause that narrows a noun begins before
// a word: "jobs that were not", "photos that we did not", but not "the
// refunds, which we did not".
func (t *text) restricted(v *vocabulary, l *line, k int32) bool {
	by := k > l.first && (v.entries[t.words[k].id].in|v.entries[t.words[k-1].id].in)&authors != 0
	if by && v.entries[t.words[k].id].in&authors == 0 {
		k--
	}
	if k == l.first || t.words[k].gap != gapNone || v.entries[t.words[k-1].id].in&relatives == 0 {
		return false
	}
	return !by || t.words[k-1].gap == gapNone
}

// sentence gives the first word of the sentence that a word stands in.
func (t *text) sentence(l *line, at int32) int32 {
	k := at
	for k > max(l.first, at-maxSpan) && t.words[k].gap < gapStop {
		k--
	}
	return k
}

// finds tells whether a word of some classes stands between two places.
func (t *text) finds(v *vocabulary, from, to int32, in class) bool {
	for k := from; k < to; k++ {
		if v.entries[t.words[k].id].in&in != 0 {
			return true
		}
	}
	return false
}

// has tells whether one of some words stands between two places.
func (t *text) has(v *vocabulary, from, to int32, forms ...string) bool {
	for k := from; k < to; k++ {
		if slices.Contains(forms, v.entries[t.words[k].id].form) {
			return true
		}
	}
	return false
}

// bound finds the words that a cue is about: its clause, and for a note all
// that it stands beside.
func (t *text) bound(v *vocabulary, l *line, c *cue) {
	c.lo, c.hi = c.from, c.to
	if c.about == 'L' || c.about == 'C' || c.about == 'R' {
		t.boundNote(v, l, c)
		return
	}
	if c.about != 'A' && c.about != 'N' && c.about != 'T' {
		c.lo = t.left(v, l, c.from)
	}
	for k := c.to; k < l.last && k < c.to+maxSpan; k++ {
		e := &v.entries[t.words[k].id]
		if t.words[k].gap >= gapBreak || e.in&breakers != 0 && e.form != "and" || e.in&conditions != 0 {
			break
		}
		c.hi = k + 1
	}
}

// left gives the first word of the clause that a word stands in.
func (t *text) left(v *vocabulary, l *line, at int32) int32 {
	cut := at // where a clause before would end
	for k := at; k > l.first && k > at-maxSpan; k-- {
		if t.words[k].gap >= gapBreak {
			return k
		}
		e := &v.entries[t.words[k-1].id]
		switch {
		case e.form == "and" || t.words[k].gap == gapComma:
			cut = k
		case e.in&breakers != 0, e.in&relatives != 0 && t.words[k-1].gap == gapNone:
			return k
		case e.in&finites != 0 && cut < at: // another clause with a verb of its own
			return cut
		}
		if k-1 == l.first {
			return l.first
		}
	}
	return max(l.first, at-maxSpan)
}

// boundNote bounds a note: in a table the row, elsewhere the sentence. What
// follows a box is what it is about.
func (t *text) boundNote(v *vocabulary, l *line, c *cue) {
	end := gapStop
	if l.row && t.leads(v, l, c.from) {
		end = gapRow
	}
	for c.hi < min(l.last, c.to+maxWindow) && t.words[c.hi].gap < end {
		c.hi++
	}
	if t.words[c.from].gap == gapStop && c.from > l.first {
		return
	}
	for c.lo > max(l.first, c.from-maxWindow) && t.words[c.lo].gap < end {
		c.lo--
	}
}

// leads tells whether a cue is the first that its cell says.
func (t *text) leads(v *vocabulary, l *line, at int32) bool {
	for k := at; ; k-- {
		if k == l.first || t.words[k].gap >= gapCell {
			return true
		}
		if v.entries[t.words[k-1].id].of == nil {
			return false
		}
	}
}

// cellEnd gives the end of the cell that a word stands in.
func (t *text) cellEnd(l *line, at int32) int32 {
	for at < l.last && t.words[at].gap < gapCell {
		at++
	}
	return at
}
