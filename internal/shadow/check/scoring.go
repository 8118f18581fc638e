package check

import (
	"slices"
	"strings"
	"sync"
)

// scored is how well the lines of a text cover a phrase.
type scored struct {
	x     *index
	terms int
	own   []float32 // by line and term: how well the line itself has the term
	sec   []float32 // by section and term: the best of its lines that state something
	all   []float32 // by term: the best of those lines
	any   []float32 // by term: the best of all lines
	is    []lineIs  // by line

	best         int     // best line, -1 if no line has a content word
	score        float32 // its weighted mean, 0 to 1
	bestDeclined bool
	open         float32 // score of the best line that is not declined
	plain        float32 // score of the best line that is neither declined nor negated nor a question
	plainBest    int
	negatedOnly  bool
	promised     int // a heading that names all of the phrase with no text under it, or -1

	room *room
}

// lineIs is what a line is to a phrase.
type lineIs uint8

const (
	touched lineIs = 1 << iota // it has a word of the phrase
	spoken                     // it has one that is not just a verb
	off                        // it declines or forbids what the phrase asks for
)

// room is the space that scoring a phrase needs.
type room struct {
	cells []float32
	is    []lineIs
	parts [2][]float32 // by line, for identifiers
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// maxKeptCells bounds the space that is kept for the next phrase.
const maxKeptCells = 1 << 16

// take makes the space for a number of terms, lines and sections.
func (s *scored) take(terms, lines, sections int) {
	r := rooms.Get().(*room)
	own, sec := terms*lines, terms*sections
	n := own + sec + 2*terms
	r.cells = zeros(r.cells, n)
	r.is = zeros(r.is, lines)
	s.room, s.is = r, r.is
	s.own, s.sec, s.all, s.any = r.cells[:own], r.cells[own:own+sec], r.cells[own+sec:n-terms], r.cells[n-terms:]
}

// zeros gives n zeros in the space of old, if there is enough of it.
func zeros[T any](old []T, n int) []T {
	out := slices.Grow(old[:0], n)[:n]
	clear(out)
	return out
}

// release gives the space back. What was found stays.
func (s *scored) release() {
	if cap(s.room.cells) <= maxKeptCells {
		rooms.Put(s.room)
	}
	s.room, s.own, s.sec, s.all, s.any, s.is = nil, nil, nil, nil, nil, nil
}

// score rates every line of t that has a content word of p.
func score(t *Text, p *phrase) *scored {
	x := t.indexed()
	n := len(t.Lines)
	s := &scored{x: x, terms: len(p.terms), best: -1, plainBest: -1, promised: -1}
	s.take(len(p.terms), n, len(t.Sections))
	if p.weight == 0 || n == 0 {
		return s
	}
	for k := range p.terms {
		if p.terms[k].parts == nil {
			s.rateWord(&p.terms[k], k)
		} else {
			s.rateIdentifier(&p.terms[k], k)
		}
	}
	s.sumUp(t, p)
	var near nearby
	var some [maxTerms]int
	terms := s.counting(p, some[:0])
	for i, is := range s.is {
		if is&spoken == 0 {
			continue
		}
		if x.lines[i].silent {
			if t.Lines[i].Kind == Heading && s.names(p, i) {
				s.promised = i
			}
			continue
		}
		s.look(t, i, &near)
		var sum float32
		for _, k := range terms {
			sum += p.terms[k].weight * s.at(k, &near)
		}
		s.note(t, p, i, sum/p.weight)
	}
	s.negatedOnly = s.best >= 0 && s.plain < foundAt
	return s
}

// sumUp finds the lines that are off, and the best of each section and of all.
func (s *scored) sumUp(t *Text, p *phrase) {
	for i, is := range s.is {
		if is == 0 {
			continue
		}
		f := &s.x.lines[i]
		if f.declined != "" && !p.has(f.declined) || f.negated && is&spoken != 0 && s.forbids(f, p) {
			s.is[i] |= off
			is |= off
		}
		own := s.own[i*s.terms : (i+1)*s.terms]
		sec := s.sec[t.Lines[i].Section*s.terms:][:len(own)]
		for k, q := range own {
			if q > s.any[k] {
				s.any[k] = q
			}
			if is&off == 0 && q > sec[k] {
				sec[k] = q
				if q > s.all[k] {
					s.all[k] = q
				}
			}
		}
	}
}

// counting lists the terms that can add to a score: those that weigh and that
// stand in the text.
func (s *scored) counting(p *phrase, into []int) []int {
	for k := range p.terms {
		if p.terms[k].weight > 0 && s.any[k] > 0 {
			into = append(into, k)
		}
	}
	return into
}

// forbids tells whether a line negates what the phrase asks for: at least half
// of what a negation stands just before are words of the phrase, and the
// phrase has no negation itself. "Never stored in plain text" does not negate
// "store tokens as hashes".
func (s *scored) forbids(f *lineFacts, p *phrase) bool {
	denied := s.x.denied[f.deniedFrom:f.deniedTo]
	if p.restricts || len(denied) == 0 {
		return false
	}
	asked := 0
	for _, id := range denied {
		for k := range p.terms {
			if name := s.x.stems.keys[id]; name == p.terms[k].stem && !isNumber(name) {
				asked++
			}
		}
	}
	return 2*asked >= len(denied) && asked > 0
}

// names tells whether line i itself has every content word of the phrase.
func (s *scored) names(p *phrase, i int) bool {
	for k := range p.terms {
		if p.terms[k].anchor > 0 && s.own[i*s.terms+k] < qualitySynonym {
			return false
		}
	}
	return p.anchor > 0
}

// nearby is a line with the lines that it may borrow words from.
type nearby struct {
	own, sec, all []float32
	n             int
	rows          [7]int // where the rows of the others begin in scored.own
	weights       [7]float32
}

// look finds what stands around line i. A line that states something borrows
// no words from lines that decline them.
func (s *scored) look(t *Text, i int, near *nearby) {
	l := &t.Lines[i]
	isOff := s.is[i]&off != 0
	near.own = s.own[i*s.terms : (i+1)*s.terms]
	near.n = 0
	from := func(j int, weight float32) {
		if j < 0 || s.is[j]&touched == 0 || !isOff && s.is[j]&off != 0 {
			return
		}
		near.rows[near.n], near.weights[near.n] = j*s.terms, weight
		near.n++
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
	if i+1 < len(t.Lines) && t.Lines[i+1].Section == l.Section {
		from(i+1, placeAround)
	}
	near.sec, near.all = s.sec[l.Section*s.terms:], s.all
	if isOff {
		near.sec, near.all = nil, s.any
	}
}

// at gives how well a line has term k, by itself or by what stands around it.
func (s *scored) at(k int, near *nearby) float32 {
	q := near.own[k]
	if q == 1 || s.any[k] == 0 {
		return q
	}
	for j, row := range near.rows[:near.n] {
		if r := near.weights[j] * s.own[row+k]; r > q {
			q = r
		}
	}
	if near.sec != nil {
		if r := placeSection * near.sec[k]; r > q {
			q = r
		}
	}
	if r := placeElsewhere * near.all[k]; r > q {
		q = r
	}
	return q
}

// note keeps the score of line i. Of two lines that score the same, the one
// that is not a heading says more.
func (s *scored) note(t *Text, p *phrase, i int, score float32) {
	f := &s.x.lines[i]
	declined := s.is[i]&off != 0
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
