package check

import "math/big"

// A summary states what a series of values comes to: its mean, its greatest
// value, its sum. Where the frame of the sentence is not one of those that
// [checker.statistics] and [checker.totals] know, the line is read as a whole:
// it must name one operation, state one result, and hold nothing else in
// numbers but the values. The values may also be those of the sentence before,
// or of the list before. The result must be near what it should be, since
// otherwise it is about something else.

// summaryWords are words that name what a series comes to, beside those of
// statisticWords.
var summaryWords = map[string]operation{
	"p50": fnMedian, "peaked": fnMax, "peaking": fnMax, "peak": fnMax, "top": fnMax, "biggest": fnMax, "maximal": fnMax, "minimal": fnMin,
	"averaged": fnMean, "cheapest": fnMin, "heaviest": fnMax, "lightest": fnMin, "averages": fnMean, "averaging": fnMean,
	"total": fnSum, "totals": fnSum, "totalling": fnSum, "totaling": fnSum, "altogether": fnSum, "combined": fnSum, "overall": fnSum,
	"together": fnSum,
}

// addsUpTo are words that name a sum where "up to" or "to" follows.
var addsUpTo = wordSet(`add adds adding comes come coming amounts amount amounting sums sum summing brings bringing`)

// summaries checks what the line in hand says a series of values comes to.
func (c *checker) summaries() {
	l := &c.lex
	f, at := operation(0), -1
	for i := range l.toks {
		w := l.wordAt(i)
		if w == "" {
			continue
		}
		if (w == "avg" || w == "average" || w == "mean") && l.kindAt(i-1) == tokNumber && i > 0 && l.markAt(i+1) == ',' {
			return // 30.2 avg, 65 hits
		}
		if w == "top" && l.kindAt(i+1) == tokNumber && i+1 < len(l.toks) && l.toks[i+1].num.unit == "" {
			return // the top 10
		}
		g := statisticWords[w]
		if h := summaryWords[w]; h != 0 {
			g = h
		}
		switch {
		case addsUpTo[w] && (l.wordAt(i+1) == "to" || l.wordAt(i+1) == "up" && l.wordAt(i+2) == "to" || l.kindAt(i+1) == tokEquals && l.markAt(i+1) == 'i'):
			g = fnSum
		case w == "all" && l.wordAt(i-1) == "in":
			g = fnSum
		case w == "most" && l.wordAt(i+1) == "expensive":
			g = fnMax
			if f == 0 {
				f, at = g, i+1
			}
			continue
		}
		if g == 0 {
			if otherSeries[w] && !(w == "over" && l.wordAt(i+1) == "the" && l.wordAt(i+3) != "year") && !(w == "only" || w == "only_about") && !(w == "up" && addsUpTo[l.wordAt(i-1)]) && !(w == "out" && l.wordAt(i+1) == "to") && !(at >= 0 && i > at && (w == "per" || l.wordAt(i-1) == "per")) {
				return
			}
			continue
		}
		switch {
		case f == 0 || f == g:
			if f == 0 || g != fnSum {
				at = i
			}
			f = g
		case f == fnSum && g != fnSum && at < i: // the overall average
			if i != at+1 {
				return
			}
			f, at = g, i
		case g == fnSum && at > 0 && i == at+1: // on average overall
		default:
			return
		}
	}
	if f == 0 || c.judged() {
		return
	}
	stated := c.summaryResult(at)
	if stated < 0 || !l.exact(stated) || l.toks[stated].num.loose || l.toks[stated].num.word {
		return
	}
	if k := l.kindAt(stated + 1); k == tokOp && !l.toks[min(stated+1, len(l.toks)-1)].dash || k == tokNumber || l.wordAt(stated+1) == "of" || l.wordAt(stated+1) == "out" || l.wordAt(stated+1) == "to" {
		return
	}
	v, ok := c.valuesHere(stated)
	if !ok {
		return
	}
	a, b := min(at, stated), max(at, stated)
	if f != fnMean && v.slashed {
		return
	}
	if v.n == 0 {
		if f == fnSum && l.wordAt(at) != "total" && l.wordAt(at) != "sum" && !addsUpTo[l.wordAt(at)] && l.wordAt(at) != "altogether" {
			return
		}
		if v, ok = c.valuesBefore(); !ok {
			return
		}
	} else {
		for k := range v.at[:v.n] {
			a, b = min(a, v.at[k]), max(b, v.at[k])
		}
	}
	c.summary(f, &v, stated, l.wordAt(at), a, b)
}

// summaryResult finds the result that the word at token i speaks of: the next
// number that is not one of several, or the one just before. It returns -1 if
// there is none.
func (c *checker) summaryResult(i int) int {
	l := &c.lex
	for j, steps := i+1, 0; j < len(l.toks) && steps < 12; steps++ {
		switch t := &l.toks[j]; {
		case t.kind == tokNumber && t.num.word:
			j++
		case t.kind == tokNumber:
			e := l.runOf(j)
			if e == j {
				return j
			}
			j = e
		case t.kind == tokPunct && (t.mark == '.' || t.mark == ';' || t.mark == '?') || t.kind == tokOpaque && t.mark == 'r':
			steps = 99
		case t.kind == tokClose && steps < 3 && l.kindAt(i-1) != tokOpen && l.kindAt(i-2) != tokOpen:
			steps = 99
		default:
			j++
		}
	}
	for j := i - 1; j >= 0 && j > i-5; j-- {
		if l.kindAt(j) == tokNumber {
			return j
		}
		if l.kindAt(j) != tokWord || notNouns[l.wordAt(j)] && l.wordAt(j) != "in" && l.wordAt(j) != "on" {
			return -1
		}
	}
	return -1
}

// runOf tells where the run of values ends that begins at token i: "4 ms, 6 ms
// and 11 ms". It returns i if the number there stands alone.
func (l *lexer) runOf(i int) int {
	last := i
	for j := i + 1; j < len(l.toks) && j-last < 8; j++ {
		switch t := &l.toks[j]; t.kind {
		case tokNumber:
			if !l.listed(last, j) {
				return l.afterRun(i, last)
			}
			last = j
		case tokEquals, tokApprox, tokOpaque:
			return l.afterRun(i, last)
		case tokPunct:
			if t.mark == '.' || t.mark == ':' || t.mark == '→' {
				return l.afterRun(i, last)
			}
		case tokClose:
			return l.afterRun(i, last)
		}
	}
	return l.afterRun(i, last)
}

func (l *lexer) afterRun(i, last int) int {
	if last == i {
		return i
	}
	return last + 1
}

// summary checks that the number at token stated is f of v; word names it.
func (c *checker) summary(f operation, v *values, stated int, word string, a, b int) {
	l := &c.lex
	n := &l.toks[stated].num
	least := 3
	if f == fnSum {
		least = 2
	}
	if v.n < least || !v.alike(n) || !c.spend(v.n) || f == fnSum && n.percent() && !(n.mant == 100 && n.dec == 0 && addsUpTo[word] && v.n > 2) {
		return
	}
	if w := l.wordAt(stated + 1); n.unit == "" && v.nums[0].unit != "" && w != "" && !notNouns[w] {
		return // 1 s, 2 s, 4 s (max 4 tries)
	}
	rats := make([]*big.Rat, v.n)
	among := false
	for i := range rats {
		rats[i] = v.nums[i].rat()
		among = among || rats[i].Cmp(n.rat()) == 0
	}
	f = bestOf(f, word, &v.nums[v.n-1])
	if f == fnBest && shows(exactly(fnMin.fold(rats)), n, false, false, false) {
		return
	}
	want := f.fold(rats)
	if shows(exactly(want), n, false, false, true) {
		return
	}
	lo, hi := fnMin.fold(rats), fnMax.fold(rats)
	r := n.rat()
	switch f {
	case fnSum:
		q := new(big.Rat).Set(want)
		if n.percent() {
			if d := new(big.Rat).Sub(want, r); d.Abs(d).Cmp(big.NewRat(int64(v.n), 1)) <= 0 {
				return
			}
		}
		if v.n == 2 && q.Cmp(r) < 0 && l.outcomeAt(v.at[0]) && l.outcomeAt(v.at[1]) {
			return // others may have been skipped
		}
		for i := range v.at[:v.n] {
			if what, of := l.counted(stated), l.counted(v.at[i]); v.at[i] > 0 && what != "" && of != "" && what != of {
				return // requirements are no sum of risks and dependencies
			}
		}
		if v.n == 2 && q.Cmp(r) > 0 && !(l.outcomeAt(v.at[0]) && l.outcomeAt(v.at[1])) && l.kindAt(v.at[0]-1) == tokOpen {
			return // they may overlap
		}
		if q.Sign() <= 0 || among || r.Cmp(hi) <= 0 || l.hasValue(rats, new(big.Rat).Sub(want, r)) {
			return // or one value is counted in another
		}
		q.Quo(r, q)
		if q.Cmp(big.NewRat(3, 4)) < 0 || q.Cmp(big.NewRat(4, 3)) > 0 {
			return
		}
	case fnMean:
		if n.percent() && v.at[0] > 0 || r.Cmp(lo) < 0 || r.Cmp(hi) > 0 || nearly(want, r) {
			return
		}
	case fnMedian:
		if r.Cmp(lo) < 0 || r.Cmp(hi) > 0 {
			return
		}
	default:
		if !among {
			return
		}
	}
	c.report(l.text(a, b), l.text(stated, stated), format(want, n))
}

// counted is the last of the words behind the number at token i, if it is a
// plural: "unit tests" are tests.
func (l *lexer) counted(i int) string {
	j := i + 1
	if notNouns[l.wordAt(j)] {
		return ""
	}
	for j < i+4 && l.wordAt(j+1) != "" && !wholeWords[l.wordAt(j+1)] && !notNouns[l.wordAt(j+1)] && !narrowing[l.wordAt(j+1)] {
		j++
	}
	if w := l.wordAt(j); isPlural(w) {
		return singular(w)
	}
	return ""
}

// bestOf turns the best or the worst of what has the unit of n into an extreme,
// where the unit tells which.
func bestOf(f operation, word string, n *number) operation {
	time := measures[n.unit].dimension == "time"
	switch {
	case f != fnBest:
	case word == "slowest" && time, word == "worst" && lowIsBest(n):
		return fnMax
	case word == "fastest" && time, word == "best" && lowIsBest(n):
		return fnMin
	}
	return f
}

// lowIsBest tells whether less of what has a unit is better: of time, say.
func lowIsBest(n *number) bool {
	return n.currency || measures[n.unit].dimension == "time" || measures[n.unit].dimension == "data"
}

// hasValue tells whether one of values is v.
func (l *lexer) hasValue(values []*big.Rat, v *big.Rat) bool {
	for _, x := range values {
		if x.Cmp(v) == 0 {
			return true
		}
	}
	return false
}
