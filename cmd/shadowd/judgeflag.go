package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// judgeFlag is the flag --judge, to be embedded by every command that asks
// judges. Nobody is asked whom neither it nor the configuration names.
type judgeFlag struct {
	Judge []string `sep:"none" placeholder:"MODEL" help:"Who judges what the checks leave open: PROVIDER:MODEL such as openai:gpt-5-mini, anthropic:MODEL or ollama:qwen3:32b, URL#MODEL of any OpenAI-compatible API, a name of judging.panel or models, or panel for all of judging.panel. May be repeated; several make a panel. The key comes from the provider's usual variable, such as OPENAI_API_KEY."`
}

// judges are those that the flag names, in its order. Its error is one of usage.
func (f judgeFlag) judges(cfg *config.Config) ([]config.Participant, error) {
	judges, err := cfg.Judges(f.Judge)
	if err != nil {
		return nil, hint.Usage(fmt.Errorf("--judge: %w", err), judgeHint)
	}
	return judges, nil
}

const judgeHint = "for example: --judge openai:gpt-5-mini --judge ollama:qwen3:32b; docs/judging.md lists the providers"

// apply puts the judges that the flag names in the place of judging.panel, if
// it names any.
func (f judgeFlag) apply(a *app, cfg *config.Config) error {
	if len(f.Judge) == 0 {
		return nil
	}
	judges, err := f.judges(cfg)
	if err != nil {
		return err
	}
	known := cfg.Warnings(a.Getenv)
	cfg.Judging.Panel = judges
	for _, w := range cfg.Warnings(a.Getenv) {
		if !slices.Contains(known, w) {
			a.Warn(strings.Replace(w, "judging.panel has", "the panel has", 1))
		}
	}
	return nil
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
