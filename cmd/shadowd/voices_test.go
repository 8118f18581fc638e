package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

// withModel is a configuration of one model that judges, with more keys.
func withModel(t *testing.T, more string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("config.yml", []byte("models: [{name: gpt, model: 'https://api.example.org/v1#gpt-5-mini'"+more+"}]\njudging: {panel: [{model: gpt}]}\nfamilies: [{model: 'gpt-*', family: GPT}]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestModelKeys: what is wrong with a key is said at start, by the name of the
// model, of the variable or of the file, and never with the key.
func TestModelKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, tt := range []struct{ name, more, env, want string }{
		{"no key", "", "", ""},
		{"variable", ", key_env: MODEL_KEY", "sk-hunter2", ""},
		{"no variable", ", key_env: MODEL_KEY", "", "the key of the model gpt: the environment variable MODEL_KEY is not set"},
		{"file", ", key_file: " + write("good", "sk-hunter2\n", 0o600), "", ""},
		{"no file", ", key_file: " + filepath.Join(dir, "none"), "", "no such file"},
		{"empty file", ", key_file: " + write("empty", "\nsk-hunter2", 0o600), "", "has no key in its first line"},
		{"open file", ", key_file: " + write("open", "sk-hunter2", 0o644), "", "has mode 0644, others can read it: chmod 600 it"},
	} {
		if tt.name == "open file" && runtime.GOOS == "windows" {
			continue // which has no such modes
		}
		_, err := daemon.NewParticipants(withModel(t, tt.more), func(string) string { return tt.env })
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if tt.name == "no variable" {
			if f, ok := err.(*hint.Error); !ok || f.Code != hint.ExitUsage {
				t.Errorf("%s: %v is no usage error", tt.name, err)
			}
		}
	}
}

// TestConfigShowsNoKey: what the command config prints holds the name of the
// variable and not what is in it, and can be read again.
func TestConfigShowsNoKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yml")
	text := "models: [{name: gpt, model: 'http://models.example.org/v1#m', key_env: MODEL_KEY}]\nseal: {authors: [rules, {model: gpt}, {service: legal, family: qwen, sealed: true}]}\njudging: {panel: [{model: gpt}, {model: gpt, name: second}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr := called(t, hint.ExitUsage, "config", "--config", file) // nobody runs the service
	if strings.Contains(out+stderr, "hunter2") || !strings.Contains(out, "key_env: MODEL_KEY") {
		t.Error(out)
	}
	for _, want := range []string{"without encryption at models.example.org", "an odd number has none"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no warning %q in %s", want, stderr)
		}
	}
	again, err := config.Parse("config.yml", []byte(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := again.Models[0]; m.Timeout != time.Minute || m.Concurrency != 4 || len(again.Judging.Panel) != 2 || again.Seal.Authors[2].Service != "legal" || !again.Seal.Authors[2].Sealed {
		t.Errorf("%+v", again)
	}
}

// TestVoices: names, families and prompts of judges as reports show them.
func TestVoices(t *testing.T) {
	cfg := withModel(t, "")
	v, err := daemon.NewParticipants(cfg, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	judges, err := v.Judges(nil)
	if err != nil || len(judges) != 1 {
		t.Fatal(judges, err)
	}
	if ref := judges[0].Ref(); ref.Name != "gpt" || ref.Model.Model != "gpt-5-mini" || ref.Family != "gpt" || !strings.HasPrefix(ref.Prompt, "sha256:") {
		t.Errorf("%+v", ref)
	}
	cfg.Judging.Panel = append(cfg.Judging.Panel, config.Judge{Service: "strict"})
	if _, err := v.Judges(nil); err == nil || !strings.Contains(err.Error(), "strict is a service on the bus") {
		t.Errorf("a service without a bus: %v", err)
	}
	if off, err := daemon.NewOffline(cfg, nil, nil); err != nil || len(off.Config().Judging.Panel) != 0 || len(cfg.Judging.Panel) != 2 {
		t.Errorf("offline: %v, %v", off, err)
	}
}

// TestSealAsksModels: a dry run asks models, says so, and leaves services out;
// replay asks nobody.
func TestSealAsksModels(t *testing.T) {
	server := httptest.NewServer(llmtest.Handler(scriptedPanel))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "config.yml")
	text := "models: [{name: alpha, model: '" + server.URL + "/v1#alpha-1'}]\nseal: {authors: [{model: alpha}, {service: legal}]}\njudging: {panel: [{model: alpha}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr := called(t, hint.ExitClean, "seal", "--dry-run", "--config", file, smallRun)
	if !strings.Contains(out, "The plan states how many workers serve the amber queue.") {
		t.Errorf("no criterion of the model:\n%s", out)
	}
	for _, want := range []string{"models are asked, which costs tokens: alpha", "services on the bus are left out, and rules writes their share: legal"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	_, stderr = called(t, hint.ExitClean, "replay", "--config", file, "--hardening-timeout", "1s", smallRun)
	if !strings.Contains(stderr, "so left out: author alpha, author legal, judge alpha") {
		t.Errorf("replay does not say who is left out: %s", stderr)
	}
}
