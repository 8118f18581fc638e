package figures

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var (
	// disown matches what a line says where a figure is wrong on purpose, or no decimal
	// one, and approximate what stands before a number that is not meant exactly.
	disown = regexp.MustCompile(`(?i)\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistaken?|erroneous(?:ly)?|miscalculated|typo|inconsisten(?:t|cy)|mismatch(?:ed)?|` +
		`discrepanc(?:y|ies)|instead|binary|hex|xor|mod(?:ulo)?|arithmetic|bug|fixed|correct(?:ed|ion)|was)\b`)
	approximate = regexp.MustCompile(`(?i)(?:[~≈≃≤≥±]|(?:^|[^=-])[<>]|\b(?:about|roughly|approximately|approx|around|nearly|almost|circa|ca|over|under|above|below|than|up to|at least|at most|max|min|within))[ (]*$`)
	// before and behind match what stands beside a whole equation: before it nothing, an
	// opening sign or a word in small letters, and behind it no operator.
	before = regexp.MustCompile(`(?:^|[:|→—（：]|=>|(?:^|[^\pL])\(|(?:^|[^\pL\d])([a-z]{2,}) ) *$`)
	behind = regexp.MustCompile(`^ *(?:$|[)|;）<>(，。\p{So}]|[.,:](?: |$)|/\pL|(\pL+))`)
)

// Words by which what stands beside is part of an equation: a third of 3 + 4.
var partial, goesOn = fold.WordSet("of by from plus minus times over per than between and or"), fold.WordSet("or to x")

// judged tells whether a passage of a line may be judged: no code, nothing approximate,
// and no line that takes it back.
func judged(l *markdown.Line, from, to int) bool {
	code := slices.ContainsFunc(l.InlineCode, func(s markdown.Span) bool { return s.From < to && from < s.To })
	return !code && !approximate.MatchString(l.Text[max(0, from-30):from]) && !disown.MatchString(l.Text)
}

// equations checks the equations of a line: numbers with operators between them, a
// sign of equality and one number, which are no part of a longer expression.
func (f *finder) equations(l *markdown.Line) {
	s := l.Text
	for at := 0; at < len(s); at++ {
		if !isDigit(s[at]) {
			continue
		}
		e, ok := chainAt(s, at)
		if at = max(e.end, digitsAt(s, at)) - 1; !ok || len(e.nums) < 2 {
			continue
		}
		from, to := e.nums[0].from, e.nums[len(e.nums)-1].end
		if b, a := before.FindStringSubmatch(s[:from]), behind.FindStringSubmatch(s[e.end:]); b == nil || a == nil || partial[b[1]] || goesOn[a[1]] {
			continue
		}
		if v, ok := e.compute(); ok && !v.explains(&e.right) && judged(l, from, e.end) {
			f.within(l, s[from:e.end], fmt.Sprintf("%s is %s, the text says %s", s[from:to], like(v.at, s, &e.right), s[e.from:e.end]))
		}
	}
}

// chain is numbers with operators between them and the number that they are said to be.
type chain struct {
	nums  []num
	ops   []rune // before each number
	right num
	from  int  // where right begins, with its sign
	sign  byte // of right
	end   int  // behind the last number that was read
}

// maxOperands bounds the numbers of an equation.
const maxOperands = 40

// operators are the signs between the numbers of an equation.
var operators = map[rune]rune{'+': '+', '-': '-', '−': '-', '–': '-', '*': '*', '×': '*', '·': '*', 'x': '*', '/': '/', '÷': '/', '=': '='}

// chainAt reads a chain from the number at offset at, and tells whether it is whole. A
// minus or a slash without a space behind it is none: 3-5 is a range, 24/7 a name.
func chainAt(s string, at int) (e chain, ok bool) {
	e.end = at
	n, ok := numberAt(s, at)
	for op := '+'; ok && len(e.nums) < maxOperands; n, ok = numberAt(s, at) {
		e.nums, e.ops, e.end = append(e.nums, n), append(e.ops, op), n.end
		rest := strings.TrimLeft(s[n.end:], " \u00a0")
		r, size := utf8.DecodeRuneInString(rest)
		after := strings.TrimLeft(rest[size:], " ")
		tight, next := len(after) == len(rest)-size, byteAt(after, 0)
		if op = operators[r]; op == 0 || tight && (op == '/' || op == '-' || op == '=' && (next == '=' || next == '>')) {
			return e, false
		}
		at = len(s) - len(after)
		if op == '=' {
			e.from = at
			if next == '-' || next == '+' {
				e.sign, at = next, at+1
			}
			e.right, ok = numberAt(s, at+currency(s, at))
			e.end = max(e.end, e.right.end)
			return e, ok
		}
		at += currency(s, at)
	}
	return e, false
}

// compute computes the numbers. It knows no sums of different units, a percentage only
// among its like or as a factor, one slash, and none where signs stand.
func (e *chain) compute() (v value, ok bool) {
	u, sum, term, op, slashes := e.right.unit, value{}, value{}, '+', 0
	if e.right.thousands() || u != nil && u.of == "bits" { // 64 × 64 = 128 bits
		return v, false
	}
	product := func(i int) bool { return i > 0 && i < len(e.ops) && (e.ops[i] == '*' || e.ops[i] == '/') }
	for i := range e.nums {
		n := &e.nums[i]
		x := valueOf(n)
		switch {
		case n.thousands():
			return v, false
		case n.percent() && (product(i) || product(i+1)):
			x = value{x.at / 100, x.off / 100}
		case n.unit != nil && *cmp.Or(u, n.unit) != *n.unit:
			return v, false
		default:
			u = cmp.Or(u, n.unit)
		}
		if product(i) {
			slashes += btoi(e.ops[i] == '/')
			term = term.apply(e.ops[i], x)
			continue
		}
		sum, term, op = sum.apply(op, term), x, e.ops[i]
	}
	return sum.apply(op, term), slashes == 0 || slashes == 1 && e.sign == 0
}

// value is a computed number and by how much it may be off: what the digits of the
// numbers behind it allow.
type value struct{ at, off float64 }

// valueOf gives the value of a number. Whole numbers and amounts of money with two
// decimals are exact.
func valueOf(n *num) value {
	if n.decimals == 0 && n.ulp == 1 && !n.percent() || n.decimals == 2 && n.unit.isMoney() {
		return value{n.value, 0}
	}
	return value{n.value, min(n.ulp/2, n.value/20)}
}

// apply computes a op b.
func (a value) apply(op rune, b value) value {
	switch op {
	case '+':
		return value{a.at + b.at, a.off + b.off}
	case '-':
		return value{a.at - b.at, a.off + b.off}
	case '/':
		b = value{1 / b.at, b.off / (b.at * b.at)}
	}
	return value{a.at * b.at, math.Abs(a.at)*b.off + math.Abs(b.at)*a.off}
}

// states tells whether a number states f times the value, rounded up or down.
func (a value) states(n *num, f float64) bool {
	return !(math.Abs(a.at*f-n.value) >= n.ulp*(1-1e-6)+1e-12*n.value+a.off*math.Abs(f))
}

// silent are the factors by which a result may silently be written smaller or larger;
// the first five without a unit too.
var silent = []float64{1, 100, 1e3, 1e6, 1e9, 12, 24, 60, 3600, 7, 30, 365, 52, 1 << 10, 1 << 20, 1 << 30}

// explains tells whether a reading of the value gives the number n: in a silent unit,
// with the other sign, or rounded to its zeros at the end.
func (a value) explains(n *num) bool {
	for i, f := range silent {
		if (i < 5 || n.unit != nil) && (i == 0 || n.value != 0) && (a.states(n, f) || a.states(n, 1/f) || a.states(n, -f)) {
			return true
		}
	}
	last := n.ulp // what one more in the last digit before the zeros is worth
	for last < n.value && math.Mod(n.value, 10*last) == 0 {
		last *= 10
	}
	off := math.Abs(a.at - n.value)
	return last > n.ulp && off <= min(last/2, 0.015*math.Abs(a.at))
}

// The forms of a share: a part, its whole and at most three words, and nothing but the
// percentage in brackets, or the other way round.
const (
	pair     = `(\d[\d,]*)(?: ?/ ?| (?:out )?of (?:the |all )?)(\d[\d,]*)(?:(?: ?\p{Han}+| [^\s\d(),;:|=%/]+){0,3})`
	percents = `(\d+(?:[.,]\d+)?) ?%`
	few      = 10 // things at most of which a round percentage before them estimates how far they are: 60 % (3/7 stories)
)

var (
	shareBehind = regexp.MustCompile(`(?:^|[^\w.,/$€£+-])` + pair + ` ?[(（](` + percents + `)[)）]`)
	shareBefore = regexp.MustCompile(`(?:^|[^\w.,/$€£+-])(` + percents + `) ?[(（]` + pair + `[)）]`)
	// otherMeasures are what a percentage beside a count may be of instead.
	otherMeasures = regexp.MustCompile(`(?i)\b(?:coverage|score|confidence|uptime|availability|faster|slower|savings|saved|progress|weighted|reduction|improvement|` +
		`average|mean|completion|complete|ready|readiness|utilization)\b|进度|完成度`)
)

// shares checks the percentages of a line that stand beside a part and its whole: "8 of
// 20 (40 %)", "8/20 tests (40 %)", "40 % (8/20)".
func (f *finder) shares(l *markdown.Line) {
	if strings.Contains(l.Text, "%)") || strings.Contains(l.Text, "%）") {
		for _, m := range shareBehind.FindAllStringSubmatchIndex(l.Text, -1) {
			f.share(l, m[2], m[4], m[6], m[1], false)
		}
	}
	if strings.Contains(l.Text, "% (") || strings.Contains(l.Text, "%(") || strings.Contains(l.Text, "%（") {
		for _, m := range shareBefore.FindAllStringSubmatchIndex(l.Text, -1) {
			f.share(l, m[6], m[8], m[2], m[1], true)
		}
	}
}

// share compares the percentage at offset p with what the part at a is of the whole at
// b; the passage ends at to. What is left of the whole is another reading.
func (f *finder) share(l *markdown.Line, a, b, p, to int, first bool) {
	s := l.Text
	part, ok1 := numberAt(s, a)
	whole, ok2 := numberAt(s, b)
	n, ok3 := numberAt(s, p)
	if !ok1 || !ok2 || !ok3 || part.unit != nil || whole.value == 0 || part.value > whole.value {
		return
	}
	v := value{100 * part.value / whole.value, 0}
	estimate := first && n.decimals == 0 && math.Mod(n.value, 5) == 0 && whole.value <= few
	from := min(a, p)
	if v.states(&n, 1) || (value{100 - v.at, 0}).states(&n, 1) || estimate || !judged(l, from, to) || otherMeasures.MatchString(s[:to]) {
		return
	}
	f.within(l, s[from:to], fmt.Sprintf("%s is %s, the text says %s", s[a:whole.to], like(v.at, s, &n), s[p:n.end]))
}
