package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
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

// everybody is all participants of a configuration in an empty environment.
func everybody(cfg *config.Config) (*Participants, error) {
	return NewParticipants(cfg, func(string) string { return "" }, cfg.Seal.Authors, cfg.Judging.Panel)
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
		cfg := withModel(t, tt.more)
		_, err := NewParticipants(cfg, func(string) string { return tt.env }, nil, cfg.Judging.Panel)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if tt.name == "no variable" {
			if f := new(hint.Error); !errors.As(err, &f) || f.Code != hint.ExitUsage {
				t.Errorf("%s: %v is no usage error", tt.name, err)
			}
		}
	}
}

const packOfOne = `version: 1
criteria:
  - {assertion: The bundle lists its risks., expectation: A section on risks., message: say what can go wrong, check: "text.has_section('Risks')", category: edge_case}
`

// TestParticipants: names, families and prompts of authors and judges as reports show them.
func TestParticipants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ours.yml")
	if err := os.WriteFile(file, []byte(packOfOne), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := withModel(t, "")
	cfg.Seal.Authors = []config.Participant{{File: file}, {Model: "ollama:qwen3:32b"}, {File: file, Name: "again"}}
	p, err := everybody(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range append(p.Files, p.Authors...) {
		names = append(names, a.Ref().Name+"/"+a.Ref().Family)
	}
	if got := strings.Join(names, " "); got != "ours/rules again/rules ollama:qwen3:32b/qwen" {
		t.Errorf("authors %s", got)
	}
	if ref := p.Judges[0].Ref(); len(p.Judges) != 1 || ref.Name != "gpt" || ref.Model.Model != "gpt-5-mini" || ref.Family != "gpt" || !strings.HasPrefix(ref.Prompt, "sha256:") {
		t.Errorf("%+v", ref)
	}
}

// TestAuthorsNeedJudges: what a model asks is read by judges, so without any a run
// is refused. A dry run of sealing needs none.
func TestAuthorsNeedJudges(t *testing.T) {
	const want = "name one in judging.panel or by --judge"
	model, judge := config.Participant{Model: "ollama:qwen3:32b"}, config.Participant{Model: "ollama:llama3"}
	cfg := config.Default()
	cfg.Bus.DataDir = t.TempDir()
	cfg.Seal.Authors = []config.Participant{model}
	var usage *hint.Error
	if _, err := Check(cfg, os.Getenv); err == nil || !strings.Contains(err.Error(), "ollama:qwen3:32b") || !strings.Contains(err.Error(), want) || !errors.As(err, &usage) || usage.Code != hint.ExitUsage {
		t.Errorf("checked: %v", err)
	}
	if _, err := NewParticipants(cfg, os.Getenv, cfg.Seal.Authors, nil); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	cfg.Judging.Panel = []config.Participant{judge}
	if _, err := Check(cfg, os.Getenv); err != nil {
		t.Errorf("with a panel: %v", err)
	}
}

// TestCheck: what Start would refuse is found without a start, all at once.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := withModel(t, ", key_env: MODEL_KEY")
	cfg.Bus.DataDir = filepath.Join(dir, "file")
	cfg.Bus.TLS = config.TLS{Cert: "nowhere.pem", Key: "nowhere.key"}
	cfg.Keys.Signing = filepath.Join(dir, "nowhere.pem")
	cfg.Bus.Users = []config.User{{Name: "nexus", Role: "nexus", PasswordFile: filepath.Join(dir, "file")}}
	cfg.Seal.Authors = []config.Participant{{File: filepath.Join(dir, "none.yml")}, {File: dir}}
	_, err := Check(cfg, func(string) string { return "" })
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"seal.authors[0].file: open ", "is a directory", "MODEL_KEY is not set", "bus.users: the password of nexus", "bus.tls: open nowhere.pem", "keys.signing: open "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said:\n%v", want, err)
		}
	}
	cfg = config.Default()
	cfg.Bus.DataDir = filepath.Join(dir, "new")
	if _, err := Check(cfg, os.Getenv); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if _, err := os.Stat(cfg.Bus.DataDir); err == nil {
		t.Error("the check made the data directory")
	}
}

// TestStartStop: a stopped daemon leaves nothing running, and its data
// directory is free for the next one.
func TestStartStop(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cfg := config.Default()
	cfg.Bus.DataDir, cfg.Bus.Listen, cfg.HTTP.Listen = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	cfg.Bus.MaxBytes = 1 << 20
	for range 2 {
		p, err := everybody(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Start(t.Context(), p, slog.New(slog.DiscardHandler), "test", false)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range d.steps {
			names = append(names, s.name)
		}
		if got := strings.Join(names, ", "); got != "the page, metrics and health, embedded server, connection, keys, reading for the page, looking whether the bus stores, engine" {
			t.Errorf("started: %s", got)
		}
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	}
}
