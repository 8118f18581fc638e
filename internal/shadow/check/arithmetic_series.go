package check

import (
	"math/big"
	"strings"
)

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

// otherSeries are words by which a result is of other values than those
// beside it, or values are no series.
var otherSeries = wordSet(`previous previously last whole allowed limit limits limited quarter month year years weighted per each every compressed
	uncompressed release baseline earlier history historical across_all target targets goal budget cap capped up least most about around roughly
	approximately approx nearly almost over under more than less fewer including includes include included among other others parallel concurrently
	respectively both from out next new if when can could should would may might must expected estimate estimated estimates estimation
	example e.g eg etc or not never only default remaining increase decrease reduction growth grew rose fell faster slower older threshold
	another additional extra plus minus versus vs compared relative excluding except without before after until since ratio variance deviation
	weekly monthly daily annual annually yearly median_of global industry typical usual normal recommended required possible theoretical
	maximum_of exceed exceeds exceeded within between second third improvement improved improves improving gain score_of multiplied times
	reached reaching single same subset sample samples sampled window rolling moving distinct unique shared overlapping`)

// maxValues bounds the values of a series in prose.
const maxValues = 16

// values are the numbers that a summary is of, with the text they stand in.
type values struct {
	nums [maxValues]number
	n    int
	at   [maxValues]int // tokens, of values in the line in hand

	slashed bool // a slash parts them
}

func (v *values) add(n number, at int) bool {
	if v.n == maxValues {
		return false
	}
	v.nums[v.n], v.at[v.n] = n, at
	v.n++
	return true
}

// alike tells whether the values, and n, are measured alike: the unit may
// stand behind the last of them only.
func (v *values) alike(n *number) bool {
	unit := n.unit
	for i := range v.nums[:v.n] {
		if u := v.nums[i].unit; u != "" {
			if unit != "" && u != unit {
				return false
			}
			unit = u
		}
	}
	if unit != "" && v.nums[v.n-1].unit == "" || scales[unit] {
		return false
	}
	return unit == "" || n.unit == unit || n.unit == "" && unit != "%"
}

// summaries checks what the line in hand says a series of values comes to.
func (c *checker) summaries() {
	l := &c.lex
	f, at := operation(0), -1
	for i := range l.toks {
		w := l.wordAt(i)
		if w == "" {
			continue
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

// listed tells whether the numbers at tokens a and b are neighbours in a
// list: a comma, a slash or "and" parts them, and few words.
func (l *lexer) listed(a, b int) bool {
	if b-a > 7 || l.toks[a].num.unit != l.toks[b].num.unit && l.toks[a].num.unit != "" {
		return false
	}
	parted := 0
	for k := a + 1; k < b; k++ {
		switch t := &l.toks[k]; t.kind {
		case tokWord:
			w := l.wordAt(k)
			switch {
			case w == "and" || w == "plus":
				parted++
			case w == "is", w == "was", w == "are", w == "were", w == "gives", w == "give", w == "to", w == "which", w == "takes", w == "took", w == "make", w == "makes", w == "making",
				statisticWords[w] != 0, summaryWords[w] != 0, w == "so", w == "for" && l.wordAt(k+1) == "a":
				return false
			}
		case tokPunct:
			switch t.mark {
			case ',', ';', '·':
				parted++
			case ':':
			default:
				return false
			}
		case tokOp:
			if t.mark != '/' && t.mark != '+' || !t.spaced {
				return false
			}
			parted++
		case tokOpen, tokClose:
		case tokOpaque:
			if t.mark == 'r' {
				return false
			}
		default:
			return false
		}
	}
	return parted > 0 && parted < 4
}

// valuesHere gives the values in the line in hand: all numbers but the result
// at token stated, and but what says how many values there are. It returns
// false if some number is neither.
func (c *checker) valuesHere(stated int) (v values, ok bool) {
	l := &c.lex
	count, last, operators, signs := -1, -1, 0, 0
	for i := range l.toks {
		t := &l.toks[i]
		switch t.kind {
		case tokApprox:
			return v, false
		case tokEquals:
			if signs++; t.mark == '=' && i+1 != stated || operators > 0 {
				return v, false
			}
			continue
		case tokPunct:
			if t.mark == '→' && i+1 != stated || t.mark == '?' {
				return v, false
			}
			continue
		case tokOp:
			v.slashed = v.slashed || t.mark == '/'
			if operators++; t.mark != '/' && !t.dash || signs > 0 {
				return v, false
			}
			continue
		case tokOpaque:
			if t.mark == 'r' {
				return v, false
			}
			continue
		case tokNumber:
		default:
			continue
		}
		switch {
		case i == stated, t.num.word && t.num.mant == 1:
			continue
		case labelWords[l.wordAt(i-1)] && t.num.unit == "" && t.num.dec == 0 && t.num.mant < 10 && l.kindAt(i+1) == tokWord && (v.n > 0 || i < 3) && l.wordAt(i-1) != "score" && l.wordAt(i-1) != "scored":
			continue // phase 1 needs 80 hours
		case t.num.word || t.num.unit == "" && v.n == 0 && l.kindAt(i+1) == tokWord && count < 0 && !t.num.unclear && t.num.dec == 0 && t.num.mant < maxValues && l.kindAt(i+2) == tokOpen:
			if count >= 0 && t.num.word {
				return v, false
			}
			count = int(t.num.mant)
			continue
		case !l.exact(i) || t.num.loose || t.num.wide != nil || labelWords[l.wordAt(i-1)] && l.wordAt(i-1) != "score" && l.wordAt(i-1) != "scores" && l.wordAt(i-1) != "runs" && l.wordAt(i-1) != "scored":
			return v, false
		case last >= 0 && !l.listed(last, i):
			return v, false
		}
		last = i
		if !v.add(t.num, i) {
			return v, false
		}
	}
	if count >= 0 && v.n > 0 && count != v.n {
		return v, false
	}
	return v, true
}

// valuesBefore gives the values of the sentence before the line in hand, or of
// the list that ends there. The line itself must then hold nothing but the
// result.
func (c *checker) valuesBefore() (v values, ok bool) {
	at := c.at - 1
	if at < 0 {
		return v, false
	}
	here, before := &c.t.Lines[c.at], &c.t.Lines[at]
	if len(here.Text) > 90 {
		return v, false
	}
	if before.Kind == Item && here.Kind != Item && before.Section == here.Section {
		return c.itemValues(at)
	}
	if before.Block != here.Block || before.Kind == Heading || before.Kind == Row || before.Kind == Code || len(before.Text) > 300 {
		return v, false
	}
	defer c.aside()()
	if !c.lex.read(before.Text, before.code) {
		return v, false
	}
	for i := range c.lex.toks {
		if w := c.lex.wordAt(i); w != "" && (otherSeries[w] || summaryWords[w] != 0 || statisticWords[w] != 0) {
			return v, false
		}
	}
	v, ok = c.valuesHere(-1)
	return v, ok && v.n > 2
}

// aside puts the line in hand aside, to read another one. What it returns takes
// it up again.
func (c *checker) aside() func() {
	line := c.lex
	c.lex = lexer{}
	return func() {
		c.lex.release()
		c.lex = line
	}
}

// itemValues gives the values of the list whose last item is line at: one in
// each item.
func (c *checker) itemValues(at int) (v values, ok bool) {
	var list *List
	for i := len(c.t.Lists) - 1; i >= 0; i-- {
		items := c.t.Lists[i].Items
		if len(items) > 0 && items[len(items)-1].Line == at {
			list = &c.t.Lists[i]
			break
		}
	}
	if list == nil || len(list.Items) < 3 || len(list.Items) > maxValues || list.Level > 0 || list.Items[0].Line+len(list.Items)-1 != at {
		return v, false
	}
	if list.LeadIn >= 0 && (containsWord(c.t.Lines[list.LeadIn].Text, partialWords) || hasDigit(c.t.Lines[list.LeadIn].Text)) {
		return v, false
	}
	defer c.aside()()
	for i := range list.Items {
		if len(list.Items[i].Text) > 60 || strings.Contains(list.Items[i].Text, ". ") {
			return v, false
		}
		n, claim, ok := c.onlyNumber(list.Items[i].Text)
		if !ok && (strings.HasSuffix(list.Items[i].Text, "%")) {
			n, ok = c.partItem(list.Items[i].Text)
		}
		if !ok || n.word || containsWord(claim, otherSeries) || !v.add(n, 0) {
			return v, false
		}
	}
	return v, true
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
		if q.Sign() <= 0 || among || r.Cmp(hi) <= 0 || l.hasValue(rats, new(big.Rat).Sub(want, r)) {
			return // or one value is counted in another
		}
		q.Quo(r, q)
		if q.Cmp(big.NewRat(3, 4)) < 0 || q.Cmp(big.NewRat(4, 3)) > 0 {
			return
		}
	case fnMean:
		if r.Cmp(lo) < 0 || r.Cmp(hi) > 0 || nearly(want, r) {
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
