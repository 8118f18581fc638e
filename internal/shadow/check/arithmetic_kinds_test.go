package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// claimOf is a random claim of one kind: text has a %s for the result, which is
// right if it is want.
type claimOf struct {
	text  string
	want  *big.Rat
	dec   int  // digits to show
	whole bool // rounding up or down is no excuse
}

func ints(t *rapid.T, least, most int) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 900), least, most).Draw(t, "values")
}

func joined3(values []int, unit string) string {
	s := make([]string, len(values))
	for i, v := range values {
		s[i] = fmt.Sprint(v) + unit
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

func rat(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func rats(values []int) []*big.Rat {
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		out[i] = rat(v)
	}
	return out
}

// claimKinds draws a claim of each kind that is made in one line.
var claimKinds = map[string]func(*rapid.T) claimOf{
	"average": func(t *rapid.T) claimOf {
		v := ints(t, 3, 8)
		form := rapid.SampledFrom([]string{"The average of %s is %%s.", "Runs took %s, for an average of %%s.", "Runs took %s (mean %%s)."}).Draw(t, "form")
		return claimOf{fmt.Sprintf(form, joined3(v, "")), fnMean.fold(rats(v)), 2, false}
	},
	"median": func(t *rapid.T) claimOf {
		v := ints(t, 3, 8)
		return claimOf{fmt.Sprintf("The median of %s is %%s ms.", joined3(v, " ms")), fnMedian.fold(rats(v)), 1, false}
	},
	"extreme": func(t *rapid.T) claimOf {
		v := ints(t, 2, 8)
		f, name := fnMax, "maximum"
		if rapid.Bool().Draw(t, "min") {
			f, name = fnMin, "smallest"
		}
		return claimOf{fmt.Sprintf("The %s of %s is %%s.", name, joined3(v, "")), f.fold(rats(v)), 0, true}
	},
	"call": func(t *rapid.T) claimOf {
		v := ints(t, 2, 6)
		name := rapid.SampledFrom([]string{"max", "min", "avg", "median", "sum"}).Draw(t, "name")
		return claimOf{fmt.Sprintf("We use %s(%s) = %%s.", name, strings.ReplaceAll(joined3(v, ""), " and ", ", ")), calls[name].fold(rats(v)), 2, true}
	},
	"rounding": func(t *rapid.T) claimOf {
		a, b := rapid.IntRange(1, 900).Draw(t, "a"), rapid.IntRange(2, 90).Draw(t, "b")
		q := big.NewRat(int64(a), int64(b))
		if rapid.Bool().Draw(t, "floor") {
			return claimOf{fmt.Sprintf("floor(%d / %d) = %%s", a, b), floor(q), 0, true}
		}
		return claimOf{fmt.Sprintf("Pages: ⌈%d/%d⌉ = %%s", a, b), ceiling(q), 0, true}
	},
	"conversion": func(t *rapid.T) claimOf {
		n := rapid.IntRange(1, 90).Draw(t, "n")
		form := rapid.SampledFrom([]struct {
			text string
			by   int
		}{{"The wait is %d h = %%s min.", 60}, {"It is %d min = %%s seconds.", 60}, {"A probe waits %d s = %%s ms.", 1000}, {"The parcel has %d kg = %%s g.", 1000}}).Draw(t, "form")
		return claimOf{fmt.Sprintf(form.text, n), rat(n * form.by), 0, true}
	},
	"change": func(t *rapid.T) claimOf {
		a, b := rapid.IntRange(2, 900).Draw(t, "a"), rapid.IntRange(2, 900).Draw(t, "b")
		if a == b {
			b++
		}
		verb, noun := "grew", "increase"
		if b < a {
			verb, noun = "fell", "reduction"
		}
		v := big.NewRat(int64(b-a)*100, int64(a))
		return claimOf{fmt.Sprintf("The queue %s from %d to %d jobs, a %%s%%%% %s.", verb, a, b, noun), v.Abs(v), 1, true}
	},
	"each": func(t *rapid.T) claimOf {
		a, b := rapid.IntRange(2, 90).Draw(t, "a"), rapid.IntRange(600, 900).Draw(t, "b")
		return claimOf{fmt.Sprintf("There are %d racks with %d blades each, %%s blades in total.", a, b), rat(a * b), 0, true}
	},
	"rate": func(t *rapid.T) claimOf {
		a, b := rapid.IntRange(1, 900).Draw(t, "a"), rapid.IntRange(10, 90).Draw(t, "b")
		return claimOf{fmt.Sprintf("We served %d requests in %d s, i.e. %%s requests/s.", a*b, b), rat(a), -2, true}
	},
	"fraction": func(t *rapid.T) claimOf {
		a := rapid.IntRange(650, 900).Draw(t, "a")
		form := rapid.SampledFrom([]string{"Half of %d is %%s.", "Half of the %d seats (%%s) are taken."}).Draw(t, "form")
		return claimOf{fmt.Sprintf(form, 2*a), rat(a), 0, true}
	},
	"outcomes": func(t *rapid.T) claimOf {
		v := ints(t, 3, 3)
		return claimOf{fmt.Sprintf("Total: %%s, passed: %d, failed: %d, skipped: %d", v[0], v[1], v[2]), fnSum.fold(rats(v)), 0, true}
	},
	"total": func(t *rapid.T) claimOf {
		v := ints(t, 2, 5)
		sum := fnSum.fold(rats(v))
		if rapid.Bool().Draw(t, "behind") {
			return claimOf{fmt.Sprintf("We wrote %s tests, %%s in total.", joined3(v, " unit")), sum, 0, true}
		}
		return claimOf{fmt.Sprintf("A total of %%s tests: %s.", joined3(v, " unit")), sum, 0, true}
	},
}

// TestKinds: a right claim of any kind passes; the same with a result that is
// off by more than any rounding is reported, with the right one.
func TestKinds(t *testing.T) {
	for kind, draw := range claimKinds {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := draw(t)
				text := fmt.Sprintf(c.text, shown(c.want, c.dec))
				if f := Miscalculations(Analyse(text)); len(f) > 0 {
					t.Fatalf("%q: %s", text, f[0].Message())
				}
				by := new(big.Rat).Mul(rat(rapid.IntRange(2, 500).Draw(t, "ulps")), pow10(-c.dec))
				off := new(big.Rat).Add(c.want, by)
				if strings.Contains(text, "24/7") || kind == "rounding" && !wrongDigit(off, c.want) {
					return // the hours of a service; too far off to be a slip
				}
				if kind == "total" && (off.Cmp(rat(1<<20)) > 0 || !slip(off, c.want)) {
					return
				}
				text = fmt.Sprintf(c.text, shown(off, c.dec))
				f := Miscalculations(Analyse(text))
				hit := slices.ContainsFunc(f, func(g Finding) bool { return sameAnswer(g.ShouldBe, shown(c.want, c.dec)) })
				if !hit && !excusedTotal(kind, text) {
					t.Fatalf("%q: %v, want %s", text, f, shown(c.want, c.dec))
				}
			})
		})
	}
}

// excusedTotal tells whether a wrong total may be right if one of its parts is
// counted in another.
func excusedTotal(kind, text string) bool {
	return kind == "total" && strings.Contains(text, "in total")
}

// TestRanges: what lies in a range passes, what lies outside is reported with
// the range.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(1, 500).Draw(t, "lo")
		hi := lo + rapid.IntRange(1, 100).Draw(t, "width")
		v := rapid.IntRange(0, 700).Draw(t, "value")
		form := rapid.SampledFrom([]string{"The draft has %d words, well within the %d–%d words asked for.", "The pool size of %d lies within the recommended range of %d to %d."}).Draw(t, "form")
		text := fmt.Sprintf(form, v, lo, hi)
		f := Miscalculations(Analyse(text))
		if in := lo <= v && v <= hi; in && len(f) > 0 || !in && (len(f) != 1 || f[0].ShouldBe != fmt.Sprintf("%d–%d", lo, hi)) {
			t.Fatalf("%q: %v", text, f)
		}
	})
}

// TestSplits: parts that are 100 % together pass; others are reported.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(5, 45).Draw(t, "a"), rapid.IntRange(5, 45).Draw(t, "b")
		form := rapid.SampledFrom([]string{"The load is split %d%% to A, %d%% to B and %d%% to C.",
			"Traffic split by region:\n\n- A: %d%%\n- B: %d%%\n- C: %d%%\n", "| Part | Weight |\n|---|---|\n| A | %d%% |\n| B | %d%% |\n| C | %d%% |\n"}).Draw(t, "form")
		if f := Miscalculations(Analyse(fmt.Sprintf(form, a, b, 100-a-b))); len(f) > 0 {
			t.Fatal(f)
		}
		by := rapid.IntRange(3, 20).Draw(t, "by")
		if a+b == by {
			return // the last part alone is all of something
		}
		if f := Miscalculations(Analyse(fmt.Sprintf(form, a, b, 100-a-b+by))); len(f) != 1 || f[0].ShouldBe != "100%" {
			t.Fatalf(form+": %v", a, b, 100-a-b+by, f)
		}
	})
}

// TestRepeated: a quantity that is stated twice passes if it is the same, and
// only then.
func TestRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(3, 500).Draw(t, "a")
		b := rapid.IntRange(3, 500).Draw(t, "b")
		form := rapid.SampledFrom([]string{"The suite has %d tests.\n\nAll %d tests of the suite pass.", "The grace period is %d days.\n\nInvoices count until the grace period of %d days ends.",
			"We interviewed %d customers.\n\n# Method\n\nThe %d customers we interviewed were found by letter."}).Draw(t, "form")
		text := fmt.Sprintf(form, a, b)
		f := Miscalculations(Analyse(text))
		if a == b && len(f) > 0 || a != b && (len(f) != 1 || !sameAnswer(f[0].ShouldBe, fmt.Sprint(a))) {
			t.Fatalf("%q: %v", text, f)
		}
	})
}

// TestMultiples: what doubled passes up to a tenth, and what is further off is
// reported with twice the old value.
func TestMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(20, 900).Draw(t, "a")
		b := rapid.IntRange(a, 3*a).Draw(t, "b")
		text := fmt.Sprintf("The queue doubled from %d to %d jobs.", a, b)
		f := Miscalculations(Analyse(text))
		if near := 10*b >= 18*a && 10*b <= 22*a; near && len(f) > 0 || !near && (len(f) != 1 || !sameAnswer(f[0].ShouldBe, fmt.Sprint(2*a))) {
			t.Fatalf("%q: %v", text, f)
		}
	})
}
