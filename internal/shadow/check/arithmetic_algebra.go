package check

import (
	"math/big"
	"unicode/utf8"
)

// Formulas are equations too, but their letters stand for numbers, and where
// they were copied from a page their exponents may have sunk to the line.

// mathWords tell that what stands beside them is not computed as written.
var mathWords = wordSet(`squared cubed factorial mod modulo choose`)

// algebra tells whether calc or lone is, or may be, a formula with letters in it
// or a notation of mathematics.
func (l *lexer) algebra(calc, lone expression) bool {
	if l.toks[calc.from].mark == '+' && l.kindAt(calc.from) == tokOp {
		return true // 1² + … + 24² = 70²
	}
	if l.kindAt(lone.from) == tokOp && l.toks[lone.from].mark == '-' && l.kindAt(calc.from) == tokOpen && l.hasScore(calc) {
		return true // (5/3) = -1 is a symbol of number theory
	}
	power, unit, letters, others := false, false, "", false
	for _, e := range [...]expression{calc, lone} {
		for i := e.from; i < e.to; i++ {
			switch t := &l.toks[i]; t.kind {
			case tokOp:
				power = power || t.mark == '^'
			case tokWord:
				if w := l.wordAt(i); len(w) == 1 || mathWords[w] {
					return true // 6 p; 3 squared
				}
			case tokNumber:
				unit = unit || t.num.unit != "" && t.num.unit != "x" && !t.num.percent() && !scales[t.num.unit]
				switch {
				case isSymbol(&t.num) && (letters == "" || letters == t.num.unit):
					letters = t.num.unit
				case isSymbol(&t.num):
					return true // 2d² = 2D
				default:
					others = true
				}
			}
		}
	}
	return letters != "" && others || power && unit
}

// isSymbol tells whether what is joined to n is short and no unit: "2n", "4CF".
func isSymbol(n *number) bool {
	_, known := units[n.unit]
	return n.unit != "" && !known && !n.currency && n.unit[0] > '9' && utf8.RuneCountInString(n.unit) < 3
}

// sunkExponents tells whether "calc = lone" comes out if some of its numbers of
// two digits are powers: "32 + 42 = 52". Where words are, the numbers count.
func (c *checker) sunkExponents(calc, lone expression) bool {
	const most = 5
	l := &c.lex
	var at []int
	for _, e := range [...]expression{calc, lone} {
		for i := e.from; i < e.to; i++ {
			if l.toks[i].kind == tokWord || l.toks[i].mark == '/' || calc.calls > 0 {
				return false
			}
			if n := &l.toks[i].num; l.toks[i].kind == tokNumber && n.wide == nil && n.dec == 0 && n.unit == "" && n.mant > 21 && n.mant < 100 && n.mant%10 > 1 {
				at = append(at, i)
			}
		}
	}
	if len(at) == 0 {
		return false
	}
	if len(at) > most || !c.spend((len(calc.operands)+1)<<len(at)) {
		return true
	}
	was := make([]int64, len(at))
	for k, i := range at {
		was[k] = l.toks[i].num.mant
	}
	found := false
	for set := 1; set < 1<<len(at) && !found; set++ {
		for k, i := range at {
			l.toks[i].num.mant = was[k]
			if set&(1<<k) != 0 {
				l.toks[i].num.mant = new(big.Int).Exp(big.NewInt(was[k]/10), big.NewInt(was[k]%10), nil).Int64()
			}
		}
		a, ok := l.eval(calc, false, false)
		b, also := l.eval(lone, false, false)
		found = ok && also && a.isExact() && b.isExact() && a.lo.Cmp(b.lo) == 0
	}
	for k, i := range at {
		l.toks[i].num.mant = was[k]
	}
	return found
}
