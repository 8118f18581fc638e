package reading

import (
	"strings"
	"testing"
)

func BenchmarkRuns(b *testing.B) {
	if *runs == "" {
		b.Skip()
	}
	var ds []domain
	words := 0
	for f := range strings.SplitSeq(*runs, ",") {
		for _, d := range readRun(&testing.T{}, f) {
			ds = append(ds, d)
			words += len(strings.Fields(d.work.Content.Source))
		}
	}
	b.Run("new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			New(ds[i%len(ds)].work)
		}
	})
	var rs []*Reader
	for _, d := range ds {
		rs = append(rs, New(d.work))
	}
	b.Run("read", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			rs[i%len(ds)].Read(ds[i%len(ds)].items)
		}
	})
	b.Logf("%d words a bundle", words/len(ds))
}
