package history

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ErrNoRun: nothing was committed to under that name.
var ErrNoRun = hint.Failed(errors.New("there is no such run"), "shadowd runs lists the runs on the bus")

// ErrNotSealed: there is a decomposition of the run, and no commitment yet.
var ErrNotSealed = hint.Failed(errors.New("it is not sealed, so nothing of it was judged"), "shadowd runs says what has become of it")

// ReadRun reads a run with all its outputs; ErrNoRun or ErrNotSealed if there is nothing to read. Here and in what else
// reads them, reviews count only if one of the signers, where there are any, has signed them.
func ReadRun(ctx context.Context, l layout.Subjects, js jetstream.JetStream, name string, signers ...ed25519.PublicKey) (*Run, error) {
	if err := l.CheckRun(name); err != nil {
		return nil, err
	}
	r, empty := NewRun(name), ErrNoRun
	r.Signers = signers
	var wrong error
	take := func(e Event) {
		switch {
		case e.Name != shadow.DecompositionDone:
			empty, wrong = nil, cmp.Or(wrong, e.Wrong)
		case empty != nil:
			empty = ErrNotSealed
		}
		r.Take(e)
	}
	err := readEvents(ctx, l, js, layout.StreamIn, []string{l.Decomposition(name), l.Commitment(name)}, take)
	if err == nil {
		err = readEvents(ctx, l, js, layout.StreamOut, l.RunOutputs(name), take, signers...)
	}
	if err = cmp.Or(err, wrong, empty); err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return r, nil
}

// ReadDomain reads the reports and reviews of one domain, message by message, as a
// reviewer may who has no consumer for it. It is ErrNoRun if there are none.
func ReadDomain(ctx context.Context, l layout.Subjects, js jetstream.JetStream, name, domain string, signers ...ed25519.PublicKey) (*Run, error) {
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
			if e, ok := ReadEvent(l, m); ok && e.counts(signers) {
				r.Take(e)
			}
		}
	}
	if len(r.Reports[domain]) == 0 {
		return nil, fmt.Errorf("there is no report on domain %.80q of run %s: %w", domain, name, ErrNoRun)
	}
	return r, nil
}

// Reviewed reads the domains that were reviewed, of all runs.
func Reviewed(ctx context.Context, l layout.Subjects, js jetstream.JetStream, signers ...ed25519.PublicKey) (all []*Submission, err error) {
	type place struct{ run, domain string }
	var places []place
	err = readEvents(ctx, l, js, layout.StreamOut, []string{l.RunWildcard(shadow.RunReviewed, "")}, func(e Event) {
		if p := (place{e.Run, e.Domain}); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}, signers...)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		r, err := ReadDomain(ctx, l, js, p.run, p.domain, signers...)
		if errors.Is(err, ErrNoRun) {
			continue // its report has expired
		}
		var s *Submission
		if err == nil {
			s, err = Choose(r, p.domain, nil)
		}
		if err == nil {
			err = s.Read(ctx, js)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Rejections reads the rejected events that name a run, the oldest first, among those of all runs.
func Rejections(ctx context.Context, l layout.Subjects, js jetstream.JetStream, run string) ([]Rejected, error) {
	r := NewRun(run)
	err := readEvents(ctx, l, js, layout.StreamOut, []string{l.RunWildcard(shadow.EventRejected, "")}, func(e Event) {
		if e.Run == run {
			r.Take(e)
		}
	})
	return r.Rejected, err
}
