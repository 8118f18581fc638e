package main

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

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

func configuredAuthors(cfg *config.Config) ([]shadow.Author, error) {
	v, err := daemon.NewParticipants(cfg, func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	return v.Authors(rand.Reader, nil)
}

func TestAuthors(t *testing.T) {
	file := inFolder(t, "seal:\n  authors:\n    - file: DIR/ours.yml\n    - rules\n    - file: DIR/ours.yml\n      name: again\n", map[string]string{"ours.yml": packOfOne})
	cfg, err := config.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	authors, err := configuredAuthors(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range authors {
		names = append(names, a.Name()+"/"+a.Model().Family)
	}
	if got := strings.Join(names, " "); got != "ours/rules rules/rules again/rules" {
		t.Errorf("authors %s", got)
	}
	if authors, err := configuredAuthors(config.Default()); err != nil || len(authors) != 1 || authors[0].Name() != "rules" {
		t.Errorf("by default: %v, %v", authors, err)
	}
}

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
