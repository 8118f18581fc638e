package fold

import (
	"slices"
	"strings"
	"testing"
)

// TestShapes: the words of a set are never denied, and few others are not.
func TestShapes(t *testing.T) {
	words := strings.Fields("a an hour hours kB µs percent % größer seventy per-cent")
	s := ShapesOf(slices.Values(words))
	for _, w := range words {
		for _, form := range []string{w, strings.ToUpper(w), strings.ToLower(w), strings.ToUpper(w[:1]) + w[1:]} {
			if !s.May(form) {
				t.Errorf("%q is denied", form)
			}
		}
	}
	others, may := strings.Fields("the work of this page holds no word in it but for those that come last and say what was done"), 0
	for _, w := range others {
		if s.May(w) {
			may++
		}
	}
	if may > 1 || s.May("") {
		t.Errorf("%d of %d other words may be of the set", may, len(others))
	}
}
