package history

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// RunState is what has become of a run.
type RunState string

// The states: waiting for bundles or for the seal, waiting for a fix, scored,
// ended without all bundles, and rejected with its decomposition.
const (
	RunWaiting    RunState = "waiting"
	RunHardening  RunState = "hardening"
	RunScored     RunState = "scored"
	RunIncomplete RunState = "incomplete"
	RunRejected   RunState = "rejected"
)

// Summary is a run in a few words.
type Summary struct {
	RunID   string      `json:"run_id"`
	Task    string      `json:"task"` // its first 200 characters
	State   RunState    `json:"state"`
	Started time.Time   `json:"started_at"` // when the first event of it was stored
	Sealed  *time.Time  `json:"sealed_at,omitempty"`
	Domains int         `json:"domains"`
	Final   int         `json:"final"`            // domains with a final report
	Median  json.Number `json:"median,omitempty"` // once it is scored
	Verdict shadow.Word `json:"verdict,omitempty"`
	// Counts sums up what was made of the items of the assignments.
	Counts shadow.ItemCounts `json:"counts"`
	// Advisory: the median is, or a report so far.
	Advisory bool `json:"advisory"`
	Observed bool `json:"observe_mode"`
	// Reason is why a run was rejected.
	Reason string `json:"reason,omitempty"`
	// Gate is the harshest that a report says, and GateAfterReview the harshest that
	// holds where somebody has reviewed a report.
	Gate            shadow.Action `json:"gate,omitempty"`
	GateAfterReview shadow.Action `json:"gate_after_review,omitempty"`
	// Reviews are those that count, by domain.
	Reviews map[string]shadow.ReviewLine `json:"reviews,omitempty"`
}

// outlines are those of all runs, by their ids.
type outlines map[string]*Outline

// List reads all runs, the newest first. It takes a few consumers, however
// many runs there are: one over the decompositions and commitments, one over
// the sums, the reviews and the rejections, and for the runs that have no sum yet one over
// their reports.
func List(ctx context.Context, l layout.Subjects, js jetstream.JetStream) ([]*Summary, error) {
	all := outlines{}
	if err := readOutputs(ctx, l, js, layout.StreamIn, []string{l.Decomposition("*"), l.Commitment("*")}, all.take); err != nil {
		return nil, err
	}
	// Of the rejections only those of decompositions end a run.
	rejections := l.Subject(shadow.EventRejected, layout.AuthorNexus, "*")
	if err := readOutputs(ctx, l, js, layout.StreamOut, []string{l.RunScored("*"), l.RunWildcard(shadow.RunReviewed, ""), rejections}, all.take); err != nil {
		return nil, err
	}
	var reports []string
	for run, r := range all {
		if r.Commitment != nil && r.Scored == nil {
			reports = append(reports, l.RunWildcard(shadow.GapReport, run))
		}
	}
	// A consumer's filters are compared with one another when it is made, so
	// there are not too many of them.
	for chunk := range slices.Chunk(reports, 500) {
		if err := readOutputs(ctx, l, js, layout.StreamOut, chunk, all.take); err != nil {
			return nil, err
		}
	}
	var list []*Summary
	for _, r := range all {
		list = append(list, r.Summary())
	}
	slices.SortFunc(list, func(a, b *Summary) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.RunID, b.RunID))
	})
	return list, nil
}

func (all outlines) take(o Output) error {
	if o.Run == "" { // the rejection of an event that cannot be read
		return nil
	}
	if all[o.Run] == nil {
		all[o.Run] = NewOutline(o.Run, o.Time)
	}
	return all[o.Run].Take(o)
}
