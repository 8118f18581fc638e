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

// TestLimits: what a text may make long is stopped before the work is done.
func TestLimits(t *testing.T) {
	letters := Analyse(strings.Repeat("a", wholeSize))
	for name, expr := range map[string]string{
		"matches":            "text.find_all('(?s)a.*b|a') == []",
		"matches behind one": "text.find_all(r'(?s)\\Ba.*b|a') == []",
		"many patterns":      "[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, !'x'.matches('b' + string(a) + string(b))))",
		"parts of the text":  "text.split('').slice(0, 10).all(c, (text + c).words().size() > 0)",
		"words":              "!text.mentions(text.split('').slice(0, 501))",
		"joined by a text":   "text.split('').join(text) == ''",
		"texts in a list":    "text.split('').slice(0, 30000).map(c, text)",
	} {
		if r, err := mustCompile(t, expr).Eval(Input{Text: letters}); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %t, cost %d, %v", name, r.Passed, r.Cost, err)
		}
	}
	for _, expr := range []string{"[[1, 2], [3]] == [[1, 2], [3]] && [1] in [[1]] && {'a': [1]} != {'a': [2]}", "text.find_all('a').size() == 50000"} {
		if r, err := mustCompile(t, expr).Eval(Input{Text: letters}); err != nil || !r.Passed {
			t.Errorf("%s: %+v %v", expr, r, err)
		}
	}
	if _, err := Compile(severalPatterns(60)); err == nil || !strings.Contains(err.Error(), "more than 50") {
		t.Errorf("60 patterns: %v", err)
	}
}

func severalPatterns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("text.matches('a%d')", i))
	}
	return strings.Join(all, " || ")
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
		"text.words().size() + text.sentences().size() + text.paragraphs().size() + text.headings().size() + text.list_items().size() > 0",
		"text.tables().size() + text.code_blocks().size() + text.links().size() + text.placeholders().size() >= 0",
		"text.occurrences('a') >= 0 || text.section('a') == '' || text.is_json()",
		"text.matches('(x+x+)+y(a|b|c|d)*$') || text.find_all('.').size() >= 0",
		"text.miscalculations()",
		"text.mentions(['absent', 'x*', '*zz', 'a']) || text.mentions(['a a', '1a*', '*1', '漢'])",
		"text.blocks().size() + text.sections().size() + text.bullet_items().size() + text.numbered_items().size() + text.highlights().size() >= 0",
		"text.upper() == text.lower() || text.plain().count('é') + text.count('A') >= 0",
		"text.words().filter(w, w == w.upper() && w != w.lower()).size() >= 0",
		"text.split('***').all(p, p.trim().startsWith('x')) || text.find_all('(?m)^SECTION \\\\d+').size() >= 0",
		"text.is_json() && text.json() == null",
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
