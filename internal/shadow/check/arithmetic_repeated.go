package check

import (
	"strings"
)

// assertion is a quantity that a line states of a subject.
type assertion struct {
	form  form
	num   number
	unit  string // or what is counted, in the singular
	line  int
	claim string
}

// form is the way in which a quantity is stated. Which forms can contradict
// each other is a matter of what each is about for certain.
type form uint8

const (
	formHas   form = iota // the suite has 42 tests; we interviewed 14 customers
	formAll               // all 42 tests of the suite; the 14 customers we interviewed
	formIs                // the session timeout is 30 minutes
	formLabel             // Rate limit: 120 requests per minute
)

// maxStatements bounds the statements of a text that are kept.
const maxStatements = 2000

// shifting are words by which a sentence speaks of another time, case or part
// than the next one that says the same.
var shifting = wordSet(`before after previously formerly earlier now today currently then last next year years quarter initially originally later
	old was were had will would could should might may unless suppose assuming example e.g eg default defaults custom increased reduced raised
	lowered increase reduce instead another other remaining only about approximately roughly around nearly almost least most up each
	respectively either both first second third version versions option proposed estimated expected target ideally usually
	typically sometimes average mean maximum minimum max min whereas while versus vs not no never new existing additional extra local
	if current former prior original or baseline production staging test`)

// narrowing behind a quantity narrow what it is about.
var narrowing = wordSet(`for in on at with when if under during by until unless while after before to or but except via using without across as from`)

// vagueWords name a quantity without saying what it is of: whatever stands
// before, and another thing the next time.
var vagueWords = wordSet(`actual total overall final net inclusive exact real full combined count number size length width height range result
	value sum amount delta difference score file line time figure`)

// opening words stand before the subject of a clause.
var opening = wordSet(`the a an our its this their with since because that as so and when where given thus hence therefore`)

// repeated notes the quantities that the line in hand states, to compare them
// once all are known.
func (c *checker) repeated() {
	l := &c.lex
	if c.t.Lines[c.at].Kind == Heading || c.statements >= maxStatements {
		return
	}
	if l.cues&cueStated == 0 && l.cues&cueLabel == 0 {
		return
	}
	numbers := 0
	for i := range l.toks {
		if l.toks[i].kind != tokNumber {
			continue
		}
		if numbers++; numbers > 4 {
			return
		}
		if l.exact(i) && !l.toks[i].num.loose && !l.toks[i].num.percent() && l.kindAt(i+1) != tokOp {
			c.statementAt(i)
			c.recount(i)
		}
	}
}

// statementAt notes what is stated with the number at token i.
func (c *checker) statementAt(i int) {
	l := &c.lex
	unit, end := l.countedAt(i)
	if unit == "" || narrowing[l.wordAt(end)] && l.wordAt(end) != "in" {
		return
	}
	p := l.wordAt(i - 1)
	plain := l.toks[i].num.unit == ""
	switch {
	case plain && (p == "all" || p == "the" || p == "our"): // all 42 tests of the suite
		if w := l.wordAt(end); (w == "of" || w == "in") && (l.wordAt(end+1) == "the" || l.wordAt(end+1) == "our") && (p == "all" || l.wordAt(i-2) == "of" || p == "the" && w == "of" && (l.wordAt(i-2) == "on" || l.wordAt(i-2) == "for" || l.wordAt(i-2) == "across" || l.wordAt(i-2) == "after" || l.wordAt(i-2) == "with") || p == "the" && l.kindAt(i-2) != tokWord && w == "of") {
			if s := l.wordAt(end + 2); s != "" {
				c.state(formAll, singular(s), unit, i, i-1, end+2)
			}
		} else if w == "we" && l.wordAt(end+1) != "" && p == "the" {
			c.state(formAll, "we "+l.wordAt(end+1), unit, i, i-1, end+1)
		}
	case plain && l.wordAt(end) != "of" && (p == "has" || p == "have" || p == "contains" || p == "on" && l.wordAt(i-2) == "runs" || p == "of" && l.wordAt(i-2) == "consists"):
		k := i - 2
		if p == "on" || p == "of" {
			k--
		}
		if s := l.wordAt(k); s != "" && opening[l.wordAt(k-1)] {
			c.state(formHas, singular(s), unit, i, k, end-1)
		}
	case plain && (l.wordAt(i-2) == "we") && strings.HasSuffix(p, "ed") && l.kindAt(i-3) != tokWord:
		c.state(formHas, "we "+p, unit, i, i-2, end-1)
	}
	if narrowing[l.wordAt(end)] {
		return
	}
	if l.markAt(i-1) == ':' && l.kindAt(i-1) == tokPunct {
		if s, from := l.subjectAt(i - 2); from == 0 && s != "" {
			c.state(formLabel, s, unit, i, 0, end-1)
		}
		return
	}
	k, verb := i-1, ""
	switch {
	case l.kindAt(k) == tokEquals && l.markAt(k) == 'i', p == "is", p == "are", p == "of":
		k--
	case (p == "for" || p == "to" || p == "at" || p == "after") && (l.wordAt(i-3) == "is" || l.wordAt(i-3) == "are"):
		verb = " " + l.wordAt(i-2)
		k = i - 4
	default:
		return
	}
	// "A difference of 400 MB" is any, "the difference of" is the one spoken of.
	if s, from := l.subjectAt(k); s != "" && (l.wordAt(from-1) != "a" && l.wordAt(from-1) != "an" || strings.HasPrefix(s, "total ")) && (p != "of" || l.kindAt(from-1) == tokWord && from > 0) {
		c.state(formIs, s+verb, unit, i, from, end-1)
	}
}

// countedAt gives the unit of the number at token i, or what it counts, with
// what it is per: "request per minute". end is the token behind.
func (l *lexer) countedAt(i int) (unit string, end int) {
	unit, end = l.toks[i].num.unit, i+1
	if unit == "" {
		if w := l.wordAt(end); w != "" && !notNouns[w] && !narrowing[w] {
			unit = singular(w)
			end++
		}
	}
	if unit == "" || scales[unit] {
		return "", end
	}
	for l.wordAt(end) == "per" && l.wordAt(end+1) != "" {
		unit += " per " + l.wordAt(end+1)
		end += 2
	}
	return unit, end
}

// pronouns stand for something that was named before, not for the same each time.
var pronouns = wordSet(`he she it they we you i who that this one someone`)

// subjectAt gives the subject of two or three words that ends at token k, and
// where it begins; "" if there is none.
func (l *lexer) subjectAt(k int) (subject string, from int) {
	words, vague := 0, true
	for k >= 0 && l.kindAt(k) == tokWord && words < 4 {
		w := l.wordAt(k)
		if opening[w] {
			break
		}
		if pronouns[w] || notNouns[w] || shifting[w] || narrowing[w] || len(w) < 2 {
			return "", 0
		}
		if subject == "" {
			subject = singular(w)
		} else {
			subject = w + " " + subject
		}
		vague = vague && vagueWords[w]
		words++
		k--
	}
	if k > 0 && l.wordAt(k) == "with" && l.wordAt(k-1) != "" {
		return "", 0 // of something with it
	}
	if vague || k >= 0 && l.kindAt(k) != tokPunct && !opening[l.wordAt(k)] || words < 2 || words > 3 {
		return "", 0
	}
	return subject, k + 1
}

// state notes a assertion, and reports it if an earlier one contradicts it.
func (c *checker) state(f form, subject, unit string, i, a, b int) {
	l := &c.lex
	if c.shiftsKnown != c.at+1 {
		c.shiftsKnown, c.shifts = c.at+1, containsWord(l.line, shifting) || strings.HasSuffix(l.line, "?")
	}
	if c.shifts && !(f == formAll && !containsWord(l.line, shiftingAll)) {
		return
	}
	s := assertion{form: f, num: l.toks[i].num, unit: unit, line: c.at, claim: l.text(max(a, 0), min(b, len(l.toks)-1))}
	if c.said == nil {
		c.said = map[string][]assertion{}
	}
	key := subject + "|" + unit
	c.statements++
	c.said[key] = append(c.said[key], s)
}

// shiftingAll are the shifting words that count even where all of something is
// spoken of.
var shiftingAll = wordSet(`before after previously formerly earlier last next had new another remaining first second each every version old`)

// contradictions reports quantities that are stated once one way and once
// another: where exactly two values are stated, in forms that leave no doubt
// that they are the same.
func (c *checker) contradictions() {
	for _, all := range c.said {
		if len(all) < 2 {
			continue
		}
		first := &all[0]
		var other *assertion
		clear := true
		for k := 1; k < len(all) && clear; k++ {
			s := &all[k]
			switch {
			case s.num.rat().Cmp(first.num.rat()) == 0:
				clear = other == nil // a third that agrees with the first is no evidence against either, but odd
			case other == nil:
				other = s
			default:
				clear = false
			}
		}
		if other == nil || !clear || !first.contradicts(other) || !c.samePlace(first, other) {
			continue
		}
		c.at, c.disownedKnown = other.line, false
		c.report(other.claim, other.num.text, first.num.text)
	}
}

// contradicts tells whether two statements of the same subject cannot both be
// true.
func (s *assertion) contradicts(t *assertion) bool {
	switch {
	case s.form == formIs && (t.form == formIs || t.form == formLabel), s.form == formLabel && t.form == formIs:
		return true
	case s.form == formHas && t.form == formAll, s.form == formAll && t.form == formHas:
		return true
	}
	return false
}

// longText is how many lines a text may have to have one name for one thing.
const longText = 200

// samePlace tells whether two statements are about the same: they stand in the
// same section, or under headings that name no part of the matter.
func (c *checker) samePlace(s, t *assertion) bool {
	a, b := c.t.Lines[s.line].Section, c.t.Lines[t.line].Section
	if a != b && len(c.t.Lines) > longText {
		return false // a long text speaks of many things by the same name
	}
	return a == b || s.form != formLabel && t.form != formLabel
}
