package check

import "math/big"

// Bounds of an expression: what is larger is not prose, and exact arithmetic
// with it would cost without bound.
const (
	maxOperands = 64
	maxDepth    = 16
	maxExponent = 64
	maxBits     = 4096
	maxNouns    = 3 // words between a number and the next operator
)

// notNouns end an expression: what follows them is another statement.
var notNouns = wordSet(`and or but of in to out per each every with is are was were the a an than then so if for from by as at on that
	which while whereas not plus minus times we they it this these pair pairs only about vs versus`)

// notBefore are words that bind to the number after them, so that an
// expression cannot begin there.
var notBefore = wordSet(`mod modulo log ln lg sqrt root sin cos tan exp max min gcd lcm avg mean median sum of per by times power half
	twice double triple quarter third plus minus than xor and or into base squared cubed first last every each delta`)

// expression is a run of tokens that reads as arithmetic: numbers, operators,
// parentheses, and nouns behind numbers.
type expression struct {
	from, to int // tokens, to excluded
	operands []int
	ops      int
	sums     int  // of ops, how many are + or -
	calls    int  // of functions; they count as operations too
	dashes   bool // some minus may be a dash
	whole    bool // it ends where the run ends; false if it was cut short by something that may belong to it
}

// scan reads the longest expression that begins at token i.
func (l *lexer) scan(i int) expression {
	e := expression{from: i}
	depth, nouns := 0, 0
	listing := uint32(0) // by depth, whether commas separate there
	operand := true      // an operand is due
	good := i            // behind the last operand at depth 0
	j := i
scan:
	for ; j < len(l.toks) && len(e.operands) < maxOperands; j++ {
		t := &l.toks[j]
		switch t.kind {
		case tokNumber:
			if !operand {
				break scan
			}
			e.operands = append(e.operands, j)
			operand, nouns = false, 0
		case tokOp:
			if operand {
				if t.mark != '-' && t.mark != '+' || l.kindAt(j+1) == tokOp || j+1 < len(l.toks) && l.toks[j+1].spaced {
					break scan
				}
				continue // a sign
			}
			operand, nouns = true, 0
			e.dashes = e.dashes || t.dash
		case tokOpen:
			if !operand {
				if k := l.remark(j); k > 0 { // 24 (unit) + 16 (integration)
					j, nouns = k, maxNouns // what words follow is another matter
					break
				}
				break scan
			}
			if t.mark == '[' || depth == maxDepth {
				break scan
			}
			if t.mark != '(' {
				e.ops++ // rounded
			}
			depth++
			listing &^= 1 << depth
		case tokClose:
			if operand || depth == 0 {
				break scan
			}
			depth--
		case tokPunct:
			if operand || t.mark != ',' && t.mark != ';' || depth == 0 || listing>>depth&1 == 0 {
				break scan
			}
			operand = true
		case tokWord:
			if operand && depth < maxDepth && l.callAt(j) != 0 {
				j++ // the parenthesis
				depth++
				listing |= 1 << depth
				e.calls++
				continue
			}
			w := l.wordAt(j)
			if nouns++; nouns > maxNouns || notNouns[w] {
				break scan
			}
			if operand && (depth > 0 || !l.names(j)) {
				break scan
			}
		default:
			break scan
		}
		if !operand && depth == 0 {
			good = j + 1
		}
	}
	e.to = good
	e.whole = good == j && len(e.operands) < maxOperands
	after := false // a number: what follows is no sign
	for k := e.from; k < e.to; k++ {
		switch l.toks[k].kind {
		case tokNumber, tokClose:
			after = true
		case tokOp:
			if !after {
				continue
			}
			after = false
			e.ops++
			if l.toks[k].mark == '+' || l.toks[k].mark == '-' {
				e.sums++
			}
		}
	}
	for n := len(e.operands); n > 0 && e.operands[n-1] >= e.to; n-- {
		e.operands = e.operands[:n-1]
	}
	if e.calls > 0 {
		e.calls = 0
		for k := e.from; k < e.to; k++ {
			if l.callAt(k) != 0 {
				e.calls++
			}
		}
		e.ops += e.calls
	}
	return e
}

// names tells whether the word at token j, where a number is due, may be the
// name of what is added: "warm-up 4 s + steady state 5 s".
func (l *lexer) names(j int) bool {
	w := l.wordAt(j)
	if len(w) < 2 || labelWords[w] || notBefore[w] || l.kindAt(j+1) == tokOpen && j+1 < len(l.toks) && !l.toks[j+1].spaced {
		return false // nor what is called: "partial(27)"
	}
	k := j - 1
	for l.kindAt(k) == tokWord && k > 0 {
		k--
	}
	return k > 0 && l.kindAt(k) == tokOp && (l.toks[k].mark == '+' || l.toks[k].mark == '-' && !l.toks[k].dash) && l.toks[k].spaced
}

// remark tells where a parenthesis of words without numbers, which opens at
// token i, closes; 0 if it is something else.
func (l *lexer) remark(i int) int {
	for j := i + 1; j < len(l.toks) && j < i+6; j++ {
		switch l.toks[j].kind {
		case tokWord:
		case tokClose:
			return j
		default:
			return 0
		}
	}
	return 0
}

// begins tells whether an expression may begin at token i, judging by what
// stands before it: nothing there can be a part of it.
func (l *lexer) begins(i int) bool {
	if i == 0 {
		return true
	}
	p := &l.toks[i-1]
	switch p.kind {
	case tokEquals, tokApprox:
		return true
	case tokOpen:
		return i < 2 || l.toks[i-2].kind != tokWord || p.spaced // not f(3 + …
	case tokPunct:
		for k := i - 2; p.mark == ':' && k >= 0 && k > i-5; k-- {
			if l.kindAt(k) == tokOp && !l.toks[k].dash {
				return false // 3 × 4 + rest: 5 × 6 = 42
			}
		}
		return p.mark != '!' && p.mark != '→' && p.mark != '<' && p.mark != '>' && p.mark != '…' && p.mark != '^'
	case tokWord:
		w := l.wordAt(i - 1)
		if i > 1 && l.kindAt(i-2) == tokOpaque && l.line[p.from-1] == '\\' {
			return false // \cdot 3
		}
		if notBefore[w] || labelWords[w] || len(w) == 1 && w != "a" {
			return false
		}
		if l.kindAt(i) == tokOpen && l.kindAt(i+1) == tokNumber && (l.enclosed(i) || i > 1 && l.kindAt(i-2) == tokNumber) {
			return false // "audits (54 questions) + 1 review", "5 probes (2 old + 3 new) + 1 review"
		}
		return l.toks[i].kind != tokOp
	}
	return false
}

// enclosed tells whether the parenthesis that opens at token i holds one number
// with what it counts, so that it says something of the word before it.
func (l *lexer) enclosed(i int) bool {
	for j := i + 2; j < len(l.toks) && j < i+6; j++ {
		switch l.toks[j].kind {
		case tokClose:
			return j > i+2
		case tokWord:
		default:
			return false
		}
	}
	return false
}

// interval is a value that is known up to the rounding of the numbers that it
// was computed from.
type interval struct{ lo, hi *big.Rat }

func exactly(r *big.Rat) interval { return interval{r, r} }

func (v interval) isExact() bool { return v.lo == v.hi || v.lo.Cmp(v.hi) == 0 }

// mid is the value if every number was exact.
func (v interval) mid() *big.Rat {
	if v.isExact() {
		return v.lo
	}
	m := new(big.Rat).Add(v.lo, v.hi)
	return m.Quo(m, big.NewRat(2, 1))
}

// evaluator computes the value of tokens.
type evaluator struct {
	l        *lexer
	i, to    int
	hundreds bool // read 20% as 0.2 rather than as 20
	rounded  bool // read every fraction as rounded
	loosely  bool // read measured numbers as rounded
}

// eval computes e. It returns false where that is impossible: division by
// zero, roots, huge powers.
func (l *lexer) eval(e expression, hundreds, loosely bool) (interval, bool) {
	v := evaluator{l: l, i: e.from, to: e.to, hundreds: hundreds, loosely: loosely}
	r, ok := v.sum()
	return r, ok && v.i == v.to
}

// evalRounded computes e like eval with every fraction read as rounded: where
// a chain goes on with intermediate results.
func (l *lexer) evalRounded(e expression, hundreds bool) (interval, bool) {
	v := evaluator{l: l, i: e.from, to: e.to, hundreds: hundreds, loosely: true, rounded: true}
	r, ok := v.sum()
	return r, ok && v.i == v.to
}

// op is the operator at hand, 0 if there is none.
func (v *evaluator) op() rune {
	for v.i < v.to {
		t := &v.l.toks[v.i]
		if t.kind == tokWord {
			v.i++
			continue
		}
		if t.kind == tokOpen {
			if k := v.l.remark(v.i); k > 0 && k < v.to {
				v.i = k + 1
				continue
			}
		}
		if t.kind == tokOp {
			return t.mark
		}
		return 0
	}
	return 0
}

func (v *evaluator) sum() (interval, bool) {
	a, ok := v.product()
	for ok {
		op := v.op()
		if op != '+' && op != '-' {
			return a, true
		}
		v.i++
		b, bok := v.product()
		if !bok {
			return a, false
		}
		if op == '-' {
			b = interval{new(big.Rat).Neg(b.hi), new(big.Rat).Neg(b.lo)}
		}
		a = add(a, b)
		ok = small(a)
	}
	return a, false
}

func (v *evaluator) product() (interval, bool) {
	a, ok := v.power()
	for ok {
		op := v.op()
		if op != '*' && op != '/' {
			return a, true
		}
		v.i++
		b, bok := v.power()
		if !bok {
			return a, false
		}
		if op == '/' {
			if b.lo.Sign() <= 0 && b.hi.Sign() >= 0 {
				return a, false
			}
			b = interval{new(big.Rat).Inv(b.hi), new(big.Rat).Inv(b.lo)}
		}
		a = multiply(a, b)
		ok = small(a)
	}
	return a, false
}

func (v *evaluator) power() (interval, bool) {
	a, ok := v.factor()
	if !ok || v.op() != '^' {
		return a, ok
	}
	v.i++
	b, ok := v.factor()
	if !ok || !a.isExact() || !b.isExact() || !b.lo.IsInt() || v.op() == '^' {
		return a, false
	}
	n := b.lo.Num()
	if n.Sign() < 0 || n.Cmp(big.NewInt(maxExponent)) > 0 || a.lo.Num().BitLen()*int(n.Int64()) > maxBits || a.lo.Denom().BitLen()*int(n.Int64()) > maxBits {
		return a, false
	}
	r := new(big.Rat).SetFrac(new(big.Int).Exp(a.lo.Num(), n, nil), new(big.Int).Exp(a.lo.Denom(), n, nil))
	return exactly(r), true
}

func (v *evaluator) factor() (interval, bool) {
	for v.i < v.to && v.l.toks[v.i].kind == tokWord { // its name
		if f := v.l.callAt(v.i); f != 0 {
			return v.call(f)
		}
		v.i++
	}
	if v.i >= v.to {
		return interval{}, false
	}
	t := &v.l.toks[v.i]
	switch {
	case t.kind == tokOp && (t.mark == '-' || t.mark == '+'):
		v.i++
		a, ok := v.power() // -2^2 is -4
		if ok && t.mark == '-' {
			a = interval{new(big.Rat).Neg(a.hi), new(big.Rat).Neg(a.lo)}
		}
		return a, ok
	case t.kind == tokNumber:
		v.i++
		return v.operand(&t.num), true
	case t.kind == tokOpen:
		v.i++
		mark := t.mark
		a, ok := v.sum()
		for v.i < v.to && v.l.toks[v.i].kind == tokWord {
			v.i++
		}
		if !ok || v.i >= v.to || v.l.toks[v.i].kind != tokClose {
			return a, false
		}
		v.i++
		switch mark {
		case '⌈':
			a = interval{ceiling(a.lo), ceiling(a.hi)}
		case '⌊':
			a = interval{floor(a.lo), floor(a.hi)}
		}
		return a, true
	}
	return interval{}, false
}

func (v *evaluator) operand(n *number) interval {
	r := n.rat()
	half := (*big.Rat)(nil)
	if v.rounded && n.dec > 0 {
		half = n.ulp()
		half.Quo(half, big.NewRat(2, 1))
	} else if v.loosely && !n.currency && (n.percent() || n.dec > 0 && n.unit != "") {
		half = n.ulp()
		half.Quo(half, big.NewRat(2, 1))
	}
	if n.percent() && v.hundreds {
		r.Quo(r, big.NewRat(100, 1))
		if half != nil {
			half.Quo(half, big.NewRat(100, 1))
		}
	}
	if half == nil {
		return exactly(r)
	}
	return interval{new(big.Rat).Sub(r, half), new(big.Rat).Add(r, half)}
}

func add(a, b interval) interval {
	lo := new(big.Rat).Add(a.lo, b.lo)
	if a.isExact() && b.isExact() {
		return exactly(lo)
	}
	return interval{lo, new(big.Rat).Add(a.hi, b.hi)}
}

func multiply(a, b interval) interval {
	lo := new(big.Rat).Mul(a.lo, b.lo)
	if a.isExact() && b.isExact() {
		return exactly(lo)
	}
	hi := lo
	for _, p := range [...]*big.Rat{new(big.Rat).Mul(a.lo, b.hi), new(big.Rat).Mul(a.hi, b.lo), new(big.Rat).Mul(a.hi, b.hi)} {
		if p.Cmp(lo) < 0 {
			lo = p
		}
		if p.Cmp(hi) > 0 {
			hi = p
		}
	}
	return interval{lo, hi}
}

func small(v interval) bool {
	return v.lo.Num().BitLen() <= maxBits && v.lo.Denom().BitLen() <= maxBits &&
		v.hi.Num().BitLen() <= maxBits && v.hi.Denom().BitLen() <= maxBits
}
