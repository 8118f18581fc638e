package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// auditCmd re-derives what is stored of runs.
type auditCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run."`
	All    bool   `help:"Audit all runs, and what belongs to none."`
	Format string `enum:"text,json" default:"text" help:"text lists the findings; json is one document with them."`
	configFlag
}

func (cmd auditCmd) Run(ctx context.Context, a *app) error {
	if (cmd.ID == "") != cmd.All {
		return hint.Usage(errors.New("audit what? name a run, or say --all"), "shadowd runs lists the runs on the bus")
	}
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return err
	}
	var runs []string
	if !cmd.All {
		if err := b.CheckRun(cmd.ID); err != nil {
			return err
		}
		runs = []string{cmd.ID}
	}
	key, err := b.ring("audit")
	if err != nil {
		return err
	}
	if b.signers == nil {
		a.Warn("the signing key is not here, so signatures are not checked: set SHADOWD_SIGNING_KEY to its file, or to what shadowd keys public prints")
	}
	found, err := bus.Audit(ctx, b.Subjects, b.js, key, b.signers, runs...)
	if err != nil {
		return fmt.Errorf("auditing %s: %w", b.nc.ConnectedUrlRedacted(), err)
	}
	if !cmd.All && found.Runs == 0 && found.Events == 0 {
		return fmt.Errorf("run %s: %w", cmd.ID, history.ErrNoRun)
	}
	err = printAs(a, cmd.Format, found, render.Audit)
	if err == nil && found.Errors > 0 {
		err = hint.Failed(errors.New(shadow.Count(found.Errors, "error")+" in what is stored"), "docs/audit.md explains each finding")
	}
	return err
}

type verifyCmd struct {
	File   string `arg:"" help:"What report --format intoto prints, or the events of final reports and of reviews; - reads standard input."`
	Key    string `required:"" placeholder:"PUB" help:"File with the public key, as shadowd keys public prints it. Get it from who runs shadowd, not with the attestation."`
	Bundle string `placeholder:"FILE" help:"Data of a bundle-complete or fix-submitted event, byte for byte: one of the attestations must be about it."`
	ID     string `name:"run" placeholder:"RUN" help:"They must be all of this run: one for each of its domains, and no other."`
	Passed bool   `help:"Exit with 1 unless every result is PASSED, of all domains of each run."`
}

func (cmd verifyCmd) Run(a *app) error {
	signers, err := keys.ReadPublic(cmd.Key)
	if err != nil {
		return hint.Usage(err, "shadowd keys public > shadowd.pub")
	}
	all, err := input.Attestations(cmd.File, a.Stdin)
	if err != nil {
		return hint.Usage(err, "the file is what shadowd report RUN --format intoto prints")
	}
	var bundle string
	if cmd.Bundle != "" {
		data, err := os.ReadFile(cmd.Bundle)
		if err != nil {
			return hint.Usage(err, "")
		}
		bundle = strings.TrimPrefix(shadow.Digest(data), "sha256:")
	}
	var wrong []error
	var good []*attest.Statement
	about := false
	for i, e := range all {
		st, err := showAttested(a.Terminal(), e, signers)
		if err == nil && st != nil {
			good = append(good, st)
			about = about || st.Subject[0].Digest.SHA256 == bundle
			if cmd.Passed && st.Predicate.Result != attest.Passed {
				err = fmt.Errorf("the result is %s, not PASSED", st.Predicate.Result)
			}
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("attestation %d: %w", i+1, err))
		}
	}
	if cmd.Bundle != "" && !about {
		wrong = append(wrong, fmt.Errorf("no attestation that holds is about %s, whose digest is sha256:%s", cmd.Bundle, bundle))
	}
	if cmd.Passed && len(good)+len(wrong) == 0 {
		wrong = append(wrong, errors.New("no attestation is about a report: there are reviews alone"))
	}
	if cmd.ID != "" || cmd.Passed {
		wrong = append(wrong, attest.Complete(good, cmd.ID)...)
	}
	return errors.Join(wrong...)
}

// showAttested shows what is signed, if the signature holds. The statement is nil for what is about a review.
func showAttested(t *render.Terminal, e *attest.Envelope, signers []ed25519.PublicKey) (*attest.Statement, error) {
	if e.PayloadType == attest.ReviewedType {
		d, id, err := attest.OpenReviewed(e, signers...)
		if err != nil {
			return nil, err
		}
		return nil, render.SignedReview(t, d, id)
	}
	st, id, err := attest.Open(e, signers...)
	if err != nil {
		return nil, err
	}
	return st, render.Statement(t, st, id)
}
