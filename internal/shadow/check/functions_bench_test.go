package check

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"
)

// BenchmarkFunctions measures each function over the texts that are made to
// be slow, a quarter of a megabyte each. Beside the mean of all it reports the
// worst, in milliseconds; the analysis of the text is not counted.
func BenchmarkFunctions(b *testing.B) {
	texts := adversaries(wholeSize)
	names := slices.Sorted(maps.Keys(texts))
	for _, f := range functions {
		c, _, err := compile(f.Example)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f.Name, func(b *testing.B) {
			var worst time.Duration
			at := ""
			for b.Loop() {
				for _, name := range names {
					b.StopTimer()
					x := Analyse(texts[name])
					b.StartTimer()
					start := time.Now()
					if _, _, _, err := c.eval(Input{Text: x}); err != nil && errors.Is(err, ErrLimit) {
						continue
					}
					if d := time.Since(start); d > worst {
						worst, at = d, name
					}
				}
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
			b.Logf("worst: %s", at)
		})
	}
}
