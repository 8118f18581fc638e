package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

//go:embed demo/decomposition.json demo/bundles demo/fixes
var demoFiles embed.FS

type demoCmd struct {
	Format string `enum:"text,json" default:"text" help:"text tells the story; json prints every output event, one a line."`
	Keep   bool   `help:"Leave the run on disk and say where."`
	judgeFlag
}

func (demoCmd) Help() string {
	return `Plays a whole swarm run on a bus of its own: a decomposition, five commanders with their bundles, and the fix that one of them sends when it is asked to. It needs no set-up, ends by itself after a few seconds and leaves nothing behind unless --keep is given. No model is asked unless --judge names it.

Examples:

    shadowd demo
    shadowd demo --judge ollama:qwen3:32b
    shadowd demo --format json | jq .type`
}

// demoDeadline is how long the demo's commanders have for a fix. One of them
// never sends one, so this is most of what the demo takes.
const demoDeadline = 5 * time.Second

func (cmd demoCmd) Run(ctx context.Context, a *app) (err error) {
	if cmd.Keep && cmd.Format == "json" {
		return hint.Usage(errors.New("--keep does not go with --format json, which has no place to say where the run is kept"), "")
	}
	swarm, err := loadDemo()
	if err != nil {
		return err
	}
	b, err := cmd.start(ctx, a, swarm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.end(err == nil && cmd.Keep)) }()

	following, stop := context.WithCancel(ctx)
	defer stop()
	story := newStory(a.Stdout, a.Getenv("NO_COLOR") == "")
	story.brief = true
	show := story.show
	if cmd.Format == "json" {
		show = asJSON(a.Stdout)
	} else {
		story.printf("%s\n%s\n", story.paint(bold, "A swarm run, judged by sealed criteria"), swarm.Decomposition.Task)
		story.heading("What shadowd says on the bus")
	}
	p, err := newPlayer(following, b.js, bus.Layout{}, []string{swarm.Decomposition.RunID}, show)
	if err != nil {
		return err
	}
	p.authors = b.authors
	if err := swarm.play(ctx, p); err != nil {
		return err
	}
	if cmd.Format == "text" {
		story.end(p.tracker)
		if cmd.Keep {
			story.stored(b.cfg.Bus.DataDir)
		}
		story.next()
	}
	return nil
}

// start starts the bus that the demo is played on.
func (cmd demoCmd) start(ctx context.Context, a *app, swarm *demoSwarm) (*scratchBus, error) {
	cfg := config.Default()
	cfg.ShadowScoring.Hardening.Timeout = demoDeadline
	judges, err := cmd.judges(cfg)
	if err != nil {
		return nil, err
	}
	v, err := scratchVoices(cfg, judges, a.Getenv)
	if err != nil {
		return nil, err
	}
	return startScratch(ctx, v, "shadowd-demo", commandersOf(swarm.Decomposition), newLogger(a.Stderr, config.Log{Level: "error", Format: "auto"}))
}

// next says what to type after the demo.
func (s *story) next() {
	s.heading("What to type next")
	for _, n := range []struct{ command, what string }{
		{"shadowd demo --judge openai:gpt-5-mini", "has a model read what is unread here (OPENAI_API_KEY)"},
		{"shadowd seal --dry-run FILE", "shows what would be asked of a decomposition of yours"},
		{"shadowd run", "judges your swarm, on a NATS server that it brings along"},
	} {
		s.printf("  %s  %s\n", s.paint(cyan, fmt.Sprintf("%-38s", n.command)), n.what)
	}
}

// commandersOf lists the commanders of a decomposition.
func commandersOf(d *shadow.Decomposition) []string {
	var all []string
	for _, domain := range d.Domains {
		all = append(all, domain.CommanderID)
	}
	return all
}

// demoSwarm is the demo's swarm: what its Nexus and its commanders publish.
type demoSwarm struct {
	Decomposition *shadow.Decomposition
	decomposition json.RawMessage
	bundles       map[string]map[string]any // by domain
	fixes         map[string]map[string]any // the fields that a fix changes
}

// loadDemo reads the demo's files. Its error is a mistake in the program.
func loadDemo() (*demoSwarm, error) {
	s := &demoSwarm{bundles: map[string]map[string]any{}, fixes: map[string]map[string]any{}}
	var err error
	if s.decomposition, err = demoFiles.ReadFile("demo/decomposition.json"); err != nil {
		return nil, err
	}
	s.Decomposition = &shadow.Decomposition{}
	if err := json.Unmarshal(s.decomposition, s.Decomposition); err != nil {
		return nil, fmt.Errorf("demo/decomposition.json: %w", err)
	}
	for i := range s.Decomposition.Domains {
		d := s.Decomposition.Domains[i].Domain
		if s.bundles[d], err = demoBundle("bundles", d); err != nil {
			return nil, err
		}
		s.fixes[d], err = demoBundle("fixes", d)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return s, nil
}

// demoBundle reads the fields of a bundle and its content.
func demoBundle(folder, domain string) (map[string]any, error) {
	name := "demo/" + folder + "/" + domain
	raw, err := demoFiles.ReadFile(name + ".json")
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("%s.json: %w", name, err)
	}
	content, err := demoFiles.ReadFile(name + ".md")
	if err != nil {
		return nil, err
	}
	fields["content"] = string(content)
	return fields, nil
}

// play is the swarm at work: the Nexus decomposes, the commanders hand in
// once the run is sealed, and who is asked for a fix and has one sends it.
func (s *demoSwarm) play(ctx context.Context, p *player) error {
	run := s.Decomposition.RunID
	if err := s.publish(ctx, p, p.layout.Decomposition(run), shadow.DecompositionDone, "/demo/nexus", s.decomposition); err != nil {
		return err
	}
	if err := p.until(ctx, sealPatience, func() bool { return p.tracker.sealed(run) }); err != nil {
		return fmt.Errorf("waiting for the seal: %w", err)
	}
	for _, d := range s.Decomposition.Domains {
		data, err := json.Marshal(s.bundles[d.Domain])
		if err != nil {
			return err
		}
		if err := s.publish(ctx, p, p.layout.Bundle(run, d.CommanderID), shadow.BundleComplete, "/demo/"+d.CommanderID, data); err != nil {
			return err
		}
	}
	answered := map[string]bool{}
	for {
		asked := func() *shadow.HardeningData { return s.unanswered(p.tracker.run(run), answered) }
		if err := p.until(ctx, 0, func() bool { return asked() != nil || p.tracker.done() }); err != nil {
			return err
		}
		h := asked()
		if h == nil {
			return nil
		}
		answered[h.Domain] = true
		if err := s.fix(ctx, p, h); err != nil {
			return err
		}
	}
}

// unanswered is a hardening request that its commander has a fix for.
func (s *demoSwarm) unanswered(r *trackedRun, answered map[string]bool) *shadow.HardeningData {
	for _, requests := range r.Requests {
		for _, h := range requests {
			if s.fixes[h.Domain] != nil && !answered[h.Domain] {
				return h
			}
		}
	}
	return nil
}

// fixed is a bundle as its commander's fix leaves it, without its run.
func (s *demoSwarm) fixed(domain string) map[string]any {
	bundle := maps.Clone(s.bundles[domain])
	maps.Copy(bundle, s.fixes[domain])
	delete(bundle, "run_id")
	return bundle
}

// fix answers a hardening request with the commander's fix.
func (s *demoSwarm) fix(ctx context.Context, p *player, h *shadow.HardeningData) error {
	data, err := json.Marshal(map[string]any{
		"run_id": h.RunID, "bundle_id": h.BundleID, "domain": h.Domain, "commander_id": h.CommanderID,
		"cycle": h.Cycle, "bundle": s.fixed(h.Domain),
	})
	if err != nil {
		return err
	}
	return s.publish(ctx, p, p.layout.Fix(h.RunID, h.CommanderID), shadow.FixSubmitted, "/demo/"+h.CommanderID, data)
}

// publish wraps data into a CloudEvent, as the swarm's components do.
func (s *demoSwarm) publish(ctx context.Context, p *player, subject, name, source string, data json.RawMessage) error {
	ev, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": subject, "source": source, "type": shadow.Type(name),
		"datacontenttype": "application/json", "data": data,
	})
	if err != nil {
		return err
	}
	return p.publish(ctx, subject, ev)
}
