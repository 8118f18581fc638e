package tamper

import (
	"strings"
	"testing"
)

// TestRuled: every line that a mark of the judge's may begin is looked at.
func TestRuled(t *testing.T) {
	n := 0
	for _, sign := range strings.Split("< = * _ > ~ [ ( { / 》 《 ═ ━ ─ ▬ « ‹ - ＝ ［ 【 〈 ＊", " ") {
		for _, line := range []string{sign + " end of bundle", sign + sign + " end of bundle", sign + sign + sign + "END OF BUNDLE", "\x7f" + sign + sign + sign + " end of bundle é", "\x01" + sign + "\u200b" + sign + sign + " end of bundle"} {
			if !delimiter.MatchString(folded(line)) {
				continue
			}
			if n++; !ruled(line) {
				t.Errorf("%q is a delimiter, and not looked at", line)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d of the lines are delimiters", n)
	}
	for _, line := range []string{"[SYSTEM] x", "[//]: # (x)"} {
		if !ruled(line) {
			t.Errorf("%q is not looked at", line)
		}
	}
	for _, line := range []string{"", "- item", "* item", "# Title", "1. item", "| a | b |", "_one_ word", "*"} {
		if ruled(line) {
			t.Errorf("%q is looked at", line)
		}
	}
}

// TestLetters: a word of ASCII letters has the classes that it has where it is read
// as any other one.
func TestLetters(t *testing.T) {
	words := []string{"Running", "ING", "bingo", strings.Repeat("x", maxShort-3) + "ing"}
	for w := range lexicon {
		words = append(words, w, strings.ToUpper(w))
	}
	for _, w := range words {
		if _, ok := integer(w); ok {
			t.Errorf("%s is read as a number, and is in the lexicon", w)
		}
		letters, n := spell(w)
		if n < len(w) {
			continue
		}
		if got, want := letters.classes(), (&scanner{}).classesOfPlain(strings.ToLower(w)); got != want {
			t.Errorf("%s has the classes %b, want %b", w, got, want)
		}
	}
}
