package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
)

type demoCmd struct {
	Format string `enum:"text,json" default:"text" help:"text is for people; json prints every output event, one a line."`
	judgeFlag
}

// demoDeadline is how long the demo's commanders have for a fix. One of them
// never sends one, so this is most of what the demo takes.
const demoDeadline = 5 * time.Second

func (cmd demoCmd) Run(ctx context.Context, a *app) (err error) {
	demo, err := play.NewDemo()
	if err != nil {
		return err
	}
	cfg := config.Default()
	cfg.ShadowScoring.Hardening.Timeout = demoDeadline
	judges, err := cmd.judges(cfg)
	if err != nil {
		return err
	}
	participants, err := daemon.NewOffline(cfg, judges, a.Getenv)
	if err != nil {
		return err
	}
	b, err := daemon.Scratch(ctx, participants, "shadowd-demo", demo.Commanders(), a.logger("auto", slog.LevelError))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close(false)) }()

	following, stop := context.WithCancel(ctx)
	defer stop()
	t := a.Terminal()
	live := render.NewLive(t, true)
	show := live.Output
	if cmd.Format == "json" {
		show = printOutput(a.Stdout)
	} else {
		render.DemoStart(t, demo.Decomposition.Task)
	}
	p, err := play.NewPlayer(following, b, layout.Subjects{}, []string{demo.Decomposition.RunID}, show)
	if err != nil {
		return err
	}
	if err := demo.Play(ctx, p); err != nil {
		return err
	}
	if err := p.Wait(ctx, a.warnMissing); err != nil {
		return err
	}
	if cmd.Format == "text" {
		for _, r := range p.Runs() {
			live.End(r)
		}
		render.DemoEnd(t, len(judges) > 0)
	}
	a.warnSilent(p.Runs())
	return t.Err()
}

// printOutput prints outputs as the stored events, one a line.
func printOutput(w io.Writer) func(history.Output) error {
	e := render.NewEncoder(w)
	return func(o history.Output) error { return e.Encode(json.RawMessage(o.Raw)) }
}

// warnMissing says that an output did not come.
func (a *app) warnMissing(subject string) {
	a.Warn(fmt.Sprintf("%s did not come within %s: the log of shadowd says whether it was withheld", subject, play.SealTimeout))
}
