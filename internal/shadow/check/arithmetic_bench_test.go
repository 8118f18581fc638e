package check

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkMiscalculations reads a document of about 800 words, analysed
// before.
func BenchmarkMiscalculations(b *testing.B) {
	text := ""
	bundles := realBundles(b)
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		if len(strings.Fields(text)) < 800 {
			text += bundles[name] + "\n\n"
		}
	}
	words := strings.Fields(text)
	if len(words) > 800 {
		text = text[:strings.LastIndex(text[:len(text)*800/len(words)], "\n")]
	}
	t := Analyse(text)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if f := Miscalculations(t); len(f) > 0 {
			b.Fatal(f[0].Message())
		}
	}
}

func BenchmarkUnbackedNumbers(b *testing.B) {
	t := Analyse(strings.Repeat(backingText, 6))
	b.ReportAllocs()
	for b.Loop() {
		if len(UnbackedNumbers(t, "We merged 42 findings in 12.6 ms and wrote 66 tests.")) != 1 {
			b.Fatal("want one")
		}
	}
}

// hostile are documents of 256 KiB that are meant to be slow.
func hostile(size int) map[string]string {
	fill := func(s string) string { // lines of just under the length that is read
		if strings.Contains(s, "\n") {
			return strings.Repeat(s, size/len(s))
		}
		line := strings.Repeat(s, (maxLine-1)/len(s)) + "\n\n"
		return strings.Repeat(line, size/len(line))
	}
	rows := func(s string) string { return "| a | b | c |\n|---|---|---|\n" + fill(s) }
	wide := size / 12
	return map[string]string{
		"one line":         strings.Repeat("1 + 1 = 3 ", size/10),
		"digits":           fill("9"),
		"digit lines":      fill(strings.Repeat("9", 1000) + "\n"),
		"equals":           fill("= "),
		"plus":             fill("+ "),
		"sum":              fill("1 + "),
		"sum lines":        fill(strings.Repeat("1 + ", 4000) + "= 2\n\n"),
		"product":          fill(strings.Repeat("999999999999999999999999999999 * ", 60) + "1 = 2\n\n"),
		"power":            fill("99^60 * 98^60 * 97^60 = 1\n\n"),
		"chain":            fill(strings.Repeat("1 + 1 = ", 1900) + "3\n\n"),
		"wrong":            fill("1 + 1 = 3, "),
		"wrong lines":      fill("1 + 1 = 3\n\n"),
		"dashes":           fill(strings.Repeat("1 - ", 60) + "1 = 2, "),
		"parens":           fill("("),
		"nested":           fill(strings.Repeat("(", 100) + "1 + 1" + strings.Repeat(")", 100) + " = 3, "),
		"ratios":           fill("1/2 (3%), "),
		"ratio words":      fill("1 of 2 a b c d "),
		"groups":           fill("1 000 "),
		"commas":           fill("1,000,"),
		"dots":             fill("1.000."),
		"parts":            fill("a total of 9 tests: " + strings.Repeat("1 x, ", 800) + "\n\n"),
		"totals":           fill("1 a, 2 b, 9 in total, "),
		"table":            rows("| x | 1 | 2 |\n"),
		"table of totals":  rows("| Total | 1 | 2 |\n"),
		"mixed totals":     rows("| x | 17 | 23 |\n| Total | 1 | 2 |\n"),
		"subtotals":        rows("| x | 17 | 23 |\n| y | 1 | 1 |\n| Subtotal | 1 | 2 |\n"),
		"big cells":        rows("| x | 123456789012345678901234567890 | 0.123456789012345678901234567 |\n"),
		"wide table":       "|" + strings.Repeat(" a |", wide) + "\n|" + strings.Repeat("-|", wide) + "\n|" + strings.Repeat(" 1 |", wide) + "\n| Total |" + strings.Repeat("2|", wide-1),
		"list":             fill("- 1 a (3%)\n"),
		"lists":            fill("three steps:\n- a\n\n"),
		"nested lists":     fill("three steps:\n- a\n  - b\n    - c\n"),
		"boxes":            "9 of 10 done:\n\n" + fill("- [x] 1 of 2 done\n"),
		"number words":     fill("three steps "),
		"code spans":       fill("`1` + 1 "),
		"units":            fill("1 h 2 min "),
		"percent of":       fill("20% of 50 is 11 "),
		"long words":       fill("three " + strings.Repeat("a", 300) + ": "),
		"ranges":           fill("1-2-3/4/"),
		"equal groups":     fill("2 a with 3 b each, 9 b in total, "),
		"throughputs":      fill("9 a in 3 s, or 5 a/s, "),
		"doubled":          fill("doubled from 1 to 9 "),
		"halves":           fill("half of 90 is 40, "),
		"breakdown":        fill("a 1 (3%), "),
		"outcomes":         fill("total 9, passed 1, failed 1, "),
		"prices":           "| a | Qty | Unit price | Total |\n|---|---|---|---|\n" + fill("| x | 17 | 23 | 391 |\n| y | 2 | 3 | 7 |\n"),
		"unclosed remarks": fill("1 (a b c "),
		"names":            fill("1 + a b c "),
		"averages":         fill("average of 1, 2 and 3 is 4 "),
		"average words":    fill("average of the mean of the 1 "),
		"long average":     fill("the average of " + strings.Repeat("1, ", 3000) + "2 is 9\n\n"),
		"calls":            fill("max(1, 2) = 9 "),
		"open calls":       fill("max(1, "),
		"nested calls":     fill(strings.Repeat("max(", 100) + "1, 2" + strings.Repeat(")", 100) + " = 3, "),
		"within":           fill("9 within 1–3 "),
		"from to":          fill("grew from 1 to 2, a 9% increase "),
		"arrows":           fill("1 → 2 → "),
		"conversions":      fill("1 h = 2 min "),
		"units in parens":  fill("1 h (2 min) "),
		"splits":           fill("split 90% and 80% and 70% "),
		"remaining":        fill("90% and the remaining 20% are "),
		"rounded":          fill("1.5 rounded to 9.9 "),
		"number word list": fill("two of three and four "),
		"superscripts":     fill("2⁹⁹ = 1 "),
		"brackets":         fill("⌈"),
		"repeats":          fill("The grace period is 14 days. The grace period is 15 days.\n\n"),
		"subjects":         fill("The suite has 42 tests. All 41 tests of the suite pass.\n\n"),
		"averages table":   rows("| x | 17 | 23 |\n| Average | 99 | 99 |\n"),
		"ratio cells":      rows("| x | 1/2 | 3/4 |\n| Total | 9/9 | 9/9 |\n"),
		"shares table":     "| a | weight | share |\n|---|---|---|\n" + fill("| x | 10% | 20% |\n"),
		"code spans words": fill("`1` average 2 "),
	}
}

// TestHostile checks that hostile documents are read to the end, in bounded
// time; the time itself is printed, not asserted.
func TestHostile(t *testing.T) {
	for name, text := range hostile(hostileSize()) {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			a := Analyse(text)
			analysed := time.Since(start)
			start = time.Now()
			found := Miscalculations(a)
			checked := time.Since(start)
			start = time.Now()
			unbacked := UnbackedNumbers(a, text)
			t.Logf("%s: analysed in %v, checked in %v with %d findings, backed in %v", name, analysed, checked, len(found), time.Since(start))
			if len(found) > maxFindings || len(unbacked) > maxFindings {
				t.Errorf("%d and %d findings", len(found), len(unbacked))
			}
		})
	}
}
