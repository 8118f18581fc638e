package check

import (
	"errors"
	"strings"
	"testing"
)

func FuzzEval(f *testing.F) {
	for _, group := range instructions {
		for _, row := range group.rows {
			f.Add(row.expr, row.does)
		}
	}
	for _, expr := range []string{
		"text.placeholders() + text.miscalculations()",
		"text.words().map(w, w + text).exists(w, w.matches('^' + w))",
		"bundle.content == text && domain.sub_tasks.all(s, text.mentions([s]))",
		"text.replace('a', text).split('').join(text) == ''",
	} {
		f.Add(expr, "# A\n\nOne. Two!\n\n- [x] a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sql\nSELECT 1;\n```\n")
	}
	for _, expr := range []string{"text.words.size()", "words(", "a and\nnot", "text.", "tëxt .\n words", "'\\b'", "\n\n(", "1 < 2 < 3", "[].x", "x.\n. y"} {
		f.Add(expr, "")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		c, err := Compile(expr)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Fatalf("%q: %#v", expr, err)
			}
			return
		}
		in := Input{
			Bundle: map[string]any{"content": text},
			Domain: map[string]any{"sub_tasks": []any{"Rotate the keys", text}},
		}
		r, err := c.Eval(in)
		if err != nil {
			if strings.Contains(err.Error(), "internal error") {
				t.Errorf("%q on %q: %v", expr, text, err)
			}
			return
		}
		if again, err := c.Eval(in); err != nil || again.Passed != r.Passed || len(again.Problems) != len(r.Problems) {
			t.Errorf("%q on %q: %+v, then %+v %v", expr, text, r, again, err)
		}
	})
}
