package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// judgeFlag is the flag --judge, to be embedded by every command that asks
// judges. Nobody is asked whom neither it nor the configuration names.
type judgeFlag struct {
	Judge []string `sep:"none" placeholder:"MODEL" help:"Who judges what the checks leave open: PROVIDER:MODEL such as openai:gpt-5-mini, anthropic:MODEL or ollama:qwen3:32b, URL#MODEL of any OpenAI-compatible API, a name of judging.panel or models, or panel for all of judging.panel. May be repeated; several make a panel. The key comes from the provider's usual variable, such as OPENAI_API_KEY."`
}

// wholePanel stands for all judges of judging.panel.
const wholePanel = "panel"

// judges are those that the flag names, in its order. Its error is one of usage.
func (f judgeFlag) judges(cfg *Config) ([]PanelJudge, error) {
	var out []PanelJudge
	for _, word := range f.Judge {
		at := slices.IndexFunc(cfg.Judging.Panel, func(j PanelJudge) bool { return j.name() == word })
		switch {
		case word == wholePanel && len(cfg.Judging.Panel) == 0:
			return nil, usageError(errors.New("--judge panel: judging.panel has no judges"), judgeHint)
		case word == wholePanel:
			out = append(out, cfg.Judging.Panel...)
		case at >= 0:
			out = append(out, cfg.Judging.Panel[at])
		default:
			if problem := cfg.voiceProblem(word, "", "", false); problem != "" {
				return nil, usageError(fmt.Errorf("--judge: %s", problem), judgeHint)
			}
			out = append(out, PanelJudge{Model: word})
		}
	}
	seen := map[string]bool{}
	for _, j := range out {
		if problem := nameProblem(j.name(), seen); problem != "" {
			return nil, usageError(fmt.Errorf("--judge: %s", problem), judgeHint)
		}
		seen[j.name()] = true
	}
	return out, nil
}

const judgeHint = "for example: --judge openai:gpt-5-mini --judge ollama:qwen3:32b; docs/judging.md lists the providers"

// apply puts the judges that the flag names in the place of judging.panel, if
// it names any.
func (f judgeFlag) apply(a *app, cfg *Config) error {
	if len(f.Judge) == 0 {
		return nil
	}
	judges, err := f.judges(cfg)
	if err != nil {
		return err
	}
	known := cfg.warnings(a.Getenv)
	cfg.Judging.Panel = judges
	for _, w := range cfg.warnings(a.Getenv) {
		if !slices.Contains(known, w) {
			a.Warn(strings.Replace(w, "judging.panel has", "the panel has", 1))
		}
	}
	return nil
}

// offBus refuses services among judges, for a command whose bus has none.
func offBus(judges []PanelJudge) error {
	for _, j := range judges {
		if j.Service != "" {
			return usageError(fmt.Errorf("--judge: %s is a service on the bus, and this command plays on a bus of its own", j.name()), "name a model; services are asked by shadowd run and shadowd report --rejudge")
		}
	}
	return nil
}
