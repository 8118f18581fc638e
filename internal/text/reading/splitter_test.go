package reading

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string]string{
		"It isn't done, can’t be, won't, cannot": "it is not done can not be will not can not",
		"the team's `OrderService` and main.tf":  "the team order service and main tf",
		"refresh_tokens in HTTPServer v2, 5,000": "refresh tokens in http server v2 5,000",
		"- [ ] a [x] b ✅ c ❌ d":                  "☐ a ☑ b ☑ c ☐ d",
		"Größe, naïve, 漢字":                       "grose naive 漢 字",
		"we've, I'm, they'd, it's, there's":      "we have i am they had it is there is",
		"'t ’ '":                                 "t",
	} {
		var got []string
		for _, w := range newSplitter().split(in) {
			got = append(got, w.form)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q gives %q, want %q", in, s, want)
		}
	}
	var gaps []byte
	for _, w := range newSplitter().split("a, b (c): d. e | f") {
		gaps = append(gaps, w.gap)
	}
	if string(gaps) != string([]byte{gapStop, gapComma, gapParen, gapBreak, gapStop, gapCell}) {
		t.Errorf("gaps %v", gaps)
	}
}

// TestStem: spellings and endings of a word have one stem.
func TestStem(t *testing.T) {
	for _, pair := range [][2]string{{"organise", "organizing"}, {"colour", "colors"}, {"reconcile", "reconciliation"}, {"validated", "validation"}} {
		if stem(pair[0]) != stem(pair[1]) {
			t.Errorf("%q and %q have the stems %q and %q", pair[0], pair[1], stem(pair[0]), stem(pair[1]))
		}
	}
}

// What is remembered is the stem of the word itself, also where many words share a
// place.
func TestStemAgain(t *testing.T) {
	for range 2 {
		for i := range 3 * len(remembered) {
			word := "work" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + "ing"
			if got, want := stem(word), stemAnew(word); got != want {
				t.Fatalf("the stem of %q is %q, it should be %q", word, got, want)
			}
		}
	}
}
