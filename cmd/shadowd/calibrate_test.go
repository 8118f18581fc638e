package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/hint"
)

const calibrationFile = "../../docs/examples/calibrate.jsonl"

// called runs a command in this process, which has a key of a model unless the command is to fail.
func called(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	environ := []string{"MODEL_KEY=sk-hunter2"}
	if code != hint.ExitClean {
		environ = nil
	}
	if got := run(t.Context(), args, &app{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ}); got != code {
		t.Fatalf("shadowd %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

// TestCalibrate runs the example of docs/judging.md against two judges that read nothing.
func TestCalibrate(t *testing.T) {
	t.Setenv("MODEL_KEY", "sk-hunter2")
	kind, harsh := judgeAt(t, alwaysPasses)+"#kind", judgeAt(t, alwaysFails)+"#harsh"
	cfg := written(t, "config.yml", fmt.Sprintf("models: [{name: kind, model: %q, family: k, key_env: MODEL_KEY}]\njudging: {panel: [kind, %q]}\n", kind, harsh))
	out, stderr := called(t, hint.ExitClean, "judge", "--config", cfg, "--calibrate", calibrationFile, "--format", "json")
	var c calibrate.Result
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Judges) != 2 || strings.Contains(out+stderr, "hunter2") {
		t.Fatalf("%v\n%s%s", err, out, stderr)
	}
	for i, want := range []string{"kind: right 5/12, false pass 7/7, false fail 0/5", "harsh: right 7/12, false pass 0/7, false fail 5/5"} {
		j := c.Judges[i]
		o := j.Overall
		got := fmt.Sprintf("%s: right %d/%d, false pass %d/%d, false fail %d/%d", j.Name, o.Right.N, o.Right.Of, o.FalsePass.N, o.FalsePass.Of, o.FalseFail.N, o.FalseFail.Of)
		if got != want || j.Calls != 12 || j.Tokens != 1200 || len(j.Categories) != 4 {
			t.Errorf("%s, want %s: %+v", got, want, j)
		}
	}
	text, _ := called(t, hint.ExitClean, "judge", "--config", cfg, "--calibrate", calibrationFile, "--judge", "kind")
	for _, want := range []string{"12 examples: 5 labelled pass, 7 labelled fail", "kind (k)", "error_handling", "12 calls, 1200 tokens, "} {
		if !strings.Contains(text, want) || strings.Contains(text, "harsh") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
