package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
)

// reportCmd shows the reports of a run.
type reportCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run. It may be left out with --file where the file holds one run."`
	Domain string `placeholder:"NAME" help:"Show the report of this domain only."`
	Cycle  *int   `placeholder:"N" help:"Show the reports of this cycle instead of each domain's last: 0 judges the bundles, 1 the first fixes."`
	File   string `placeholder:"FILE" help:"Read what replay, demo or watch wrote with --format json, instead of the bus; - reads standard input."`
	Format string `enum:"${run_formats}" default:"text" help:"${run_formats_help}."`
	Strict bool   `help:"Exit with 1 unless all is final, nothing is advisory, and every gate is enforced and says proceed or warn."`
	configFlag
}

func (cmd reportCmd) Run(ctx context.Context, a *app) error {
	if cmd.ID == "" && cmd.File == "" {
		return hint.Usage(errors.New("which run? name it"), "shadowd runs lists the runs on the bus")
	}
	r, err := cmd.find(ctx, a)
	if err != nil {
		return err
	}
	reports, err := history.Reports(r, cmd.Domain, cmd.Cycle)
	if err != nil {
		return err
	}
	doc := render.OfRun(r, reports)
	if cmd.Domain != "" || cmd.Cycle != nil {
		doc.Run = nil
	}
	if err := renderAs(a, cmd.Format, doc); err != nil {
		return err
	}
	if !cmd.Strict {
		return nil
	}
	return errors.Join(doc.Problems()...)
}

// find reads the run from the file or the bus.
func (cmd reportCmd) find(ctx context.Context, a *app) (*history.Run, error) {
	if cmd.File != "" {
		text, err := input.Read(cmd.File, a.Stdin, input.MaxEvents)
		if err != nil {
			return nil, hint.Usage(err, "")
		}
		return history.FromFile(input.Name(cmd.File), input.Lines(text), cmd.ID)
	}
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := b.run(ctx, cmd.ID)
	if err == nil {
		r.Rejected, err = history.Rejections(ctx, b.Subjects, b.js, cmd.ID)
	}
	return r, err
}

// runsCmd lists the runs on the bus.
type runsCmd struct {
	Limit  int    `placeholder:"N" help:"List the newest N runs only."`
	Format string `enum:"text,json" default:"text" help:"text is a table; json is an object for each run, one a line."`
	configFlag
}

func (cmd runsCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	runs, err := history.List(ctx, b.Subjects, b.js, b.signers...)
	if err != nil {
		return err
	}
	if cmd.Limit > 0 {
		runs = runs[:min(len(runs), cmd.Limit)]
	}
	if cmd.Format == "text" {
		return render.Runs(a.Terminal(), runs)
	}
	e := render.NewEncoder(a.Stdout)
	for _, r := range runs {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// explainCmd explains to the operator how a bundle was judged.
type explainCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Domain string `arg:"" help:"The domain whose bundle is explained."`
	Cycle  *int   `placeholder:"N" help:"Explain the submission of this cycle instead of the one that stands: 0 is the bundle, 1 the first fix."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	configFlag
}

func (cmd explainCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	r, err := b.run(ctx, cmd.ID)
	if err != nil {
		return err
	}
	s, err := history.Choose(r, cmd.Domain, cmd.Cycle)
	if err != nil {
		return err
	}
	if s.Opened, err = b.opened(ctx, "explain", r, "explain "+cmd.Domain, cmd.Force); err != nil {
		return err
	}
	if err := s.Read(ctx, b.js); err != nil {
		return err
	}
	return render.Explain(a.Terminal(), s)
}

// openCmd shows a sealed envelope.
type openCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	Reason string `placeholder:"TEXT" help:"Why, for the note."`
	Format string `enum:"text,json" default:"text" help:"text is for reading; json is the envelope as it was hashed."`
	configFlag
}

func (cmd openCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	r, err := b.run(ctx, cmd.ID)
	if err != nil {
		return err
	}
	o, err := b.opened(ctx, "open", r, cmd.Reason, cmd.Force)
	if err != nil {
		return err
	}
	if o.Broken != "" {
		a.Warn(o.Broken + ": shadowd audit " + cmd.ID + " says more")
	}
	if o.Envelope == nil {
		return errors.New("the envelope cannot be read")
	}
	if cmd.Format == "json" {
		return a.JSON(map[string]any{"sealed_envelope": o.Envelope})
	}
	return render.Envelope(a.Terminal(), o.Envelope)
}

// watchCmd shows a run while it is under way.
type watchCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run. Without it, the newest run and all that follow are shown until you interrupt."`
	Wait   bool   `help:"Wait for a run that is not on the bus yet."`
	Format string `enum:"text,json" default:"text" help:"text is a line for each event; json is the events themselves, one a line."`
	configFlag
}

func (cmd watchCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	if cmd.ID != "" {
		if err := b.CheckRun(cmd.ID); err != nil {
			return err
		}
	}
	log := history.Log{Subjects: b.Subjects, JS: b.js, Logger: a.logger(b.cfg.Log.Format, slog.LevelError), Only: cmd.ID, Signers: b.signers, Whole: true}
	show, look := cmd.show(ctx, a, b.cfg)
	err := play.Watch(ctx, log, show, func() error {
		switch {
		case cmd.ID == "":
			a.Warn("no run is on the bus yet; waiting")
		case cmd.Wait:
			a.Warn("nothing of run " + cmd.ID + " is on the bus yet; waiting")
		default:
			return hint.Failed(fmt.Errorf("run %s: %w", cmd.ID, history.ErrNoRun), "--wait waits for one that is not there yet")
		}
		return nil
	}, look)
	if cmd.ID == "" && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how it ends
	}
	return err
}

// show prints an event. look prints for which judges bundles wait, where a daemon of this configuration can be asked.
func (cmd watchCmd) show(ctx context.Context, a *app, cfg *config.Config) (show func(history.Event) error, look func()) {
	if cmd.Format == "json" {
		e := render.NewEncoder(a.Stdout)
		return func(o history.Event) error { return e.Encode(o.Cloud) }, func() {}
	}
	live := render.NewLive(a.Terminal(), false)
	live.Head = func(o history.Event) string {
		at := o.Time.Local().Format(time.TimeOnly)
		if cmd.ID == "" {
			at += fmt.Sprintf("  %-16s", o.Run)
		}
		return at
	}
	return live.Event, func() {
		if s, err := askDaemon(ctx, cfg); err == nil {
			live.Waits(s.Judges)
		}
	}
}
