package check

import (
	"errors"
	"strings"
	"testing"
)

// TestHints: what newcomers write gets an answer that says what to write.
func TestHints(t *testing.T) {
	for _, c := range []struct {
		expr   string
		column int
		hint   string
	}{
		{"text.is_json() and true", 16, "write && for and"},
		{"text.is_json() OR true", 16, "write || for or"},
		{"not text.is_json()", 5, "write ! for not"},
		{"true && not text.is_json()", 13, "write ! for not"},
		{"text.words().size() = 3", 21, "write == to compare"},
		{"1 <= text.words().size() <= 3", 26, "write a <= x && x <= b"},
		{"words(text).size() > 3", 1, "functions are methods: text.words(…)"},
		{"true && mentions(['a']) == true", 9, "functions are methods: text.mentions(…)"},
		{"len(text) > 3", 1, "write size(…)"},
		{"text.words.size() > 3", 6, "call it: text.words()"},
		{"text.section('Ä').words > 3", 19, "call it: .words()"},
		{"text.trim == ''", 6, "call it: text.trim()"},
		{"text.length > 3", 6, "write .size()"},
		{"text.words().length() > 3", 14, "write size()"},
		{"text.words() > 300", 14, "a list is compared by its size: write .size()"},
		{"text.words().size() >= 3.5", 21, "compare whole numbers with whole numbers: 3.5 is none"},
		{"text.words().size() + ' words' == ''", 21, "write string(…) around the number"},
		{`text.matches('\d+')`, 14, `in a string a backslash is written twice, '\\d'; in a raw string once, r'\d'`},
		{"text.mentions('error')", 6, "it is called as mentions(list(string))"},
		{"text.mentions('error', 'fail')", 6, "it is called as mentions(list(string))"},
	} {
		_, err := Compile(c.expr)
		var e *Error
		if !errors.As(err, &e) || e.Column != c.column || !strings.HasSuffix(e.Message, ": "+c.hint) && !strings.Contains(e.Message, ": "+c.hint+",") {
			t.Errorf("%s: got %v, want column %d and %q", c.expr, err, c.column, c.hint)
		}
	}
	for _, expr := range []string{"text.nothing > 3", "text.wrds().size() > 3", "true == 1", "text 5", "("} {
		if _, err := Compile(expr); err == nil || strings.Contains(err.Error(), "call it") || strings.Contains(err.Error(), "write") {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

// FuzzCompile: whatever is wrong with an expression, the error names a place in
// it.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"text.words.size()", "words(", "a and\nnot", "text.", "tëxt .\n words", "'\\b'", "\n\n(", "1 < 2 < 3", "[].x", "x.\n. y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		_, err := Compile(expr)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%v is no *Error", err)
		}
		if e != nil && (e.Line < 1 || e.Column < 1) {
			t.Errorf("%+v", e)
		}
	})
}
