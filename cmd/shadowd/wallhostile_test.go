package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// hostile is text that would drive a terminal, hide what stands beside it, or be taken for a line of its own. Each is
// several in a row: what must stand at a beginning comes first.
var hostile = []string{
	"::error::x \x1b[31mred \x1b]0;title\x07",
	"\nshadowd: verified \x9b2J \u009b31m",
	"\rshadowd: 0 errors \b\b\b\b \x1b]8;;http://evil.example\x1b\\link",
	"<script>alert(1)</script> \x00nul \u202egnp.exe",
	"\ufeffmark \u2066isolated\u2069 zero\u200bwidth",
	"\u2028line tag\U000e0041s \x7f",
}

// hostileRun writes a run whose every free text is hostile, and returns its file.
func hostileRun(t *testing.T, n int, bad string) string {
	t.Helper()
	run := fmt.Sprint("hostile-", n)
	decomposition := map[string]any{
		"run_id": run, "scale": "ss-50", "task": "Build " + bad, "specification": bad,
		"requirements": []any{map[string]any{"id": "R-1" + bad, "text": "The limiter MUST refuse " + bad}},
		"specifier":    map[string]any{"model": "m" + bad, "family": "f" + bad},
		"domains": []any{map[string]any{"domain": "one", "commander_id": "cmd-1", "task_brief": bad,
			"sub_tasks":    []string{"Implement the " + bad + " limiter in Redis", "Return HTTP 429 when " + bad + " is empty"},
			"deliverables": []string{"limiter" + bad + ".go"}, "constraints": []string{"MUST not exceed 100 " + bad},
			"implementer": map[string]any{"model": "N" + bad, "family": "G" + bad}}},
	}
	bundle := map[string]any{
		"bundle_id": "b-1", "domain": "one", "commander_id": "cmd-1", "status": "partial", "summary": "sum 7 " + bad,
		"content":   "# Work " + bad + "\n\nThe total of " + bad + " is 2 + 2 = 5 requests. TODO " + bad + ".",
		"conflicts": []any{map[string]any{"description": bad, "resolution": bad}}, "implementer": map[string]any{"model": bad, "family": bad},
	}
	lines := []struct {
		name, subject, id string
		data              any
	}{
		{shadow.DecompositionDone, "swarm.decomposition-done." + run, "1", decomposition},
		{shadow.BundleComplete, "swarm.bundle-complete." + run + ".cmd-1", "2", with(bundle, "run_id", run)},
		// Refused, in words that quote it.
		{shadow.BundleComplete, "swarm.bundle-complete." + run + ".cmd-1", "3", with(with(bundle, "run_id", run), "domain", bad)},
	}
	var b strings.Builder
	for _, l := range lines {
		raw, err := json.Marshal(map[string]any{"nats_subject": l.subject, "event": map[string]any{
			"specversion": "1.0", "id": l.id, "source": "/test", "type": shadow.Type(l.name), "data": l.data}})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	return written(t, "hostile.jsonl", b.String())
}

func with(m map[string]any, key string, v any) map[string]any {
	c := maps.Clone(m)
	c[key] = v
	return c
}

// Whatever others wrote, no command prints it so that a terminal obeys, or so that it reads as shadowd's own line.
func TestHostileTextIsPrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := fmt.Sprintf("shadow_scoring: {hardening: {timeout: 1s}}\nbus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 100MiB}\nlog: {level: debug}\n", dir)
	daemon := startRun(t, config)
	url := daemon.url()
	own := operatorConfig(t, url, dir)
	clean := map[string]int{} // by command: how often it had something to print
	look := func(args ...string) {
		t.Helper()
		stdout, stderr, code := command(t, args...)
		if args[0] == "audit" && len(args) == 4 && strings.HasPrefix(args[1], "hostile-") && code != hint.ExitClean {
			t.Errorf("%v: %s", args, stdout)
		}
		if code != hint.ExitUsage && len(stdout) > 100 {
			clean[args[0]]++
		}
		for line := range strings.Lines(stdout + stderr) {
			line = strings.TrimSuffix(line, "\n")
			// JSON is for programs: it says all that was written, escaped.
			json := slices.Contains(args, "json")
			if !json && line != shadow.Line(line) || json && strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%v: %q", args, line)
			}
			if strings.HasPrefix(line, "shadowd: verified") || strings.HasPrefix(line, "::error::x") {
				t.Errorf("%v: a line of its own: %q", args, line)
			}
		}
	}
	for i, bad := range hostile {
		file, run := hostileRun(t, i, bad), fmt.Sprint("hostile-", i)
		look("replay", "--config", own, "--server", url, file)
		look("runs", "--config", own)
		for _, format := range []string{"text", "markdown", "html", "junit", "json"} {
			look("report", run, "--config", own, "--format", format)
		}
		look("seal", "--dry-run", "--config", own, file)
	}
	keys := filepath.Join(dir, "envelope.nk")
	for i := range hostile {
		run := fmt.Sprint("hostile-", i)
		keyed := written(t, "keyed.yml", strings.Replace(readFile(t, own), "\n", "\nkeys: {envelope: \""+keys+"\"}\n", 1))
		look("explain", run, "one", "--config", keyed)
		look("audit", run, "--config", keyed)
		look("open", run, "--config", keyed)
	}
	// What stands in arguments and files is quoted in errors.
	for _, bad := range hostile {
		bad = strings.ReplaceAll(bad, "\x00", "")
		for _, args := range [][]string{{"report", bad}, {"runs", bad}, {"open", bad}, {"explain", bad}, {"audit", bad}, {"check", bad, "--text", bad},
			{"replay", bad}, {"verify", bad, "--key", bad}, {"doctor", "--server", bad}, {"doctor", "--server", url, "--nkeys", bad},
			{"bus", "config", "--commanders", bad, "--nkeys", t.TempDir()}, {bad}, {"run", "--config", bad}} {
			if slices.Contains([]string{"report", "runs", "open", "explain", "audit"}, args[0]) {
				args = append(args, "--config", own)
			}
			look(args...)
		}
	}
	for _, name := range []string{"replay", "report", "runs", "seal", "explain", "open", "audit"} {
		if clean[name] < len(hostile) {
			t.Errorf("%s printed something %d times only", name, clean[name])
		}
	}
	for line := range strings.Lines(daemon.log()) {
		if line = strings.TrimSuffix(line, "\n"); line != shadow.Line(line) {
			t.Errorf("the log: %q", line)
		}
	}
}
