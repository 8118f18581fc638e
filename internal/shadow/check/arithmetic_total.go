package check

import "math/big"

// partialWords say that the parts are not all, or not apart.
var partialWords = wordSet(`including include includes e.g eg example such among incl plus mostly mainly also least most some overlapping
	overlap both shared further others additional etc more than`)

// wholeWords say that what is counted is everything.
var wholeWords = wordSet(`total totals totalling totaling totalled totaled altogether combined insgesamt overall`)

// addsUp before "to" or before a number introduce a total.
var addsUp = wordSet(`adds add adding sums sum summing amounts comes makes making giving totals totalling totaling plan`)

// part is one of the counts that a total is split into.
type part struct{ num, from, to int }

// totals checks totals in prose against the parts that they are split into:
// "a total of 64 tests: 24 unit, 16 integration and 24 others" and "24 unit
// and 16 integration tests, 40 in total".
func (c *checker) totals() {
	l := &c.lex
	numbers := 0
	for i := range l.toks {
		if l.toks[i].kind == tokNumber {
			numbers++
		}
	}
	if numbers < 3 {
		return
	}
	for i := 0; i < len(l.toks); i++ {
		if l.toks[i].kind == tokNumber {
			c.totalBefore(i)
			c.totalBehind(i)
		}
	}
}

// totalBefore checks the number at token i as a total with its parts behind a
// colon, in parentheses, or behind "of which".
func (c *checker) totalBefore(i int) {
	l := &c.lex
	if !l.sumable(i) || labelWords[l.wordAt(i-1)] {
		return
	}
	j := i + 1
	words := 0
	total := wholeWords[l.wordAt(i-1)] || l.wordAt(i-1) == "of" && wholeWords[l.wordAt(i-2)]
	total = total || l.markAt(i-1) == ':' && wholeWords[l.wordAt(i-2)]
	total = total || l.wordAt(0) == "in" && l.wordAt(1) == "total" || l.wordAt(0) == "altogether"
	measured := l.toks[i].num.unit != ""
	for ; l.wordAt(j) != "" && words < 5; j++ {
		w := l.wordAt(j)
		total = total || wholeWords[w]
		if notNouns[w] && w != "in" && w != "are" && w != "were" || partialWords[w] {
			return
		}
		words++
	}
	if j >= len(l.toks) {
		return
	}
	open := l.kindAt(j) == tokOpen
	if !open && l.markAt(j) != ':' && l.markAt(j) != '—' && !(l.kindAt(j) == tokOp && l.toks[j].dash) || words == 0 && !total && !measured {
		return
	}
	parts, end, closed := l.parts(j+1, false)
	if len(parts) > 0 && l.bareParts(parts) && int64(len(parts)) == l.toks[i].num.mant {
		return // "5 orders in total: 300123, …" names them
	}
	if len(parts) < 2 || end < len(l.toks) && (!l.endsAt(end) || l.markAt(end) == ',' && l.kindAt(end+1) != tokWord) || open != (l.kindAt(end) == tokClose && end < len(l.toks)) {
		return
	}
	// Without "total" the parts need not be all: only a closed list of them
	// behind a colon, "24 unit and 16 integration", says so.
	last := parts[len(parts)-1]
	rest := closed && l.restBefore(last.num)
	all := l.wordAt(i-1) == "all" && closed && !open
	if l.wordAt(end) == "plus" || l.markAt(end) == ',' && l.wordAt(end+1) == "plus" {
		return // plus what is not counted
	}
	if !total && !rest && !all && (open || !closed || len(parts) < 3) && !(l.outcomes(parts) && c.exceeds(parts, i)) {
		return
	}
	if open && !closed && l.markAt(parts[0].to) != '+' && !l.outcomes(parts) && !l.bareParts(parts) && c.exceeds(parts, i) || len(parts) > 2 && c.overlaps(parts, i) {
		return // 28 in total (21 urgent, 14 small)
	}
	if measured && words == 0 && !total {
		for _, p := range parts {
			if l.toks[p.num].num.unit != l.toks[i].num.unit {
				return
			}
		}
	}
	c.sum(parts, i, i, last.to-1)
}

// restBefore tells whether the number at token i is "the remaining 5".
func (l *lexer) restBefore(i int) bool {
	switch l.wordAt(i - 1) {
	case "remaining", "other", "rest":
		return true
	}
	return false
}

// outcomeWords name how a test or the like may end: each in one way only.
var outcomeWords = wordSet(`passed passing failed failing skipped errored pending ignored succeeded done open closed blocked`)

// outcomes tells whether parts are counts of outcomes.
func (l *lexer) outcomes(parts []part) bool {
	for _, p := range parts {
		if !outcomeWords[l.wordAt(p.num+1)] {
			return false
		}
	}
	return true
}

// exceeds tells whether parts are more than the total at token t together.
func (c *checker) exceeds(parts []part, t int) bool {
	sum := new(big.Rat)
	for _, p := range parts {
		sum.Add(sum, c.lex.toks[p.num].num.rat())
	}
	return sum.Cmp(c.lex.toks[t].num.rat()) > 0
}

// bareParts tells whether parts are numbers that count nothing.
func (l *lexer) bareParts(parts []part) bool {
	for _, p := range parts {
		if p.to > p.num+1 || l.toks[p.num].num.unit != "" {
			return false
		}
	}
	return true
}

// totalBehind checks the number at token i as the total of the parts before
// it: ", 40 in total", ", for a total of 40", "(40 in total)".
func (c *checker) totalBehind(i int) {
	l := &c.lex
	if !l.sumable(i) || l.wordAt(i+1) == "of" || l.wordAt(i+1) == "out" {
		return
	}
	from := i // where the total's own words begin
	switch {
	case l.wordAt(i-1) == "of" && wholeWords[l.wordAt(i-2)]:
		from = i - 2
		if w := l.wordAt(from - 1); w == "a" || w == "the" {
			from--
		}
		if w := l.wordAt(from - 1); w == "for" || w == "making" || w == "giving" {
			from--
		}
	case wholeWords[l.wordAt(i-1)] && l.wordAt(i-1) != "overall" && l.wordAt(i-1) != "total":
		from = i - 1
	case l.wordAt(i-1) == "to" && (l.wordAt(i-2) == "up" || addsUp[l.wordAt(i-2)]): // which adds up to
		from = i - 2
		for k := 0; k < 3 && (addsUp[l.wordAt(from-1)] || l.wordAt(from-1) == "which" || l.wordAt(from-1) == "that"); k++ {
			from--
		}
	case l.kindAt(i-1) == tokEquals && l.markAt(i-1) == 'i' && (l.wordAt(i-2) == "that" || l.wordAt(i-2) == "which"): // which makes 9
		from = i - 2
	case l.wordAt(i-1) == "to" && l.wordAt(i-2) == "total" && l.wordAt(i-3) == "the": // bringing the total to 9
		from = i - 4
	case l.wordAt(i-1) == "plan" && l.wordAt(i-2) == "so":
		from = i - 2
	default:
		j := i + 1
		for k := 0; k < 2 && l.wordAt(j) != "" && l.wordAt(j) != "in" && l.wordAt(j) != "no" && !wholeWords[l.wordAt(j)]; k++ {
			j++
		}
		in := l.wordAt(j) == "in"
		if in {
			j++
		}
		if !wholeWords[l.wordAt(j)] && !(in && l.wordAt(j) == "all") || !l.endsAt(j+1) || l.markAt(j+1) == ',' && l.kindAt(j+2) == tokNumber {
			return
		}
	}
	if w := l.wordAt(from - 1); w == "so" {
		from--
	}
	sep := from - 1
	if sep < 3 || l.markAt(sep) != ',' && l.markAt(sep) != ';' && l.kindAt(sep) != tokOpen && l.markAt(sep) != '—' && !(l.kindAt(sep) == tokOp && l.toks[sep].dash) {
		return
	}
	// The parts begin at the start of the statement.
	start := sep
	for k := 0; start > 0 && k < 80; k++ {
		t := &l.toks[start-1]
		if t.kind == tokPunct && t.mark != ',' && t.mark != ';' || t.kind == tokEquals || t.kind == tokOpen || t.kind == tokClose {
			break
		}
		start--
	}
	for start < sep && l.toks[start].kind != tokNumber {
		if l.toks[start].kind == tokPunct && (l.markAt(start) == ',' || l.markAt(start) == ';') {
			start++
			continue
		}
		if l.toks[start].kind != tokWord || partialWords[l.wordAt(start)] || labelWords[l.wordAt(start)] || notBefore[l.wordAt(start)] && l.wordAt(start) != "of" {
			return
		}
		start++
	}
	parts, end, _ := l.parts(start, true)
	if len(parts) < 2 || end != sep {
		return
	}
	if len(parts) > 2 && c.overlaps(parts, i) {
		return
	}
	if what := l.counted(i); what != "" {
		same, others := 0, 0
		for _, p := range parts {
			if of := l.counted(p.num); of == what {
				same++
			} else if of != "" {
				others++
			}
		}
		if others == len(parts) && l.markAt(parts[0].to) == '+' || same > 0 && others > 0 {
			return // 5 decisions and 7 ends, 15 branches in total; 2 new pages, 4 maps, 8 pages in total
		}
	}
	c.sum(parts, i, parts[0].num, i)
}

// limitWords say that the numbers of a line bound something each.
var limitWords = wordSet(`max maximum min minimum limit limits cap caps`)

// overlaps tells whether parts but one add up to the total at token t: then
// that one may be counted in another, as in "934 passed, 3 failed, 13 subtests
// passed (937 total)".
func (c *checker) overlaps(parts []part, t int) bool {
	l := &c.lex
	if !c.spend(len(parts)) {
		return true
	}
	over := new(big.Rat).Neg(l.toks[t].num.rat())
	for _, p := range parts {
		over.Add(over, l.toks[p.num].num.rat())
	}
	for _, p := range parts {
		if over.Cmp(l.toks[p.num].num.rat()) == 0 {
			return true
		}
	}
	return false
}

// sumable tells whether token i is an exact number that may be added up.
func (l *lexer) sumable(i int) bool {
	n := &l.toks[i].num
	return !n.percent() && !n.loose && !scales[n.unit] && l.exact(i)
}

// parts reads "24 unit, 16 integration and 8 e2e tests" from token i. closed
// tells whether the last part is joined by "and". It returns no parts for
// anything else. If told is set, a part may be told in words first: "design
// takes 4 weeks, construction 5 weeks".
func (l *lexer) parts(i int, told bool) (parts []part, end int, closed bool) {
	for i < len(l.toks) && len(parts) < maxOperands {
		if l.wordAt(i) == "and" || l.wordAt(i) == "plus" {
			i++
			closed = true
		}
		if k := l.telling(i, told); k > i {
			i = k
		}
		if l.kindAt(i) != tokNumber || i >= len(l.toks) || !l.sumable(i) {
			return nil, i, false
		}
		p := part{num: i, from: i}
		i++
		for k := 0; i < len(l.toks) && k < 6; k++ {
			w := l.wordAt(i)
			if w == "" && l.kindAt(i) != tokOpaque {
				break
			}
			if w == "and" && (l.kindAt(i+1) == tokNumber || l.telling(i+1, told) > i+1) {
				break
			}
			if w != "" && (partialWords[w] && !l.restBefore(i+1) || w == "other" && l.kindAt(i+1) != tokNumber || w == "of" || w == "out" || w == "per" || w == "to" || wholeWords[w]) {
				return nil, i, false
			}
			i++
		}
		if k := l.remark(i); k > 0 && l.kindAt(i) == tokOpen {
			i = k + 1
		}
		p.to = i
		parts = append(parts, p)
		if i >= len(l.toks) {
			return parts, i, closed
		}
		switch m := l.markAt(i); {
		case closed:
			return parts, i, closed
		case l.kindAt(i) == tokPunct && (m == ',' || m == ';' || m == '&') || l.kindAt(i) == tokOp && m == '+':
			if k := l.kindAt(i + 1); k != tokNumber && l.wordAt(i+1) != "and" && l.telling(i+1, told) == i+1 || l.isTotal(i+1) {
				return parts, i, closed
			}
			i++
		case l.wordAt(i) == "and":
		default:
			return parts, i, closed
		}
	}
	return parts, i, closed
}

// telling tells where the number of a part is that begins at token i with
// words: "the remaining 5" or, if told is set, "the fix 3 hours". It returns i
// if there is none.
func (l *lexer) telling(i int, told bool) int {
	j := i
	for k := 0; k < 3 && l.kindAt(j) == tokWord && j < len(l.toks); k++ {
		w := l.wordAt(j)
		if w == "the" || w == "a" || told && !notNouns[w] && !partialWords[w] && !wholeWords[w] && !addsUp[w] && !hedgeWords[w] && !labelWords[w] && !movements[w] || w == "remaining" || w == "other" {
			j++
			continue
		}
		return i
	}
	if j > i && j < len(l.toks) && l.kindAt(j) == tokNumber && (told || l.restBefore(j)) {
		return j
	}
	return i
}

// isTotal tells whether the number at token i is "40 in total".
func (l *lexer) isTotal(i int) bool {
	for j := i + 1; j < i+5; j++ {
		if wholeWords[l.wordAt(j)] {
			return true
		}
		if l.wordAt(j) == "" {
			return false
		}
	}
	return false
}

// sum checks that parts add up to the total at token t; the claim is the text
// from token a to token b.
func (c *checker) sum(parts []part, t, a, b int) {
	l := &c.lex
	if !c.spend(1 + len(parts)) {
		return
	}
	total := &l.toks[t].num
	sum := new(big.Rat)
	first := &l.toks[parts[0].num].num
	for _, p := range parts {
		n := &l.toks[p.num].num
		if n.unit != total.unit && n.unit != "" && total.unit != "" || n.currency != total.currency && total.unit != "" && n.unit != "" {
			return
		}
		if n.unit != "" && total.unit == "" || n.unit != first.unit && p.to > p.num+1 || isYear(n) {
			return
		}
		sum.Add(sum, n.rat())
	}
	if sum.Sign() == 0 || shows(exactly(sum), total, false, false, false) || !slip(total.rat(), sum) || l.hasBetween(0, len(l.toks), limitWords) {
		return
	}
	c.report(l.text(a, b), l.text(t, t), format(sum, total))
}
