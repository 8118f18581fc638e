package check

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func wordsFor(s string) []string {
	var out []string
	tokenise(s, lowerASCII(s), func(t lexeme) {
		if t.joined {
			t.word = "+" + t.word
		}
		out = append(out, t.word)
	})
	return out
}

func TestTokenise(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The refresh_tokens table", "the refresh tokens +refreshtokens table"},
		{"keyRotation and RefreshToken", "key rotation +keyrotation and refresh token +refreshtoken"},
		{"HTTPServer, PIDs", "http server +httpserver pid"},
		{"in 24h, 200ms", "in 24 hour +24hour 200 millisecond +200millisecond"},
		{"an End-to-End test", "an e2e test"},
		{"see https://example.org/a_b now", "see now"},
		{"Größe don't – a-", "größe don t a"},
	} {
		if got := strings.Join(wordsFor(c.text), " "); got != c.want {
			t.Errorf("%q gives\n\t%s, want\n\t%s", c.text, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	x := newTable(4)
	for i := range 5000 {
		key := "w" + strconv.Itoa(i%2500)
		if n, isNew := x.add(key, hashOf(key)); n != int32(i%2500) || isNew != (i < 2500) {
			t.Fatalf("%s has number %d, new: %v", key, n, isNew)
		}
	}
	if n := x.number("absent", hashOf("absent")); n != -1 {
		t.Errorf("a key that is not there has number %d", n)
	}
	x.reset()
	if n, isNew := x.add("w7", hashOf("w7")); n != 0 || !isNew {
		t.Errorf("after a reset: number %d, new: %v", n, isNew)
	}
}

// FuzzTokenise holds that words are of the text, in lower case and in its
// order, whatever the text is.
func FuzzTokenise(f *testing.F) {
	for _, s := range []string{"refresh_tokens", "HTTPServer24h", "a--b__c", "http://x y", "end to end", "PIDs'", "é\u0301_漢A", "\xff\xfea", strings.Repeat("aB", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := wordsFor(s)
		if n := len(words); n > 2*len(s)+1 {
			t.Errorf("%d words from %d bytes", n, len(s))
		}
		if slices.Contains(words, "") {
			t.Errorf("%q has an empty word", s)
		}
		for _, w := range words {
			if upperIn(w) >= 0 {
				t.Errorf("%q has the word %q", s, w)
			}
		}
	})
}

// FuzzReads holds what is true of every reading.
func FuzzReads(f *testing.F) {
	f.Add("# Keys\nSigning keys never rotate.", "Rotate the signing keys")
	f.Add("# Non-goals\n- [ ] refresh_tokens\n- [x] b", "Create refresh_tokens and keyRotation")
	f.Add("|a|b|\n|-|-|\n|not a|TBD|", "a b")
	f.Fuzz(func(t *testing.T, text, phrase string) {
		if len(text) > 1<<14 || len(phrase) > MaxPhrase {
			return
		}
		x := Analyse(text)
		r := x.Reads(phrase)
		if r.Score < 0 || r.Score > 1.001 || r.Line == 0 && r.Passage != "" {
			t.Errorf("%q in %q: %+v", phrase, text, r)
		}
		if (r.Verdict == Found || r.Verdict == Declined) && r.Line == 0 {
			t.Errorf("%q in %q is %s without a passage", phrase, text, r.Verdict)
		}
		if again := x.Reads(phrase); again.Verdict != r.Verdict || again.Line != r.Line {
			t.Errorf("%q in %q reads as %s and as %s", phrase, text, r.Verdict, again.Verdict)
		}
	})
}
