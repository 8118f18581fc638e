package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scored runs shadowd score and returns what it printed and its exit code.
func scored(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(context.Background(), append([]string{"score"}, args...), &app{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), code
}

// fixtures are black-box cases of a validator.
type fixtures struct {
	Fixtures []struct {
		ID    string
		Input struct {
			Sealed, Open string
			SealedInline json.RawMessage `json:"sealed_inline"`
			Threshold    json.Number
		}
		Expected map[string]any `json:"expected_output"`
		ExitCode int            `json:"expected_exit_code"`
	}
}

// TestConformanceFixtures runs the public conformance suite where it is at hand, and always the project's own cases.
func TestConformanceFixtures(t *testing.T) {
	for _, dir := range []string{"testdata/score", "../../../shared/conformance"} {
		raw, err := os.ReadFile(filepath.Join(dir, "fixtures.json"))
		if errors.Is(err, fs.ErrNotExist) && dir != "testdata/score" {
			t.Logf("%s is not here", dir)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var suite fixtures
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&suite); err != nil {
			t.Fatal(err)
		}
		if len(suite.Fixtures) < 10 {
			t.Fatalf("%d fixtures in %s", len(suite.Fixtures), dir)
		}
		for _, f := range suite.Fixtures {
			t.Run(f.ID, func(t *testing.T) {
				args := []string{"--sealed", filepath.Join(dir, f.Input.Sealed)}
				if f.Input.Sealed == "" {
					args[1] = "-"
				}
				if f.Input.Open != "" {
					args = append(args, "--open", filepath.Join(dir, f.Input.Open))
				}
				if f.Input.Threshold != "" {
					args = append(args, "--threshold", f.Input.Threshold.String())
				}
				stdout, stderr, code := scored(string(f.Input.SealedInline), args...)
				if code != f.ExitCode {
					t.Errorf("exit code %d, want %d: %s", code, f.ExitCode, stderr)
				}
				if f.Expected == nil {
					return
				}
				var got map[string]any
				d := json.NewDecoder(strings.NewReader(stdout))
				d.UseNumber()
				if err := d.Decode(&got); err != nil {
					t.Fatalf("%v in %s", err, stdout)
				}
				holds(t, "", f.Expected, got)
			})
		}
	}
}

// holds wants everything of want in got; got may have more.
func holds(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for key, v := range want {
			holds(t, at+"/"+key, v, got[key])
		}
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			t.Errorf("%s: %d entries, want %d", at, len(got), len(want))
			return
		}
		for i := range want {
			holds(t, at, want[i], got[i])
		}
	case json.Number:
		n, _ := got.(json.Number)
		w, _ := want.Float64()
		if g, err := n.Float64(); err != nil || g != w {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}
