package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// A shell that has read the script completes commands, subcommands and flags.
func TestCompletionBash(t *testing.T) {
	script, _ := called(t, hint.ExitClean, "completion", "bash")
	for line, want := range map[string]string{
		"re": "replay report review", "keys ro": "rotate", "keys rotate --c": "--config", "report my-run --do": "--domain", "runs --st": "--state",
	} {
		words := "(shadowd " + line + ")"
		n := len(strings.Fields(line))
		cmd := exec.CommandContext(t.Context(), "bash", "-c", script+"\nCOMP_WORDS="+words+"; COMP_CWORD="+string(rune('0'+n))+"; _shadowd; echo \"${COMPREPLY[*]}\"")
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
}

// The script for fish in a real one, where it is installed.
func TestCompletionFish(t *testing.T) {
	if _, err := exec.LookPath("fish"); err != nil {
		t.Skip("fish is not installed: apt-get install fish")
	}
	script, _ := called(t, hint.ExitClean, "completion", "fish")
	t.Chdir(t.TempDir()) // it completes files too
	for line, want := range map[string]string{
		"re": "replay report review", "keys ro": "rotate", "keys rotate --c": "--config", "report my-run --do": "--domain", "runs --st": "--state",
	} {
		cmd := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "source; complete -C 'shadowd "+line+"' | string replace -r '\\t.*' ''")
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
}

func TestCompletionOthers(t *testing.T) {
	zsh, _ := called(t, hint.ExitClean, "completion", "zsh")
	fish, _ := called(t, hint.ExitClean, "completion", "fish")
	if !strings.HasPrefix(zsh, "autoload ") || !strings.Contains(fish, "-n '__fish_seen_subcommand_from runs' -l limit ") {
		t.Errorf("got\n%s\n%s", zsh, fish)
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"completion", "csh"}, &app{Stdout: &stderr, Stderr: &stderr}); code != hint.ExitUsage {
		t.Errorf("exit code %d", code)
	}
}
