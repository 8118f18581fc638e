package check

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func mustCompile(t testing.TB, expr string) *Check {
	t.Helper()
	c, err := Compile(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return c
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct {
		expr    string
		column  int
		message string
	}{
		{" ", 1, "the check is empty"},
		{"text.words(", 12, "mismatched input"},
		{"text.wrds().size() > 3", 10, "undeclared reference to 'wrds'"},
		{"txt.words().size() > 3", 1, "undeclared reference to 'txt'"},
		{"text.words().size() > 'a'", 21, "no matching overload"},
		{"text.section(3) == ''", 13, "no matching overload"},
		{"text.words().size()", 1, "of type int, but must be a bool"},
		{"text.tables()", 1, "must be a bool or a list(string)"},
		{"[1]", 1, "of type list(int)"},
		{"text.sections().all(s, s.titel == 'x')", 25, "undefined field 'titel'"},
		{"text.links()[0].href == ''", 16, "undefined field 'href'"},
		{"text.tables().all(t, t.rows[0] == 'x')", 32, "no matching overload"},
		{"text.words.size() > 3", 5, "does not support field selection"},
		{"true && mentions(['a']) == true", 17, "no matching overload"},
		{"text.is_json() and true", 16, "mismatched input"},
		{"text.find_all('\\bfoo\\b').size() > 1", 15, "'\\\\b', or write a raw string, r'\\b'"},
		{"text.matches('a(b')", 14, "missing closing )"},
		{"true && text.find_all('x{2000}').size() == 0", 23, "invalid repeat count"},
		{"true ||\n  text.nope()", 12, "undeclared reference"},
		{strings.Repeat("!", MaxExpr) + "true", 1, "at most"},
		{"text.format([1])", 12, "undeclared reference"},
	} {
		got, err := Compile(c.expr)
		var e *Error
		if !errors.As(err, &e) || got != nil {
			t.Errorf("%.60s: got %v, want an *Error", c.expr, err)
			continue
		}
		if e.Column != c.column || !strings.Contains(e.Message, c.message) {
			t.Errorf("%.60s: got column %d: %s\nwant column %d with %q", c.expr, e.Column, e.Message, c.column, c.message)
		}
	}
}

// TestEval: what a check gives, and what only the input tells is checked when it is there.
func TestEval(t *testing.T) {
	in := Input{
		Bundle: map[string]any{"content": "# Risks\nThe [rollback](b) takes 10 minutes.\n\n| h |\n|---|\n| 1 |", "confidence": 0.8, "conflicts": []any{map[string]any{"description": "x"}}},
		Domain: map[string]any{"least": 3.0, "terms": []any{"rollback"}, "flag": true, "mixed": []any{"x", 2.0}, "word": "x", "none": []any{}},
	}
	for expr, want := range map[string]string{ // the problems, joined, "fails" where it names none, or the error
		"text == bundle.content": "",
		"bundle.confidence > 0.5 && bundle.conflicts.all(c, has(c.resolution))":                                        "fails",
		"text.words().size() >= int(domain.least)":                                                                     "",
		"domain.terms.all(w, text.occurrences(w) > 0)":                                                                 "",
		"has(domain.absent) ? ['x'] : text.headings().filter(h, h != 'Risks')":                                         "",
		"text.headings().map(h, 'bad heading ' + h)":                                                                   "bad heading Risks",
		"math.greatest(1, 2) == 2 && 'a,b'.split(',').join('-').upperAscii() == 'A-B' && [1, 2, 3].slice(0, 1) == [1]": "",
		"text.replace('10', 'ten').contains('ten minutes')":                                                            "",
		"text.links().map(l, l.url)":                                                                                   "b",
		"text.tables().map(t, t.rows[0][0] + t.header[0])":                                                             "1h",
		"[]": "", "domain.none": "", "domain.flag": "",
		"domain.mixed": "what is wrong must be a list of strings: element 1 of a list is of type double: want a string",
		"domain.word":  "the result is of type string, but must be a bool or a list of strings",
	} {
		r, err := mustCompile(t, expr).Eval(in)
		got := strings.Join(r.Problems, ",")
		if err != nil {
			got = err.Error()
		} else if !r.Passed && got == "" {
			got = "fails"
		}
		if got != want || r.Passed != (want == "") || r.Cost > MaxCost {
			t.Errorf("%s: got %+v %q, want %q", expr, r, got, want)
		}
	}
}

// TestEvalErrors holds what must give no verdict.
func TestEvalErrors(t *testing.T) {
	long := strings.Repeat("word. ", 40_000)
	for _, c := range []struct {
		expr  string
		text  string
		limit bool
	}{
		{"domain.absent == 1", "x", false},
		{"text.mentions(domain.list)", "x", false},
		{"text.matches(domain.bad)", "x", false},
		{"text.words()[0] == 'a'", "", false},
		{"text.mentions(text.words())", long, true},
		{"text.replace('w', text).size() > 0", long, true},
		{"text.replace('w', text, 30000) == ''", long, true},
		{"text.words().all(w, text.words().all(v, v == w))", long, true},
		{"text.words().map(w, text + w).size() > 0", long, true},
		{"text.words().map(w, text.words()).size() > 0", long, true},
		{"text.words().all(w, text.matches(w))", long, true},
		{"true", strings.Repeat("x", MaxText+1), true},
	} {
		r, err := mustCompile(t, c.expr).Eval(Input{
			Bundle: map[string]any{"content": c.text},
			Domain: map[string]any{"list": "no list", "bad": "("},
		})
		if err == nil || r.Passed {
			t.Errorf("%s: got %+v, want an error", c.expr, r)
		} else if errors.Is(err, ErrLimit) != c.limit {
			t.Errorf("%s: %v: a limit should be %v", c.expr, err, c.limit)
		}
	}
}

// TestConcurrent evaluates one check on one text from many goroutines: the
// race detector sees what they share.
func TestConcurrent(t *testing.T) {
	c := mustCompile(t, "domain.phrases.filter(p, !text.mentions([p])) + text.section('Cache').words() + text.find_all('e.t') + (text.count('é') > 1 ? ['so'] : [])")
	text := Analyse("## Cache\nThe caché has entries.")
	in := Input{Text: text, Domain: map[string]any{"phrases": []any{"Evict cache entries by age", "Publish the signed release notes"}}}
	want, err := c.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				in := in
				if i == 0 {
					in.Text = Analyse(text.Doc.Source)
				}
				if got, err := c.Eval(in); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v %v, want %+v", got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
}
