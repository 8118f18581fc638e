package check

import (
	"errors"
	"strings"
	"testing"
	"unicode"
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

// FuzzInstructions: what the functions of instructions give fits together.
func FuzzInstructions(f *testing.F) {
	for _, s := range fuzzTexts {
		f.Add(s, "Größe. e\u0301 漢字")
	}
	for _, g := range instructions {
		for _, row := range g.rows {
			f.Add(row.does, row.fails)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x := Analyse(a)
		if n, bullets, numbers := len(x.ListItems()), len(x.items(false, true)), len(x.items(true, false)); n != bullets+numbers {
			t.Errorf("%q: %d items, %d bullets and %d numbers", a, n, bullets, numbers)
		}
		if len(sectionObjects(x)) != len(x.Headings()) {
			t.Errorf("%q: %d sections, %d headings", a, len(sectionObjects(x)), len(x.Headings()))
		}
		if x.IsJSON() != (x.data() != "") {
			t.Errorf("%q: JSON or not", a)
		}
		for _, h := range x.Highlights() {
			if h == "" || len(h) > len(a) {
				t.Errorf("%q: highlight %q", a, h)
			}
		}
		for _, block := range x.Blocks() {
			if block == "" || !strings.Contains(a, block) {
				t.Errorf("%q: block %q", a, block)
			}
		}
		if l := x.Language(); l != Analyse(a).Language() || len(l) != 0 && len(l) != 2 {
			t.Errorf("%q: language %q", a, l)
		}
		if n := x.Count(b); b != "" && n > len(x.fold())/max(1, len(fold(b))) {
			t.Errorf("%q stands %d times in %q", b, n, a)
		}
		if n := x.Occurrences(b); n < 0 || n > len(a) || n > 0 && !x.Mentions(b) && len(x.Lines) == 1 && a == x.Lines[0].Text && fold(b) == strings.Join(strings.Fields(fold(b)), " ") && !strings.Contains(b, "*") {
			t.Errorf("%q occurs %d times in %q, and is not mentioned", b, n, a)
		}
		// Counts of texts without markup add up.
		a, b = prosaic(a), prosaic(b)
		p, q, both := Analyse(a), Analyse(b), Analyse(a+"\n\n"+b)
		for what, count := range map[string]func(*Text) int{
			"words":      func(t *Text) int { return len(t.Words()) },
			"sentences":  func(t *Text) int { return len(t.Sentences()) },
			"paragraphs": func(t *Text) int { return len(t.Paragraphs()) },
			"blocks":     func(t *Text) int { return len(t.Blocks()) },
			"e":          func(t *Text) int { return t.Count("e") },
		} {
			if got, want := count(both), count(p)+count(q); got != want {
				t.Errorf("%s of %q and %q: %d, want %d", what, a, b, got, want)
			}
		}
	})
}

// prosaic leaves letters, spaces and the marks that end sentences.
func prosaic(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || r == ' ' || r == '.' || r == '?' || r == '。' {
			return r
		}
		return ' '
	}, s))
}
