package render

import "github.com/swarmspeed/shadowd/internal/review"

// Comparison shows what judges say when they are asked again, beside what they
// said before. Their words and quotes are untrusted.
func Comparison(t *Terminal, c *review.Comparison) error {
	return execute(t, "rejudge.tmpl", struct {
		*Terminal
		*review.Comparison
	}{t, c})
}
