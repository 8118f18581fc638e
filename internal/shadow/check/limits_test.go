package check

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestLimits: what a text may make long is stopped before the work is done.
func TestLimits(t *testing.T) {
	letters := Analyse(strings.Repeat("a", 256<<10))
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
