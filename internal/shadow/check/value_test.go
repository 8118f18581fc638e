package check

import (
	"errors"
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	in := Input{Text: Analyse("# A\n[x](y) <z> 2"), Domain: map[string]any{"n": 2.0}}
	for expr, want := range map[string]string{
		"text.words().size()": "4", "text.links()": `[{"text":"x","url":"y"}]`, "text.sections()[0].text": `"[x](y) <z> 2"`,
		"domain": `{"n":2}`, "[]": "[]", "true": "true", "{'a': null}": `{"a":null}`,
	} {
		c, err := CompileValue(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Value(in); got != want || err != nil {
			t.Errorf("%s: got %s %v, want %s", expr, got, err, want)
		}
	}
	if kind, ok := mustCompile(t, "domain.n").IsCheck(); kind != "dyn" || !ok {
		t.Errorf("of type %s, %v", kind, ok)
	}
	if _, err := mustCompile(t, "domain.n").Eval(in); !errors.Is(err, ErrNotVerdict) {
		t.Errorf("a number as a verdict: %v", err)
	}
}

func TestSides(t *testing.T) {
	in := Input{Text: Analyse("one two three\n\n- a")}
	for expr, want := range map[string]string{
		"text.words().size() >= 300":                                   "4 >= 300",
		"text.is_json() == true":                                       "false == true",
		"text.list_items() == ['b']":                                   `["a"] == ["b"]`,
		"'x' in text.words()":                                          `"x" in ["one","two","three","a"]`,
		"text.words().filter(w, w.size() > 3).size() > 1":              "1 > 1",
		"text.words().size() > 1 && (text.words().size() < 4 && true)": "4 < 4",
		"cel.bind(n, text.words().size(), n > 9)":                      "",
		"!text.is_json()":                                              "",
		"text.words().size() > 9 || text.is_json()":                    "",
		"text.words()[7] == 'x'":                                       "",
		"text.plain() + '" + strings.Repeat("x", 200) + "' == 'y'":     "…",
	} {
		got := mustCompile(t, expr).Sides(in)
		if got != want && (want != "…" || !strings.HasSuffix(got, ` == "y"`) || len(got) > 100) {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}
