package reading

import (
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

func TestHostileTimes(t *testing.T) {
	items := []Item{{"Write the migration script for the tokens table", false}, {"Define the rollback plan", false}, {"A word list of things", true}}
	for name, s := range texttest.Hostile(256 << 10) {
		d := markdown.Parse(s)
		at := time.Now()
		r := New(&Work{Content: d, Summary: d, Status: "partial"})
		mid := time.Now()
		r.Read(items)
		if e := time.Since(at); e > 20*time.Millisecond {
			t.Log(name, e, mid.Sub(at), len(r.content.cues))
		}
	}
}
