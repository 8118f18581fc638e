package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// reportCmd shows the reports of a run.
type reportCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run. It may be left out with --file where the file holds one run."`
	Bundle string `xor:"part" placeholder:"ID" help:"Show the report of this bundle only."`
	Domain string `xor:"part" placeholder:"NAME" help:"Show the report of this domain only."`
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
	doc, err := cmd.document(r)
	if err != nil {
		return err
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
		return cmd.read(a)
	}
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return nil, err
	}
	reading, end := a.Progress(ctx)
	defer end()
	r, err := history.ReadRun(reading, b.Subjects, b.js, cmd.ID, b.signers()...)
	if err != nil && !errors.Is(err, history.ErrNotSealed) && !errors.Is(err, history.ErrNoRun) {
		return nil, b.explain(err, cmd.ID)
	}
	rejected, unread := history.Rejections(reading, b.Subjects, b.js, cmd.ID)
	switch {
	case unread != nil:
		return nil, b.explain(unread, cmd.ID)
	case err == nil:
		r.Rejected = rejected
		return r, nil
	case len(rejected) > 0:
		last := rejected[len(rejected)-1]
		return nil, hint.Failed(fmt.Errorf("run %s is not sealed; rejections of it: %d, the last one %s: %s",
			cmd.ID, len(rejected), last.Reason, shadow.Printable(last.Message)), "shadowd watch "+cmd.ID+" lists all of them")
	}
	return nil, b.explain(err, cmd.ID)
}

// document picks the reports to show, in the order of the decomposition.
func (cmd reportCmd) document(r *history.Run) (*render.Document, error) {
	chosen := history.Selection{Domain: cmd.Domain, Bundle: cmd.Bundle, Cycle: cmd.Cycle}
	reports, err := chosen.Of(r)
	if err != nil {
		return nil, err
	}
	doc := render.OfRun(r, reports)
	if chosen != (history.Selection{}) {
		doc.Run = nil
	}
	return doc, nil
}

const outputsHint = "the file is what shadowd replay, demo or watch prints with --format json"

// read reads the run from a file of output events, one a line. Without a name
// it is the file's only run.
func (cmd reportCmd) read(a *app) (*history.Run, error) {
	file := input.Name(cmd.File)
	text, err := input.Read(cmd.File, a.Stdin, input.MaxEvents)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	runs := map[string]*history.Run{}
	var unjudged error // what shadowd watch prints has inputs too
	for no, line := range input.Lines(text) {
		e, err := history.ParseEvent(line)
		switch {
		case errors.Is(err, history.ErrNotReported):
			continue
		case errors.Is(err, history.ErrInput):
			unjudged = cmp.Or(unjudged, fmt.Errorf("%s:%d: %w", file, no, err))
			continue
		case err != nil:
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", file, no, err), outputsHint)
		}
		if runs[e.Run] == nil {
			runs[e.Run] = history.NewRun(e.Run)
		}
		runs[e.Run].Take(e)
	}
	// A rejection may name a run that never was.
	maps.DeleteFunc(runs, func(_ string, r *history.Run) bool {
		return r.Commitment == nil && r.Scored == nil && len(r.Reports)+len(r.Reviews) == 0
	})
	names := slices.Sorted(maps.Keys(runs))
	known := "the runs are " + strings.Join(names, ", ")
	switch name := cmd.ID; {
	case len(names) == 0 && unjudged != nil:
		return nil, hint.Usage(unjudged, fmt.Sprintf("judge it first: shadowd replay --format json %s > out.jsonl, then shadowd report --file out.jsonl", cmd.File))
	case len(names) == 0:
		return nil, hint.Usage(fmt.Errorf("%s holds no output events", file), outputsHint)
	case name == "" && len(names) > 1:
		return nil, hint.Usage(fmt.Errorf("%s holds %d runs: name one", file, len(names)), known)
	case name == "":
		return runs[names[0]], nil
	case runs[name] == nil:
		return nil, hint.Failed(fmt.Errorf("there is no run %.80q in %s", name, file), known)
	default:
		return runs[name], nil
	}
}

// runsCmd lists the runs on the bus.
type runsCmd struct {
	State  []history.RunState `enum:"waiting,hardening,scored,incomplete,rejected" placeholder:"STATE" help:"List the runs in these states only, separated by commas."`
	Limit  int                `placeholder:"N" help:"List the newest N runs only."`
	Format string             `enum:"text,json" default:"text" help:"text is a table; json is an object for each run, one a line."`
	configFlag
}

func (cmd runsCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	if cmd.Limit < 0 {
		return hint.Usage(errors.New("--limit: a number of runs is not negative"), "leave it out to list all")
	}
	reading, end := a.Progress(ctx)
	runs, err := history.List(reading, b.Subjects, b.js, b.signers()...)
	end()
	if err != nil {
		return b.explain(err, "")
	}
	if len(cmd.State) > 0 {
		runs = slices.DeleteFunc(runs, func(r *history.Summary) bool { return !slices.Contains(cmd.State, r.State) })
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
	r, err := b.run(ctx, a, cmd.ID)
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
	if err := s.Judge(ctx, b.js); err != nil {
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
	stored, key, err := b.envelope(ctx, "open", cmd.ID, cmd.Reason, cmd.Force)
	if err != nil {
		return err
	}
	e, err := shadow.Decrypt(stored, key)
	if err != nil {
		return hint.Failed(fmt.Errorf("opening the envelope of run %s: %w", cmd.ID, err), "shadowd audit "+cmd.ID+" says more")
	}
	if e.RunID != cmd.ID {
		a.Warn(fmt.Sprintf("this is the envelope of run %s: shadowd audit %s says more", shadow.Printable(e.RunID), cmd.ID))
	}
	if hash, err := e.Hash(); err != nil || hash != e.SealedHash {
		a.Warn("the envelope does not hash to its sealed_hash")
	}
	if cmd.Format == "json" {
		return a.JSON(map[string]any{"sealed_envelope": e})
	}
	return render.Envelope(a.Terminal(), e)
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
			return b.explain(err, cmd.ID)
		}
	}
	// Nobody watches a bus without streams.
	_, err := b.js.Stream(ctx, layout.StreamIn)
	if err != nil {
		return b.explain(err, "")
	}
	log := history.Log{Subjects: b.Subjects, JS: b.js, Logger: a.logger(b.cfg.Log.Format, slog.LevelError), Only: cmd.ID, Signers: b.signers(), Whole: true}
	show, look := cmd.show(ctx, a, b.cfg)
	err = play.Watch(ctx, log, show, func() error {
		switch {
		case cmd.ID == "":
			a.Warn("no run is on the bus yet; waiting")
		case cmd.Wait:
			a.Warn("nothing of run " + cmd.ID + " is on the bus yet; waiting")
		default:
			return hint.Failed(fmt.Errorf("there is no run %s on %s", cmd.ID, b.nc.ConnectedUrlRedacted()), runsHint+"; --wait waits for one that is not there yet")
		}
		return nil
	}, look)
	if cmd.ID == "" && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how it ends
	}
	return err
}

// show prints an event. look prints for which judges bundles wait, where a daemon
// of this configuration can be asked.
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
		if s, err := askStatus(ctx, cfg); err == nil {
			live.Waits(s.Judges)
		}
	}
}
