package check

import "math/big"

// statisticWords are the words for what a list of values has.
var statisticWords = map[string]operation{
	"average": fnMean, "averages": fnMean, "averaging": fnMean, "avg": fnMean, "mean": fnMean, "median": fnMedian,
	"maximum": fnMax, "max": fnMax, "largest": fnMax, "highest": fnMax, "greatest": fnMax, "longest": fnMax,
	"best": fnBest, "worst": fnBest, "fastest": fnBest, "slowest": fnBest, "minimum": fnMin, "min": fnMin, "smallest": fnMin, "lowest": fnMin, "shortest": fnMin, "sum": fnSum,
}

// otherStatistics before a statistic make it another one.
var otherStatistics = wordSet(`weighted rolling moving geometric harmonic trimmed running cumulative exponential historical typical expected
	allowed possible theoretical second third new previous estimated all-time industry overall quadratic root`)

// statistics checks averages, medians, extremes and sums in prose against the
// values that they are of: "the average of 4, 6 and 11 is 7", "4, 6 and 11
// (mean 7)", "the largest of the three (12, 15, 9 ms) is 15 ms".
func (c *checker) statistics() {
	l := &c.lex
	for i := range l.toks {
		if otherStatistics[l.wordAt(i)] && l.wordAt(i) != "new" {
			return // weighted by traffic, …
		}
	}
	for i := range l.toks {
		f := statisticWords[l.wordAt(i)]
		if f == 0 {
			continue
		}
		if !c.statisticOf(f, i) && f != fnSum {
			c.statisticBehind(f, i)
		}
	}
}

// series is a list of values in the line in hand.
type series struct {
	values   []int // tokens
	from, to int   // tokens, to excluded
}

// seriesAt reads "4, 6 and 11 ms" from token i. A value may be named behind
// (12 ms for A) by at most two words.
func (l *lexer) seriesAt(i int) series {
	s := series{from: i, to: i}
	unit := ""
	for i < len(l.toks) && len(s.values) < maxOperands {
		if l.kindAt(i) != tokNumber || !l.exact(i) || l.toks[i].num.loose || len(s.values) > 0 && (unit != "" && l.toks[i].num.unit != unit && l.toks[i].num.unit != "" || l.toks[i].num.word != l.toks[s.from].num.word) {
			return s
		}
		if u := l.toks[i].num.unit; u != "" {
			unit = u
		}
		if scales[unit] {
			return s
		}
		s.values = append(s.values, i)
		i++
		for k := 0; k < 2 && l.wordAt(i) != "" && l.wordAt(i) != "and" && !notNouns[l.wordAt(i)]; k++ {
			i++
		}
		s.to = i
		if l.markAt(i) == ',' && l.kindAt(i) == tokPunct {
			i++
		}
		if l.wordAt(i) == "and" || l.markAt(i) == '&' {
			i++
		}
		if i == s.to {
			return s
		}
	}
	return s
}

// statisticOf checks "average of 4, 6 and 11 is 7", where token i is the name
// of the statistic f. It returns false if there is no list of values.
func (c *checker) statisticOf(f operation, i int) bool {
	l := &c.lex
	j := i + 1
	for k := 0; k < 2 && l.wordAt(j) != "" && !notNouns[l.wordAt(j)]; k++ {
		j++ // average latency of …
	}
	if w := l.wordAt(j); w != "of" && w != "for" && w != "from" && w != "over" && w != "across" {
		return false
	}
	j++
	paren := -1
	for k := 0; k < 6 && j < len(l.toks); k++ { // the three (…), the values …
		if l.kindAt(j) == tokOpen {
			paren = j
			j++
			break
		}
		if l.kindAt(j) == tokNumber && l.kindAt(j+1) != tokOpen && (!l.toks[j].num.word || l.kindAt(j+1) != tokWord && l.kindAt(j+1) != tokOpaque || l.wordAt(j+1) == "and") {
			break
		}
		if k := l.kindAt(j); k != tokWord && k != tokNumber && k != tokOpaque && l.markAt(j) != ':' {
			return false
		}
		j++
	}
	s := l.seriesAt(j)
	if len(s.values) < 2 {
		return false
	}
	j = s.to
	if paren >= 0 {
		if l.kindAt(j) != tokClose {
			return true
		}
		j++
	}
	if l.markAt(j) == ',' {
		j++
	}
	switch {
	case l.kindAt(j) == tokEquals, l.markAt(j) == ':' && j < len(l.toks):
	case l.wordAt(j) == "is", l.wordAt(j) == "was", l.wordAt(j) == "took", l.wordAt(j) == "equals", l.wordAt(j) == "being":
	default:
		return true
	}
	j++
	if l.wordAt(j) == "therefore" || l.wordAt(j) == "thus" || l.wordAt(j) == "exactly" {
		j++
	}
	c.statistic(f, s, j, i, j)
	return true
}

// statisticBehind checks "4, 6 and 11, for an average of 7" and "4, 6 and 11
// (mean 7)", where token i is the name of the statistic f.
func (c *checker) statisticBehind(f operation, i int) {
	l := &c.lex
	j := i + 1
	switch {
	case l.wordAt(j) == "of", l.wordAt(j) == "is", l.wordAt(j) == "was", l.wordAt(j) == "being", l.kindAt(j) == tokEquals, l.markAt(j) == ':':
		j++
	}
	stated := j
	if l.wordAt(i+1) == "of" { // the highest of the three, 410 ms
		for n := 0; n < 4 && (l.kindAt(j) == tokWord || l.kindAt(j) == tokNumber && l.toks[j].num.word); n++ {
			j++
		}
		if l.markAt(j) == ',' && j > i+2 {
			j++
			stated = j
		}
	}
	if l.kindAt(j) != tokNumber || j >= len(l.toks) {
		if l.wordAt(i-1) != "on" || l.kindAt(i-2) != tokNumber { // 82.5 on average
			return
		}
		stated = i - 2
		j = i
	}
	// The values end before the statistic's own words.
	k := min(i, stated) - 1
	gives := false
	for n := 0; n < 4 && k > 0 && l.kindAt(k) == tokWord; n++ {
		w := l.wordAt(k)
		gives = w == "give" || w == "gives" || w == "yield" || w == "with" || w == "make"
		k--
		if gives {
			break
		}
	}
	if gives && l.kindAt(k) != tokPunct {
		k++
	}
	if k < 2 || !gives && l.kindAt(k) != tokOpen && !(l.kindAt(k) == tokPunct && (l.markAt(k) == ',' || l.markAt(k) == ';' || l.markAt(k) == '—' || l.markAt(k) == ':')) && !(l.kindAt(k) == tokOp && l.toks[k].dash) {
		return
	}
	sep := k
	if l.kindAt(k) == tokOpen && l.kindAt(j+1) != tokClose && l.markAt(j+1) != ',' && l.markAt(j+1) != ';' && !(l.wordAt(j+1) != "" && l.kindAt(j+2) == tokClose) {
		return
	}
	from := sep - 1
	for from > 0 && sep-from < 4*maxOperands {
		if t := &l.toks[from-1]; t.kind == tokNumber || t.kind == tokWord && (l.wordAt(from-1) == "and" || !notNouns[l.wordAt(from-1)]) || t.kind == tokPunct && t.mark == ',' {
			from--
			continue
		}
		break
	}
	s := series{}
	for tries := 0; from < sep && s.to < sep && tries < 3; from++ { // "Three runs took 4, 6 and 11 s"
		if l.kindAt(from) == tokNumber {
			s = l.seriesAt(from)
			tries++
		}
	}
	from = s.from
	if gives && s.to > sep && len(s.values) > 0 && s.values[len(s.values)-1] < sep {
		s.to = sep // "38, 44 and 50 give an average of"
	}
	if s.to != sep || len(s.values) < 3 || labelWords[l.wordAt(from-1)] || statisticWords[l.wordAt(from-1)] != 0 {
		return
	}
	c.statistic(f, s, stated, from, max(stated, i))
}

// statistic checks that the number at token stated is the statistic f of s;
// the claim is the text from token a to token b.
func (c *checker) statistic(f operation, s series, stated, a, b int) {
	l := &c.lex
	if stated >= len(l.toks) || l.kindAt(stated) != tokNumber || !l.exact(stated) || !c.spend(len(s.values)) {
		return
	}
	n := &l.toks[stated].num
	unit := l.toks[s.values[len(s.values)-1]].num.unit
	if n.unit != unit && n.unit != "" && unit != "" || n.loose || n.unit == "" && unit != "" && l.wordAt(stated+1) != "" && !notNouns[l.wordAt(stated+1)] {
		return
	}
	switch l.kindAt(stated + 1) {
	case tokOp, tokEquals, tokNumber:
		return
	}
	values := make([]*big.Rat, len(s.values))
	for k, t := range s.values {
		values[k] = l.toks[t].num.rat()
	}
	if word := l.wordAt(a); word == "best" || word == "fastest" || word == "slowest" || word == "worst" {
		f = bestOf(f, word, &l.toks[s.values[0]].num)
	} else {
		f = bestOf(f, l.wordAt(b-1), &l.toks[s.values[0]].num)
		f = bestOf(f, l.wordAt(b-2), &l.toks[s.values[0]].num)
	}
	if f == fnBest && shows(exactly(fnMin.fold(values)), n, false, false, false) {
		return
	}
	v := f.fold(values)
	if shows(exactly(v), n, false, false, false) {
		return
	}
	if w := l.wordAt(stated - 1); l.kindAt(stated-2) == tokOpen && (w == "max" && v.Cmp(n.rat()) < 0 || w == "min" && v.Cmp(n.rat()) > 0) {
		return // 1 s, 2 s, 4 s (max 5 s) has a limit
	}
	c.report(l.text(a, b), l.text(stated, stated), format(v, n))
}
