package check

import (
	"strings"
	"unicode"
)

// Verdict is what a text says of the matter of a phrase.
type Verdict string

// The verdicts.
const (
	Found    Verdict = "found"     // there is a passage about it
	NotFound Verdict = "not_found" // there is none
	Declined Verdict = "declined"  // the passage about it says that it is left out or put off
	Unsure   Verdict = "unclear"   // the rule cannot tell
)

// Reading is what a text says of the matter of a phrase, and on what grounds.
type Reading struct {
	Phrase  string
	Verdict Verdict
	Passage string   // the line that comes nearest, "" if no line has a word of the phrase
	Line    int      // its 1-based source line, or 0
	Score   float64  // how much of the phrase the passage covers, 0 to 1
	Missing []string // content words of the phrase that stand nowhere in the text
	Weak    []string // content words that the passage and what is around it do not have
}

// How well a word of the text stands for a word of the phrase.
const (
	qualityPrefix  = 0.85
	qualitySynonym = 0.8
	qualityShared  = 0.7
	qualityApart   = 0.9 // the parts of an identifier, one behind the other
	qualityLoose   = 0.5 // the parts of an identifier, scattered over a line
)

// How much a word counts by its place.
const (
	placeParent    = 0.95
	placeHeading   = 0.95
	placeAround    = 0.8 // the table's header, the heading above, the lines beside, the parent's parent
	placeSection   = 0.55
	placeElsewhere = 0.3
)

// Bounds of the score.
const (
	foundAt    = 0.80
	declinedAt = 0.60
	notFoundAt = 0.70
	firmlyAt   = 0.50
	absentAt   = 0.25 // share of the phrase that must stand nowhere in the text, between the two
	declineGap = 0.10
	weakAt     = 0.55
)

// Reads tells what the text says of the matter of a phrase, by the rule that
// the package documentation states. The words of also are other ways to put
// it: the text addresses the phrase if it addresses one of them.
func (t *Text) Reads(text string, also ...string) Reading {
	p := phraseFor(text)
	s := score(t, p)
	r := s.verdict(t, p)
	s.release()
	for _, other := range also {
		if r.Verdict == Found {
			break
		}
		p := phraseFor(other)
		s := score(t, p)
		if len(p.terms) == 0 || s.best < 0 {
			s.release()
			continue
		}
		o := s.verdict(t, p)
		s.release()
		o.Phrase = text
		switch {
		case s.score >= foundAt && o.Verdict == Unsure && p.anchor < 2 && !s.negatedOnly:
			// The author vouches for a short alternative.
			o.Verdict = Found
			r = o
		case o.Verdict == Found, o.Verdict == Unsure && r.Verdict == NotFound && s.score >= notFoundAt:
			r = o
		}
	}
	return r
}

// verdict applies the bounds.
func (s *scored) verdict(t *Text, p *phrase) Reading {
	r := Reading{Phrase: p.text, Verdict: Unsure, Score: float64(s.score)}
	var near nearby
	if s.best >= 0 {
		s.look(t, s.best, &near)
	}
	for k := range p.terms {
		if p.terms[k].anchor == 0 {
			continue
		}
		if !s.present(p, k) {
			r.Missing = append(r.Missing, p.terms[k].raw)
		}
		if s.best >= 0 && s.at(k, &near) < weakAt {
			r.Weak = append(r.Weak, p.terms[k].raw)
		}
	}
	quote := func(line int) {
		if line >= 0 {
			r.Passage, r.Line = t.Lines[line].Text, t.Lines[line].No
		}
	}
	quote(s.best)
	switch {
	case p.anchor > 0 && !p.reason && s.bestDeclined && s.score >= declinedAt && s.open < s.score-declineGap:
		r.Verdict = Declined
	case s.promised >= 0 && s.plain < foundAt:
		r.Verdict = Declined
		quote(s.promised)
	case p.anchor < 2:
		line := s.headedBy(t, p)
		if line < 0 {
			line = s.verbatim(t, p)
		}
		if line >= 0 {
			r.Verdict = Found
			quote(line)
		}
	case s.plain >= foundAt:
		r.Verdict = Found
		quote(s.plainBest)
	case s.score >= foundAt: // only lines that negate or decline it
	case p.reason:
	case s.score < firmlyAt, s.score < notFoundAt && !p.property && s.absent(p) >= absentAt:
		r.Verdict = NotFound
	}
	return r
}

// headedBy gives the line of a heading that has all words of the phrase, or of
// an item that begins with it word for word, and that states something, or -1. It settles phrases that
// have too few words of their own to be searched for: "coverage target".
func (s *scored) headedBy(t *Text, p *phrase) int {
	if len(p.terms) < 2 {
		return -1
	}
	for i := range t.Lines {
		l, f := &t.Lines[i], &s.x.lines[i]
		if l.Kind != Heading && l.Kind != Item || f.silent || f.negated || f.asks || f.declined != "" {
			continue
		}
		if l.Kind == Heading && s.hasAll(p, i) {
			return i
		}
		title := strings.TrimLeftFunc(l.Text, func(r rune) bool { return !unicode.IsLetter(r) })
		if n := len(p.text); len(title) >= n && strings.EqualFold(title[:n], p.text) && !isWordAt(title, n) {
			return i
		}
	}
	return -1
}

// verbatim gives a line that states something in the very words of a phrase, or
// -1: "rollback plan" in "The rollback plan takes ten minutes". It takes two
// words, since one says little about what a line is about.
func (s *scored) verbatim(t *Text, p *phrase) int {
	words, core := 0, p.core()
	for k := range p.terms {
		if p.terms[k].weight > 0 {
			words++
		}
	}
	if words < 2 {
		return -1
	}
	for i := range t.Lines {
		l, f := &t.Lines[i], &s.x.lines[i]
		if s.is[i]&spoken == 0 || s.is[i]&off != 0 || l.Kind == Heading || l.Kind == Code || f.silent || f.asks || f.negated && !p.restricts {
			continue
		}
		low := strings.ToLower(l.Text)
		if at := wholeIndex(low, core); at >= 0 && !isWordAt(low, at+len(core)) { // not "rollback plans"
			return i
		}
	}
	return -1
}

// hasAll tells whether line i itself has every word of the phrase that weighs.
func (s *scored) hasAll(p *phrase, i int) bool {
	for k := range p.terms {
		if p.terms[k].weight > 0 && s.own[i*s.terms+k] < qualityPrefix {
			return false
		}
	}
	return true
}

// clip shortens a quotation to at most n runes, on one line.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if n == 0 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n--
	}
	return s
}
