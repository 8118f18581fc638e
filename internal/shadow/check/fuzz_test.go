package check

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzTexts are small texts that have every construct.
var fuzzTexts = []string{
	"",
	"# A\n\nOne. Two!\n\n- [x] a\n  1. b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sql\nSELECT 1;\n```\n",
	"**Bold**\n\n> quote\n> - item\n\nTitle\n===\n[l](u \"t\") ![i](j) <b>x</b> `code` [Your name] TBD",
	"---\na: b\n---\n<!-- c\n--> d  \ne\\\nf\n\n    code\n",
	"## Out of scope\n- `refresh_tokens` table\n\nRoll back within 10m. Not yet: auditLog. 48/2 = 24 (50%)\r\n",
	"日本語。Überblick 🚀 e\u0301\xff\x00",
}

func FuzzAnalyse(f *testing.F) {
	for _, s := range fuzzTexts {
		f.Add(s, "Write the migration script that creates the refresh_tokens table")
	}
	f.Fuzz(func(t *testing.T, text, phrase string) {
		x := Analyse(text)
		validate(t, x)
		r := x.Reads(phrase)
		if r.Score < 0 || r.Score > 1.001 || r.Line < 0 || !strings.HasPrefix(r.Evidence(), phrase+": ") {
			t.Errorf("%+v", r)
		}
		if utf8.ValidString(text) {
			for _, l := range x.Lines {
				if !utf8.ValidString(l.Text) {
					t.Errorf("line %q of valid %q", l.Text, text)
				}
			}
		}
		x.Placeholders()
		x.Near(phrase, text, 5)
		for _, h := range x.Headings() {
			x.Section(h)
		}
	})
}

func FuzzEval(f *testing.F) {
	for _, fn := range functions {
		f.Add(fn.Example, fn.Text)
	}
	for _, expr := range []string{
		"text.missing(material.phrases) + text.missing([{'phrase': 'a b c', 'also': ['d']}])",
		"text.words().map(w, w + text).exists(w, w.matches('^' + w))",
		"bundle.content == text && domain.sub_tasks.all(s, text.addresses(s))",
		"text.replace('a', text).split('').join(text) == ''",
	} {
		f.Add(expr, fuzzTexts[1])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		c, err := Compile(expr)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Column < 1 || e.Message == "" {
				t.Fatalf("%q: %#v", expr, err)
			}
			return
		}
		in := Input{
			Bundle:   map[string]any{"content": text},
			Domain:   map[string]any{"sub_tasks": []any{"Rotate the keys", text}},
			Material: map[string]any{"phrases": []any{"Rotate the signing keys monthly", "Write the runbook"}},
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
