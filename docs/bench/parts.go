//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// parts measures what the parts of a bundle's work take, each alone.
func (b *bench) parts(ctx context.Context, c *cpu) error {
	m, err := event("", shadow.BundleComplete, 0, bundle("bench", 0, b.Words))
	if err != nil {
		return err
	}
	var ev shadow.Evidence
	if c.Reading, err = each(func() error {
		ev, err = read(m.Data)
		return err
	}); err != nil {
		return err
	}
	var e *shadow.Envelope
	checks := shadow.NewChecks() // a daemon compiles a check once for all runs
	if c.Sealing, err = each(func() error {
		e, err = shadow.Seal(ctx, decomposition("bench"), shadow.SealInput{Settings: &b.cfg.Settings, Now: time.Now(), Rand: rand.Reader, Checks: checks})
		return err
	}); err != nil {
		return err
	}
	c.Sealing /= domains
	exam, err := e.Exam(nil)
	if err != nil {
		return err
	}
	var r *shadow.Report
	if c.Judging, err = each(func() error {
		r = exam.Decide(ev, nil, time.Time{})
		return nil
	}); err != nil {
		return err
	}
	c.Signing, err = each(func() error {
		report, err := shadow.Encode(r)
		if err != nil {
			return err
		}
		statement, err := shadow.Encode(attest.Of(r, report))
		if err != nil {
			return err
		}
		_, err = b.cfg.Signer.Sign(statement)
		return err
	})
	return err
}

// read reads the event of a bundle as the engine does.
func read(data []byte) (ev shadow.Evidence, err error) {
	e, err := cloudevent.Decode(nil, data)
	if err != nil {
		return ev, err
	}
	decoded, _, err := shadow.Decode(shadow.BundleComplete, e.Data())
	if err != nil {
		return ev, err
	}
	submission, ok := decoded.(*shadow.Submission)
	if !ok {
		return ev, fmt.Errorf("a bundle is read as %T", decoded)
	}
	return shadow.Evidence{Submission: submission, Raw: e.Data(), Digest: shadow.Digest(e.Data())}, nil
}

// each is what some work takes, in microseconds of all processors.
func each(work func() error) (float64, error) {
	const times = 200
	if err := work(); err != nil { // warms up
		return 0, err
	}
	used := cpuTime()
	for range times {
		if err := work(); err != nil {
			return 0, err
		}
	}
	return us(cpuTime()-used) / times, nil
}
