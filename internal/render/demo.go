package render

import (
	"fmt"
	"path/filepath"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// DemoStart heads the demo with the task of its run.
func DemoStart(t *Terminal, task string) {
	t.Printf("%s\n%s\n", t.Paint(Bold, "A swarm run, judged by sealed criteria"), task)
	t.heading("What shadowd says on the bus")
}

// DemoEnd says what to type after the demo, in which judges may have been asked.
func DemoEnd(t *Terminal, judged bool) {
	t.heading("What to type next")
	next := func(command, what string) { t.Printf("  %s  %s\n", t.Paint(Cyan, fmt.Sprintf("%-38s", command)), what) }
	if !judged {
		next("shadowd demo --judge openai:gpt-5-mini", "has a model read what is unread here (OPENAI_API_KEY)")
	}
	next("shadowd seal --dry-run FILE", "shows what would be asked of a decomposition of yours")
	next("shadowd run", "judges your swarm, on a NATS server that it brings along")
}

// Stored says where the runs are: a directory that was made for them, or the
// address of a bus.
func Stored(t *Terminal, where string) {
	t.Printf("\nEverything is stored in %s: streams %s and %s, bucket %s (sealed).\n", t.Paint(Bold, where), layout.StreamIn, layout.StreamOut, layout.BucketEnvelopes)
	if filepath.IsAbs(where) { // a directory that only this program knows of
		t.Printf("It holds sealed text. When you have seen enough: rm -r %s\n", where)
	}
}
