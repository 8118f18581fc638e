package clip

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTo(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 3, "äö…"}, {"äöü", 3, "äöü"}, {"a bcd", 3, "a…"}, {"ab", 1, "…"}, {"a\xff", 5, "a�"},
	} {
		if got := To(c.in, c.n); got != c.want {
			t.Errorf("To(%q, %d) is %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := Line("  a\n\tb   c ", 10); got != "a b c" {
		t.Errorf("on one line it is %q", got)
	}
}

// A clipped text is short enough, and stays as it is.
func TestToTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "n")
		got := To(s, n)
		if utf8.RuneCountInString(got) > n || To(got, n) != got || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) && utf8.ValidString(s) {
			t.Fatalf("To(%q, %d) is %q", s, n, got)
		}
	})
}

func TestList(t *testing.T) {
	items := strings.Split("a b c d", " ")
	for n, want := range map[int]string{4: "a, b, c, d", 5: "a, b, c, d", 2: "a, b, and 2 more"} {
		if got := List(items, n, ", "); got != want || items[2] != "c" {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
