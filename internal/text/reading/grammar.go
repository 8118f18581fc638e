package reading

import "github.com/swarmspeed/shadowd/internal/text/markdown"

// holds tells whether the grammar around a cue lets it speak of the work. In a
// norm ("need not be done"), in a condition ("if it is not done"), in a relative clause ("jobs that were not
// finished") and behind another negation ("nothing was skipped") it speaks of
// the matter.
func (t *text) holds(p *pattern, n, at, to int32) bool {
	l := &t.lines[n]
	if !t.mayStand(p, n, at, to) || !t.negatesWork(p, at, to) || t.differsNow(l, to) {
		return false
	}
	k := at // the first adverb before the cue, or the cue
	for k > l.first && t.words[k].gap <= gapComma && t.is(k-1, adverbs) && !t.is(k-1, negators|breakers) {
		k--
	}
	norm := k > l.first && t.words[k].gap == gapNone && t.is(k-1, norms) // you need not publish it
	relative := !t.is(at, negators) && t.inRelative(l, k)
	return !norm && !relative && t.asserted(p, l, k, at)
}

// mayStand tells whether a cue of its kind may stand where it stands. What a
// note stands beside is neither nothing nor done.
func (t *text) mayStand(p *pattern, n, at, to int32) bool {
	l := &t.lines[n]
	switch p.kind {
	case done:
		return at == l.first || t.form(at-1) != "to" && t.form(at-1) != "be"
	case header, weakHeader:
		return at == l.first && to == l.last
	case endNote:
		return t.mayClose(l, n, at, to)
	case note:
		return t.mayLead(p, l, n, at, to)
	case stateCell:
		return t.words[at].gap == gapCell && (to == l.last || t.words[to].gap == gapComma || t.words[to].gap > gapParen)
	}
	return true
}

// mayClose tells whether a note may stand at the end of what it is about, with
// nothing between the two. A heading declines nothing so: "reports people
// really open".
func (t *text) mayClose(l *line, n, at, to int32) bool {
	kind, from := t.doc.Lines[n].Kind, t.sentenceStart(l, at)
	switch {
	case t.words[at].gap != gapNone || kind == markdown.Heading || t.form(at-1) == "☐":
		return false
	case t.behind(n, to-1) == ':' && (t.words[to-1].caps > 0 || kind == markdown.Sentence): // it heads what follows
		return false
	case l.row && (from == l.first || t.count(l.first, at, dones)+t.count(to, l.last, dones) > 0):
		return false
	}
	return t.count(from, at, finites|negators|pronouns|authors) == 0 && t.count(from, min(l.last, to+maxSpan), nones|ticks) == 0
}

// mayLead tells whether a note may stand before what it is about, or beside its
// label.
func (t *text) mayLead(p *pattern, l *line, n, at, to int32) bool {
	gap, from, end := t.words[at].gap, t.sentenceStart(l, at), min(l.last, to+maxSpan)
	if t.marked(l, at) {
		end = to
	} else if t.form(at) == "☐" {
		for end = to; end < min(l.last, to+maxSpan) && t.words[end].gap < gapStop; end++ {
		}
		if at > l.first && t.is(at-1, ticks) || t.is(l.last-1, ticks) {
			return false
		}
	}
	switch {
	case t.count(from, end, ticks) > 0 || p.weak && gap < gapBreak && !(gap == gapParen && to == l.last):
		return false
	case gap == gapBreak && to < l.last && t.words[to].gap == gapBreak && t.behind(n, to-1) != ';': // open → pending → closed
		return false
	case gap == gapComma && (t.behind(n, to-1) == ':' || t.count(from, at, finites) > 0): // mails are held, not delivered
		return false
	}
	if !l.row || t.count(to, t.cellEnd(l, to), dones)+t.count(l.first, at, ticks) > 0 {
		return !l.row
	}
	return gap == gapCell || t.count(t.cellStart(l, at), at, dones) == 0
}

// negatesWork tells whether the words of a cue negate the work: not "none of which",
// "did not find", "not needed" or "not only".
func (t *text) negatesWork(p *pattern, at, to int32) bool {
	for k := at + 1; k < to; k++ {
		switch {
		case t.is(k, conditions) && !t.is(k, breakers) && k < to-1, t.is(k, relatives) && t.is(at, negators), t.is(k, contrasts) && t.is(k-1, negators):
			return false
		case t.is(k, perceives) && p.free, t.is(k, needless) && p.weak:
			return false
		}
	}
	return true
}

// asserted tells whether the clause before a cue is no condition and has no
// other negation. k is where the adverbs before the cue begin.
func (t *text) asserted(p *pattern, l *line, k, at int32) bool {
	clause := t.clauseStart(l, at)
	for n := 0; k > l.first && t.words[k].gap < gapBreak && n < maxSpan; n++ {
		k--
		switch {
		case t.form(k) == "that" && t.isReported(l, k):
			return false
		case t.is(k, conditions) && !t.is(k, breakers) && !(k > l.first && t.is(k-1, prepositions)), t.is(k, negators) && !p.anchored && k >= clause:
			return false
		case t.is(k, breakers) && t.form(k) != "and" && k+1 < at:
			return true
		}
	}
	return true
}

// isReported tells whether the "that" at a word begins what somebody is told, and not a
// noun's relative clause or what the author admits.
func (t *text) isReported(l *line, k int32) bool {
	return k > l.first && t.words[k].gap == gapNone && !t.is(k-1, admits) && t.is(k+1, stops) && !t.is(k+1, finites)
}

// differsNow tells whether a sentence goes on to say that it is different now.
func (t *text) differsNow(l *line, at int32) bool {
	for k := at; k < min(l.last, at+maxSpan) && t.words[k].gap < gapStop; k++ {
		if t.form(k) == "now" && t.form(k-1) != "for" && t.is(k-1, breakers|finites) {
			return true
		}
	}
	return false
}

// inRelative tells whether a relative clause that narrows a noun begins before
// a word: "jobs that were not", "photos that we did not", but not "the
// refunds, which we did not".
func (t *text) inRelative(l *line, k int32) bool {
	if k > l.first && (t.is(k-1, authors|pronouns) || k-1 > l.first && t.form(k-2) == "whose") {
		k--
	}
	if k <= l.first+1 || t.words[k].gap != gapNone || !t.is(k-1, relatives) {
		return false
	}
	return t.words[k-1].gap == gapNone && !t.is(k-2, admits) || k-1 > l.first && t.form(k-1) == "what"
}

// sentenceStart gives the first word of the sentence that a word stands in. Where
// marks of state follow what they are about, one ends a sentence.
func (t *text) sentenceStart(l *line, at int32) int32 {
	k := at
	for k > max(l.first, at-maxSpan) && t.words[k].gap < gapStop && !t.marked(l, k-1) {
		k--
	}
	return k
}

// marked tells whether a word is a mark of state that something stands before.
func (t *text) marked(l *line, at int32) bool {
	return at > l.first && t.words[at].gap < gapStop && (t.is(at, ticks) || t.form(at) == "☐")
}

// bound finds the words that a cue is about: its clause, and for a note all
// that it stands beside.
func (t *text) bound(l *line, c *cue) {
	c.lo, c.hi = c.from, c.to
	switch c.kind {
	case note, stateCell, endNote:
		t.boundNote(l, c)
		return
	case subjectBehind:
	case done:
		c.lo = t.behindLastCue(l, c.from)
	default:
		c.lo = t.clauseStart(l, c.from)
	}
	switch {
	case c.lo < c.from || c.kind == subjectBehind:
	case l.row:
		c.lo = l.first
	case c.lo > l.first && t.words[c.lo].gap < gapBreak && t.form(c.lo-1) == "and": // the clause before has its subject
		c.lo = t.clauseStart(l, c.lo-1)
	}
	for k := c.to; k < l.last && k < c.to+maxSpan; k++ {
		joins := t.form(k) == "and" && t.words[k].gap != gapComma
		if t.words[k].gap >= gapBreak || t.is(k, conditions) || t.is(k, breakers) && !joins {
			break
		}
		c.hi = k + 1
	}
}

// behindLastCue gives the first word behind the last cue of a sentence, or of a row.
func (t *text) behindLastCue(l *line, at int32) int32 {
	lo := l.first
	if !l.row {
		lo = t.sentenceStart(l, at)
	}
	if n := len(t.cues); n > 0 && t.cues[n-1].to <= at {
		lo = max(lo, t.cues[n-1].to)
	}
	return lo
}

// clauseStart gives the first word of the clause that a word stands in.
func (t *text) clauseStart(l *line, at int32) int32 {
	cut := int32(-1) // where a clause before would end
	for k := at; k > l.first && k > at-maxSpan; k-- {
		switch {
		case t.words[k].gap >= gapBreak, t.is(k-1, ticks), t.form(k-1) == "☐":
			return k
		case t.form(k-1) == "and" || t.words[k].gap == gapComma || t.words[k].gap == gapParen:
			cut = k
		case t.is(k-1, breakers), t.is(k-1, relatives) && t.words[k-1].gap == gapNone && cut < 0:
			return k
		case t.is(k-1, finites) && cut >= 0: // another clause with a verb of its own
			return cut
		}
	}
	return max(l.first, at-maxSpan)
}

// boundNote bounds a note: in a table the row, elsewhere the sentence. What
// follows a box is what it is about.
func (t *text) boundNote(l *line, c *cue) {
	end := gapStop
	if c.kind == endNote {
		end = gapBreak
	} else if l.row {
		end = gapRow
	}
	for c.hi < min(l.last, c.to+maxWindow) && t.words[c.hi].gap < end && !t.marked(l, c.from) {
		c.hi++
	}
	if t.words[c.from].gap == gapStop && c.from > l.first {
		return
	}
	if c.kind == endNote && !l.row {
		end = gapComma
	}
	for c.lo > max(l.first, c.from-maxWindow) && t.words[c.lo].gap < end && !t.marked(l, c.lo-1) {
		c.lo--
	}
	if l.row && c.kind != endNote {
		t.boundCells(l, c)
	}
}

// boundCells leaves the number of a row out of a note, and what stands behind the
// note's cell if a cell before it names something.
func (t *text) boundCells(l *line, c *cue) {
	if end := t.cellEnd(l, c.lo+1); end == c.lo+1 && end <= c.from && isDigit(t.form(c.lo)[0]) {
		c.lo = end
	}
	if t.cellEnd(l, c.lo+1) <= c.from {
		c.hi = min(c.hi, t.cellEnd(l, c.to))
	}
}

// cellStart gives the first word of the cell that a word stands in.
func (t *text) cellStart(l *line, at int32) int32 {
	for at > l.first && t.words[at].gap < gapCell {
		at--
	}
	return at
}

// cellEnd gives the end of the cell that a word stands in.
func (t *text) cellEnd(l *line, at int32) int32 {
	for at < l.last && t.words[at].gap < gapCell {
		at++
	}
	return at
}
