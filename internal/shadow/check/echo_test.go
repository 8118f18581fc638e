package check

import (
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// TestStem: what of a text counts, in one of ASCII characters as in another one.
func TestStem(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		" .":                              nil,
		"the log is kept":                 {"kept"},
		"Rotate KEYS monthly, in 7 days.": {"rotat", "keys", "month", "7", "days"},
		"x 1st\tsnake_case\n":             {"1st", "snake", "case"},
	} {
		for _, s := range []string{text, "é " + text} {
			var got []string
			for w := range fold.EachWord(s) {
				if w = stem(w); w != "" {
					got = append(got, w)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q has %q, want %q", s, got, want)
			}
		}
	}
}
