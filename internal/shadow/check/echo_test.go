package check

import (
	"slices"
	"testing"
)

// TestLonger: a text of ASCII characters has the words that it has in another one.
func TestLonger(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		" .":                              nil,
		"the log is kept":                 {"kept"},
		"Rotate KEYS monthly, in 7 days.": {"rotat", "keys", "month", "7", "days"},
		"x 1st\tsnake_case\n":             {"1st", "snake", "case"},
	} {
		for _, s := range []string{text, "é " + text} {
			if got := slices.Collect(longer(s)); !slices.Equal(got, want) {
				t.Errorf("%q has %q, want %q", s, got, want)
			}
		}
	}
}
