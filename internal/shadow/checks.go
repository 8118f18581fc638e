package shadow

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// CheckInput is what a check sees of a bundle, under the names of the events:
// the bundle, and its domain's entry in the decomposition (nil: an empty one).
// The text is left to be analysed.
func CheckInput(b *Bundle, d *Domain) check.Input {
	conflicts := make([]any, len(b.Conflicts))
	for i, c := range b.Conflicts {
		conflicts[i] = map[string]any{"description": c.Description, "resolution": c.Resolution}
	}
	if d == nil {
		d = &Domain{}
	}
	return check.Input{
		Bundle: map[string]any{
			"bundle_id":    b.BundleID,
			"domain":       b.Domain,
			"commander_id": b.CommanderID,
			"status":       b.Status,
			"summary":      b.Summary,
			"atoms_merged": b.AtomsMerged,
			"conflicts":    conflicts,
			"content":      b.Content,
			"confidence":   b.Confidence,
		},
		Domain: map[string]any{
			"domain":       d.Domain,
			"task_brief":   d.TaskBrief,
			"sub_tasks":    d.SubTasks,
			"deliverables": d.Deliverables,
			"constraints":  d.Constraints,
		},
	}
}

// templateAsked tells whether the assignment asks for a template, in which
// places to fill in belong.
func templateAsked(in check.Input) bool {
	for _, key := range []string{"task_brief", "sub_tasks", "deliverables"} {
		if strings.Contains(strings.ToLower(fmt.Sprint(in.Domain[key])), "template") {
			return true
		}
	}
	return false
}
