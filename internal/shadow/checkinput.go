package shadow

import "github.com/swarmspeed/shadowd/internal/shadow/check"

// CheckInput is what a check sees of a bundle, under the names of the events:
// the bundle, its domain's entry in the decomposition (nil: an empty one), and
// the material that is sealed for it. The text is left to be analysed.
func CheckInput(b *Bundle, d *Domain, material map[string]any) check.Input {
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
		Material: material,
	}
}

// RunOnNothing evaluates a check on an empty bundle of a domain. An error
// means that it could not, and so would judge nobody: what it finds does not
// matter.
func RunOnNothing(program *check.Check, d *Domain, m Material) error {
	in := CheckInput(&Bundle{Domain: d.Domain, CommanderID: d.CommanderID, Status: "success"}, d, m.Data)
	in.Text = noText
	_, err := program.Eval(in)
	return err
}

// noText is analysed once for all checks that are sealed.
var noText = check.Analyse("")
