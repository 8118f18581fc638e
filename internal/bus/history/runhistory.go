// Package history reads what is stored about runs, for those who watch and for
// the operator's commands. It changes nothing.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Run is what the outputs of a run say of it.
type Run struct {
	ID string
	// Decomposition is the one that was committed to; nil if it is not known.
	Decomposition *shadow.Decomposition
	Commitment    *shadow.Commitment
	// Reports are by domain, in the order of cycles; so are Requests.
	Reports     map[string][]*shadow.Report
	Requests    map[string][]*shadow.HardeningData
	Quarantined map[string]*shadow.QuarantineData // by domain
	Attested    map[string]*attest.Envelope       // of signed reports, by domain
	Scored      *shadow.RunData                   // nil until it is
	Reviews     []*shadow.ReviewedData            // in the order of the log
	// Digests are those of the data of the reports' events, which reviews name.
	Digests map[*shadow.Report]string
	// Rejected are the events that were refused, and Unsealable whether the
	// decomposition was. Rejections name a run in their data only: [Rejections]
	// reads them, or whoever follows the log.
	Rejected   []*shadow.Rejection
	Unsealable bool
	// Stored is when the above were stored, by their pointers, as far as they
	// were read off a stream.
	Stored map[any]time.Time
}

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

// Take takes in an output of the run. Its error says that it cannot be read.
func (r *Run) Take(o Output) error {
	switch o.Name {
	case shadow.EnvelopeSealed:
		r.Commitment = &shadow.Commitment{}
		r.Stored[r.Commitment] = o.Time
		return o.decode(r.Commitment)
	case shadow.GapReport:
		rep := &shadow.Report{}
		r.Stored[rep], r.Digests[rep] = o.Time, shadow.Digest(o.Event.Data())
		r.Reports[o.Domain] = append(r.Reports[o.Domain], rep)
		err := o.decode(rep)
		if e, wrong := attest.FromReport(rep, o.Event.Data(), cloudevent.SignatureOf(o.Event)); wrong == nil && err == nil && rep.Swarm.Final {
			r.Attested[o.Domain] = e
		}
		slices.SortStableFunc(r.Reports[o.Domain], func(a, b *shadow.Report) int { return cmp.Compare(a.Swarm.Cycle, b.Swarm.Cycle) })
		return err
	case shadow.HardeningRequest:
		h := &shadow.HardeningData{}
		r.Stored[h] = o.Time
		r.Requests[o.Domain] = append(r.Requests[o.Domain], h)
		return o.decode(h)
	case shadow.BundleQuarantined:
		r.Quarantined[o.Domain] = &shadow.QuarantineData{}
		return o.decode(r.Quarantined[o.Domain])
	case shadow.RunReviewed:
		v := &shadow.ReviewedData{}
		r.Reviews = append(r.Reviews, v)
		err := o.decode(v)
		slices.SortStableFunc(r.Reviews, func(a, b *shadow.ReviewedData) int { return cmp.Compare(a.In.Sequence, b.In.Sequence) })
		return err
	case shadow.RunScored:
		r.Scored = &shadow.RunData{}
		r.Stored[r.Scored] = o.Time
		return o.decode(r.Scored)
	}
	return nil
}

// Domains are those of the run in the order of its decomposition; by name where
// neither that nor the run's sum is known.
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

// Missing are the domains whose bundle never came, as far as they are known;
// before the run is scored, those without a report.
func (r *Run) Missing() []string {
	if r.Scored != nil {
		return r.Scored.Missing
	}
	return r.without(nil)
}

// Lost are the domains of a scored run whose reports are gone: they expired, or
// somebody took them away.
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

// Review is the review of a report that counts, the last one, or nil.
func (r *Run) Review(rep *shadow.Report) *shadow.ReviewedData {
	for _, v := range slices.Backward(r.Reviews) {
		if v.Domain == rep.Swarm.Domain && v.Review.Cycle == rep.Swarm.Cycle {
			return v
		}
	}
	return nil
}

// Report is the report on a cycle of a domain, the last one of several, or nil.
func (r *Run) Report(domain string, cycle int) *shadow.Report {
	for _, rep := range slices.Backward(r.Reports[domain]) {
		if rep.Swarm.Cycle == cycle {
			return rep
		}
	}
	return nil
}

// ErrNoRun: nothing was committed to under that name.
var ErrNoRun = errors.New("there is no such run")

// ErrNotSealed: there is a decomposition of the run, and no commitment yet.
var ErrNotSealed = errors.New("the run is not sealed, so nothing of it was judged")

// ReadRun reads a run with all its outputs. It is ErrNoRun or ErrNotSealed if
// there is nothing to read.
func ReadRun(ctx context.Context, l layout.Subjects, js jetstream.JetStream, name string) (*Run, error) {
	if err := l.CheckRun(name); err != nil {
		return nil, err
	}
	r, found := NewRun(name), false
	var decompositions []Output
	take := func(o Output) error {
		if o.Name == shadow.DecompositionDone {
			decompositions = append(decompositions, o)
			return nil
		}
		found = true
		if err := shadow.Validate(o.Name, o.Event.Data()); err != nil {
			return fmt.Errorf("message %d on %s: %w", o.Seq, o.Subject, err)
		}
		return r.Take(o)
	}
	err := readOutputs(ctx, l, js, layout.StreamIn, []string{l.Decomposition(name), l.Commitment(name)}, take)
	if err == nil {
		err = readOutputs(ctx, l, js, layout.StreamOut, l.RunOutputs(name), take)
	}
	switch {
	case err != nil:
		return nil, err
	case !found && len(decompositions) > 0:
		return nil, ErrNotSealed
	case !found:
		return nil, ErrNoRun
	}
	for _, o := range decompositions {
		if r.Commitment == nil || shadow.Digest(o.Event.Data()) != r.Commitment.DecompositionDigest {
			continue
		}
		if in, _, err := shadow.Decode(shadow.DecompositionDone, o.Event.Data()); err == nil {
			r.Decomposition = in.(*shadow.Decomposition)
		}
	}
	return r, nil
}

// ReadDomain reads the reports and reviews of one domain, message by message, as a
// reviewer may who has no consumer for it. It is ErrNoRun if there are none.
func ReadDomain(ctx context.Context, l layout.Subjects, js jetstream.JetStream, name, domain string) (*Run, error) {
	if err := l.CheckRun(name); err != nil {
		return nil, err
	}
	r := NewRun(name)
	for _, subject := range []string{l.Subject(shadow.GapReport, name, domain, "*"), l.Subject(shadow.RunReviewed, name, domain, "*")} {
		for seq := uint64(1); ; {
			m, err := streams.Next(ctx, js, layout.StreamOut, subject, seq)
			if err != nil {
				return nil, err
			}
			if m == nil {
				break
			}
			seq = m.Seq + 1
			o, ok := ReadOutput(l, m)
			if !ok || shadow.Validate(o.Name, o.Event.Data()) != nil {
				continue
			}
			if err := r.Take(o); err != nil {
				return nil, err
			}
		}
	}
	if len(r.Reports[domain]) == 0 {
		return nil, ErrNoRun
	}
	return r, nil
}

// Reviewed reads the domains that were reviewed, of all runs.
func Reviewed(ctx context.Context, l layout.Subjects, js jetstream.JetStream) (all []*Submission, err error) {
	type place struct{ run, domain string }
	var places []place
	err = readOutputs(ctx, l, js, layout.StreamOut, []string{l.RunWildcard(shadow.RunReviewed, "")}, func(o Output) error {
		if p := (place{o.Run, o.Domain}); !slices.Contains(places, p) {
			places = append(places, p)
		}
		return nil
	})
	for i := 0; err == nil && i < len(places); i++ {
		var r *Run
		if r, err = ReadDomain(ctx, l, js, places[i].run, places[i].domain); errors.Is(err, ErrNoRun) {
			err = nil // its report has expired
			continue
		} else if err != nil {
			break
		}
		var s *Submission
		if s, err = Choose(r, places[i].domain, nil); err == nil {
			all, err = append(all, s), s.Read(ctx, js)
		}
	}
	return all, err
}

// Rejections reads the rejected events that name a run, the oldest first. It
// reads those of all runs, since their subjects name none.
func Rejections(ctx context.Context, l layout.Subjects, js jetstream.JetStream, run string) (all []*shadow.Rejection, err error) {
	err = readOutputs(ctx, l, js, layout.StreamOut, []string{l.Subject(shadow.EventRejected, "*", "*")}, func(o Output) error {
		if o.Run == run {
			all = append(all, o.Rejection)
		}
		return nil
	})
	return all, err
}

// readOutputs hands every event that is stored by now on some subjects of a
// stream to take, in order.
func readOutputs(ctx context.Context, l layout.Subjects, js jetstream.JetStream, stream string, subjects []string, take func(Output) error) error {
	return streams.Read(ctx, js, stream, subjects, func(m *streams.Message) error {
		if o, ok := ReadOutput(l, m); ok {
			return take(o)
		}
		return nil
	})
}
