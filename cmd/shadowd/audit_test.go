package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// busOf runs a daemon on an external server without users, where a test can
// falsify what is stored, and plays the small run there.
func busOf(t *testing.T) (js jetstream.JetStream, env []string) {
	t.Helper()
	broker, data := bustest.Server(t), t.TempDir()
	startRun(t, reading(t, fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", broker.URL(), data))).url()
	_, js = broker.Connect(t)
	shadowd(t, "replay", "--server", broker.URL(), smallRun)
	return js, []string{"SHADOWD_BUS_URL=" + broker.URL(), "SHADOWD_ENVELOPE_KEY=" + data + "/envelope.nk", "SHADOWD_SIGNING_KEY=" + data + "/signing.pem"}
}

// ended runs a command and returns its exit code and what it printed.
func ended(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "shadowd", args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(cmd.Environ(), env...)
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestNoStreams: a bus on which no shadowd has run is said to be one.
func TestNoStreams(t *testing.T) {
	for _, broker := range []*bustest.Broker{bustest.Server(t), bustest.ServerWith(t, "max_payload: 1MB")} {
		if code, _, errs := ended(t, []string{"SHADOWD_BUS_URL=" + broker.URL()}, "runs"); code != hint.ExitFailed || !strings.Contains(errs, "no shadowd has run there") {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
}

// What an audit quotes of others is made harmless.
func TestFindingsAreEscaped(t *testing.T) {
	s := &audit.Result{Errors: 1, Findings: []audit.Finding{{Code: audit.BadOutput, Severity: audit.Error, Run: "r\x1b[31m", Stored: "a\nb\x1b", Want: "c\u202e"}}}
	var b bytes.Buffer
	if err := render.Audit(render.NewTerminal(&b, false), s); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSuffix(line, "\n"); line != shadow.Printable(line) {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(b.String(), "\n") != 5 || !strings.Contains(b.String(), "1 error, ") {
		t.Error(b.String())
	}
}

// TestStatusInTheLog: an event that looks like word from the server keeps the operator from nothing.
func TestStatusInTheLog(t *testing.T) {
	js, env := busOf(t)
	for _, h := range []nats.Header{
		{"Status": {"409"}, "Description": {"Consumer Deleted"}}, {"Status": {"100"}}, {"Status": {"404"}, "Description": {"No Messages"}}, {"Status": {"503"}},
	} {
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "swarm.decomposition-done.run-small", Header: h}); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"runs", "report run-small", "explain run-small guide"} {
		if code, out, errs := ended(t, env, strings.Fields(args)...); code != hint.ExitClean || !strings.Contains(out, "run-small") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}
