package check

// rangeWords say that two bounds are meant as such.
var rangeWords = wordSet(`range band window bracket corridor limits bounds interval recommended required requested target allowed permitted
	guideline guide expected specified prescribed usual normal acceptable limit spec`)

// safelyWords before "within" say that what comes before is in.
var safelyWords = wordSet(`well comfortably safely easily still squarely firmly exactly lies falls sits stays is are was were remains fits`)

// otherwise are words between a number and a range by which the number is not,
// or not yet, what is in the range.
var otherwise = wordSet(`not never no nor isn't aren't wasn't weren't don't doesn't cannot can't should must shall may might would could can will keep outside
	above beyond over exceeds exceeding but now then before after until while whereas although though unless if when once than from to and or
	hardly barely neither instead every confident confidence sure certain certainty per fail fails failed without all both each had`)

// bounds are the two ends of a range in the line in hand.
type bounds struct {
	lo, hi   *number
	from, to int // tokens, to excluded
}

// boundsAt reads "3–5", "3 to 5" or "3 and 5" from token i.
func (l *lexer) boundsAt(i int, and bool) (b bounds, ok bool) {
	if i >= len(l.toks) {
		return b, false
	}
	t := &l.toks[i]
	if t.kind == tokOpaque && t.mark == 'r' {
		return bounds{&l.lows[t.lower-1], &t.num, i, i + 1}, t.num.exact()
	}
	if t.kind != tokNumber || !t.num.exact() {
		return b, false
	}
	j := i + 1
	switch {
	case l.wordAt(j) == "to" && !and, l.wordAt(j) == "and" && and:
	case l.kindAt(j) == tokOp && j < len(l.toks) && l.toks[j].dash:
	default:
		return b, false
	}
	if j+1 >= len(l.toks) || l.kindAt(j+1) != tokNumber || !l.exact(j+1) {
		return b, false
	}
	b = bounds{&t.num, &l.toks[j+1].num, i, j + 2}
	return b, b.lo.less(b.hi) && (b.lo.unit == "" || b.lo.unit == b.hi.unit) && !b.hi.loose
}

// ranges checks "6 citations, well within the 3–5 asked for": what is said to
// lie between two bounds does.
func (c *checker) ranges() {
	l := &c.lex
	for i := range l.toks {
		w := l.wordAt(i)
		if w != "within" && w != "inside" && w != "between" && w != "in" {
			continue
		}
		j, named := i+1, safelyWords[l.wordAt(i-1)]
		if w == "in" || w == "between" && !named {
			named = false
			if w == "between" {
				continue
			}
		}
		between := w == "between"
		for k := 0; k < 6 && l.wordAt(j) != ""; k++ {
			named = named || rangeWords[l.wordAt(j)]
			between = between || l.wordAt(j) == "between"
			j++
		}
		b, ok := l.boundsAt(j, between)
		if !ok || !named && w != "within" || w == "in" && !rangeWords[l.wordAt(j-1)] && !rangeWords[l.wordAt(j-2)] && !rangeWords[l.wordAt(b.to)] {
			continue
		}
		named = named || rangeWords[l.wordAt(b.to)] || rangeWords[l.wordAt(b.to+1)]
		if l.wordAt(b.to) == "of" || l.wordAt(b.to+1) == "of" || l.kindAt(b.to) == tokOp {
			continue // within 3–5 ms of the best
		}
		if n := l.subjectBefore(i); n >= 0 {
			c.inside(n, b, i, named)
		}
	}
}

// subjectBefore finds the number that what stands at token i speaks of: the
// last one before it, if nothing between them turns to something else. It
// returns -1 if there is none.
func (l *lexer) subjectBefore(i int) int {
	commas := 0
	for j := i - 1; j >= 0 && j >= i-12; j-- {
		switch t := &l.toks[j]; t.kind {
		case tokWord:
			if otherwise[l.wordAt(j)] {
				return -1
			}
		case tokPunct:
			if commas++; t.mark != ',' && t.mark != '—' || commas > 1 {
				return -1
			}
		case tokNumber:
			p := l.wordAt(j - 1)
			if !l.exact(j) || t.num.loose || t.num.word && t.num.mant < 2 || labelWords[p] || otherwise[p] && p != "and" && p != "to" || (p == "at" || p == "for" || p == "with") && j > 1 && l.wordAt(j-2) != "was" && l.wordAt(j-2) != "is" || p == "the" || p == "these" ||
				p == "of" && l.kindAt(j-2) == tokNumber || l.kindAt(j-1) == tokOp && j > 0 || l.kindAt(j-1) == tokOpaque && j > 0 || l.kindAt(j+1) == tokOp || l.wordAt(j+1) == "of" || l.wordAt(j+1) == "out" {
				return -1
			}
			return j
		default:
			return -1
		}
	}
	return -1
}

// inside checks that the number at token n lies in b.
func (c *checker) inside(n int, b bounds, cue int, named bool) {
	l := &c.lex
	t := &l.toks[n].num
	noun, of := singular(l.wordAt(n+1)), singular(l.wordAt(b.to))
	if notNouns[noun] || l.wordAt(n+1) == "" {
		noun = ""
	}
	if notNouns[of] || of == "that" || rangeWords[of] {
		of = ""
	}
	switch {
	case t.unit != b.hi.unit:
		return
	case t.unit == "" && (noun != of && of != "" || noun != of && !named):
		return
	}
	if !t.less(b.lo) && !b.hi.less(t) || !c.spend(2) {
		return
	}
	// A number that is rounded may show as a bound that it is just beyond.
	c.report(l.text(min(n, cue), b.to-1), l.text(n, n), plainDigits(b.lo)+"–"+plainDigits(b.hi))
}

// plainDigits is n without its unit.
func plainDigits(n *number) string {
	m := *n
	m.text, m.unit = "", ""
	if n.sep != 0 {
		m.text, m.sep = "0", ','
	}
	return format(n.rat(), &m)
}
