package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/review"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// rejudgeFlags make of report the question what judges say now.
type rejudgeFlags struct {
	Rejudge bool `xor:"file,cycle,strict" help:"Put to the judges again what is undecided or unread, and compare. Formats: text and json."`
	All     bool `help:"With --rejudge: everything that the checks leave open."`
	Force   bool `help:"With --rejudge: open the envelope though the run is not finished."`
	judgeFlag
}

// checkRejudge refuses flags that go with --rejudge alone, and formats that do
// not go with it.
func (cmd reportCmd) checkRejudge() error {
	switch {
	case !cmd.Rejudge && (cmd.All || cmd.Force || len(cmd.Judge) > 0):
		return hint.Usage(errors.New("--all, --force and --judge go with --rejudge"), "without it, report shows what is stored and asks nobody")
	case cmd.Rejudge && cmd.Format != "text" && cmd.Format != "json":
		return hint.Usage(fmt.Errorf("--rejudge has no format %s: use text or json", cmd.Format), "")
	}
	return nil
}

// rejudge asks the judges once more.
func (cmd reportCmd) rejudge(ctx context.Context, a *app) error {
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return err
	}
	if err := cmd.apply(a, b.cfg); err != nil {
		return err
	}
	if len(b.cfg.Judging.Panel) == 0 {
		return hint.Usage(errors.New("there is nobody to ask: judging.panel has no judges"), judgeHint)
	}
	judges := slices.DeleteFunc(b.cfg.Services(), func(s config.Service) bool { return s.Role != layout.RoleJudge })
	if err := daemon.CheckServices(b.cfg.BusUsers(), judges); err != nil {
		return err
	}
	participants, err := daemon.NewParticipants(b.cfg, a.Getenv, nil, b.cfg.Judging.Panel)
	if err != nil {
		return err
	}
	l, err := b.link(a)
	if err != nil {
		return err
	}
	p, err := participants.Panel(l, nil)
	if err != nil {
		return err
	}
	return cmd.rejudgeWith(ctx, a, b, p)
}

// rejudgeWith asks a panel and prints the comparison.
func (cmd reportCmd) rejudgeWith(ctx context.Context, a *app, b *openedBus, p bus.Panel) error {
	r, err := b.run(ctx, a, cmd.ID)
	if err != nil {
		return err
	}
	chosen, err := review.ToJudge(r, cmd.selection(), cmd.All)
	if err != nil {
		return err
	}
	if len(chosen) > 0 {
		opened, err := b.opened(ctx, "report --rejudge", r, "rejudge", cmd.Force)
		if err != nil {
			return err
		}
		for _, s := range chosen {
			s.Opened = opened
		}
	}
	asking, end := a.Progress(ctx)
	c, err := review.Rejudge(asking, b.js, cmd.ID, chosen, p, cmd.All)
	end()
	if err != nil {
		return err
	}
	return errors.Join(printAs(a, cmd.Format, c, render.Comparison), c.Err(), noVote(c))
}

// noVote is the error of judges that were asked again, none of which had a vote.
func noVote(c *review.Comparison) error {
	var ballots []shadow.Ballot
	for _, d := range c.Domains {
		for i := range d.Criteria {
			if d.Criteria[i].Ballot.Cast > 0 {
				return nil
			}
			ballots = append(ballots, d.Criteria[i].Ballot)
		}
	}
	if len(ballots) == 0 {
		return nil
	}
	return errors.New(strings.Join(render.Silent(ballots), "; "))
}
