package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Submission is all that is known about one submission of a domain, for the operator, who may look into the envelope.
type Submission struct {
	Run    *Run
	Domain string
	Cycle  int            // that it was handed in for: 0 is the bundle
	Last   *shadow.Report // of the domain
	Opened
	// Bundle is the submission itself, and Withheld why it cannot be had.
	Bundle   *shadow.Bundle
	Withheld string
}

// Opened is the envelope of a run, opened.
type Opened struct {
	Envelope *shadow.Envelope // nil if it cannot be read
	// Broken is why it is not the one that was committed to.
	Broken string
	// Unverified: the log does not have the commitment to hold it against.
	Unverified bool
}

// Choose finds a submission of a domain: that of the cycle, or the one that stands if cycle is nil.
func Choose(r *Run, domain string, cycle *int) (*Submission, error) {
	s := &Submission{Run: r, Domain: domain, Last: r.Last(domain)}
	switch {
	case s.Last != nil:
	case !slices.Contains(r.Domains(), domain):
		return nil, noDomain(r, domain)
	case r.Scored != nil:
		return nil, fmt.Errorf("no bundle of domain %s came: run %s ended without it", domain, r.ID)
	default:
		return nil, fmt.Errorf("no bundle of domain %s has been reported yet", domain)
	}
	cycles := s.Last.Swarm.Cycles
	if s.Cycle = s.Last.Swarm.AcceptedCycle; cycle != nil {
		s.Cycle = *cycle
	}
	if s.Cycle < 0 || s.Cycle >= len(cycles) || cycles[s.Cycle].Cycle != s.Cycle {
		return nil, hint.Failed(fmt.Errorf("no submission of cycle %d was judged for domain %s of run %s", s.Cycle, domain, r.ID),
			fmt.Sprintf("its last cycle is %d", len(cycles)-1))
	}
	return s, nil
}

// noDomain is the error where a run has no domain of that name.
func noDomain(r *Run, domain string) error {
	return hint.Failed(fmt.Errorf("run %s has no domain %.80q", r.ID, domain), "its domains are "+strings.Join(r.Domains(), ", "))
}

// Report is the report that was written on the submission.
func (s *Submission) Report() *shadow.Report {
	return cmp.Or(s.Run.Report(s.Domain, s.Cycle), s.Last)
}

// BallotOn is what judges said to a criterion, by its id, or an item, by its name, or nil.
func (s *Submission) BallotOn(about string) *shadow.Ballot {
	return shadow.BallotOn(s.Report().Swarm.Ballots, about)
}

// Open decrypts the stored envelope of a run and holds it against the commitment in the log.
func Open(r *Run, stored []byte, key *shadow.Ring) (e Opened, err error) {
	e.Envelope, err = shadow.Decrypt(stored, key)
	switch {
	case err != nil:
	case r.Commitment == nil:
		e.Unverified = true
	default:
		err = e.Envelope.Verify(r.Commitment)
	}
	if errors.Is(err, shadow.ErrSealBroken) {
		e.Broken, err = err.Error(), nil
	}
	if err != nil {
		err = fmt.Errorf("opening the envelope of run %s: %w", r.ID, err)
	}
	return e, err
}

// Read reads the bundle of the submission. Withheld says why it cannot be had.
func (s *Submission) Read(ctx context.Context, js jetstream.JetStream) error {
	m, err := streams.At(ctx, js, layout.StreamIn, s.Report().Swarm.In.Sequence)
	if err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	if m == nil {
		s.Withheld = "the bundle is no longer stored"
		return nil
	}
	name := shadow.BundleComplete
	if s.Cycle > 0 {
		name = shadow.FixSubmitted
	}
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err != nil || shadow.Digest(ev.Data()) != s.Last.Swarm.Cycles[s.Cycle].BundleDigest {
		s.Withheld = "what is stored where the bundle was is not what was judged"
		return nil
	}
	e := NewEvent(shadow.Address{Name: name}, ev)
	if e.Wrong != nil {
		return fmt.Errorf("reading the bundle: %w", e.Wrong)
	}
	s.Bundle = &e.Payload.(*shadow.Submission).Bundle
	return nil
}

// Reports gives a run's reports in the order of its decomposition: the last of each domain, or of one, or those of a cycle.
func Reports(r *Run, domain string, cycle *int) ([]*shadow.Report, error) {
	var reports []*shadow.Report
	for _, d := range r.Domains() {
		rep := r.Last(d)
		if cycle != nil {
			rep = r.Report(d, *cycle)
		}
		if rep != nil && (domain == "" || d == domain) {
			reports = append(reports, rep)
		}
	}
	switch {
	case len(reports) > 0 || domain == "" && cycle == nil:
		return reports, nil
	case domain != "" && !slices.Contains(r.Domains(), domain):
		return nil, noDomain(r, domain)
	case cycle != nil:
		return nil, hint.Failed(fmt.Errorf("run %s has no such report of cycle %d", r.ID, *cycle), "without --cycle the last report of each domain is shown")
	}
	return nil, fmt.Errorf("there is no report on domain %s of run %s yet", domain, r.ID)
}
