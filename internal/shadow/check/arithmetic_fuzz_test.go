package check

import (
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"
)

// claimSeeds feeds a fuzz target with the labelled claims.
func claimSeeds(f *testing.F, kinds ...string) {
	n := 0
	claims := append(readClaims(f, "testdata/arithmetic_corpus.txt"), readClaims(f, "testdata/arithmetic_dev.txt")...)
	for _, c := range claims {
		for _, k := range kinds {
			if c.kind == k {
				f.Add(c.text)
				n++
			}
		}
	}
	if n == 0 {
		f.Fatalf("no claims of the kinds %v", kinds)
	}
}

// FuzzNumber checks that what is read as a number is bounded and where it
// says it is, and that its value survives being written again.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "1,234", "1 234,5", "1.234", "12.50€", "1e6", "3x4", "12+", "90-day", "007", "1.2.3", "10:30",
		strings.Repeat("9", 40), "123456789012345678901234567890", "1,23,456", "5%", "7 % 3", "20req/s", "1'000'000", "1\u202f000", "4th", "0x1F", "2e99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || !isDigit(s[0]) || !utf8.ValidString(s) || len(s) > 1000 {
			return
		}
		n, end, ok := numberAt(s, 0)
		if end <= 0 || end > len(s) || !utf8.ValidString(s[:end]) {
			t.Fatalf("%q: ends at %d", s, end)
		}
		if !ok {
			return
		}
		v := n.rat()
		if v.Sign() < 0 || v.Num().BitLen() > 200 || v.Denom().BitLen() > 200 {
			t.Fatalf("%q: value %s", s, v)
		}
		if !shows(exactly(v), &n, false, false, false) {
			t.Fatalf("%q does not show its own value %s", s, v)
		}
		n.text = s[:end]
		if got := format(v, &n); n.dec >= 0 && n.sep == 0 && !n.loose && !n.unclear && got != s[:end] && n.text[0] != '.' {
			back, _, ok := numberAt(got, 0)
			if !ok || back.rat().Cmp(v) != 0 {
				t.Fatalf("%q is written as %q", s, got)
			}
		}
	})
}

// FuzzExpression checks that scanning and evaluating any line ends, stays in
// bounds, and that what it finds wrong is wrong by a plain evaluation too.
func FuzzExpression(f *testing.F) {
	claimSeeds(f, "equation", "none", "average", "median", "minmax", "rounding", "range", "conversion", "difference", "percentsum")
	for _, s := range []string{"((((1)))) = 1", "1/0 = 1", "2^64^64 = 1", "-(-1) = 1", "1 + + 1 = 2", "(1 + 2", "3 = = 3", "9^99999 = 1", "1 - -1 = 2", "²=4", "0B =1MB", "1MB = 0B", "5 × 700 = €3,50", "\" 2 AAAs:", "0||0|0\n-||||\n|\n|\n0|0", "|a|n|\n|-|-|\n\n|\n|Removed|2|\n|Big total|3|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var l lexer
		if !l.read(line, nil) {
			return
		}
		at := 0
		for i, tok := range l.toks {
			if tok.from < at || tok.to < tok.from || tok.to > len(line) {
				t.Fatalf("token %d of %q: %+v behind %d", i, line, tok, at)
			}
			at = tok.to
		}
		for i := range l.toks {
			e := l.scan(i)
			if e.to < i || e.to > len(l.toks) || len(e.operands) > maxOperands {
				t.Fatalf("%q from %d: %+v", line, i, e)
			}
			if len(e.operands) == 0 {
				continue
			}
			v, ok := l.eval(e, false, true)
			if ok && (!small(v) || v.lo.Cmp(v.hi) > 0) {
				t.Fatalf("%q from %d: %s to %s", line, i, v.lo, v.hi)
			}
			w, ok2 := l.eval(e, false, false)
			if ok && ok2 && (w.lo.Cmp(v.lo) < 0 || w.hi.Cmp(v.hi) > 0) {
				t.Fatalf("%q from %d: %s is outside %s to %s", line, i, w.lo, v.lo, v.hi)
			}
		}
		for _, g := range Miscalculations(Analyse(line)) {
			if g.States == g.ShouldBe || g.Claim == "" || g.Line < 1 {
				t.Fatalf("%q: %+v", line, g)
			}
		}
	})
}

// FuzzTables checks the sums of any table, and that appending a row with the
// true totals of a column of whole numbers raises nothing.
func FuzzTables(f *testing.F) {
	claimSeeds(f, "table", "breakdown", "list", "total", "boxes", "repeated", "share", "average")
	f.Fuzz(func(t *testing.T, text string) {
		found := Miscalculations(Analyse(text))
		for i, g := range found {
			if g.Claim == "" || g.ShouldBe == "" || g.Line < 1 || g.Line > strings.Count(text, "\n")+1 || i > 0 && g.Line < found[i-1].Line {
				t.Fatalf("%q: %+v", text, found)
			}
		}
		UnbackedNumbers(Analyse(text), text)
		// The same characters as a column of numbers.
		var b strings.Builder
		b.WriteString("| Part | Items |\n|---|---|\n")
		sum := new(big.Int)
		rows := 0
		for i := 0; i < len(text) && rows < 50; i += 3 {
			n := int64(text[i])*7 + 1
			sum.Add(sum, big.NewInt(n))
			b.WriteString("| part | " + big.NewInt(n).String() + " |\n")
			rows++
		}
		b.WriteString("| Total | ")
		if g := Miscalculations(Analyse(b.String() + sum.String() + " |\n")); len(g) > 0 {
			t.Fatalf("%v\n%s%s", g, b.String(), sum)
		}
		off := new(big.Int).Add(sum, new(big.Int).Rsh(sum, 1))
		off.Add(off, big.NewInt(1))
		if g := Miscalculations(Analyse(b.String() + off.String() + " |\n")); rows > 1 && len(g) != 1 {
			t.Fatalf("%v\n%s%s", g, b.String(), off)
		}
	})
}
