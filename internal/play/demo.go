package play

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/panel/recorded"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

//go:embed demo/decomposition.json demo/answers.jsonl demo/bundles demo/fixes
var demoFiles embed.FS

// Demo is the swarm of the demo: what its Nexus and its commanders publish.
type Demo struct {
	Decomposition *shadow.Decomposition
	// Judge answers what a language model answered when the demo was written.
	Judge         *recorded.Judge
	decomposition json.RawMessage
	bundles       map[string]map[string]any // by domain
	fixes         map[string]map[string]any // the fields that a fix changes
}

// NewDemo reads the files of the demo. Its error is a mistake in the program.
func NewDemo() (*Demo, error) {
	d := &Demo{Decomposition: &shadow.Decomposition{}, bundles: map[string]map[string]any{}, fixes: map[string]map[string]any{}}
	var err error
	if d.decomposition, err = demoFiles.ReadFile("demo/decomposition.json"); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(d.decomposition, d.Decomposition); err != nil {
		return nil, fmt.Errorf("demo/decomposition.json: %w", err)
	}
	answers, err := demoFiles.ReadFile("demo/answers.jsonl")
	if err != nil {
		return nil, err
	}
	if d.Judge, err = recorded.ParseJudge("demo/answers.jsonl", answers, "recorded"); err != nil {
		return nil, err
	}
	for i := range d.Decomposition.Domains {
		name := d.Decomposition.Domains[i].Domain
		if d.bundles[name], err = demoBundle("bundles", name); err != nil {
			return nil, err
		}
		d.fixes[name], err = demoBundle("fixes", name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return d, nil
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

// Commanders are those of the decomposition.
func (d *Demo) Commanders() []string {
	var all []string
	for _, domain := range d.Decomposition.Domains {
		all = append(all, domain.CommanderID)
	}
	return all
}

// Play is the swarm at work, until all is judged. Who is asked for a fix and has one sends it.
func (d *Demo) Play(ctx context.Context, p *Player) error {
	run := d.Decomposition.RunID
	if err := publishData(ctx, p, p.layout.Decomposition(run), shadow.DecompositionDone, layout.AuthorNexus, d.decomposition); err != nil {
		return err
	}
	if err := p.until(ctx, SealTimeout, func() bool { return p.tracker.sealed(run) }); err != nil {
		return fmt.Errorf("waiting for the seal: %w", err)
	}
	for _, domain := range d.Decomposition.Domains {
		if err := publishData(ctx, p, p.layout.Bundle(run, domain.CommanderID), shadow.BundleComplete, domain.CommanderID, d.bundles[domain.Domain]); err != nil {
			return err
		}
	}
	answered := map[string]bool{}
	for {
		var asked *shadow.HardeningData
		if err := p.until(ctx, 0, func() bool {
			asked = d.unanswered(p.tracker.run(run), answered)
			return asked != nil || p.tracker.judged()
		}); err != nil || asked == nil {
			return err
		}
		answered[asked.Domain] = true
		if err := publishData(ctx, p, p.layout.Fix(run, asked.CommanderID), shadow.FixSubmitted, asked.CommanderID, d.fix(asked)); err != nil {
			return err
		}
	}
}

// unanswered is a hardening request that its commander has a fix for.
func (d *Demo) unanswered(r *history.Run, answered map[string]bool) *shadow.HardeningData {
	for _, requests := range r.Requests {
		for _, h := range requests {
			if d.fixes[h.Domain] != nil && !answered[h.Domain] {
				return h
			}
		}
	}
	return nil
}

// fixed is a bundle as its commander's fix leaves it, without its run.
func (d *Demo) fixed(domain string) map[string]any {
	bundle := maps.Clone(d.bundles[domain])
	maps.Copy(bundle, d.fixes[domain])
	delete(bundle, "run_id")
	return bundle
}

// fix answers a hardening request.
func (d *Demo) fix(h *shadow.HardeningData) map[string]any {
	return map[string]any{
		"run_id": h.RunID, "bundle_id": h.BundleID, "domain": h.Domain, "commander_id": h.CommanderID,
		"cycle": h.Cycle, "bundle": d.fixed(h.Domain),
	}
}

// publishData wraps data into a CloudEvent, as the swarm's components do.
func publishData(ctx context.Context, p *Player, subject, name, author string, data any) error {
	ev, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": subject, "source": "/demo/" + author, "type": shadow.Type(name),
		"datacontenttype": "application/json", "data": data,
	})
	if err != nil {
		return err
	}
	return p.publish(ctx, subject, ev)
}
