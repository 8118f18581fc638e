package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLiveScripts runs the scripts in testdata/script/live, each beside a daemon of its own with a judge:
// SHADOWD_BUS_URL is its bus, SHADOWD_BUS_NKEY its operator's key, SHADOWD_ENVELOPE_KEY and SHADOWD_SIGNING_KEY its
// own keys, and small.jsonl a run to replay.
func TestLiveScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/live/*.txtar")
	if err != nil || len(scripts) < 3 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	small, err := os.ReadFile(smallRun)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			url := startRun(t, reading(t, embedded(data))).url()
			testscript.Run(t, testscript.Params{
				Files:               []string{script},
				RequireExplicitExec: true,
				Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
				Setup: func(e *testscript.Env) error {
					e.Setenv("GORACE", quickExit())
					e.Setenv("SHADOWD_BUS_URL", url)
					e.Setenv("SHADOWD_BUS_NKEY", filepath.Join(data, "operator.nk"))
					e.Setenv("SHADOWD_ENVELOPE_KEY", filepath.Join(data, "envelope.nk"))
					e.Setenv("SHADOWD_SIGNING_KEY", filepath.Join(data, "signing.pem"))
					return os.WriteFile(filepath.Join(e.WorkDir, "small.jsonl"), small, 0o600)
				},
			})
		})
	}
}
