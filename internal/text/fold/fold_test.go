package fold

import (
	"slices"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Plain ASCII [x]": "plain ascii [x]",
		"іgnоrе":          "ignore", // Cyrillic і, о and е
		"Ｉｇｎｏｒｅ":          "ignore",
		"ÉLAN größe":      "elan grose",
		"𝐢𝐠𝐧𝐨𝐫𝐞 ⟦INST⟧":   "ignore [inst]",
		"мир":             "mиp",
		"＜｜im＿end｜＞ ﹤s﹥":  "<|im_end|> <s>",
	} {
		if got := strings.Map(Rune, in); got != want {
			t.Errorf("%q is folded to %q, want %q", in, got, want)
		}
	}
}

func TestCase(t *testing.T) {
	if a, b := Case("CAFE\u0301"), Case("café"); a != b {
		t.Errorf("%q and %q differ", a, b)
	}
	for r, want := range map[rune]bool{'\u200b': true, '\u00ad': true, 0xE0041: true, 'a': false, '\n': false, 'é': false, 7: true} {
		if Unseen(r) != want {
			t.Errorf("Unseen(%U) is %t", r, !want)
		}
	}
}

func TestBeginning(t *testing.T) {
	for word, want := range map[string]string{"": "", "one": "one", "größer": "größe", "words": "words"} {
		if got := Beginning(word, 5); got != want {
			t.Errorf("%q begins with %q, want %q", word, got, want)
		}
	}
}

// TestWords: a text of ASCII characters has the words that it has in another one.
func TestWords(t *testing.T) {
	for _, s := range []string{"", " ", "Plain WORDS", "it's x_1, 3.5%\x00a\x7fb\tc\n", "camelCase-and `code`", "a zoo, 09:00"} {
		if got, want := Words(s), Words("é " + s)[1:]; !slices.Equal(got, want) {
			t.Errorf("%q has the words %q alone, and %q behind another", s, got, want)
		}
	}
}
