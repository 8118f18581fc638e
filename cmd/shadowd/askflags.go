package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/panel/recorded"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// askFlags are the flags --judge, --author and --record, to be embedded by every command that asks judges and
// authors. Nobody is asked whom neither they nor the configuration name.
type askFlags struct {
	Judge  []string `xor:"judge" sep:"none" placeholder:"MODEL" help:"Who reads the work, in the place of judging.panel: PROVIDER:MODEL such as openai:gpt-5-mini, anthropic:MODEL or ollama:qwen3:32b, URL#MODEL of any OpenAI-compatible API, recorded:FILE, or a name of judging.panel or models. May be repeated; several make a panel. The key comes from the provider's usual variable, such as OPENAI_API_KEY."`
	Author []string `xor:"author" sep:"none" placeholder:"MODEL" help:"Who writes hidden criteria beside those on items, in the place of seal.authors: a model as for --judge, or recorded:FILE. May be repeated. Its criteria are read by judges."`
	Record string   `xor:"record" placeholder:"FILE" help:"Write every answer of judges and authors to this file, for recorded:FILE."`
}

const judgeHint = "for example: --judge openai:gpt-5-mini --judge ollama:qwen3:32b; docs/judging.md lists the providers"

// apply has the judges and authors that the flags name in the place of judging.panel and seal.authors.
func (f askFlags) apply(a *app, cfg *config.Config) error {
	judges, err := cfg.Judges(f.Judge)
	if err != nil {
		return hint.Usage(fmt.Errorf("--judge: %w", err), judgeHint)
	}
	authors, err := cfg.Authors(f.Author)
	if err != nil {
		return hint.Usage(fmt.Errorf("--author: %w", err), judgeHint)
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

// scratch starts a bus of this command's own, where otherwise judges if nobody else is named.
func (f askFlags) scratch(ctx context.Context, a *app, cfg *config.Config, name string, commanders []string, otherwise shadow.Judge) (*play.Bus, error) {
	if err := f.apply(a, cfg); err != nil {
		return nil, err
	}
	p, err := daemon.NewParticipants(cfg, a.Getenv, cfg.Seal.Authors, cfg.Judging.Panel)
	if err != nil {
		return nil, err
	}
	if len(p.Judges) == 0 && otherwise != nil {
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
