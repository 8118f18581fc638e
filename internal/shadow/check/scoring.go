package check

import (
	"slices"
	"strings"
	"sync"
)

// scored is how well the lines of a text cover a phrase.
type scored struct {
	x     *index
	lines int
	own   []float32 // by term and line: how well the line itself has the term
	sec   []float32 // by term and section: the best of its lines that state something
	all   []float32 // by term: the best of those lines
	any   []float32 // by term: the best of all lines
	off   []bool    // by line: it declines or forbids what the phrase asks for

	best         int     // best line, -1 if no line has a content word
	score        float32 // its weighted mean, 0 to 1
	bestDeclined bool
	open         float32 // score of the best line that is not declined
	plain        float32 // score of the best line that is neither declined nor negated nor a question
	plainBest    int
	negatedOnly  bool
	promised     int // a heading that names all of the phrase with no text under it, or -1

	rows *[]float32 // what own, sec and all are parts of
}

// room makes the rows for a number of terms.
func (s *scored) room(terms, sections int) {
	s.rows = scoreRows.Get().(*[]float32)
	own, sec := terms*s.lines, terms*sections
	n := own + sec + 2*terms
	*s.rows = slices.Grow((*s.rows)[:0], n)[:n]
	rows := *s.rows
	clear(rows)
	s.own, s.sec, s.all, s.any = rows[:own], rows[own:own+sec], rows[own+sec:n-terms], rows[n-terms:]
	s.off = make([]bool, s.lines)
}

var scoreRows = sync.Pool{New: func() any { return new([]float32) }}

// maxKeptRows bounds the rows that are kept for the next phrase.
const maxKeptRows = 1 << 16

// release gives the rows back. What was found stays.
func (s *scored) release() {
	if cap(*s.rows) <= maxKeptRows {
		scoreRows.Put(s.rows)
	}
	s.rows, s.own, s.sec, s.all, s.any = nil, nil, nil, nil, nil
}

// score rates every line of t that has a content word of p.
func score(t *Text, p *phrase) *scored {
	x := t.indexed()
	n := len(t.Lines)
	s := &scored{x: x, lines: n, best: -1, plainBest: -1, promised: -1}
	s.room(len(p.terms), len(t.Sections))
	if p.weight == 0 || n == 0 {
		return s
	}
	for k := range p.terms {
		own := s.own[k*n : (k+1)*n]
		if p.terms[k].parts == nil {
			x.rateWord(p.terms[k].stem, own)
		} else {
			x.rateIdentifier(&p.terms[k], own)
		}
	}
	for i := range n {
		f := &x.lines[i]
		s.off[i] = f.declined != "" && !p.has(f.declined) || f.negated && s.speaks(p, i) && forbids(&t.Lines[i], p)
	}
	for k := range p.terms {
		sec := s.sec[k*len(t.Sections):]
		for i, q := range s.own[k*n : (k+1)*n] {
			if q > 0 {
				s.any[k] = max(s.any[k], q)
				if !s.off[i] {
					sec[t.Lines[i].Section] = max(sec[t.Lines[i].Section], q)
					s.all[k] = max(s.all[k], q)
				}
			}
		}
	}
	for i := range n {
		if !s.speaks(p, i) {
			continue
		}
		if x.lines[i].silent {
			if t.Lines[i].Kind == Heading && s.names(p, i) {
				s.promised = i
			}
			continue
		}
		var sum float32
		for k := range p.terms {
			if w := p.terms[k].weight; w > 0 {
				sum += w * s.at(t, k, i)
			}
		}
		s.take(t, p, i, sum/p.weight)
	}
	s.negatedOnly = s.best >= 0 && s.plain < foundAt
	return s
}

// speaks tells whether line i itself has a word of the phrase that is not
// just a verb.
func (s *scored) speaks(p *phrase, i int) bool {
	for k := range p.terms {
		if !p.terms[k].verb && s.own[k*s.lines+i] > 0 {
			return true
		}
	}
	return false
}

// names tells whether line i itself has every content word of the phrase.
func (s *scored) names(p *phrase, i int) bool {
	for k := range p.terms {
		if p.terms[k].anchor > 0 && s.own[k*s.lines+i] < qualitySynonym {
			return false
		}
	}
	return p.anchor > 0
}

// at gives how well line i has term k, by itself or by what stands around it.
// A line that states something borrows no words from lines that decline them.
func (s *scored) at(t *Text, k, i int) float32 {
	if s.any[k] == 0 {
		return 0
	}
	own := s.own[k*s.lines : (k+1)*s.lines]
	q := own[i]
	if q == 1 {
		return 1
	}
	l := &t.Lines[i]
	off := s.off[i]
	from := func(j int, weight float32) {
		if j >= 0 && (off || !s.off[j]) {
			q = max(q, weight*own[j])
		}
	}
	if p := l.Parent; p >= 0 {
		from(p, placeParent)
		from(t.Lines[p].Parent, placeAround)
	}
	from(l.Header, placeAround)
	if h := s.x.heads[l.Section]; h >= 0 {
		from(int(h), placeHeading)
		from(int(s.x.heads[t.Sections[l.Section].Up]), placeAround)
	}
	if i > 0 && t.Lines[i-1].Section == l.Section {
		from(i-1, placeAround)
	}
	if i+1 < s.lines && t.Lines[i+1].Section == l.Section {
		from(i+1, placeAround)
	}
	if off {
		return max(q, placeElsewhere*s.any[k])
	}
	return max(q, placeSection*s.sec[k*len(t.Sections)+l.Section], placeElsewhere*s.all[k])
}

// take notes the score of line i. Of two lines that score the same, the one
// that is not a heading says more.
func (s *scored) take(t *Text, p *phrase, i int, score float32) {
	f := &s.x.lines[i]
	declined := s.off[i]
	beats := func(than float32, line int) bool {
		return score > than || line < 0 || score == than && t.Lines[line].Kind == Heading && t.Lines[i].Kind != Heading
	}
	if beats(s.score, s.best) {
		s.best, s.score, s.bestDeclined = i, score, declined
	}
	if declined {
		return
	}
	s.open = max(s.open, score)
	if (!f.negated || p.restricts) && !f.asks && beats(s.plain, s.plainBest) {
		s.plain, s.plainBest = score, i
	}
}

// has tells whether the phrase itself speaks of what a cue says: asked to
// reject unsupported versions, a text that calls a version unsupported does
// not decline.
func (p *phrase) has(cue string) bool { return wholeIndex(p.lower, cue) >= 0 }

// present tells whether the text has term k of p anywhere. A name of a
// program's own, refresh_tokens, is not there if its parts are only scattered.
func (s *scored) present(p *phrase, k int) bool {
	if p.terms[k].parts != nil && strings.Contains(p.terms[k].raw, "_") {
		return s.any[k] > qualityLoose
	}
	return s.any[k] >= qualityLoose
}

// absent is the share of the phrase, by weight, that stands nowhere.
func (s *scored) absent(p *phrase) float32 {
	var sum float32
	for k := range p.terms {
		if !s.present(p, k) {
			sum += p.terms[k].weight
		}
	}
	return sum / p.weight
}

// rateWord sets how well each line has a word: itself, a word that resembles
// it, or a synonym.
func (x *index) rateWord(stem string, own []float32) {
	x.rateExactly(stem, own)
	x.alike(stem, func(id int32, q float32) { x.rate(id, q, own) })
}

// rateExactly does so for the word itself and its synonyms.
func (x *index) rateExactly(stem string, own []float32) {
	if id, ok := x.id(stem); ok {
		x.rate(id, 1, own)
	}
	for _, g := range synonyms.of[stem] {
		for _, other := range synonyms.groups[g] {
			if id, ok := x.id(other); ok && other != stem {
				x.rate(id, qualitySynonym, own)
			}
		}
	}
}

// rate raises the lines that have a stem to q.
func (x *index) rate(id int32, q float32, own []float32) {
	for _, h := range x.hits[id] {
		own[h.line] = max(own[h.line], q)
	}
}

// rateIdentifier sets how well each line has an identifier: as one word, with
// its parts one behind the other, or with its parts scattered.
func (x *index) rateIdentifier(t *phraseTerm, own []float32) {
	n := len(own)
	x.rateExactly(t.stem, own)
	parts := make([]float32, len(t.parts)*n)
	for k, part := range t.parts {
		row := parts[k*n : (k+1)*n]
		if id, ok := x.id(part); ok {
			x.rate(id, 1, row)
		}
		x.alike(part, func(id int32, q float32) { x.rate(id, q, row) })
	}
	for i := range own {
		have := float32(0)
		for k := range t.parts {
			have += parts[k*n+i]
		}
		if share := have / float32(len(t.parts)); share > 0.8 {
			own[i] = max(own[i], qualityLoose)
		} else if share > 0 {
			own[i] = max(own[i], qualityLoose*share/2)
		}
	}
	for _, h := range x.sequence(t.parts) {
		own[h.line] = max(own[h.line], qualityApart)
	}
}

// sequence finds where the stems stand one behind the other in a line.
func (x *index) sequence(stems []string) []hit {
	id, ok := x.id(stems[0])
	if !ok {
		return nil
	}
	at := x.hits[id]
	for k := 1; k < len(stems); k++ {
		id, ok := x.id(stems[k])
		if !ok {
			return nil
		}
		var kept []hit
		next, j := x.hits[id], 0
		for _, h := range at {
			want := hit{h.line, h.pos + int32(k)}
			for j < len(next) && (next[j].line < want.line || next[j].line == want.line && next[j].pos < want.pos) {
				j++
			}
			if j < len(next) && next[j] == want {
				kept = append(kept, h)
			}
		}
		at = kept
	}
	return at
}
