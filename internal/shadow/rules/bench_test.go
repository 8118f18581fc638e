package rules

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// BenchmarkJudge measures one judgement: a bundle of some 800 words, analysed
// and judged by the ten criteria of an envelope. The draw is one in which all
// checks of the built-in author occur.
func BenchmarkJudge(b *testing.B) {
	raw, err := os.ReadFile("../../play/demo/decomposition.json")
	if err != nil {
		b.Fatal(err)
	}
	var d shadow.Decomposition
	if err := json.Unmarshal(raw, &d); err != nil {
		b.Fatal(err)
	}
	content, err := os.ReadFile("../../play/demo/bundles/testing.md")
	if err != nil {
		b.Fatal(err)
	}
	d.Scale = "ss-250"
	settings := &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy"},
		MaxCriteria: 10, Categories: shadow.Categories()[:4],
		Scales: map[string]shadow.Scale{"ss-250": {Criteria: 10}},
	}
	e, err := shadow.Seal(b.Context(), &d, shadow.SealInput{Settings: settings, Filler: New(bytes.NewReader(bytes.Repeat([]byte{3}, 32))), Now: time.Unix(1, 0), Rand: rand.Reader})
	if err != nil {
		b.Fatal(err)
	}
	com := e.Commitment()
	exam, err := shadow.NewExam(e, &com, nil)
	if err != nil {
		b.Fatal(err)
	}
	ev := &shadow.Evidence{Submission: &shadow.Submission{Bundle: shadow.Bundle{Domain: "testing", Status: "success", Content: string(content), Summary: "All 74 tests pass."}}}
	b.ReportMetric(float64(len(content)), "bytes")
	for b.Loop() {
		if j := exam.Judge(ev); len(j.Items) == 0 {
			b.Fatal("nothing was judged")
		}
	}
}
