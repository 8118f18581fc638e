package markdown

import (
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"don't well-known 3.5 1,000 snake_case a, b": {"don't", "well-known", "3.5", "1,000", "snake_case", "a", "b"},
		"**Bold** `code` [link](http://x.y/z) …":     {"Bold", "code", "link"},
		"Größe naïve e\u0301tude Ελλάδα 東京 👍🏽":       {"Größe", "naïve", "e\u0301tude", "Ελλάδα", "東", "京"},
		"":                     {},
		"--- ... ''' \xff\xfe": {},
	} {
		if got := Parse(text).Words(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSection(t *testing.T) {
	text := Parse("intro\n# Plan\na\n## 2.1 Risks:\nb\n### Deep\nc\n## Next steps\nd\n\n**Rollout**\n\ne\n\nTitle\n=====\nf")
	for title, want := range map[string]string{
		"risks":   "b\n### Deep\nc",
		"Plan":    "a\n## 2.1 Risks:\nb\n### Deep\nc\n## Next steps\nd\n\n**Rollout**\n\ne",
		"steps":   "d\n\n**Rollout**\n\ne",
		"rollout": "e",
		"title":   "f",
		"step":    "",
		"absent":  "",
		"":        "",
		"§§":      "",
	} {
		if got := text.Section(title); got != want {
			t.Errorf("section %q: got %q, want %q", title, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	text := Parse("Éclair, cafe\u0301, **e** Éé 漢字漢 x̂X̂ ΣΑΣ")
	for part, want := range map[string]int{"é": 4, "E\u0301": 4, "e": 1, "ca": 1, "漢": 2, "**": 2, "": 0, "X̂": 2, "σα": 1, "absent": 0} {
		if got := text.Count(part); got != want {
			t.Errorf("%q: %d times, want %d", part, got, want)
		}
	}
}

// TestOccurrences: whole words count, in any script, and are mentioned.
func TestOccurrences(t *testing.T) {
	text := Parse("# Key points\nKEY, key-value, monkey, keys. The *token* naïve NAÏVE snake_key.\n\n" +
		"Ärger über das Übermaß, überall. ना कमी, कम. 東京都に行く。カードとクレジットカード。วันนี้ดี cafe\u0301")
	for word, want := range map[string]int{"key": 3, "the token": 1, "naïve": 2, "tok": 0, "": 0, "The": 1,
		"über": 1, "ärger": 1, "ber": 0, "rger": 0, "कम": 1, "東京": 1, "カード": 2, "วันนี้": 1, "café": 1, "cafe": 0} {
		if got := text.Occurrences(word); got != want || word != "the token" && text.Mentions(word) != (want > 0) {
			t.Errorf("%q occurs %d times, want %d; mentioned: %v", word, got, want, text.Mentions(word))
		}
	}
	if !text.Mentions("*maß") || !text.Mentions("*BERALL") || text.Mentions("ber*") || text.Occurrences(",") != 5 {
		t.Error("stars and commas")
	}
}

func TestHighlights(t *testing.T) {
	for text, want := range map[string][]string{
		"*a* **b** _c_ __d__ ***e***":                              {"a", "b", "c", "d", "e"},
		"**a *b* c** and *d **e** f*":                              {"b", "a b c", "e", "d e f"},
		"**Alone**\n\n- *item*\n* **item:** x\n\n| *c* |\n|---|\n": {"Alone", "item", "item:", "c"},
		"2 * 3 * 4, a_b_c, 5*6*7, *open, ~~gone~~, \\*x\\*":        {},
		"`*code*` *`code`* and\n```\n*x*\n```\n    *no*":           {"code"},
		"*over\ntwo lines*\n\n***\n\n* * *\n":                      {"over two lines"},
		"*[link](u_v_w)*, (*größer*) 漢 *字* .":                      {"link", "größer", "字"},
		"~~a *b* c~~ *d*":                                          {"b", "d"},
		"*a _b* c_ d":                                              {"a _b"},
		"":                                                         {},
	} {
		if got := Parse(text).Highlights; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestBlocksAndPlain(t *testing.T) {
	text := Parse("\r\n# A\r\nOne.\r\n \t\r\nTwo *x*.\r\nThree. `c`\r\n\r\n\r\n- a\n  b. C\n\n  d\n\n-\n\n```\nx\n\ny\n```\n| h | i |\n|---|---|\n| 1 | **2** |")
	if got, want := text.Blocks(), []string{"# A\r\nOne.", "Two *x*.\r\nThree. `c`", "- a\n  b. C", "d", "-", "```\nx", "y\n```\n| h | i |\n|---|---|\n| 1 | **2** |"}; !reflect.DeepEqual(got, want) {
		t.Errorf("blocks: got %q, want %q", got, want)
	}
	if got, want := text.Plain(), "A\nOne.\nTwo x. Three. c\na b. C\nd\nx\n\ny\nh | i\n1 | 2"; got != want {
		t.Errorf("plain: got %q, want %q", got, want)
	}
	if b := Parse(" \n\n").Blocks(); b == nil || len(b) > 0 {
		t.Errorf("blocks of nothing: %q", b)
	}
}

func TestItems(t *testing.T) {
	text := Parse("1. One. Of two.\n\n   Its paragraph.\n   - nested\n\n   Its end.\n2. Two\n\n* *bullet*\n\n-\n\nText\n\n3) three")
	for what, c := range map[string]struct{ got, want []string }{
		"all":      {text.Items(true, true), []string{"One. Of two. Its paragraph. Its end.", "nested", "Two", "bullet", "", "three"}},
		"bullets":  {text.Items(false, true), []string{"nested", "bullet", ""}},
		"numbered": {text.Items(true, false), []string{"One. Of two. Its paragraph. Its end.", "Two", "three"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", what, c.got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	cases, _ := corpus(f)
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := Parse(text)
		validate(t, x)
		if utf8.ValidString(text) {
			for _, l := range x.Lines {
				if !utf8.ValidString(l.Text) {
					t.Errorf("line %q of valid %q", l.Text, text)
				}
			}
		}
		for _, h := range x.Headings() {
			x.Section(h)
		}
	})
}
