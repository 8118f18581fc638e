package check

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

// large makes the tests of hostile texts take them as long as a bundle may be,
// as the benchmarks do:
//
//	go test ./internal/shadow/check -run 'Adversaries|Hostile' -args -large
var large = flag.Bool("large", false, "test hostile texts of 256 KiB instead of 32")

// hostileSize is the length of the hostile texts of tests, in bytes. An eighth
// of the whole meets the same limits in less time.
func hostileSize() int {
	if *large {
		return wholeSize
	}
	return wholeSize / 8
}

// wholeSize is the length that a hostile text is measured with, in bytes.
const wholeSize = texttest.Size

// TestLanguageCost: telling the language is priced, so that it cannot be asked
// of every word.
func TestLanguageCost(t *testing.T) {
	text := Analyse(strings.Repeat("The limiter takes a token from the bucket, and refills it by the time that has passed. ", 500))
	if _, err := mustCompile(t, "text.sentences().all(s, (s + s).language() != 'xx')").Eval(Input{Text: text}); !errors.Is(err, ErrLimit) {
		t.Errorf("500 sentences: %v", err)
	}
	if r, err := mustCompile(t, "text.language() == 'en' && text.sentences()[0].language() != 'xx'").Eval(Input{Text: text}); err != nil || !r.Passed || r.Cost < unitsForLanguage {
		t.Errorf("twice: %+v %v", r, err)
	}
}

// TestDoubling: values that double with each line of a check, and functions that
// read on to the end for each letter, are stopped before the work is done.
func TestDoubling(t *testing.T) {
	doubled := func(first, next, last string) string {
		expr := "cel.bind(a, " + first
		for range 25 {
			expr += ", cel.bind(a, " + next
		}
		return expr + ", " + last + strings.Repeat(")", 26)
	}
	letters := Analyse(strings.Repeat("a", wholeSize))
	for name, expr := range map[string]string{
		"lists compared":       doubled("[1]", "[a, a]", "a == a"),
		"lists told apart":     doubled("[1]", "[a, a]", "a != a"),
		"lists sought":         doubled("[1]", "[a, a]", "a in [a]"),
		"maps compared":        doubled("{'a': 1}", "{'a': a, 'b': a}", "a == a"),
		"joined lists":         doubled("['a']", "a + a", "a"),
		"joined lists as text": doubled("['a']", "a + a", "text.mentions(a)"),
		"part of joined lists": doubled("['a']", "a + a", "a.slice(0, 60000000) == []"),
		"texts in a list":      "text.split('').slice(0, 30000).map(c, text)",
		"texts as phrases":     "text.adds_to([text, text, text, text, text])",
		"matches":              "text.find_all('(?s)a.*b|a') == []",
		"matches behind one":   "text.find_all(r'(?s)\\Ba.*b|a') == []",
		"many patterns":        "[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, !'x'.matches('b' + string(a) + string(b))))",
		"parts of the text":    "text.split('').slice(0, 10).all(c, (text + c).words().size() > 0)",
	} {
		if r, err := mustCompile(t, expr).Eval(Input{Text: letters}); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %t, cost %d, %v", name, r.Passed, r.Cost, err)
		}
	}
	if _, err := mustCompile(t, doubled("[1]", "[a, a]", "dyn(a)")).Value(Input{Text: letters}); !errors.Is(err, ErrLimit) {
		t.Errorf("a value: %v", err)
	}
	for _, expr := range []string{
		"text.indexOf(text.substring(131072) + 'b') == -1", "text.lastIndexOf(text.substring(131072) + 'b') == -1",
		"[[1, 2], [3]] == [[1, 2], [3]] && [1] in [[1]] && {'a': [1]} != {'a': [2]}", "text.find_all('a').size() == 50000",
	} {
		if r, err := mustCompile(t, expr).Eval(Input{Text: letters}); err != nil || !r.Passed {
			t.Errorf("%s: %+v %v", expr, r, err)
		}
	}
}

// TestPatterns: compiling regular expressions is bounded, too.
func TestPatterns(t *testing.T) {
	for expr, why := range map[string]string{
		"text.matches(r'(?i)[" + strings.Repeat(`\pL`, 300) + "]')":        "classes",
		"text.matches(r'(?i)[" + strings.Repeat(`A-\x{1e940}`, 20) + "]')": "ranges",
		"text.matches(r'[à-ÿ]+(?i)A\\pL')":                                 "",
		severalPatterns(60):                                                "more than 50",
	} {
		if _, err := Compile(expr); (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%.60s: %v, want %q", expr, err, why)
		}
	}
}

func severalPatterns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("text.matches('a%d')", i))
	}
	return strings.Join(all, " || ")
}

// TestIndexOf: places are counted in characters, as CEL does.
func TestIndexOf(t *testing.T) {
	for expr, want := range map[string]string{
		`'äöäö'.indexOf('ö')`: "1", `'äöäö'.indexOf('ö', 2)`: "3", `'äöäö'.indexOf('x')`: "-1", `'äöäö'.indexOf('ö', 9)`: "-1", `'äö'.indexOf('')`: "0",
		`'äöäö'.lastIndexOf('ö')`: "3", `'äöäö'.lastIndexOf('öä')`: "1", `'äöäö'.lastIndexOf('ö', 2)`: "1", `'äöäö'.lastIndexOf('öä', 1)`: "1", `'äö'.lastIndexOf('')`: "2",
	} {
		c, err := CompileValue(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Value(Input{}); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", expr, got, err, want)
		}
	}
}

// TestFindAll: it finds what package regexp finds.
func TestFindAll(t *testing.T) {
	texts := []string{"", "a", "aa b", "äb\nac\n", "x1, y22; z", "baab", "\n\n", "a\xffb"}
	for _, p := range []string{"a", "a*", "", "b?", "^a", "(?m)^a?", "(?m)$", `\b`, `\B`, `\w+`, "a|ab", "(?i)A(b?)", ".", `(?s).*?b`, `\z`, `\Aa`, "[^a]*", `\Qa`} {
		for _, text := range texts {
			re := regexp.MustCompile(p)
			want := []string{}
			for _, m := range re.FindAllStringSubmatch(text, -1) {
				want = append(want, m[min(1, re.NumSubexp())])
			}
			e := &evaluation{check: &Check{}, patterns: map[string]*pattern{}}
			got, err := findAll(&call{evaluation: e, receiver: text, args: []string{p}})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %q: %q %v, want %q", p, text, got, err, want)
			}
		}
	}
}

// TestAdversaries runs every function over every adversary. The work is
// bounded by construction; what would not be ends in the test's own timeout.
func TestAdversaries(t *testing.T) {
	checks := []*Check{}
	for _, expr := range []string{
		"text.missing(['Write the database migration script that creates the refresh_tokens table', 'Log issuance of tokens for the audit trail'])",
		"text.words().size() + text.sentences().size() + text.paragraphs().size() + text.headings().size() + text.list_items().size() > 0",
		"text.tables().size() + text.code_blocks().size() + text.links().size() + text.placeholders().size() >= 0",
		"text.occurrences('a') >= 0 || text.section('a') == '' || text.is_json()",
		"text.matches('(x+x+)+y(a|b|c|d)*$') || text.find_all('.').size() >= 0",
		"text.miscalculations()",
		"text.unbacked_numbers(text)",
		"text.mentions(['absent', 'x*', '*zz', 'a']) || text.mentions(['a a', '1a*', '*1', '漢'])",
		"text.blocks().size() + text.sections().size() + text.bullet_items().size() + text.numbered_items().size() + text.highlights().size() >= 0",
		"text.upper() == text.lower() || text.plain().count('é') + text.count('A') >= 0",
		"text.words().filter(w, w == w.upper() && w != w.lower()).size() >= 0",
		"text.split('***').all(p, p.trim().startsWith('x')) || text.find_all('(?m)^SECTION \\\\d+').size() >= 0",
		"text.language() == ''",
		"text.is_json() && text.json() == null",
		"text.states('7 hours, 8 %, 9 rows, at most 3 attempts')",
	} {
		checks = append(checks, mustCompile(t, expr))
	}
	for name, text := range texttest.Hostile(hostileSize()) {
		t.Run(name, func(t *testing.T) {
			x := Analyse(text)
			for _, c := range checks {
				if r, err := c.Eval(Input{Text: x}); err != nil && !errors.Is(err, ErrLimit) || r.Cost > 2*MaxCost {
					t.Errorf("%s: cost %d: %v", c, r.Cost, err)
				}
			}
		})
	}
}
