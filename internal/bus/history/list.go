package history

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// RunState is what has become of a run.
type RunState string

// The states: waiting for bundles or a seal, for a fix, scored, ended without all bundles, rejected.
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
	// Gate is the harshest of the reports, and GateAfterReview the harshest that holds where one was reviewed.
	Gate            shadow.Action `json:"gate,omitempty"`
	GateAfterReview shadow.Action `json:"gate_after_review,omitempty"`
	// Reviews are those that count, by domain.
	Reviews map[string]shadow.ReviewLine `json:"reviews,omitempty"`
}

// Summary is what is known by now.
func (r *Run) Summary() *Summary {
	s := &Summary{RunID: r.ID, State: RunWaiting, Started: r.Started}
	if d := r.Decomposition; d != nil {
		s.Task, s.Domains = clip.To(d.Task, taskShown), len(d.Domains)
	}
	if c := r.Commitment; c != nil {
		sealed := r.Stored[c]
		s.Sealed, s.Domains, s.Observed = &sealed, len(c.CriteriaByDomain), !c.Policy.EnforceGates
	} else if r.Refused() {
		s.State, s.Reason = RunRejected, fmt.Sprintf("%s: %s", r.refused.Reason, r.refused.Message)
	}
	for _, v := range r.Reviews { // the last one of a domain counts
		if s.Reviews == nil {
			s.Reviews = map[string]shadow.ReviewLine{}
		}
		s.Reviews[v.Domain] = v.Line()
	}
	if sum := r.Scored; sum != nil {
		if s.State = RunScored; sum.Incomplete {
			s.State = RunIncomplete
		}
		s.Final, s.Domains = len(sum.Domains), len(sum.Domains)+len(sum.Missing)
		s.Median, s.Verdict, s.Advisory, s.Counts = sum.Median, sum.Verdict, sum.Advisory, sum.Counts
		for i := range sum.Domains {
			r.gate(s, sum.Domains[i].Domain, sum.Domains[i].Gate)
		}
		return s
	}
	for domain := range r.Reports {
		last := &r.Last(domain).Swarm
		if last.Final {
			s.Final++
		} else {
			s.State = RunHardening
		}
		s.Advisory = s.Advisory || len(last.AdvisoryReasons) > 0
		s.Counts.Add(last.Counts)
		r.gate(s, domain, last.Gate.Action)
	}
	return s
}

// gate adds what the gate of a domain says.
func (r *Run) gate(s *Summary, domain string, gate shadow.Action) {
	s.Gate = shadow.Harsher(s.Gate, gate)
	if len(r.Reviews) > 0 {
		s.GateAfterReview = shadow.Harsher(s.GateAfterReview, r.Holds(domain, gate))
	}
}

// Holds is the gate of a domain that holds: that of its last review, or else that of its report.
func (r *Run) Holds(domain string, gate shadow.Action) shadow.Action {
	if v := r.lastReview(domain); v != nil {
		return v.After.Gate
	}
	return gate
}

// List reads all runs, the newest first, with a few consumers however many runs there are.
func List(ctx context.Context, l layout.Subjects, js jetstream.JetStream, signers ...ed25519.PublicKey) ([]*Summary, error) {
	all := map[string]*Run{}
	take := func(e Event) {
		if e.Run == "" { // the rejection of an event that cannot be read
			return
		}
		if all[e.Run] == nil {
			all[e.Run] = NewRun(e.Run)
			all[e.Run].Brief = true
		}
		all[e.Run].Take(e)
	}
	if err := readEvents(ctx, l, js, layout.StreamIn, []string{l.Decomposition("*"), l.Commitment("*")}, take); err != nil {
		return nil, err
	}
	// Of the rejections only those of decompositions end a run.
	rejections := l.Subject(shadow.EventRejected, layout.AuthorNexus, "*")
	if err := readEvents(ctx, l, js, layout.StreamOut, []string{l.RunScored("*"), l.RunWildcard(shadow.RunReviewed, ""), rejections}, take, signers...); err != nil {
		return nil, err
	}
	var reports []string
	for run, r := range all {
		if r.Commitment != nil && r.Scored == nil {
			reports = append(reports, l.RunWildcard(shadow.GapReport, run))
		}
	}
	// A consumer's filters are compared with one another when it is made, so there are not too many of them.
	for chunk := range slices.Chunk(reports, 500) {
		if err := readEvents(ctx, l, js, layout.StreamOut, chunk, take); err != nil {
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
