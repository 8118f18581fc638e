package review

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestCompareUnread: a domain is unread where its report says so, also without
// an item that could be counted.
func TestCompareUnread(t *testing.T) {
	run := func(reasons ...string) *history.Run {
		r := history.NewRun("r")
		r.Reports["a"] = []*shadow.Report{{Swarm: shadow.Swarm{Domain: "a", Score: shadow.Score{Total: 8}, AdvisoryReasons: reasons}}}
		return r
	}
	d := Compare(run("unread: the assignment has no item to read"), run("independence is weak: x"))
	if !d.Domains[0].Before.Unread || d.Before.Unread != 1 || d.Domains[0].After.Unread || d.After.Unread != 0 {
		t.Errorf("%+v → %+v", d.Before, d.After)
	}
}
