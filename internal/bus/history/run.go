// Package history reads what is stored about runs, for those who watch and for the operator. It changes nothing.
package history

import (
	"cmp"
	"crypto/ed25519"
	"maps"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Run is what the events of a run say of it. They may come in any order.
type Run struct {
	ID string
	// Brief has a run keep but the few words that [Run.Summary] needs, and nothing that is sealed.
	Brief bool
	// Started is when the first event of it was stored.
	Started time.Time
	// Decomposition is the one that was committed to, and before that the first one; nil if it is not known.
	Decomposition *shadow.Decomposition
	Commitment    *shadow.Commitment
	// Reports are by domain, in the order of cycles; so are Requests.
	Reports     map[string][]*shadow.Report
	Requests    map[string][]*shadow.HardeningData
	Quarantined map[string]*shadow.QuarantineData // by domain
	Attested    map[string]*attest.Envelope       // of signed reports, by domain
	Scored      *shadow.RunData                   // nil until it is
	Reviews     []*shadow.ReviewedData            // in the order of the log
	// Signers are the keys that the run was read with, if any.
	Signers []ed25519.PublicKey
	// Digests are those of the data of the reports' events, which reviews name.
	Digests map[*shadow.Report]string
	// Rejected are the refused events, as they came. Who does not follow the log reads them by [Rejections].
	Rejected []Rejected
	// Stored is when the above were stored, by their pointers, as far as they were read off a stream.
	Stored map[any]time.Time

	decomposed []decomposed // the first of them
	refused    *Rejected    // of the decomposition
}

// Rejected is an event that was refused, who may have written it, and when it was refused.
type Rejected struct {
	*shadow.Rejection
	Author string
	At     time.Time
}

// decomposed is a decomposition with its digest: a run may be decomposed twice.
type decomposed struct {
	digest string
	*shadow.Decomposition
}

const (
	maxDecomposed = 8    // decompositions that a run keeps
	maxRejected   = 1000 // rejections that a brief one keeps
	taskShown     = 200  // characters of a task in a summary
)

// NewRun is a run of which nothing is known.
func NewRun(id string) *Run {
	return &Run{
		ID:          id,
		Reports:     map[string][]*shadow.Report{},
		Requests:    map[string][]*shadow.HardeningData{},
		Quarantined: map[string]*shadow.QuarantineData{},
		Attested:    map[string]*attest.Envelope{},
		Digests:     map[*shadow.Report]string{},
		Stored:      map[any]time.Time{},
	}
}

// Take takes in an event of the run. One that could not be decoded says nothing.
func (r *Run) Take(e Event) {
	if r.Started.IsZero() || e.Time.Before(r.Started) {
		r.Started = e.Time
	}
	payload := e.Payload
	if r.Brief {
		payload = brief(payload)
	}
	switch data := payload.(type) {
	case *shadow.Decomposition:
		if len(r.decomposed) < maxDecomposed {
			r.decomposed = append(r.decomposed, decomposed{e.Digest, data})
		}
	case *shadow.Commitment:
		if r.Commitment == nil {
			r.Commitment, r.Stored[data] = data, e.Time
		}
	case *shadow.Report:
		r.report(e, data)
	case *shadow.HardeningData:
		r.Requests[e.Domain] = append(r.Requests[e.Domain], data)
		r.Stored[data] = e.Time
	case *shadow.QuarantineData:
		r.Quarantined[e.Domain] = data
	case *shadow.ReviewedData:
		r.Reviews = append(r.Reviews, data)
		slices.SortStableFunc(r.Reviews, func(a, b *shadow.ReviewedData) int { return cmp.Compare(a.In.Sequence, b.In.Sequence) })
		if last := r.lastReview(data.Domain); r.Brief {
			r.Reviews = slices.DeleteFunc(r.Reviews, func(v *shadow.ReviewedData) bool { return v.Domain == data.Domain && v != last })
		}
	case *shadow.RunData:
		r.Scored, r.Stored[data] = data, e.Time
	case *shadow.Rejection:
		r.reject(Rejected{data, e.Author, e.Time})
	}
	r.decompose()
}

// decompose chooses the decomposition.
func (r *Run) decompose() {
	r.Decomposition = nil
	for _, d := range r.decomposed {
		if r.Commitment == nil || d.digest == r.Commitment.DecompositionDigest {
			r.Decomposition = d.Decomposition
			return
		}
	}
}

func (r *Run) report(e Event, rep *shadow.Report) {
	if r.Report(e.Domain, rep.Swarm.Cycle) != nil {
		return // the first on a subject counts, as for the engine
	}
	if rep.Swarm.Final && !r.Brief {
		if signed, err := attest.FromReport(rep, e.Cloud.Data(), cloudevent.SignatureOf(e.Cloud)); err == nil {
			r.Attested[e.Domain] = signed
		}
	}
	r.Stored[rep], r.Digests[rep] = e.Time, e.Digest
	r.Reports[e.Domain] = append(r.Reports[e.Domain], rep)
	slices.SortStableFunc(r.Reports[e.Domain], func(a, b *shadow.Report) int { return cmp.Compare(a.Swarm.Cycle, b.Swarm.Cycle) })
}

// reject notes a rejection. One of a second decomposition does not touch a sealed run.
func (r *Run) reject(no Rejected) {
	if no.Author == layout.AuthorNexus && r.refused == nil {
		r.refused = &no
	}
	if r.Rejected = append(r.Rejected, no); r.Brief {
		r.Rejected = r.Rejected[max(0, len(r.Rejected)-maxRejected):]
	}
}

// brief keeps of an event the few words that [Run.Summary] needs, and nothing sealed; nil where there are none.
func brief(payload any) any {
	switch data := payload.(type) {
	case *shadow.Decomposition:
		few := &shadow.Decomposition{Task: clip.To(data.Task, taskShown)}
		for i := range data.Domains {
			few.Domains = append(few.Domains, shadow.Domain{Domain: data.Domains[i].Domain})
		}
		return few
	case *shadow.Report:
		s := &data.Swarm
		few := &shadow.Report{Swarm: shadow.Swarm{Domain: s.Domain, Cycle: s.Cycle, Final: s.Final, Counts: s.Counts, Gate: shadow.Gate{Action: s.Gate.Action}, In: s.In}}
		if len(s.AdvisoryReasons) > 0 {
			few.Swarm.AdvisoryReasons = []string{"advisory"}
		}
		return few
	case *shadow.ReviewedData:
		v := &data.Review
		return &shadow.ReviewedData{Domain: data.Domain, Review: shadow.Review{By: v.By, Verdict: v.Verdict, Cycle: v.Cycle}, In: data.In, After: shadow.Standing{Gate: data.After.Gate}}
	case *shadow.HardeningData, *shadow.QuarantineData:
		return nil
	}
	return payload
}

// Begun tells whether it was seen how the run began.
func (r *Run) Begun() bool { return r.Decomposition != nil || r.Commitment != nil || r.refused != nil }

// Refused tells whether the run was not sealed, since its decomposition was rejected.
func (r *Run) Refused() bool { return r.Commitment == nil && r.refused != nil }

// Domains are those of the run in the order of its decomposition, or of its sum, or by name.
func (r *Run) Domains() []string {
	var names []string
	switch {
	case r.Decomposition != nil:
		for _, d := range r.Decomposition.Domains {
			names = append(names, d.Domain)
		}
	case r.Scored != nil:
		for _, d := range r.Scored.Domains {
			names = append(names, d.Domain)
		}
		names = append(names, r.Scored.Missing...)
	default:
		names = slices.Sorted(maps.Keys(r.Reports))
	}
	return names
}

// Missing are the domains whose bundle never came; before the run is scored, those without a report.
func (r *Run) Missing() []string {
	if r.Scored != nil {
		return r.Scored.Missing
	}
	return r.without(nil)
}

// Lost are the domains of a scored run whose reports are gone: they expired, or somebody took them away.
func (r *Run) Lost() []string {
	if r.Scored == nil {
		return nil
	}
	return r.without(r.Scored.Missing)
}

// without are the domains without a report that are not among others.
func (r *Run) without(others []string) []string {
	return slices.DeleteFunc(r.Domains(), func(d string) bool { return r.Reports[d] != nil || slices.Contains(others, d) })
}

// Last is the last report of a domain, or nil.
func (r *Run) Last(domain string) *shadow.Report {
	if all := r.Reports[domain]; len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// Report is the report on a cycle of a domain, or nil.
func (r *Run) Report(domain string, cycle int) *shadow.Report {
	for _, rep := range r.Reports[domain] {
		if rep.Swarm.Cycle == cycle {
			return rep
		}
	}
	return nil
}

// Review is the review of a report that counts, the last one, or nil.
func (r *Run) Review(rep *shadow.Report) *shadow.ReviewedData {
	for _, v := range slices.Backward(r.Reviews) {
		if v.Domain == rep.Swarm.Domain && v.Review.Cycle == rep.Swarm.Cycle {
			return v
		}
	}
	return nil
}

// lastReview is the last review of a domain, or nil.
func (r *Run) lastReview(domain string) *shadow.ReviewedData {
	for _, v := range slices.Backward(r.Reviews) {
		if v.Domain == domain {
			return v
		}
	}
	return nil
}
