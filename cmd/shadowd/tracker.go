package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// tracker knows what has become of the events that were published, and when
// there is nothing left to wait for. It has no connection: it is told.
type tracker struct {
	runs map[string]*trackedRun
	// open are the published events without an outcome, by their sequence
	// in IN.
	open map[uint64]published
	// mine are all sequences that were published.
	mine map[uint64]bool
}

// published is an event on its way. What it says about itself may be
// nonsense: then the outcome is its rejection.
type published struct {
	addr   bus.Address
	domain string
	cycle  int
	digest string
}

// trackedRun is a run as its outputs tell it.
type trackedRun struct {
	ID            string
	Decomposition *shadow.Decomposition // nil if the run's was not published here
	Commitment    *shadow.Commitment
	Reports       map[string][]*shadow.Report // by domain, in the order of cycles
	Requests      map[string][]*shadow.HardeningData
	Quarantined   map[string]*shadow.QuarantineData
	Attested      map[string]*attest.Envelope
	Rejected      []*shadow.Rejection
	Scored        *shadow.RunData
	unsealable    bool // its decomposition was rejected
}

func newTracker() *tracker {
	return &tracker{runs: map[string]*trackedRun{}, open: map[uint64]published{}, mine: map[uint64]bool{}}
}

func (t *tracker) run(id string) *trackedRun {
	if t.runs[id] == nil {
		t.runs[id] = &trackedRun{
			ID:          id,
			Reports:     map[string][]*shadow.Report{},
			Requests:    map[string][]*shadow.HardeningData{},
			Quarantined: map[string]*shadow.QuarantineData{},
			Attested:    map[string]*attest.Envelope{},
		}
	}
	return t.runs[id]
}

// sent notes that an event was stored at a sequence of IN.
func (t *tracker) sent(seq uint64, addr bus.Address, data []byte) {
	p := published{addr: addr, digest: shadow.Digest(data)}
	switch in, err := shadow.Decode(addr.Name, data); {
	case err != nil: // will be rejected
	case addr.Name == shadow.DecompositionDone:
		if r := t.run(addr.Run); r.Decomposition == nil {
			r.Decomposition = in.(*shadow.Decomposition)
		}
	default:
		s := in.(*shadow.Submission)
		p.domain, p.cycle = s.Bundle.Domain, s.Cycle
	}
	t.mine[seq] = true
	t.open[seq] = p
	t.settle()
}

// heard takes in an output. Its error says that the output cannot be read.
func (t *tracker) heard(o output) error {
	var err error
	decode := func(v any) { err = json.Unmarshal(o.Event.Data(), v) }
	var r *trackedRun
	if o.Addr.Run != "" { // the subject of a rejection names no run
		r = t.run(o.Addr.Run)
	}
	switch o.Addr.Name {
	case shadow.EnvelopeSealed:
		r.Commitment = &shadow.Commitment{}
		decode(r.Commitment)
	case shadow.GapReport:
		rep := &shadow.Report{}
		decode(rep)
		list := append(r.Reports[o.Addr.Domain], rep)
		sort.SliceStable(list, func(i, j int) bool { return list[i].Swarm.Cycle < list[j].Swarm.Cycle })
		r.Reports[o.Addr.Domain] = list
	case shadow.HardeningRequest:
		h := &shadow.HardeningData{}
		decode(h)
		r.Requests[o.Addr.Domain] = append(r.Requests[o.Addr.Domain], h)
	case shadow.BundleQuarantined:
		q := &shadow.QuarantineData{}
		decode(q)
		r.Quarantined[o.Addr.Domain] = q
	case shadow.Attestation:
		e := &attest.Envelope{}
		decode(e)
		r.Attested[o.Addr.Domain] = e
	case shadow.RunScored:
		r.Scored = &shadow.RunData{}
		decode(r.Scored)
	case shadow.EventRejected:
		rej := &shadow.Rejection{}
		decode(rej)
		p := t.open[o.Addr.Sequence]
		delete(t.open, o.Addr.Sequence)
		r = t.run(rej.RunID)
		r.Rejected = append(r.Rejected, rej)
		if p.addr.Name == shadow.DecompositionDone && r.Commitment == nil {
			r.unsealable = true
		}
	}
	if err != nil {
		return fmt.Errorf("message %d on %s: %w", o.Seq, o.Subject, err)
	}
	t.settle()
	return nil
}

// settle closes what has an outcome by now.
func (t *tracker) settle() {
	for seq, p := range t.open {
		r := t.run(p.addr.Run)
		if p.addr.Name == shadow.DecompositionDone {
			if r.Commitment != nil && r.Commitment.DecompositionDigest == p.digest {
				delete(t.open, seq)
			}
			continue
		}
		for _, rep := range r.Reports[p.domain] {
			if rep.Swarm.Cycle == p.cycle && rep.Swarm.BundleDigest == p.digest && !rep.Swarm.Hardening.TimedOut {
				delete(t.open, seq)
			}
		}
	}
}

// refusals is an error if any of the published events of a file was rejected:
// what was judged in its place, if anything, was not what the file holds.
func (t *tracker) refusals(file string) error {
	n, reasons := 0, map[string]bool{}
	for _, r := range t.runs {
		for _, rej := range r.Rejected {
			n++
			reasons[shadow.Printable(string(rej.Reason))] = true
		}
	}
	if n == 0 {
		return nil
	}
	were := "were"
	if n == 1 {
		were = "was"
	}
	return hint.Failed(fmt.Errorf("%s of %s %s rejected: %s", plural(n, "event"), file, were, strings.Join(slices.Sorted(maps.Keys(reasons)), ", ")), "")
}

// sealed says whether a run is sealed, or never will be.
func (t *tracker) sealed(run string) bool {
	r := t.run(run)
	return r.Commitment != nil || r.unsealable
}

// done says whether nothing more will come of what was published: every event
// has its outcome, no fix is awaited, complete runs are scored, and what
// follows from each report is there.
func (t *tracker) done() bool {
	if len(t.open) > 0 {
		return false
	}
	for _, r := range t.runs {
		if r.Scored == nil && (r.awaitsFix() || r.complete()) || r.awaitsMore() {
			return false
		}
	}
	return true
}

// awaitsMore says whether a quarantine notice or an attestation is still to
// come: a run can be scored before what follows from its last report is stored.
func (r *trackedRun) awaitsMore() bool {
	for domain, reps := range r.Reports {
		last := reps[len(reps)-1]
		if last.Swarm.Final && r.Attested[domain] == nil || shadow.Notice(last) != nil && r.Quarantined[domain] == nil {
			return true
		}
	}
	return false
}

func (r *trackedRun) awaitsFix() bool {
	for _, reps := range r.Reports {
		if !reps[len(reps)-1].Swarm.Final {
			return true
		}
	}
	return false
}

// complete says whether every domain has its final report.
func (r *trackedRun) complete() bool {
	return r.Commitment != nil && len(r.Reports) == r.Commitment.Domains && !r.awaitsFix()
}

// missing are the domains without a bundle.
func (r *trackedRun) missing() []string {
	var names []string
	if r.Decomposition == nil {
		return nil
	}
	for _, d := range r.Decomposition.Domains {
		if r.Reports[d.Domain] == nil {
			names = append(names, d.Domain)
		}
	}
	return names
}
