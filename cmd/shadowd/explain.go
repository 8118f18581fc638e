package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// explainCmd explains to the operator how a bundle was judged.
type explainCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Domain string `arg:"" help:"The domain whose bundle is explained."`
	Cycle  *int   `placeholder:"N" help:"Explain the submission of this cycle instead of the one that stands: 0 is the bundle, 1 the first fix."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	configFlag
}

func (explainCmd) Help() string {
	return `Opens the envelope of a finished run, with the envelope key of the configuration, judges the stored bundle once more and shows criterion by criterion what was asked, what was found and where, what the commander was told, and what consensus should do. What it prints is sealed text: for the operator's eyes. That it was opened is recorded first, as envelope-opened on the bus. While a run is under way it refuses, since whoever reads the envelope before the end defeats the seal.

Examples:

    shadowd explain my-run testing
    shadowd explain my-run testing --cycle 0 | less -R`
}

func (cmd explainCmd) Run(ctx context.Context, a *app) error {
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	r, err := b.run(ctx, cmd.ID)
	if err != nil {
		return err
	}
	x := &explanation{run: r}
	if err := x.choose(cmd.Domain, cmd.Cycle); err != nil {
		return err
	}
	if err := b.openEnvelope(ctx, x, opening{command: "explain", run: cmd.ID, reason: "explain " + cmd.Domain, force: cmd.Force}); err != nil {
		return err
	}
	if err := b.judgeAgain(ctx, x); err != nil {
		return err
	}
	x.print(newStory(a.Stdout, a.Getenv("NO_COLOR") == ""))
	return nil
}

// explanation is all that is known about one submission of a domain.
type explanation struct {
	run      *trackedRun
	reports  []*shadow.Report // of the domain, in the order of cycles
	last     *shadow.Report
	cycle    int // whose submission is explained
	envelope *shadow.Envelope
	// broken is why the envelope is not the one that was committed to.
	broken string
	// unverified: the log no longer has the commitment to hold it against.
	unverified bool
	// bundle is the submission, and judgement what its criteria say once
	// more; withheld is why there is no judgement.
	bundle    *shadow.Bundle
	judgement *shadow.Judgement
	withheld  string
}

// choose settles which submission is explained.
func (x *explanation) choose(domain string, cycle *int) error {
	x.reports = x.run.Reports[domain]
	if len(x.reports) == 0 && slices.Contains(x.run.domains(), domain) {
		if x.run.Scored != nil {
			return hint.Failed(fmt.Errorf("no bundle of domain %s came: run %s ended without it", domain, x.run.ID), "")
		}
		return hint.Failed(fmt.Errorf("no bundle of domain %s has been reported yet", domain), "")
	}
	if len(x.reports) == 0 {
		return hint.Failed(fmt.Errorf("run %s has no domain %.80q", x.run.ID, domain), "its domains are "+strings.Join(x.run.domains(), ", "))
	}
	x.last = x.reports[len(x.reports)-1]
	x.cycle = x.last.Swarm.AcceptedCycle
	if cycle != nil {
		x.cycle = *cycle
	}
	for _, c := range x.last.Swarm.Cycles {
		if c.Cycle == x.cycle {
			return nil
		}
	}
	return hint.Failed(fmt.Errorf("no submission of cycle %d was judged for domain %s of run %s", x.cycle, domain, x.run.ID),
		fmt.Sprintf("there are cycles 0 to %d", len(x.last.Swarm.Cycles)-1))
}

// report is the report that was written on the submission.
func (x *explanation) report() *shadow.Report {
	for _, r := range slices.Backward(x.reports) {
		if r.Swarm.Cycle == x.cycle {
			return r
		}
	}
	return x.last
}

// checker is what the submission was judged by; the report on a broken seal
// does not say it.
func (x *explanation) checker() string {
	if v := x.report().Swarm.CheckerVersion; v != "" {
		return v
	}
	return x.envelope.CheckerVersion
}

// openEnvelope records that the run's envelope is opened, decrypts it, and
// holds it against the commitment in the log.
func (b *openedBus) openEnvelope(ctx context.Context, x *explanation, look opening) error {
	stored, key, err := b.sealedBox(ctx, look)
	if err != nil {
		return err
	}
	defer key.Wipe()
	x.envelope, err = shadow.Decrypt(stored, key)
	if err == nil && x.run.Commitment == nil {
		x.unverified = true
	} else if err == nil {
		err = x.envelope.Verify(x.run.Commitment)
	}
	if errors.Is(err, shadow.ErrSealBroken) {
		x.broken = err.Error()
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the envelope of run %s: %w", x.run.ID, err)
	}
	return nil
}

// judgeAgain judges the stored submission once more: the report holds what
// failed, but not what was let pass and why.
func (b *openedBus) judgeAgain(ctx context.Context, x *explanation) error {
	exam, ev, err := b.evidence(ctx, x)
	if exam != nil {
		ev.Panel = x.report().Panel()
		x.judgement = exam.Judge(ev)
	}
	return err
}

// evidence is the stored submission and the exam that it was judged by. Where
// it cannot be judged once more there is none of them, and withheld says why.
func (b *openedBus) evidence(ctx context.Context, x *explanation) (*shadow.Exam, *shadow.Evidence, error) {
	rep := x.report()
	digest := x.last.Swarm.Cycles[x.cycle].BundleDigest
	header, data, err := bus.Input(ctx, b.js, rep.Swarm.In.Sequence)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		x.withheld = "the bundle is no longer stored"
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the bundle: %w", err)
	}
	ev, err := bus.Decode(header, data)
	if err != nil || shadow.Digest(ev.Data()) != digest {
		x.withheld = "what is stored where the bundle was is not what was judged"
		return nil, nil, nil
	}
	name := shadow.BundleComplete
	if x.cycle > 0 {
		name = shadow.FixSubmitted
	}
	in, err := shadow.Decode(name, ev.Data())
	if err != nil {
		return nil, nil, fmt.Errorf("reading the bundle: %w", err)
	}
	sub := in.(*shadow.Submission)
	x.bundle = &sub.Bundle
	switch {
	case x.broken != "" || x.envelope == nil:
		x.withheld = "the seal is broken"
		return nil, nil, nil
	case x.checker() != check.Version:
		x.withheld = fmt.Sprintf("it was judged by %s, and this program is %s, which may judge otherwise", x.checker(), check.Version)
		return nil, nil, nil
	}
	commitment := x.envelope.Commitment()
	exam, err := shadow.NewExam(x.envelope, &commitment, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("judging once more: %w", err)
	}
	return exam, &shadow.Evidence{
		Submission: sub, Raw: ev.Data(), Digest: digest, In: rep.Swarm.In,
		BeforeSeal: slices.Contains(rep.Swarm.AdvisoryReasons, shadow.BeforeSeal), Unwalled: rep.Swarm.Unwalled,
	}, nil
}
