package check

import (
	"math/big"
	"strings"
)

// What looks like a sum that does not come out may be something else: a score
// beside a score, a count that becomes one of other things, a figure that leaves
// something out. Slips are small, so a result that is far off is no slip.

// apartWords behind a result say that it is what remains after something else,
// or of things at the same time.
var apartWords = wordSet(`after before excluding except net minus less without plus including parallel concurrently simultaneously capped overlapping equivalent`)

// spanWords behind a result say that a slash before it parts the ends of a span.
var spanWords = wordSet(`delta deltas difference gap range spread shift step jump drop increase decrease contrast`)

// kindWords name groups of what is added up, not the things themselves.
var kindWords = wordSet(`type types kind kinds group groups grouping groupings category categories class classes families sets`)

// goneWords behind a number take it off a sum, whatever its sign.
var goneWords = wordSet(`deleted removed dropped closed gone excluded`)

// scaleWords before a unit scale it.
var scaleWords = wordSet(`milli micro nano kilo mega`)

// doubtful tells whether "calc = lone", which does not come out, may be meant
// in another way. The value of calc is v.
func (c *checker) doubtful(calc, lone expression, stated int, v *big.Rat) bool {
	l := &c.lex
	n := &l.toks[stated].num
	s := l.signsOf(calc, lone)
	if c.roundedSum(calc, n) || l.notation(calc, lone) || l.apart(calc, stated) || l.algebra(calc, lone) || c.sunkExponents(calc, lone) {
		return true
	}
	if calc.calls > 0 {
		return false // ceil(7 / 2) is meant as it is written
	}
	result := n.rat()
	if t := &l.toks[lone.from]; t.kind == tokOp && t.mark == '-' {
		result.Neg(result)
	}
	if n.percent() && !slip(result, v) || !n.percent() && lone.ops == 0 && !s.power && !wrongDigit(result, v) {
		return true // too far off to be a slip
	}
	return l.shorthand(calc, lone, n, s) || l.otherKind(calc, lone, stated, v, s) || c.roundedResult(calc, lone, n, v, s) || l.countsOther(calc, lone, stated, v, s)
}

// signs are what the tokens of a calculation say about what is meant.
type signs struct {
	worded                            bool // some number of the calculation has a noun
	named                             bool // some number or the result has one
	quotient, power, dotted, negative bool // operators
	slashed                           bool // no operator but slashes
	tight, loose, nested              bool // as in "4 × 7+3 × 30", without parentheses
	percents, currency, unit          bool // of some number
	counts, fraction, fine            bool // a whole number without a unit; one with decimals; with three or more
	digits                            int  // of the shortest number with decimals
	operands                          []*big.Rat
}

func (l *lexer) signsOf(e, lone expression) *signs {
	s := &signs{slashed: len(e.operands) > 2 && e.sums == 0}
	for i := e.from; i < e.to; i++ {
		switch t := &l.toks[i]; t.kind {
		case tokOp:
			s.quotient = s.quotient || t.mark == '/'
			s.slashed = s.slashed && t.mark == '/'
			s.power = s.power || t.mark == '^'
			s.dotted = s.dotted || l.text(i, i) == "·"
			s.loose = s.loose || t.mark == '*' && t.spaced
			s.tight = s.tight || (t.mark == '+' || t.mark == '-') && !t.spaced && l.kindAt(i-1) == tokNumber
			s.negative = s.negative || t.mark == '-'
		case tokOpen:
			s.nested = true
		case tokWord:
			s.worded = true
		case tokNumber:
			s.percents = s.percents || t.num.percent()
			s.currency = s.currency || t.num.currency
			s.unit = s.unit || t.num.unit != ""
			s.fraction = s.fraction || t.num.dec > 0
			s.fine = s.fine || t.num.dec > 2
			if d := digits(&t.num); t.num.dec > 0 && (s.digits == 0 || d < s.digits) {
				s.digits = d
			}
			s.counts = s.counts || t.num.unit == "" && t.num.dec == 0 && t.num.mant > 1
			s.operands = append(s.operands, t.num.rat())
		}
	}
	s.named = s.worded || l.kindAt(lone.to) == tokWord && lone.to < len(l.toks) || lone.to > 0 && l.kindAt(lone.to-1) == tokWord
	return s
}

// roundedSum tells whether the sum e may have the result n: it does if its
// numbers are rounded ones.
func (c *checker) roundedSum(e expression, n *number) bool {
	if len(e.operands) < 3 || e.sums != e.ops {
		return false
	}
	w, ok := c.lex.evalRounded(e, false)
	return !ok || n.dec > 0 && shows(w, n, false, false, false)
}

// notation tells whether the equation may use its marks for something else than
// arithmetic: for scores, for sizes, for a figure of speech, for what is net.
func (l *lexer) notation(calc, lone expression) bool {
	return l.hasScore(lone) || calc.ops > 1 && calc.calls == 0 && l.hasScore(calc) && l.multiplies(calc) || calc.sums > 0 && l.hasScore(calc) || l.idiom(calc) || l.sized(calc) && l.sized(lone) ||
		l.kindAt(lone.from) == tokOp && l.toks[lone.from].mark == '+' && (calc.sums == 0 || lone.from < calc.from) || // 12 filed / 5 closed = +7
		calc.sums == 0 && l.hasScore(calc) && l.levelled(calc) || l.owes(calc)
}

// apart tells whether the words behind the result set it apart from what calc
// comes to.
func (l *lexer) apart(calc expression, stated int) bool {
	open := false
	for i := stated + 1; i < stated+6 && (l.kindAt(i) != tokPunct || open && l.markAt(i) == ','); i++ {
		open = open || l.kindAt(i) == tokOpen
		if w := l.wordAt(i); apartWords[w] || spanWords[w] && calc.ops > calc.sums {
			return true
		}
	}
	return false
}

// shorthand tells whether the words between the numbers of calc, or how tightly
// it is set, leave open what is added or multiplied with what.
func (l *lexer) shorthand(calc, lone expression, n *number, s *signs) bool {
	mixed := calc.sums > 0 && calc.sums < calc.ops
	switch {
	case l.compact(calc), l.labelled(calc): // 7×20 = 148 agents; Branch 1 + 2
		return true
	case calc.sums > 0 && l.hasBetween(calc.from, calc.to, goneWords): // 3 kept + 1 deleted + 1 added = 4
		return true
	case s.worded && mixed: // 6 old + 9 new checks × 5 pages
		return true
	case s.worded && s.quotient && n.percent() && l.kindAt(calc.to-2) == tokWord: // 1/2 pot bet = 33%
		return true
	case s.worded && lone.ops > 0 && calc.from < lone.from && calc.sums > 0: // 1 high + 4 medium = (3 + 8) / 5
		return true
	case s.slashed && !s.nested, s.named && s.dotted: // 3 high / 4 medium / 2 low = 9
		return true
	case s.named && calc.ops == 1 && l.hasScore(calc) && lone.from < calc.from: // 3 steps = 80/20
		return true
	}
	return s.tight && s.loose && !s.nested && mixed // 4 × 7+3 × 30
}

// otherKind tells whether the result is of a kind that the numbers of calc do
// not lead to, so that something is left unsaid.
func (l *lexer) otherKind(calc, lone expression, stated int, v *big.Rat, s *signs) bool {
	n := &l.toks[stated].num
	switch {
	case n.percent() && !s.quotient && !s.percents, n.currency && !s.currency:
		return true
	case s.percents && !n.percent() && calc.sums == calc.ops: // 15% + 10% = 300 points
		return true
	case n.percent() && s.percents && calc.sums == 0 && !s.quotient && s.counts: // 95% × 20 steps is a power
		return true
	case s.worded && calc.sums == 0 && !s.unit && measures[n.unit].dimension != "": // 10 agents / 10 at once = 2 s
		return true
	case calc.ops == 1 && l.hasScore(calc) && !n.percent() && !slip(n.rat(), v): // 24/1 = 8000 is a value at a rate
		return true
	}
	if l.kindAt(lone.to) == tokOpen && l.tells(lone.to+1, new(big.Rat).Sub(v, n.rat())) {
		return true // 4 × 15 = 58 (2 are reserved)
	}
	if scaleWords[l.wordAt(stated+1)] || l.wordAt(calc.from-1) == "add" {
		return true // 100 micro seconds; add 0.2% + 0.1%
	}
	rest := strings.TrimLeft(l.line[l.toks[stated].to:], " ")
	return strings.IndexAny(rest, "万億亿千百") == 0 // the result goes on
}

// tells tells whether the parenthesis that begins at token i has the number v.
func (l *lexer) tells(i int, v *big.Rat) bool {
	for ; i < len(l.toks) && l.kindAt(i) != tokClose; i++ {
		if t := &l.toks[i]; t.kind == tokNumber && t.num.rat().Cmp(v) == 0 {
			return true
		}
	}
	return false
}

// roundedResult tells whether the result n may be rounded further than its
// digits show: it is a round number, or of measured or paid quantities.
func (c *checker) roundedResult(calc, lone expression, n *number, v *big.Rat, s *signs) bool {
	l := &c.lex
	off := new(big.Rat).Sub(n.rat(), v)
	off.Abs(off)
	switch {
	case l.kindAt(lone.from-1) == tokApprox && n.unit != "" && !s.unit:
		return true
	case n.percent() && s.unit:
		return off.Cmp(big.NewRat(1, 10)) <= 0
	case (n.currency || n.mant >= 1000) && c.t.Lines[c.at].Kind == Row && off.Cmp(n.ulp()) <= 0:
		return true
	}
	if s.fine && calc.sums == 0 || s.fraction && calc.sums == 0 && digits(n) > s.digits+1 { // it has digits that were not copied
		if w, ok := l.evalRounded(calc, false); ok && shows(w, n, v.Sign() < 0, false, false) {
			return true
		}
	}
	round := n.dec == 0 && n.mant%10 == 0 && n.mant >= 100
	hundreds := round && n.mant%100 == 0 && l.kindAt(calc.from) == tokNumber
	return calc.sums == 0 && round && (s.fraction || lone.from < calc.from || s.quotient && hundreds) && off.Cmp(halfOf(n)) <= 0
}

// countsOther tells whether the result, which is worded, is too far off to be a
// slip: it may count other things than calc does, or the same things once.
func (l *lexer) countsOther(calc, lone expression, stated int, v *big.Rat, s *signs) bool {
	n := &l.toks[stated].num
	if !s.named || lone.ops > 0 {
		return false
	}
	equal, below := false, true
	for _, x := range s.operands {
		equal = equal || x.Cmp(n.rat()) == 0
		below = below && x.Cmp(n.rat()) < 0
	}
	if calc.sums == 0 { // 25 min × 2 judges = 25 min; 3 cases × 10 seeds = 120 runs, with 4 rounds
		return !s.quotient && !s.power && (equal || !slip(n.rat(), v))
	}
	if calc.sums < calc.ops {
		return false
	}
	for _, w := range [...]string{l.wordAt(lone.to), l.wordAt(lone.to + 1), l.wordAt(stated + 1), l.wordAt(stated + 2)} {
		if kindWords[w] {
			return true
		}
	}
	return !slip(n.rat(), v) || !s.negative && !below
}

// lists tells whether e, behind an equals sign, only names parts: "12 removed /
// 28 real".
func (l *lexer) lists(e expression) bool {
	for i := e.from + 1; i+1 < e.to; i++ {
		if l.toks[i].kind == tokOp && l.toks[i].mark == '/' && l.toks[i-1].kind == tokWord {
			return true
		}
	}
	return false
}

// digits counts the digits of n but for zeros at its ends.
func digits(n *number) int {
	m, count := n.mant, 0
	for m > 0 && m%10 == 0 {
		m /= 10
	}
	for ; m > 0; m /= 10 {
		count++
	}
	return count
}

// halfOf is half a unit of the last digit of n that is no trailing zero.
func halfOf(n *number) *big.Rat {
	half := big.NewRat(1, 2)
	for m := n.mant; m > 0 && m%10 == 0; m /= 10 {
		half.Mul(half, big.NewRat(10, 1))
	}
	return half
}

// compact tells whether e is two whole numbers written as one word, as the
// shape of something may be: "7×20".
func (l *lexer) compact(e expression) bool {
	if len(e.operands) != 2 || e.ops != 1 || e.operands[1]-e.from != 2 || l.toks[e.from+1].mark == '^' || l.toks[e.from+1].mark == '/' || e.to >= len(l.toks) || !l.toks[e.to].spaced {
		return false
	}
	a, b := &l.toks[e.from], &l.toks[e.from+2]
	return !l.toks[e.from+1].spaced && !b.spaced && a.num.whole() && b.num.whole() && a.num.unit == ""
}

// labelled tells whether the first number of e belongs to the name before it:
// "Gate 1 checks + 2 more".
func (l *lexer) labelled(e expression) bool {
	n := &l.toks[e.from]
	if e.from == 0 || n.kind != tokNumber || !n.num.whole() || n.num.unit != "" || n.num.mant > 9 || l.kindAt(e.from-1) != tokWord {
		return false
	}
	w := &l.toks[e.from-1]
	return l.line[w.from] >= 'A' && l.line[w.from] <= 'Z' && !totalWords[l.wordAt(e.from-1)] && !narrowing[l.wordAt(e.from-1)] && !notNouns[l.wordAt(e.from-1)] && !isPlural(l.wordAt(e.from-1)) && w.to-w.from > 2
}

// slip tells whether a may be b, miscalculated: neither is twice the other, or
// they are close.
func slip(a, b *big.Rat) bool {
	if a.Sign() != b.Sign() {
		return b.Sign() == 0
	}
	two := big.NewRat(2, 1)
	if d := new(big.Rat).Sub(a, b); d.Abs(d).Cmp(big.NewRat(5, 1)) <= 0 {
		return true
	}
	x, y := new(big.Rat).Abs(a), new(big.Rat).Abs(b)
	return new(big.Rat).Mul(x, two).Cmp(y) > 0 && new(big.Rat).Mul(y, two).Cmp(x) > 0
}

// wrongDigit tells whether a may be b with another digit or with its point in
// another place: it is neither more than twice nor less than half of it, or both
// are whole and close, or one is ten, a hundred or a thousand times the other.
func wrongDigit(a, b *big.Rat) bool {
	if a.Sign() == b.Sign() && b.Sign() != 0 && tenfold(new(big.Rat).Quo(a, b)) {
		return true
	}
	d := new(big.Rat).Sub(a, b)
	return slip(a, b) && (a.IsInt() && b.IsInt() || d.Abs(d).Cmp(new(big.Rat).Abs(b)) <= 0)
}

// hasScore tells whether e has a part like "3.5/4", which need not be a
// quotient.
func (l *lexer) hasScore(e expression) bool {
	for i := e.from + 1; i+1 < e.to; i++ {
		a, op, b := &l.toks[i-1], &l.toks[i], &l.toks[i+1]
		if op.kind == tokOp && op.mark == '/' && !op.spaced && !b.spaced && a.kind == tokNumber && (b.kind == tokNumber || b.kind == tokOp) {
			return true
		}
	}
	return false
}

// sibling tells whether the ratio that begins at token i follows another one of
// the same whole m: "4/7 done, 2/7 begun, 1/7 open (57%)" is about them all.
func (l *lexer) sibling(i int, m *token) bool {
	for k := i - 1; k > 0 && k >= i-8; k-- {
		switch t := &l.toks[k]; t.kind {
		case tokNumber:
			if p := &l.toks[k-1]; (p.kind == tokOp && p.mark == '/' || l.wordAt(k-1) == "of") && t.num.mant == m.num.mant {
				return true
			}
		case tokOpen, tokClose, tokEquals:
			return false
		case tokPunct:
			if t.mark != ',' && t.mark != ';' {
				return false
			}
		}
	}
	return false
}

// multiplies tells whether e has a product, as in "4/10 × 0.5", a score with its
// weight.
func (l *lexer) multiplies(e expression) bool {
	for i := e.from; i < e.to; i++ {
		if l.toks[i].kind == tokOp && l.toks[i].mark == '*' {
			return true
		}
	}
	return false
}

// levelled tells whether e is one of several levels of one scale that are given a
// value each: "2/4 = 75%, 1/4 = 50%".
func (l *lexer) levelled(e expression) bool {
	if len(e.operands) != 2 {
		return false
	}
	n := 0
	for i := 1; i+2 < len(l.toks); i++ {
		if op := &l.toks[i]; op.kind == tokOp && op.mark == '/' && !op.spaced && l.kindAt(i-1) == tokNumber && l.kindAt(i+1) == tokNumber && l.kindAt(i+2) == tokEquals && l.toks[i+1].num.mant == l.toks[e.operands[1]].num.mant {
			n++
		}
	}
	return n > 1
}

// owes tells whether a sum has numbers alone in parentheses, as accounts have
// what is owed: "(0.50) + 1.86 = 1.36".
func (l *lexer) owes(e expression) bool {
	for i := e.from + 1; e.sums > 0 && i+1 < e.to; i++ {
		if l.toks[i].kind == tokNumber && l.kindAt(i-1) == tokOpen && l.kindAt(i+1) == tokClose && l.toks[i].num.dec > 0 {
			return true
		}
	}
	return false
}

// sized tells whether e may be a width and a height: "960 × 600".
func (l *lexer) sized(e expression) bool {
	return len(e.operands) == 2 && e.ops == 1 && l.toks[e.operands[1]-1].mark == '*'
}

// idiom tells whether e is "1 + 1" or "2 + 2", which are said to be more.
func (l *lexer) idiom(e expression) bool {
	if e.to-e.from != 3 || l.toks[e.from+1].mark != '+' {
		return false
	}
	a, b := &l.toks[e.from].num, &l.toks[e.from+2].num
	return a.unit == "" && b.unit == "" && a.mant == b.mant && a.dec == 0 && b.dec == 0 && (a.mant == 1 || a.mant == 2)
}

// cellsBefore tells whether the expression that begins a table cell goes on
// with the cells before it: "| 15 | 5 | 0 + 7 = 27 |". The difference is what
// they must come to.
func (c *checker) cellsBefore(from int, difference *big.Rat) bool {
	l := &c.lex
	if c.t.Lines[c.at].Kind != Row {
		return false
	}
	sum := new(big.Rat)
	for i := from - 1; i > 0 && l.markAt(i) == '|' && l.kindAt(i-1) == tokNumber; i -= 2 {
		if sum.Add(sum, l.toks[i-1].num.rat()); sum.Cmp(difference) == 0 {
			return true
		}
	}
	return false
}

// weighted tells whether p is the share n of m of a weight in whole fives of a
// hundred, in a text that weighs: 12 of 16 points are 45 % where they weigh 60.
func (c *checker) weighted(n, m, p *number) bool {
	if !c.weighsKnown {
		c.weighsKnown = true
		c.weighs = strings.Contains(c.t.Source, "weight") || strings.Contains(c.t.Source, "Weight")
	}
	if n.mant == 0 || !c.weighs || !c.spend(19) {
		return false
	}
	for weight := int64(5); weight < 100; weight += 5 {
		v := new(big.Rat).Quo(n.rat(), m.rat())
		if shows(exactly(v.Mul(v, big.NewRat(weight, 100))), p, false, true, true) {
			return true
		}
	}
	return false
}
