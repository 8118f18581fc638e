package check

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// term is a random expression and its exact value.
type term struct {
	text  string
	value *big.Rat
}

func drawNumber(t *rapid.T) term {
	n := rapid.IntRange(1, 2000).Draw(t, "n")
	if rapid.IntRange(0, 3).Draw(t, "fraction") == 0 {
		d := rapid.IntRange(1, 99).Draw(t, "digits")
		return term{fmt.Sprintf("%d.%02d", n, d), new(big.Rat).Add(big.NewRat(int64(n), 1), big.NewRat(int64(d), 100))}
	}
	text := fmt.Sprint(n)
	if n >= 1000 && rapid.Bool().Draw(t, "comma") {
		text = fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return term{text, big.NewRat(int64(n), 1)}
}

// drawTerm draws an expression with at most depth levels of parentheses.
func drawTerm(t *rapid.T, depth int) term {
	sp := rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "space")
	sum := drawProduct(t, depth, sp)
	for i := rapid.IntRange(0, 2).Draw(t, "addends"); i > 0; i-- {
		b := drawProduct(t, depth, sp)
		if rapid.Bool().Draw(t, "plus") {
			sum = term{sum.text + sp + "+" + sp + b.text, new(big.Rat).Add(sum.value, b.value)}
		} else {
			sum = term{sum.text + " " + rapid.SampledFrom([]string{"-", "−", "–"}).Draw(t, "minus") + " " + b.text, new(big.Rat).Sub(sum.value, b.value)}
		}
	}
	return sum
}

func drawProduct(t *rapid.T, depth int, sp string) term {
	a := drawFactor(t, depth)
	for i := rapid.IntRange(0, 1).Draw(t, "factors"); i > 0; i-- {
		b := drawFactor(t, depth)
		op := rapid.SampledFrom([]string{"*", "×", "x", "·", "/", "÷"}).Draw(t, "op")
		if (op == "/" || op == "÷") && b.value.Sign() != 0 {
			a = term{a.text + " " + op + " " + b.text, new(big.Rat).Quo(a.value, b.value)}
		} else {
			if op == "/" || op == "÷" {
				op = "×"
			}
			a = term{a.text + sp + op + sp + b.text, new(big.Rat).Mul(a.value, b.value)}
		}
	}
	return a
}

func drawFactor(t *rapid.T, depth int) term {
	if depth > 0 && rapid.IntRange(0, 3).Draw(t, "nest") == 0 {
		a := drawTerm(t, depth-1)
		return term{"(" + a.text + ")", a.value}
	}
	return drawNumber(t)
}

// drawEquation draws an expression with at least one operator.
func drawEquation(t *rapid.T) term {
	return rapid.Custom(func(t *rapid.T) term { return drawTerm(t, 2) }).Filter(func(e term) bool {
		return strings.ContainsAny(e.text, "+-*/x") || strings.ContainsAny(e.text, "×·÷−–")
	}).Draw(t, "equation")
}

func shown(v *big.Rat, dec int) string { return v.FloatString(dec) }

// TestRightEquationsPass: a correct equation, shown exactly or rounded to any
// number of digits, is never reported.
func TestRightEquationsPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEquation(t)
		dec := rapid.IntRange(0, 4).Draw(t, "dec")
		if dec == 3 {
			dec = 2 // three digits behind a point may be thousands
		}
		lead := rapid.SampledFrom([]string{"", "We get ", "Result: ", "("}).Draw(t, "lead")
		text := lead + e.text + " = " + shown(e.value, dec) + "."
		if f := Miscalculations(Analyse(text)); len(f) > 0 {
			t.Fatalf("%q: %s", text, f[0].Message())
		}
	})
}

// TestWrongEquationsFail: the same with another result, further off than any
// rounding, is always reported, with the right result.
func TestWrongEquationsFail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEquation(t)
		dec := rapid.SampledFrom([]int{0, 1, 2, 4}).Draw(t, "dec")
		by := int64(rapid.IntRange(2, 5000).Draw(t, "ulps"))
		if rapid.Bool().Draw(t, "less") {
			by = -by
		}
		err := new(big.Rat).Mul(big.NewRat(by, 1), pow10(-dec))
		if strings.Contains(e.text, ".") { // what is written may be rounded
			most := new(big.Rat).Add(new(big.Rat).Abs(e.value), big.NewRat(int64(strings.Count(e.text, ".")), 1))
			err.Add(err, most.Mul(most, big.NewRat(int64(err.Sign()), 1)))
		}
		off := new(big.Rat).Add(e.value, err)
		// Bare stars around parentheses may be emphasis, in which case the
		// text no longer shows what was multiplied.
		text := "We get " + strings.ReplaceAll(e.text, "*", `\*`) + " = " + shown(off, dec) + "."
		if dashed(e.text) || shape.MatchString(e.text) {
			return // "5 – 3 + 4 = 7" may be right behind the dash; "4×5" may name a shape
		}
		if power.MatchString(text) {
			return // "32 + 42 = 52" may have lost its exponents
		}
		if r, ok := new(big.Rat).SetString(shown(off, dec)); !ok || !wrongDigit(r, e.value) || owed.MatchString(text) {
			return // too far off to be a slip; an account may put losses in parentheses
		}
		f := Miscalculations(Analyse(text))
		if len(f) != 1 {
			t.Fatalf("%q: %d findings, want %s", text, len(f), shown(e.value, dec))
		}
		n, _, _ := numberAt(strings.TrimPrefix(shown(off, dec), "-"), 0)
		n.text = strings.TrimPrefix(shown(off, dec), "-")
		if f[0].ShouldBe != format(e.value, &n) {
			t.Fatalf("%q: should be %s, says %s", text, format(e.value, &n), f[0].ShouldBe)
		}
	})
}

// shape matches what may be no arithmetic: "4×5", and "1 + 1", which is said to
// be 3.
var shape = regexp.MustCompile(`^([\d,]+[+*×x·][\d,]+|1 ?\+ ?1|2 ?\+ ?2)$`)

// power matches what may have been "2⁵".
var power = regexp.MustCompile(`(^|\D)[2-9][2-9](\D|$)`)

// owed matches a number alone in parentheses.
var owed = regexp.MustCompile(`\([\d,]+\.\d+\)`)

func dashed(s string) bool { return strings.Contains(s, " - ") || strings.Contains(s, " – ") }

// TestShares: a rounded or truncated percentage passes; one that is off by
// more fails.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(20, 5000).Draw(t, "m") // of fewer, each may be rated
		n := rapid.IntRange(0, m-1).Draw(t, "n")
		dec := rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "dec")
		v := big.NewRat(int64(n)*100, int64(m))
		form := rapid.SampledFrom([]string{"%[1]d/%[2]d (%[3]s%%)", "%[1]d of %[2]d tests (%[3]s%%)", "%[3]s%% (%[1]d out of %[2]d)", "%[3]s %% (%[1]d/%[2]d)"}).Draw(t, "form")
		text := fmt.Sprintf(form, n, m, shown(v, dec))
		if f := Miscalculations(Analyse(text)); len(f) > 0 {
			t.Fatalf("%q: %s", text, f[0].Message())
		}
		by := big.NewRat(int64(rapid.IntRange(2, 90).Draw(t, "ulps")), 1)
		by.Mul(by, pow10(-dec))
		wrong := new(big.Rat).Add(v, by)
		if rapid.Bool().Draw(t, "less") && v.Cmp(by) > 0 {
			wrong.Sub(v, by)
		}
		if rest := new(big.Rat).Add(v, wrong); rest.Sub(rest, big.NewRat(100, 1)).Abs(rest).Cmp(pow10(-dec)) <= 0 {
			return // the share of the rest
		}
		if n, _, _ := numberAt(shown(wrong, dec)+"%", 0); roundTens(&n, v) {
			return // a round number may be rounded
		}
		text = fmt.Sprintf(form, n, m, shown(wrong, dec))
		if f := Miscalculations(Analyse(text)); len(f) != 1 {
			t.Fatalf("%q: %v", text, f)
		}
	})
}

// TestTableTotals: true totals pass by row and by column; one that is changed
// is the only one reported.
func TestTableTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(2, 8).Draw(t, "rows"), rapid.IntRange(2, 5).Draw(t, "cols")
		cells := make([][]int, rows+1)
		for r := range cells {
			cells[r] = make([]int, cols+1)
		}
		for r := 0; r < rows; r++ {
			for c := 0; c < cols; c++ {
				v := rapid.IntRange(1, 3000).Draw(t, "cell")
				cells[r][c] = v
				cells[rows][c] += v
				cells[r][cols] += v
				cells[rows][cols] += v
			}
		}
		render := func() string {
			var b strings.Builder
			b.WriteString("| Name |")
			for c := 0; c < cols; c++ {
				fmt.Fprintf(&b, " Kind %c |", 'a'+c)
			}
			b.WriteString(" Total |\n|" + strings.Repeat("---|", cols+2) + "\n")
			for r, row := range cells {
				name := fmt.Sprintf("row%c", 'a'+r)
				if r == rows {
					name = "**Total**"
				}
				b.WriteString("| " + name + " |")
				for _, v := range row {
					fmt.Fprintf(&b, " %d |", v)
				}
				b.WriteString("\n")
			}
			return b.String()
		}
		if f := Miscalculations(Analyse(render())); len(f) > 0 {
			t.Fatalf("%s\n%s", f[0].Message(), render())
		}
		c := rapid.IntRange(0, cols-1).Draw(t, "column")
		right := cells[rows][c]
		cells[rows][c] += 1 + right/rapid.IntRange(2, 50).Draw(t, "by")
		f := Miscalculations(Analyse(render()))
		hit := false
		for _, g := range f {
			hit = hit || g.ShouldBe == fmt.Sprint(right) && g.States == fmt.Sprint(cells[rows][c])
		}
		if !hit {
			t.Fatalf("%v, want %d\n%s", f, right, render())
		}
	})
}
