package shadow

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// work is a bundle of some 800 words: paragraphs, a list and a table.
func work() string {
	var b strings.Builder
	b.WriteString("# The thing\n\n")
	for i, w := range words {
		fmt.Fprintf(&b, "## Part %d\n\nThe part on %s says how it is built, who runs it, what it costs and where it ends. ", i, w)
		for range 7 {
			b.WriteString("It reads the queue, writes what it has seen to the store, and tells the operator on call. ")
		}
		b.WriteString("\n\n- one step\n- another step\n\n")
	}
	b.WriteString("| step | hours |\n|---|---|\n| a | 3 |\n| b | 4 |\n| total | 7 |\n")
	return b.String()
}

// BenchmarkJudge judges some 800 words without judges.
func BenchmarkJudge(b *testing.B) {
	x := mustExam(b, decomposition(), settings())
	ev := evidenceOf(0, work())
	b.ReportAllocs()
	for b.Loop() {
		x.Decide(ev, nil, time.Time{})
	}
}
