package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
)

type replayCmd struct {
	File             string        `arg:"" help:"File of events, one JSON object {\"nats_subject\", \"event\"} a line; - reads standard input."`
	Server           string        `xor:"judge,author,record" placeholder:"URL" help:"Publish to this bus, where a shadowd runs, instead of one of the replay's own."`
	NoWait           bool          `help:"Don't wait for a run's seal before its bundles. They wait 30s, and with --server as long again as the authors of the configuration may take (seal.timeout)."`
	HardeningTimeout time.Duration `default:"2s" help:"How long a fix that is not in the file is waited for, on the replay's own bus."`
	Format           string        `enum:"text,json" default:"text" help:"text is for people; json prints every output event, one a line."`
	askFlags
	configFlag
}

func (cmd replayCmd) Run(ctx context.Context, a *app, cfg *config.Config) (err error) {
	text, err := input.Read(cmd.File, a.Stdin, input.MaxEvents)
	if err != nil {
		return hint.Usage(err, "")
	}
	rec, err := play.ReadRecording(cmd.File, text)
	if err != nil {
		return err
	}
	if cmd.Server == "" && !rec.Decomposes() {
		return hint.Usage(fmt.Errorf("%s holds no decomposition", input.Name(cmd.File)), "put the decomposition-done of the run before its bundles, or name the bus where it was decomposed with --server")
	}
	// The recording says what the swarm's subjects begin with.
	cfg.Bus.Prefix = rec.Subjects.Prefix
	b, err := cmd.connect(ctx, a, cfg, rec.Authors)
	if err != nil {
		return err
	}
	keep := false
	defer func() { err = errors.Join(err, b.Close(keep)) }()
	st := newStage(a, cmd.Format, false)
	p, err := st.play(ctx, b, rec.Subjects, rec.Runs, func(ctx context.Context, p *play.Player) error {
		if err := rec.Play(ctx, p, cmd.sealLimit(cfg)); err != nil {
			return err
		}
		if cmd.Server != "" && st.forPeople && !p.Done() {
			st.t.Printf("Everything is published; fixes that are not in the file are now waited for until the deadlines of that bus. To leave early, interrupt this: nothing is lost.\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if keep = st.forPeople; keep {
		render.Stored(st.t, b.Where)
	}
	return errors.Join(st.t.Err(), rec.Rejected(p))
}

// sealLimit is how long a seal is waited for; 0 is not at all. The authors of another bus are not known: there may be
// one at least that asks somebody, and each takes its time after the other.
func (cmd replayCmd) sealLimit(cfg *config.Config) time.Duration {
	switch {
	case cmd.NoWait:
		return 0
	case cmd.Server == "":
		return play.SealTimeout
	}
	return play.SealTimeout + time.Duration(max(len(cfg.Seal.Authors), 1))*cfg.Seal.Timeout
}

// connect connects to the bus to play on.
func (cmd replayCmd) connect(ctx context.Context, a *app, cfg *config.Config, authors []string) (*play.Bus, error) {
	if cmd.Server == "" {
		cfg.ShadowScoring.Hardening.Timeout = cmd.HardeningTimeout
		return cmd.scratch(ctx, a, cfg, "shadowd-replay", authors, nil)
	}
	if wrong := broker.CheckURLs(cmd.Server); wrong != "" {
		return nil, hint.Usage(errors.New("--server: "+wrong), "")
	}
	connecting, cancel := context.WithTimeout(ctx, busTimeout)
	defer cancel()
	nc, err := daemon.Connect(connecting, cfg, cmd.Server, "shadowd replay", a.logger(cfg.Log.Format, slog.LevelError))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	return &play.Bus{JS: js, Where: nc.ConnectedUrlRedacted(), Close: func(bool) error { return daemon.Disconnect(context.Background(), nc) }}, err
}

type demoCmd struct {
	Format string `enum:"text,json" default:"text" help:"text is for people; json prints every output event, one a line."`
	askFlags
}

// demoDeadline is how long the demo's commanders have for a fix. One never sends one: it is most of what the demo takes.
const demoDeadline = 5 * time.Second

func (cmd demoCmd) Run(ctx context.Context, a *app) (err error) {
	demo, err := play.NewDemo()
	if err != nil {
		return err
	}
	cfg := config.Default()
	cfg.ShadowScoring.Hardening.Timeout = demoDeadline
	b, err := cmd.scratch(ctx, a, cfg, "shadowd-demo", demo.Commanders(), demo.Judge)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close(false)) }()
	st, asked := newStage(a, cmd.Format, true), len(cmd.Judge) > 0
	if st.forPeople {
		render.DemoStart(st.t, demo.Decomposition.Task, asked)
	}
	if _, err := st.play(ctx, b, layout.Subjects{}, []string{demo.Decomposition.RunID}, demo.Play); err != nil {
		return err
	}
	if st.forPeople {
		render.DemoEnd(st.t, asked)
	}
	return st.t.Err()
}

// stage shows a swarm that is played.
type stage struct {
	*app
	t         *render.Terminal
	live      *render.Live
	forPeople bool // else every output is printed as it is stored
}

func newStage(a *app, format string, explained bool) *stage {
	t := a.Terminal()
	return &stage{a, t, render.NewLive(t, explained), format == "text"}
}

// play has a swarm play on a bus, and shows what comes of it to the end.
func (st *stage) play(ctx context.Context, b *play.Bus, l layout.Subjects, runs []string, swarm func(context.Context, *play.Player) error) (*play.Player, error) {
	following, stop := context.WithCancel(ctx)
	defer stop()
	stored := render.NewEncoder(st.Stdout)
	show := func(o history.Event) error { return stored.Encode(json.RawMessage(o.Raw)) }
	if st.forPeople {
		show = st.live.Event
	}
	p, err := play.NewPlayer(following, b, l, runs, show)
	if err != nil {
		return nil, err
	}
	if st.forPeople {
		p.Waits = st.live.Waits
	}
	if err := swarm(ctx, p); err != nil {
		return nil, err
	}
	if err := p.Wait(ctx); err != nil {
		return nil, err
	}
	for _, r := range p.Runs() {
		if st.forPeople {
			st.live.End(r)
		}
	}
	for _, line := range render.Silent(p.Ballots()) {
		st.Warn(line)
	}
	return p, nil
}
