package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/panel/recorded"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// askFlags are the flags --judge, --author and --record, to be embedded by every
// command that asks judges and authors. Nobody is asked whom neither they nor the
// configuration name.
type askFlags struct {
	Judge  []string `sep:"none" placeholder:"MODEL" help:"Who reads the work: PROVIDER:MODEL such as openai:gpt-5-mini, anthropic:MODEL or ollama:qwen3:32b, URL#MODEL of any OpenAI-compatible API, recorded:FILE, a name of judging.panel or models, or panel for all of judging.panel. May be repeated; several make a panel. The key comes from the provider's usual variable, such as OPENAI_API_KEY."`
	Author []string `sep:"none" placeholder:"MODEL" help:"Who writes hidden criteria beside those on items: a model as for --judge, or recorded:FILE. May be repeated. Its criteria are read by judges."`
	Record string   `placeholder:"FILE" help:"Write every answer of judges and authors to this file, for recorded:FILE."`
}

// participants are those that the flags name, in their order. The error is one of
// usage.
func (f askFlags) participants(cfg *config.Config) (authors, judges []config.Participant, err error) {
	if judges, err = cfg.Judges(f.Judge); err != nil {
		return nil, nil, hint.Usage(fmt.Errorf("--judge: %w", err), judgeHint)
	}
	if authors, err = cfg.Authors(f.Author); err != nil {
		return nil, nil, hint.Usage(fmt.Errorf("--author: %w", err), judgeHint)
	}
	return authors, judges, nil
}

const judgeHint = "for example: --judge openai:gpt-5-mini --judge ollama:qwen3:32b; docs/judging.md lists the providers"

// apply puts the judges and authors that the flags name in the place of
// judging.panel and seal.authors, if they name any.
func (f askFlags) apply(a *app, cfg *config.Config) error {
	authors, judges, err := f.participants(cfg)
	if err != nil {
		return err
	}
	known := cfg.Warnings()
	if len(judges) > 0 {
		cfg.Judging.Panel = judges
	}
	if len(authors) > 0 {
		cfg.Seal.Authors = authors
	}
	for _, w := range cfg.Warnings() {
		if !slices.Contains(known, w) {
			a.Warn(strings.Replace(w, "judging.panel has", "the panel has", 1))
		}
	}
	return nil
}

// record opens the file of --record, if it is given, for the answers of p.
func (f askFlags) record(p *daemon.Participants) (closing func() error, err error) {
	if f.Record == "" {
		return func() error { return nil }, nil
	}
	w, err := recorded.Create(f.Record)
	if err != nil {
		return nil, hint.Usage(fmt.Errorf("--record: %w", err), "name a file that does not exist yet")
	}
	p.Record(w)
	return w.Close, nil
}

// scratch starts a bus of this command's own, where those are asked that the flags
// name, and otherwise, if no judge is named, one that answers from a file.
func (f askFlags) scratch(ctx context.Context, a *app, cfg *config.Config, name string, commanders []string, otherwise shadow.Judge) (*play.Bus, error) {
	authors, judges, err := f.participants(cfg)
	if err != nil {
		return nil, err
	}
	p, err := daemon.NewOffline(cfg, authors, judges, a.Getenv)
	if err != nil {
		return nil, err
	}
	if names := daemon.LeftOut(cfg, authors, judges); len(names) > 0 {
		a.Warn("not asked here, and so left out: " + strings.Join(names, ", ") + "; --judge panel asks the judges of judging.panel")
	}
	if len(judges) == 0 && otherwise != nil {
		p.AnswerBy(otherwise)
	}
	recorded, err := f.record(p)
	if err != nil {
		return nil, err
	}
	b, err := daemon.Scratch(ctx, p, name, commanders, a.logger(cfg.Log.Format, slog.LevelError))
	if err != nil {
		return nil, errors.Join(err, recorded())
	}
	end := b.Close
	b.Close = func(keep bool) error { return errors.Join(end(keep), recorded()) }
	return b, nil
}

// warnSilent says, once a judge, how often judges had no vote on runs, and why.
func (a *app) warnSilent(runs []*history.Run) {
	var ballots []shadow.Ballot
	for _, r := range runs {
		for _, d := range r.Domains() {
			for _, rep := range r.Reports[d] {
				if !rep.Swarm.Hardening.TimedOut { // else it repeats the ballots of the report before
					ballots = append(ballots, rep.Swarm.Ballots...)
				}
			}
		}
	}
	for _, line := range render.Silent(ballots) {
		a.Warn(line)
	}
}
