package check

import "strings"

// recounts notes what a sentence says there is, "the survey had 212
// participants", and what a later one in the same section says of all of them,
// "all 221 participants": the two can only be the same.

// existence are verbs that state how many there are.
var existence = wordSet(`has have had contains contain contained includes comprises interviewed surveyed recruited of are were collected received got`)

// recount notes what the number at token i states of all things of its kind.
func (c *checker) recount(i int) {
	l := &c.lex
	n := &l.toks[i].num
	if n.unit != "" && !n.word || n.compound || !n.whole() || n.mant < 2 {
		return
	}
	noun := l.wordAt(i + 1)
	end := i + 2
	if noun == "" || notNouns[noun] || narrowing[noun] || !isPlural(noun) {
		return
	}
	p := l.wordAt(i - 1)
	switch {
	case i == 1 && (p == "all"), p == "the" && l.wordAt(i-2) == "of" && (i == 3 && (l.wordAt(0) == "each" || l.wordAt(0) == "all")), i == 2 && p == "the" && l.wordAt(0) == "all":
		if w := l.wordAt(end); w == "" && end < len(l.toks) && l.markAt(end) != ',' || narrowing[w] && w != "have" {
			return
		}
		c.noteCount(formAll, singular(noun), i, i-1, end-1)
	case existence[p]:
		if p == "of" && l.wordAt(i-2) != "consists" && l.wordAt(i-2) != "consisted" && l.wordAt(i-2) != "consist" || (p == "are" || p == "were") && (l.wordAt(i-2) != "there" || i != 2) {
			return
		}
		if end < len(l.toks) && !l.endsAt(end) || i > 5 {
			return
		}
		c.noteCount(formHas, singular(noun), i, max(i-2, 0), end-1)
	}
}

// noteCount notes a count for [checker.contradictions], within its section.
func (c *checker) noteCount(f form, noun string, i, a, b int) {
	l := &c.lex
	if containsWord(l.line, shiftingAll) || strings.HasSuffix(l.line, "?") {
		return
	}
	if c.said == nil {
		c.said = map[string][]assertion{}
	}
	key := "#" + noun + "|" + string(rune(c.t.Lines[c.at].Section))
	c.statements++
	c.said[key] = append(c.said[key], assertion{form: f, num: l.toks[i].num, unit: noun, line: c.at, claim: l.text(a, b)})
}
