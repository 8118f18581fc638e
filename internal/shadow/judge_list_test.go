package shadow

import "testing"

// Equal problems are said once, with their count, and what does not fit is
// counted.
func TestList(t *testing.T) {
	for _, c := range []struct {
		items []string
		most  int
		want  string
	}{
		{nil, 10, ""},
		{[]string{"TODO", "TBD", "TODO", "TODO"}, 100, "TODO (3 times); TBD"},
		{[]string{"a long one", "b", "b", "c"}, 12, "a long one; and 2 more"},
	} {
		if got := list(c.items, c.most); got != c.want {
			t.Errorf("%q: %q, want %q", c.items, got, c.want)
		}
	}
}
