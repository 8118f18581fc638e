package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// rejudgeFlags make of report the question what judges say now.
type rejudgeFlags struct {
	Rejudge bool `help:"Put to the judges again what is undecided or unread, and compare. Formats: text and json."`
	All     bool `help:"With --rejudge: everything that the checks leave open."`
	Force   bool `help:"With --rejudge: open the envelope though the run is not finished."`
	judgeFlag
}

// checkRejudge refuses flags that go with --rejudge alone, or not with it.
func (cmd reportCmd) checkRejudge() error {
	if !cmd.Rejudge {
		if cmd.All || cmd.Force || len(cmd.Judge) > 0 {
			return hint.Usage(errors.New("--all, --force and --judge go with --rejudge"), "without it, report shows what is stored and asks nobody")
		}
		return nil
	}
	switch {
	case cmd.File != "":
		return hint.Usage(errors.New("--rejudge needs the bundles and the envelope, and --file has reports only"), "leave --file out to read the bus")
	case cmd.Cycle != nil:
		return hint.Usage(errors.New("--rejudge is about the submission that stands: --cycle does not go with it"), "")
	case cmd.Strict:
		return hint.Usage(errors.New("--rejudge changes no report, so there is nothing for --strict to decide"), "")
	case cmd.Format != "text" && cmd.Format != "json":
		return hint.Usage(fmt.Errorf("--rejudge has no format %s: use text or json", cmd.Format), "")
	}
	return nil
}

// rejudge asks the judges once more.
func (cmd reportCmd) rejudge(ctx context.Context, a *app) error {
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	if err := cmd.apply(a, b.cfg); err != nil {
		return err
	}
	if len(b.cfg.Judging.Panel) == 0 {
		return hint.Usage(errors.New("there is nobody to ask: judging.panel has no judges"), judgeHint)
	}
	judges := slices.DeleteFunc(b.cfg.Services(), func(s config.Service) bool { return s.Role != bus.RoleJudge })
	if err := checkServices(b.cfg.People(), judges); err != nil {
		return err
	}
	v, err := newJudges(b.cfg, a.Getenv)
	if err != nil {
		return err
	}
	l, done, err := b.line(a)
	if err != nil {
		return err
	}
	defer done()
	p, err := v.panel(l, nil)
	if err != nil {
		return err
	}
	return cmd.rejudgeWith(ctx, a, b, p)
}

// rejudgeWith asks a panel and prints the comparison.
func (cmd reportCmd) rejudgeWith(ctx context.Context, a *app, b *openedBus, p bus.Panel) error {
	r, err := b.run(ctx, cmd.ID)
	if err != nil {
		return err
	}
	chosen, err := cmd.toRejudge(r)
	if err != nil {
		return err
	}
	c := &comparison{Run: cmd.ID, Judges: []shadow.AuthorRef{}, Domains: []*rejudged{}}
	if len(chosen) > 0 {
		look := opening{command: "report --rejudge", run: cmd.ID, reason: "rejudge", force: cmd.Force}
		if err := b.openEnvelope(ctx, chosen[0], look); err != nil {
			return err
		}
	}
	for _, x := range chosen {
		x.envelope, x.broken, x.unverified = chosen[0].envelope, chosen[0].broken, chosen[0].unverified
		if err := c.judge(ctx, b, x, p, cmd.All); err != nil {
			return err
		}
	}
	if cmd.Format == "json" {
		enc := render.NewEncoder(a.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(c); err != nil {
			return err
		}
	} else {
		c.print(newStory(a.Stdout, a.Getenv("NO_COLOR") == ""))
	}
	return c.failed()
}

// toRejudge lists the submissions to judge: those that stand, of the domains
// that are asked for, as far as there may be something to judge.
func (cmd reportCmd) toRejudge(r *trackedRun) ([]*explanation, error) {
	var chosen []*explanation
	var bundles []string
	known := false
	for _, domain := range r.domains() {
		if len(r.Reports[domain]) == 0 {
			known = known || domain == cmd.Domain
			continue
		}
		x := &explanation{run: r}
		if err := x.choose(domain, nil); err != nil {
			return nil, err
		}
		bundle := x.last.Swarm.BundleID
		bundles = append(bundles, bundle)
		if cmd.Domain != "" && domain != cmd.Domain || cmd.Bundle != "" && bundle != cmd.Bundle {
			continue
		}
		known = true
		if cmd.All || leavesOpen(x.last) {
			chosen = append(chosen, x)
		}
	}
	switch {
	case known || cmd.Domain == "" && cmd.Bundle == "":
		return chosen, nil
	case cmd.Domain != "":
		return nil, hint.Failed(fmt.Errorf("run %s has no domain %.80q", r.ID, cmd.Domain), "its domains are "+orNone(r.domains()))
	}
	return nil, hint.Failed(fmt.Errorf("run %s has no report on a bundle %.80q", r.ID, cmd.Bundle), "there are reports on "+orNone(bundles))
}

// leavesOpen reports whether a report has something undecided or unread.
func leavesOpen(rep *shadow.Report) bool {
	s := &rep.Swarm
	return len(s.Undecided) > 0 || s.Read.Read < s.Read.Items
}

// judge adds a domain to the comparison.
func (c *comparison) judge(ctx context.Context, b *openedBus, x *explanation, p bus.Panel, all bool) error {
	d := &rejudged{Domain: x.last.Swarm.Domain, BundleID: x.last.Swarm.BundleID, Cycle: x.cycle, Criteria: []reconsider{}}
	exam, ev, err := b.evidence(ctx, x)
	if err != nil {
		return err
	}
	if d.Withheld = x.withheld; exam == nil {
		c.Domains = append(c.Domains, d)
		return nil
	}
	rep := x.report()
	qs := slices.DeleteFunc(exam.Questions(ev), func(q shadow.Question) bool {
		return !all && before(rep, &q) != shadow.Undecided
	})
	if len(qs) == 0 {
		return nil
	}
	now, err := p.Ask(ctx, qs)
	if err != nil {
		return fmt.Errorf("asking the judges: %w", err)
	}
	c.Judges, c.Domains = now.Judges, append(c.Domains, d)
	for i := range qs {
		d.Criteria = append(d.Criteria, c.reconsidered(rep, &qs[i], &now.Ballots[i]))
	}
	// What is not asked again stands as it was voted.
	ev.Panel = now
	was := rep.Panel()
	for i := range was.Ballots {
		if !slices.ContainsFunc(now.Ballots, func(b shadow.Ballot) bool { return sameSubject(&b, &was.Ballots[i]) }) {
			ev.Panel.Ballots = append(ev.Panel.Ballots, was.Ballots[i])
		}
	}
	for _, j := range was.Judges {
		if !slices.ContainsFunc(now.Judges, func(n shadow.AuthorRef) bool { return n.Name == j.Name }) {
			ev.Panel.Judges = append(slices.Clone(ev.Panel.Judges), j)
		}
	}
	d.Before, d.Now = standingOf(x.last), x.follows(exam, ev)
	return nil
}

// follows is what would follow if the judges had said then what they say now.
func (x *explanation) follows(exam *shadow.Exam, ev *shadow.Evidence) *standing {
	rep := x.report()
	var prev *shadow.Report
	for _, r := range x.reports {
		if r.Swarm.Cycle == x.cycle-1 {
			prev = r
		}
	}
	var deadline time.Time
	if d := rep.Swarm.Hardening.Deadline; d != nil {
		deadline = *d
	}
	s := standingOf(exam.Decide(*ev, prev, deadline))
	// The time for a fix is over: the gate is that of the score.
	if s.Gate == shadow.Pending && x.last.Swarm.Final {
		s.Gate = s.Level.Action()
	}
	return s
}
