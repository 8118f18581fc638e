package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// openings counts the traces of a bus.
func openings(all map[string]string) int {
	n := 0
	for subject := range all {
		if strings.HasPrefix(subject, "swarm.envelope-opened.") {
			n++
		}
	}
	return n
}

// Commands that look into an envelope record it only if they can: with the key
// that sealed it, which may have been rotated since.
func TestOpeningsThatCannotBe(t *testing.T) {
	js, env := judgedBus(t)
	dir := t.TempDir()
	old := readFile(t, strings.TrimPrefix(env[1], "SHADOWD_ENVELOPE_KEY="))
	young, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := young.Seed()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"other": string(seed), "rotated": string(seed) + "\n" + old} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := map[string][]string{"open": {"open", "r"}, "explain": {"explain", "r", "a"}}
	for key, want := range map[string]string{"nowhere": "needs the envelope key", "other": "the key here is another one"} {
		for name, args := range commands {
			if code, out, errs := ended(t, append(env, "SHADOWD_ENVELOPE_KEY="+filepath.Join(dir, key)), args...); code != hint.ExitFailed || !strings.Contains(errs, want) {
				t.Errorf("%s with the key %s: exit code %d\n%s%s", name, key, code, out, errs)
			}
		}
	}
	if n := openings(everything(t, js)); n != 0 {
		t.Errorf("%d openings are recorded, and there was none", n)
	}
	for name, args := range commands {
		if code, out, errs := ended(t, append(env, "SHADOWD_ENVELOPE_KEY="+filepath.Join(dir, "rotated")), args...); code != hint.ExitClean || !strings.Contains(out, "Question 2 is answered") {
			t.Errorf("%s with a rotated key: exit code %d\n%s%s", name, code, out, errs)
		}
	}
	if n := openings(everything(t, js)); n != len(commands) {
		t.Errorf("%d openings are recorded, there were %d", n, len(commands))
	}
}

// An event that looks like word from the server keeps the operator from
// nothing.
func TestStatusInTheLog(t *testing.T) {
	js, env := judgedBus(t)
	for _, h := range []nats.Header{
		{"Status": {"409"}, "Description": {"Consumer Deleted"}}, {"Status": {"100"}}, {"Status": {"404"}, "Description": {"No Messages"}}, {"Status": {"503"}},
	} {
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "swarm.decomposition-done.r", Header: h}); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"runs"}, {"report", "r"}, {"explain", "r", "a"}} {
		if code, out, errs := ended(t, env, args...); code != hint.ExitClean || !strings.Contains(out, "r") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}
