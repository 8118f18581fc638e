package render

import (
	"cmp"
	"io"
	"math"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// writeInspect writes the bundles of a document as a log of Inspect (EvalLog, version 2):
// a sample for each sealed criterion of each bundle. Its score is C where the criterion counts
// as passed, I where it failed and N where it could not be judged, which counts as
// not passed, or is unread, which counts as passed. The metadata of the log say what keeps scores from being taken at
// their word.
func writeInspect(w io.Writer, d *Document) error {
	samples, subjects, models := []object{}, []object{}, []string{}
	status, total, passed := "success", 0, 0
	var first time.Time
	for i := range d.Subjects {
		s := &d.Subjects[i]
		head := &s.Score.Report
		if s.Pending() {
			status = "started" // a fix is awaited
		}
		if at := head.Timestamp; first.IsZero() || at.Before(first) {
			first = at
		}
		if model := inspectModel(head); !slices.Contains(models, model) {
			models = append(models, model)
		}
		total, passed = total+s.Score.SealedTests.Total, passed+s.Score.SealedTests.Passed
		samples = append(samples, inspectSamples(s)...)
		subjects = append(subjects, object{"name": shadow.Printable(s.Name), "shadow_score": head.ShadowScore, "level": head.Level,
			"gate": s.GateText(), "advisory": s.Advisory(), "items_read": s.Read(), "final": !s.Pending()})
	}
	name, model := "shadow score", "several"
	if d.Run != nil {
		name = d.Run.ID
	} else if len(d.Subjects) == 1 {
		name = d.Subjects[0].Name
	}
	if len(models) == 1 {
		model = models[0]
	}
	name = shadow.Printable(name)
	accuracy := object{"name": "accuracy", "value": math.Round(float64(passed)/float64(max(total, 1))*1e4) / 1e4}
	return WriteJSON(w, object{
		"version": 2, "status": status,
		"eval": object{"created": first.UTC().Format(time.RFC3339), "task": name, "model": model, "config": object{},
			"dataset": object{"name": "sealed criteria", "samples": total}, "metadata": object{"producer": "shadowd", "subjects": subjects}},
		"results": object{"total_samples": total, "completed_samples": len(samples),
			"scores": []object{{"name": "shadow", "scorer": "shadow", "metrics": object{"accuracy": accuracy}}}},
		"samples": samples,
	})
}

// inspectModel is the model that did the work, as far as it is known.
func inspectModel(head *shadow.ReportHead) string {
	return shadow.Printable(cmp.Or(head.ImplementerModel, "unknown"))
}

// inspectSamples are the criteria of a bundle. Of those that were passed a report
// holds no text.
func inspectSamples(s *Subject) (samples []object) {
	values := map[shadow.Outcome]string{shadow.Passed: "C", shadow.NotApplicable: "C", shadow.Failed: "I", shadow.Undecided: "N", unread: "N"}
	for _, c := range s.Criteria() {
		why, actual := words(c.Outcome), shadow.Printable(c.Failure.Actual)
		if c.Outcome == unread {
			why += ", and counts as passed: " + s.unreadOf(c.ID)
		}
		if c.Failure.Message != "" {
			why += ": " + c.Failure.Message
		}
		message := object{"role": "assistant", "content": actual}
		samples = append(samples, object{
			"id": shadow.Printable(s.Name + "/" + c.ID), "epoch": 1, "input": c.ID, "target": shadow.Printable(c.Failure.Expected),
			"output":   object{"model": inspectModel(&s.Score.Report), "choices": []object{{"message": message, "stop_reason": "stop"}}, "completion": actual},
			"scores":   object{"shadow": object{"value": values[c.Outcome], "explanation": shadow.Printable(why)}},
			"metadata": object{"category": c.Category},
		})
	}
	return samples
}
