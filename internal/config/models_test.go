package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEndpoint: what a word stands for, with its key, its address and its family.
func TestEndpoint(t *testing.T) {
	cfg, err := Parse("config.yml", []byte(`
models:
  - {name: file, model: "openai:gpt-5-mini", key_file: k}
  - {name: own, model: "https://vllm.example.org/v1#lab/m", key_env: VLLM_KEY, family: lab, timeout: 3m}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]Model{
		"file":                 {Name: "file", Model: "gpt-5-mini", KeyFile: "k", Timeout: modelTimeout, Concurrency: modelConcurrency},
		"own":                  {Name: "own", Model: "lab/m", KeyEnv: "VLLM_KEY", Family: "lab", Timeout: 3 * time.Minute, Concurrency: modelConcurrency},
		"anthropic:claude-x":   {Name: "anthropic:claude-x", Model: "claude-x", KeyEnv: "ANTHROPIC_API_KEY", Timeout: modelTimeout, Concurrency: modelConcurrency},
		"http://127.0.0.1#m-1": {Name: "m-1", Model: "m-1", Timeout: modelTimeout, Concurrency: modelConcurrency},
		"ollama:qwen3:32b":     {Name: "ollama:qwen3:32b", Model: "qwen3:32b", Timeout: modelTimeout, Concurrency: modelConcurrency},
	} {
		if got, _, err := cfg.Endpoint(word); err != nil || got != want {
			t.Errorf("%s: %+v, %v", word, got, err)
		}
	}
	cfg.Judging.Panel = []Participant{{Model: "ollama:qwen3:32b"}, {Model: "http://models.example.org/v1#m"}, {Model: "openai:gpt"}}
	if w := strings.Join(cfg.Warnings(), "\n"); !strings.Contains(w, "the model m is on another machine, models.example.org") || strings.Contains(w, "openai") || strings.Contains(w, "ollama") {
		t.Errorf("warnings %s", w)
	}
}

// TestPanelWords: the words of the configuration survive being printed.
func TestPanelWords(t *testing.T) {
	const text = "seal: {authors: [recorded:a/votes.jsonl#gpt, openai:gpt-5-mini, \"http://127.0.0.1:1/v1#m\", file: a.yml]}\njudging: {wait: 0s, controls: false, panel: [ollama:qwen3:32b, {model: \"openai:gpt-5\", name: second}, recorded:b.jsonl]}\n"
	cfg, err := Parse("config.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := YAML(cfg)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("config.yml", out, nil)
	if err != nil || !slices.Equal(cfg.Judging.Panel, again.Judging.Panel) || !slices.Equal(cfg.Seal.Authors, again.Seal.Authors) || again.Judging.Wait != 0 || again.Judging.Controls {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "- ollama:qwen3:32b\n") || !strings.Contains(string(out), "- file: a.yml\n") || cfg.Seal.Authors[2].DisplayName() != "m" || cfg.Seal.Authors[1].DisplayName() != "openai:gpt-5-mini" || cfg.Seal.Authors[0].DisplayName() != "gpt" || cfg.Judging.Panel[2].DisplayName() != "b" {
		t.Errorf("%s", out)
	}
}

// TestJudgesBounded: --judge names as many judges as judging.panel may.
func TestJudgesBounded(t *testing.T) {
	words := make([]string, maxNamed)
	for i := range words {
		words[i] = fmt.Sprintf("ollama:m%d", i)
	}
	c := Default()
	if _, err := c.Judges(words); err != nil {
		t.Error(err)
	}
	panel := `judging: {panel: ["` + strings.Join(words, `", "`) + `"]}`
	if _, err := Parse("c.yml", []byte(panel), nil); err != nil {
		t.Error(err)
	}
	if _, err := c.Judges(append(words, "ollama:more")); err == nil || err.Error() != "26 are named: at most 25 are allowed" {
		t.Error(err)
	}
}
