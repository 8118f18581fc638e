package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

type replayCmd struct {
	File             string        `arg:"" help:"File of events, one JSON object {\"nats_subject\", \"event\"} a line; - reads standard input."`
	Server           string        `placeholder:"URL" help:"Publish to this bus, where a shadowd runs, instead of one of the replay's own."`
	NoWait           bool          `help:"Don't wait for a run's seal before its bundles."`
	Wait             time.Duration `placeholder:"TIME" help:"How long a run's seal is waited for. Without it 30s, and with --server as long again as the authors of the configuration may take (seal.timeout)."`
	HardeningTimeout time.Duration `default:"2s" help:"How long a fix that is not in the file is waited for, on the replay's own bus."`
	Format           string        `enum:"text,json" default:"text" help:"text tells the story; json prints every output event, one a line."`
	judgeFlag
	configFlag
}

func (replayCmd) Help() string {
	return `Publishes the events of a file in their order, as a swarm would, and follows the runs to their end. Bundles wait for their run's seal. The replay's own bus is in a new temporary directory, judges by the configuration's shadow_scoring, scales and gates, and is left there to be looked at: shadowd run with that bus.data_dir opens it, and with --format json nothing is left. With --server, fixes are waited for as long as that bus allows.

Nobody is asked on the replay's own bus but the models that --judge names: they judge what the checks leave open, which costs tokens. With --server, the shadowd that runs there asks its own judges.

Exit codes: 0 every event of the file was taken in, whatever its score (shadowd report --strict is a gate), 1 an event was rejected, even if its run went on without it, or the replay failed, 2 wrong usage.

Examples:

    shadowd replay run.jsonl
    shadowd replay --judge openai:gpt-5-mini run.jsonl
    shadowd replay --format json run.jsonl | jq 'select(.type | contains("gap-report"))'
    shadowd replay --server nats://127.0.0.1:4222 run.jsonl`
}

func (cmd replayCmd) Run(ctx context.Context, a *app) (err error) {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	if err := cmd.checkFlags(cfg); err != nil {
		return err
	}
	lines, err := readEvents(cmd.File, a.Stdin)
	if err != nil {
		return err
	}
	// The recording says what the swarm's subjects begin with.
	layout, err := layoutOf(lines)
	if err != nil {
		return hint.Usage(fmt.Errorf("%s: %w", cmd.File, err), "")
	}
	cfg.Bus.Prefix = layout.Prefix
	g, err := cmd.connect(ctx, a, cfg, authorsIn(layout, lines))
	if err != nil {
		return err
	}
	told := false
	defer func() { err = errors.Join(err, g.end(told)) }()

	following, stop := context.WithCancel(ctx)
	defer stop()
	story := newStory(a.Stdout, a.Getenv("NO_COLOR") == "")
	show := story.show
	if cmd.Format == "json" {
		show = asJSON(a.Stdout)
	}
	p, err := newPlayer(following, g.js, layout, runsOf(layout, lines), show)
	if err != nil {
		return err
	}
	p.authors = g.authors
	if err := cmd.play(ctx, a, p, lines, cmd.sealLimit(cfg)); err != nil {
		return err
	}
	if cmd.Server != "" && cmd.Format == "text" && !p.tracker.done() {
		fmt.Fprintln(a.Stdout, "Everything is published; fixes that are not in the file are now waited for until the deadlines of that bus. To leave early, interrupt this: nothing is lost.")
	}
	if err := p.until(ctx, 0, p.tracker.done); err != nil {
		return err
	}
	if told = cmd.Format == "text"; told {
		story.end(p.tracker)
		story.stored(g.where)
	}
	return p.tracker.refusals(cmd.File)
}

// playground is the bus to play on: its operator's connection, those of authors
// that have their own, where it is, and what to do with it in the end.
type playground struct {
	js      jetstream.JetStream
	authors map[string]jetstream.JetStream
	where   string
	end     func(keep bool) error
}

func (cmd replayCmd) connect(ctx context.Context, a *app, cfg *config.Config, authors []string) (*playground, error) {
	log := newLogger(a.Stderr, config.Log{Level: "error", Format: cfg.Log.Format})
	if cmd.Server == "" {
		judges, err := cmd.judges(cfg)
		if err == nil {
			err = offBus(judges)
		}
		if err != nil {
			return nil, err
		}
		v, err := scratchVoices(cfg, judges, a.Getenv)
		if err != nil {
			return nil, err
		}
		v.cfg.ShadowScoring.Hardening.Timeout = cmd.HardeningTimeout
		a.warnLeftOut(cfg, judges)
		s, err := startScratch(ctx, v, "shadowd-replay", authors, log)
		if err != nil {
			return nil, err
		}
		return &playground{s.js, s.authors, s.cfg.Bus.DataDir, s.end}, nil
	}
	return connectTo(ctx, cmd.Server, cfg, log)
}

func connectTo(ctx context.Context, url string, cfg *config.Config, log *slog.Logger) (*playground, error) {
	connecting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	nc, err := connectBus(connecting, cfg, url, "shadowd replay", log)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	return &playground{js: js, where: nc.ConnectedUrlRedacted(), end: func(bool) error { closeConn(nc); return nil }}, err
}

// checkFlags refuses flags that make no sense, alone or together.
func (cmd replayCmd) checkFlags(cfg *config.Config) error {
	if wrong := config.CheckURL(cmd.Server); wrong != "" {
		return hint.Usage(errors.New("--server: "+wrong), "")
	}
	if cmd.Server == "" && !cfg.ShadowScoring.Enabled {
		return hint.Usage(errors.New("shadow_scoring.enabled is false: nothing would be judged"), "")
	}
	if cmd.HardeningTimeout <= 0 {
		return hint.Usage(fmt.Errorf("--hardening-timeout: %s is no time to wait", cmd.HardeningTimeout), "")
	}
	if cmd.Wait < 0 {
		return hint.Usage(fmt.Errorf("--wait: %s is no time to wait", cmd.Wait), "")
	}
	if cmd.Server != "" && len(cmd.Judge) > 0 {
		return hint.Usage(errors.New("--judge is for the replay's own bus: with --server, the shadowd that runs there asks its judges"), "start that one with --judge, or leave --server out")
	}
	return nil
}

// play publishes the lines, each run's bundles when it is sealed.
func (cmd replayCmd) play(ctx context.Context, a *app, p *player, lines []eventLine, limit time.Duration) error {
	willSeal := map[string]bool{}
	for _, l := range lines {
		addr, err := p.layout.Parse(l.Subject)
		decomposition := err == nil && addr.Name == shadow.DecompositionDone
		if !cmd.NoWait && err == nil && !decomposition && willSeal[addr.Run] {
			if err := awaitSeal(ctx, a, p, addr.Run, limit); err != nil {
				return err
			}
		}
		if err := p.publish(ctx, l.Subject, l.Event); err != nil {
			return fmt.Errorf("line %d: %w", l.No, err)
		}
		if decomposition {
			willSeal[addr.Run] = true
		}
	}
	return nil
}

// eventLine is a line of a replay file.
type eventLine struct {
	No      int             `json:"-"`
	Subject string          `json:"nats_subject"`
	Event   json.RawMessage `json:"event"`
}

const eventHint = `each line is {"nats_subject": "swarm.decomposition-done.RUN", "event": {…a CloudEvent…}}`

// maxLine bounds a line of a replay file in bytes.
const maxLine = 16 << 20

// readEvents reads a replay file. Its error names the line.
func readEvents(file string, stdin io.Reader) ([]eventLine, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, hint.Usage(err, "")
		}
		defer f.Close()
		r = f
	}
	var lines []eventLine
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	for no := 1; sc.Scan(); no++ {
		text := bytes.TrimSpace(sc.Bytes())
		if len(text) == 0 {
			continue
		}
		l := eventLine{No: no}
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", file, no, err), eventHint)
		}
		if l.Subject == "" || strings.ContainsAny(l.Subject, " \t*>") || len(l.Event) == 0 {
			return nil, hint.Usage(fmt.Errorf("%s:%d: nats_subject or event is missing, or nats_subject has a wildcard or a space in it", file, no), eventHint)
		}
		l.Event = bytes.Clone(l.Event)
		lines = append(lines, l)
	}
	if err := sc.Err(); err != nil {
		return nil, hint.Usage(fmt.Errorf("%s: %w", file, err), "")
	}
	if len(lines) == 0 {
		return nil, hint.Usage(fmt.Errorf("%s holds no events", file), eventHint)
	}
	return lines, nil
}

// layoutOf finds the prefix of the lines' subjects: what stands before the name
// of an input event, in all of them the same.
func layoutOf(lines []eventLine) (bus.Layout, error) {
	var l bus.Layout
	for i, line := range lines {
		tokens := strings.Split(line.Subject, ".")
		at := slices.IndexFunc(tokens, func(t string) bool {
			return t == shadow.DecompositionDone || t == shadow.BundleComplete || t == shadow.FixSubmitted
		})
		ids := 2 // that follow the name; streams store no other subjects
		if at > 0 && tokens[at] == shadow.DecompositionDone {
			ids = 1
		}
		if at < 1 || len(tokens) != at+1+ids {
			return l, fmt.Errorf("line %d: nats_subject %.80q is no event's: use PREFIX.%s.RUN, PREFIX.%s.RUN.COMMANDER or PREFIX.%s.RUN.COMMANDER",
				line.No, line.Subject, shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted)
		}
		prefix := strings.Join(tokens[:at], ".")
		if i > 0 && prefix != l.Prefix {
			return l, fmt.Errorf("line %d: its nats_subject begins with %q, those before it with %q", line.No, prefix, l.Prefix)
		}
		l.Prefix = prefix
	}
	return l, nil
}

// authorsIn lists the commanders that the lines' subjects name.
func authorsIn(l bus.Layout, lines []eventLine) []string {
	var all []string
	for _, line := range lines {
		if a, err := l.Parse(line.Subject); err == nil && a.Commander != "" {
			all = append(all, a.Commander)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// runsOf lists the runs that the lines are about.
func runsOf(l bus.Layout, lines []eventLine) []string {
	var runs []string
	for _, line := range lines {
		if a, err := l.Parse(line.Subject); err == nil && a.Run != "" {
			runs = append(runs, a.Run)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}
