package clip

import (
	"strings"
	"testing"
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

func TestList(t *testing.T) {
	items := strings.Split("a b c d", " ")
	for n, want := range map[int]string{4: "a, b, c, d", 5: "a, b, c, d", 2: "a, b, and 2 more"} {
		if got := List(items, n, ", "); got != want || items[2] != "c" {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
