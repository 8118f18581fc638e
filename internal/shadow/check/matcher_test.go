package check

import (
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var matcherCases = []struct{ pattern, text string }{
	{`a|ab`, "ab abab"}, {`(a|ab)(c|bcd)`, "abcd"}, {`x*y|x`, "xxxx xy"}, {`(a*)*`, "b aa"}, {`a*?`, "aaa"}, {``, "äb"}, {`(?i)\bkey\b`, "KEY, monkey key"},
	{`(?m)^\W*P\.\s?S\.`, "x\nP.S. y\n **P. S.**"}, {`^a`, "aa"}, {`a$`, "a\na"}, {`(?m)a$`, "a\na"}, {`\Aa|a\z`, "aba"}, {`(?s).`, "\xff\n漢"}, {`\B`, "ab c"},
	{`[^a]+`, "baé\xffa"}, {`(?:(a)|b)`, "ab"}, {`v(\d+)(\.\d+)?`, "v1, v20.3"}, {`(?i)É`, "éÉ"}, {`\[[^\[\]\n]+\]`, "[a] [] [b c]"}, {`(\b)`, "a b"}, {`abc`, "ababc"}, {`a{2,3}?`, "aaaaa"},
}

// FuzzMatcher holds the matcher against regexp, which has no bound.
func FuzzMatcher(f *testing.F) {
	for _, c := range matcherCases {
		f.Add(c.pattern, c.text)
	}
	f.Fuzz(func(t *testing.T, p, text string) {
		pattern, err := compilePattern(p)
		if err != nil || len(text) > 500 {
			return
		}
		re := regexp.MustCompile(p)
		m := newMatcher(pattern.prog, maxMatching)
		var got [][]int
		for _, c := range m.findAll(text, 100) {
			got = append(got, c[:min(2*re.NumSubexp()+2, 4)])
		}
		var want [][]int
		for _, w := range re.FindAllStringSubmatchIndex(text, 100) {
			want = append(want, w[:min(len(w), 4)])
		}
		if m.left >= 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q in %q: got %v, want %v", p, text, got, want)
		}
	})
}

// TestMatchingLimits: what would take long ends in an error, and what is
// only long to write does not.
func TestMatchingLimits(t *testing.T) {
	const size = 256 << 10
	prose := strings.Repeat("The limiter takes a token from the bucket, AKIA or not. ", size/56)
	secrets := `\\bAKIA[0-9A-Z]{16}\\b|-----BEGIN [A-Z ]*PRIVATE KEY-----\\s+[A-Za-z0-9+/=]{40}|\\bgh[pousr]_[A-Za-z0-9]{36}`
	for _, c := range []struct {
		expr, text string
		limit      bool
	}{
		{`text.matches('` + secrets + `')`, prose, false},
		{`text.matches('(?i)\\b(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa)\\b')`, prose, false},
		{`text.matches('[ab]*a[ab]{400}c')`, strings.Repeat("ab", 500), false},
		{`text.matches('[ab]*a[ab]{400}c')`, strings.Repeat("ab", size/2), true},
		{`text.matches(material.pattern)`, strings.Repeat("ab", size/2), true},
		{`text.find_all('x*y|x') == []`, strings.Repeat("x", size), true},
		{`text.find_all('(?:[a-z ]{1,60}){5}9') == []`, prose, true},
		{`text.find_all('token').size() == 4681`, prose, false},
		{`text.split('').slice(0, 99).all(i, !text.matches('(?i)\\brs256\\b'))`, prose, true},
		{`text.split(' ').all(w, !w.matches('^[A-Z]{9}'))`, prose, false},
	} {
		r, err := mustCompile(t, c.expr).Eval(Input{Text: Analyse(c.text), Material: map[string]any{"pattern": "[ab]*a[ab]{400}c"}})
		if errors.Is(err, ErrLimit) != c.limit || err != nil && !c.limit {
			t.Errorf("%s on %d bytes: %+v %v, want a limit %v", c.expr, len(c.text), r, err, c.limit)
		}
	}
}

// BenchmarkMatching measures regular expressions at their worst on a quarter
// of a megabyte.
func BenchmarkMatching(b *testing.B) {
	const size = 256 << 10
	for _, c := range []struct{ pattern, text string }{
		{`(?:a|b|ab){200}c`, "ab"}, {`(?:[a-z ]{1,60}){5}9`, "ab "}, {`[ab]*a[ab]{400}c`, "ab"}, {`\w+\s+\w+\s+zzz`, "ab "}, {`(?s).*zzz`, "ab"}, {`x*y|x`, "x"},
		{`(?i)\b(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa)\b`, "The limiter takes a token. "},
	} {
		b.Run(c.pattern, func(b *testing.B) {
			re, err := compilePattern(c.pattern)
			if err != nil {
				b.Fatal(err)
			}
			text := strings.Repeat(c.text, size/len(c.text))
			for b.Loop() {
				m := newMatcher(re.prog, maxMatching)
				m.findAll(text, maxMatches)
				b.ReportMetric(float64(maxMatching-m.left), "steps")
			}
		})
	}
}
