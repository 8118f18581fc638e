package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// exampleArgs are those that deploy/nats/README.md names.
var exampleArgs = []string{"bus", "config", "--commanders", "cmd-impl,cmd-test"}

// command runs a command in this process.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &app{Stdin: nil, Stdout: &out, Stderr: &errs, Environ: os.Environ()})
	return out.String(), errs.String(), code
}

// The example in deploy/nats is what the command prints for its keys.
func TestDeployExample(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "deploy", "nats"))
	want := readFile(t, "nats.conf")
	got, stderr, code := command(t, exampleArgs...)
	if code != hint.ExitClean || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("nats.conf (-) is not what the command prints (+). If that is meant:\n\tcd deploy/nats && go run ../../cmd/shadowd %s > nats.conf\n%s", strings.Join(exampleArgs, " "), diff)
	}
	if !strings.Contains(readFile(t, "README.md"), "shadowd "+strings.Join(exampleArgs, " ")) {
		t.Error("the README names another command")
	}
	if seeds, _ := filepath.Glob(filepath.Join("nkeys", "*.nk")); len(seeds) > 0 {
		t.Errorf("seeds are published: %v", seeds)
	}
}

// A server runs that very file, and lets in nobody but the owners of its keys.
func TestDeployExampleLoads(t *testing.T) {
	var o server.Options
	if err := o.ProcessConfigFile(filepath.Join("..", "..", "deploy", "nats", "nats.conf")); err != nil {
		t.Fatal(err)
	}
	if len(o.Nkeys) != 7 || len(o.Users) != 0 || o.NoAuthUser != "" || o.Host != "127.0.0.1" || o.Port != 4222 {
		t.Errorf("%d keys, %d users, no_auth_user %q, listens on %s:%d", len(o.Nkeys), len(o.Users), o.NoAuthUser, o.Host, o.Port)
	}
	broker := bustest.ServerWith(t, deployed(t, "nats", "nats.conf"))
	if nc, err := connect(broker.URL()); !errors.Is(err, nats.ErrAuthorization) {
		nc.Close()
		t.Errorf("somebody without a key: %v", err)
	}
	code, _, said := ended(t, []string{"SHADOWD_BUS_URL=" + broker.URL()}, "runs")
	if want := "the operator's key is not at hand"; code != hint.ExitFailed || !strings.Contains(said, want) || !strings.Contains(said, "hint: be its operator") {
		t.Errorf("a command without a key: %d, %s", code, said)
	}
}

// What the command prints works as it says: keys that are kept, a server of one's own, shadowd by the block in the
// first comment, commands by the operator's key, and a doctor with nothing to complain about.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	args := []string{"bus", "config", "--commanders", "cmd-1,cmd-2", "--nkeys", keys}
	text, stderr, code := command(t, args...)
	if code != hint.ExitClean || !strings.Contains(stderr, "7 keys created") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if again, _, _ := command(t, args...); again != text {
		t.Error("the second time it prints something else")
	}
	if strings.Contains(text, "SU") && strings.Contains(text, readFile(t, filepath.Join(keys, "shadowd.nk"))) {
		t.Error("a seed is printed")
	}
	for _, name := range []string{"shadowd", "operator", "nexus", "commander-cmd-1", "commander-cmd-2", "consensus-main", "auditor-main"} {
		info, err := os.Stat(filepath.Join(keys, name+".nk"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, err)
		}
		if public := strings.TrimSpace(readFile(t, filepath.Join(keys, name+".pub"))); !strings.Contains(text, public) {
			t.Errorf("the key of %s is not in the text", name)
		}
	}
	broker := bustest.ServerWith(t, text)
	r := startRun(t, reading(t, fmt.Sprintf("shadow_scoring: {hardening: {timeout: 1s}}\n%s  data_dir: %q\n  max_bytes: 100MiB\nlog: {level: info}\n",
		strings.Replace(ownConfig(t, text), "nats://127.0.0.1:4222", broker.URL(), 1), filepath.Join(dir, "data"))))
	r.url()
	config := written(t, "operator.yml", fmt.Sprintf("bus: {url: %q, nkey: %q}\n", broker.URL(), filepath.Join(keys, "operator.nk")))
	r.says(`the wall holds for everybody that bus.users names`)
	events := shadowd(t, "replay", "--format", "json", "--config", config, "--server", broker.URL(), smallRun)
	for _, rep := range count(t, outputEvents(t, events)).last {
		if rep.Report.WorkspaceIsolation != "strict" || rep.Report.ConformanceLevel < 2 {
			t.Errorf("the report on %s claims %s, level %d", rep.Swarm.Domain, rep.Report.WorkspaceIsolation, rep.Report.ConformanceLevel)
		}
	}
	out, stderr, code := command(t, "doctor", "--server", broker.URL(), "--nkeys", keys, "--all")
	if code != hint.ExitClean || strings.Contains(out, "NOT AS EXPECTED") || strings.Contains(out, "not there yet") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	t.Log(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
	for user, durable := range map[string]string{"nexus": "nexus", "commander-cmd-1": "commander-cmd-1", "consensus-main": "consensus-main", "auditor-main": "auditor-main", "operator": "auditor-main"} {
		if _, err := byContext(t, broker.URL(), append(args, "--context", user)...).Consumer(t.Context(), layout.StreamOut, durable); err != nil {
			t.Errorf("the context of %s: %v", user, err)
		}
	}
	if _, said, code := command(t, append(args, "--context", "cmd-1")...); code != hint.ExitUsage || !strings.Contains(said, `there is no user "cmd-1"`) {
		t.Errorf("the context of nobody: %d, %s", code, said)
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
}

// byContext connects to a server as the nats command line does by a context.
func byContext(t *testing.T, url string, args ...string) jetstream.JetStream {
	t.Helper()
	var c struct {
		URL         string `json:"url"`
		NKey        string `json:"nkey"`
		APIPrefix   string `json:"jetstream_api_prefix"`
		InboxPrefix string `json:"inbox_prefix"`
	}
	text, stderr, code := command(t, args...)
	if err := json.Unmarshal([]byte(text), &c); err != nil || code != hint.ExitClean || c.URL != "nats://127.0.0.1:4222" || !filepath.IsAbs(c.NKey) {
		t.Fatalf("%v, exit code %d: %s%s", err, code, text, stderr)
	}
	login, err := nats.NkeyOptionFromSeed(c.NKey)
	if err != nil {
		t.Fatal(err)
	}
	if c.InboxPrefix == "" { // an operator's may have any
		c.InboxPrefix, c.APIPrefix = "_INBOX", "$JS.API"
	}
	js, err := jetstream.NewWithAPIPrefix(connected(t, url, login, nats.CustomInboxPrefix(c.InboxPrefix)), c.APIPrefix)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// The doctor finds an open server, and a wall with holes.
func TestDoctorFinds(t *testing.T) {
	dir := t.TempDir()
	text, _, code := command(t, "bus", "config", "--commanders", "cmd-1", "--nkeys", dir)
	if code != hint.ExitClean {
		t.Fatal(code)
	}
	for _, c := range []struct {
		name string
		url  func(*testing.T) string
		want []string
		open bool // everything is allowed
	}{
		{"a server without accounts", func(t *testing.T) string { return bustest.Server(t).URL() },
			[]string{"(unknown) connect with no credentials allowed NOT AS EXPECTED", "the server knows no keys at all"}, false},
		{"no lists of subjects", func(t *testing.T) string {
			return bustest.ServerWith(t, text, func(o *server.Options) {
				for _, u := range o.Nkeys {
					u.Permissions = nil
				}
			}).URL()
		}, []string{"listen to >"}, false},
		{"everybody in the account of the streams", func(t *testing.T) string {
			broker := bustest.ServerWith(t, text, func(o *server.Options) {
				for _, u := range o.Nkeys {
					for _, a := range o.Accounts {
						if a.Name == "SHADOW" {
							u.Account, u.Permissions = a, nil
						}
					}
				}
			})
			if _, err := layout.Ensure(t.Context(), layout.Subjects{}, jetStreamAs(t, broker.URL(), filepath.Join(dir, "shadowd.nk")), layout.StorageConfig{}); err != nil {
				t.Fatal(err)
			}
			return broker.URL()
		}, []string{"publish $KV.SHADOW_ENVELOPES.shadowd-doctor allowed", "$JS.API.STREAM.NAMES"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // they wait for answers that don't come
			url := c.url(t)
			out, stderr, code := command(t, "doctor", "--server", url, "--nkeys", dir)
			if code != hint.ExitFailed || !strings.Contains(out, "NOT AS EXPECTED") || !strings.Contains(stderr, "is not as it should be") || !strings.Contains(stderr, "reloaded twice") {
				t.Errorf("exit code %d\n%s%s", code, out, stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(oneSpace(out), want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			if c.open {
				wantEmpty(t, url, filepath.Join(dir, "shadowd.nk"))
			}
		})
	}
}

// Before shadowd's first start the doctor says that it is that which is missing.
func TestDoctorBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, _, _ := command(t, "bus", "config", "--commanders", "cmd-1", "--nkeys", dir)
	_, stderr, code := command(t, "doctor", "--server", bustest.ServerWith(t, text).URL(), "--nkeys", dir)
	if code != hint.ExitFailed || !strings.Contains(stderr, "at its first start: start it") || strings.Contains(stderr, "bus config") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// wantEmpty checks that the doctor has stored and made nothing.
func wantEmpty(t *testing.T, url, key string) {
	t.Helper()
	js := jetStreamAs(t, url, key)
	n := 0
	for s := range js.ListStreams(t.Context()).Info() {
		if n++; s.State.LastSeq != 0 || s.State.Consumers != 0 {
			t.Errorf("stream %s: %+v", s.Config.Name, s.State)
		}
	}
	if n < 3 {
		t.Errorf("%d streams", n)
	}
}

func jetStreamAs(t *testing.T, url, key string) jetstream.JetStream {
	t.Helper()
	login, err := nats.NkeyOptionFromSeed(key)
	if err != nil {
		t.Fatal(err)
	}
	js, err := broker.JetStream(connected(t, url, login))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// ownConfig is the configuration of shadowd that the text's first comment shows.
func ownConfig(t *testing.T, text string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		if l, ok := strings.CutPrefix(line, "#   "); ok && (strings.HasPrefix(l, "bus:") || lines != nil) {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "")
}

// written is a file with a text, of a folder of its own.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// connected is a connection that ends with the test.
func connected(t *testing.T, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
