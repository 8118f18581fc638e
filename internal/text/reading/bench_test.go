package reading

import (
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// A bundle of 800 words, read for ten items.
func benchWork(b *testing.B) (*Work, *Items) {
	raw, err := os.ReadFile("testdata/bench.md")
	if err != nil {
		b.Fatal(err)
	}
	var items []string
	for line := range strings.Lines(itemsForBench) {
		items = append(items, strings.TrimSpace(line))
	}
	return &Work{Content: markdown.Parse(string(raw)), Summary: markdown.Parse("All work is complete and nothing was left out."), Status: "success"}, Prepare(items)
}

const itemsForBench = `Define the mapping of the product index with its fields and types
Retry failed index batches with exponential backoff
Create the index_failures table in SQL
Roll back to PostgreSQL when the error rate exceeds 1 %
Measure the latency of searches before and after the move
Plan the rollout in stages with a feature flag
Write the runbook for a full reindex
Capacity plan with monthly cost
Architecture decision record
Dashboard for indexing lag`

func BenchmarkNew(b *testing.B) {
	w, _ := benchWork(b)
	b.ReportAllocs()
	for b.Loop() {
		New(w)
	}
}

func BenchmarkRead(b *testing.B) {
	w, items := benchWork(b)
	r := New(w)
	b.ReportAllocs()
	for b.Loop() {
		r.Read(items)
	}
}
