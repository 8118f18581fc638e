package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

// TestConfigShowsNoKey: what the command config prints holds the name of the
// variable and not what is in it, and can be read again.
func TestConfigShowsNoKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yml")
	text := "models: [{name: gpt, model: 'http://models.example.org/v1#m', key_env: MODEL_KEY}]\nseal: {authors: [{model: gpt}]}\njudging: {panel: [{model: gpt}, {model: gpt, name: second}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr := called(t, hint.ExitClean, "config", "--config", file)
	if strings.Contains(out+stderr, "hunter2") || !strings.Contains(out, "key_env: MODEL_KEY") {
		t.Error(out)
	}
	for _, want := range []string{"models.example.org, and what goes there is not encrypted", "an odd number has none"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no warning %q in %s", want, stderr)
		}
	}
	again, err := config.Parse("config.yml", []byte(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := again.Models[0]; m.Timeout != time.Minute || m.Concurrency != 4 || len(again.Judging.Panel) != 2 {
		t.Errorf("%+v", again)
	}
}

// TestSealAsksModels: a dry run asks models.
func TestSealAsksModels(t *testing.T) {
	server := httptest.NewServer(llmtest.Handler(scriptedPanel))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "config.yml")
	text := "models: [{name: alpha, model: '" + server.URL + "/v1#alpha-1'}]\nseal: {authors: [{model: alpha}]}\njudging: {panel: [{model: alpha}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := called(t, hint.ExitClean, "seal", "--dry-run", "--config", file, smallRun)
	if !strings.Contains(out, "The plan states how many workers serve the amber queue.") {
		t.Errorf("no criterion of the model:\n%s", out)
	}
}

// inFolder writes files into a new folder and returns the configuration that
// names some of them as authors.
func inFolder(t *testing.T, config string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(config, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const packOfOne = `version: 1
criteria:
  - {assertion: The bundle lists its risks., expectation: A section on risks., message: say what can go wrong, check: "text.has_section('Risks')", category: edge_case}
`

// TestWrongPacks: whatever is wrong in any file of criteria is said at start,
// before anything else happens.
func TestWrongPacks(t *testing.T) {
	file := inFolder(t, "seal:\n  authors:\n    - file: DIR/a.yml\n    - file: DIR/b.yml\nbus:\n  data_dir: DIR/data\n", map[string]string{
		"a.yml": "version: 3\ncriteria: []\n", "b.yml": strings.Replace(packOfOne, "edge_case", "odd", 1)})
	for _, command := range []string{"config", "run"} {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{command, "--config", file}, &app{Stdout: new(bytes.Buffer), Stderr: &stderr})
		if code != hint.ExitUsage {
			t.Errorf("%s: exit code %d", command, code)
		}
		for _, want := range []string{`a.yml:1: version: 3 must be 1`, `b.yml:3: criteria[0].category: "odd" is none of`, "docs/authors.md"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s does not say %q:\n%s", command, want, stderr.String())
			}
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "data")); err == nil {
		t.Error("the daemon was started")
	}
}

// TestOpenLogin: a login at the bus that others can read is refused, as every
// other secret is.
func TestOpenLogin(t *testing.T) {
	for _, setting := range []string{"nkey", "credentials"} {
		file := inFolder(t, "bus: {url: 'nats://127.0.0.1:1', data_dir: DIR/data, "+setting+": DIR/login}\n", map[string]string{"login": "SU"})
		if err := os.Chmod(filepath.Join(filepath.Dir(file), "login"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"config", "run"} {
			if _, stderr := called(t, hint.ExitUsage, command, "--config", file); !strings.Contains(stderr, "bus."+setting+": ") || !strings.Contains(stderr, "login has mode 0644, others can read it: chmod 600 it") {
				t.Errorf("%s: %s", command, stderr)
			}
		}
	}
}
