package main

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// writeCertificate writes a self-signed certificate for localhost and its key.
func writeCertificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shadowd"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return written(t, "cert.pem", text("CERTIFICATE", der)), written(t, "key.pem", text("PRIVATE KEY", pkcs8))
}

// A daemon with users, on all addresses, with TLS: whoever has no credentials stays outside, users get in by nkey or
// by password, and the commands find the operator's key and the certificate in the configuration.
func TestRunWalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir)
	for _, name := range []string{"nexus", "auditor-main"} {
		if _, _, err := keys.NamedUser(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	public, err := keys.PublicUser(filepath.Join(dir, "nexus.nk"))
	if err != nil {
		t.Fatal(err)
	}
	password, data := written(t, "judge.password", "correct horse battery\n"), filepath.Join(dir, "data")
	config := fmt.Sprintf(`
shadow_scoring: {hardening: {timeout: 1s}}
bus:
  listen: "0.0.0.0:0"
  data_dir: %q
  max_bytes: 100MiB
  tls: {cert: %q, key: %q}
  users:
    - {name: nexus, role: nexus, nkey: %s}
    - {name: impl, role: commander, commander: cmd-impl, nkey: %s}
    - {name: judge, role: consensus, password_file: %q}
`, data, cert, key, public, bustest.UserKey(t), password)
	r := startRun(t, reading(t, config))
	_, port, err := net.SplitHostPort(r.url()[len("tls://"):])
	if err != nil {
		t.Fatal(err)
	}
	url := "tls://localhost:" + port
	trust := nats.RootCAs(cert)

	for name, opts := range map[string][]nats.Option{
		"nobody":         {trust},
		"wrong password": {trust, nats.UserInfo("judge", "battery horse")},
		"hash":           {trust, nats.UserInfo("judge", "$2a$10$")},
	} {
		if nc, err := connect(url, opts...); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				nc.Close()
			}
		}
	}
	judge := connected(t, url, trust, nats.UserInfo("judge", "correct horse battery"), nats.CustomInboxPrefix("_INBOX_judge"))
	js, err := jetstream.NewWithAPIPrefix(judge, layout.APIPrefix)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Consumer(t.Context(), layout.StreamOut, "consensus-judge"); err != nil {
		t.Errorf("reading reports: %v", err)
	}
	login, err := nats.NkeyOptionFromSeed(filepath.Join(dir, "nexus.nk"))
	if err != nil {
		t.Fatal(err)
	}
	connected(t, url, trust, login, nats.CustomInboxPrefix("_INBOX_nexus"))

	// The commands are the operator, and so is the doctor, whose keys are the users'.
	own := written(t, "own.yml", fmt.Sprintf("bus: {listen: \"127.0.0.1:%s\", data_dir: %q, tls: {cert: %q, key: %q}, users: [{name: nexus, role: nexus, nkey: %s}]}\n", port, data, cert, key, public))
	shadowd(t, "replay", "--format", "json", "--config", own, "--server", url, smallRun)
	shadowd(t, "runs", "--config", own)
	out, warned, code := command(t, "doctor", "--config", own, "--server", url, "--ca", cert, "--nkeys", dir)
	if code != hint.ExitClean || !strings.Contains(warned, "auditor-main.nk is left out: it is in "+dir+", but not in bus.users") {
		t.Errorf("exit code %d, a key that nobody was told of: %s", code, warned)
	}
	if !strings.Contains(out, " 0 not as expected") {
		t.Errorf("the doctor says\n%s", out)
	}
	operator, err := os.Stat(filepath.Join(data, "operator.nk"))
	if err != nil || operator.Mode().Perm() != 0o600 {
		t.Errorf("the operator's key: %v, %v", err, operator.Mode())
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	wantJSON(t, r.log())
}

// Reports say what the bus is: strict behind the wall, as in the demo, whose work
// is older than its criteria, and level 1 where anonymous clients can read.
func TestIsolationIsWhatHolds(t *testing.T) {
	t.Parallel()
	demo := count(t, outputEvents(t, shadowd(t, "demo", "--format", "json")))
	if demo.names[shadow.GapReport] != 8 || demo.names[shadow.HardeningRequest] != 3 || demo.names[shadow.RunScored] != 1 || len(demo.last) != 5 {
		t.Errorf("the demo has %v, and %d final reports", demo.names, len(demo.last))
	}
	for _, rep := range demo.last {
		if rep.Report.WorkspaceIsolation != "strict" || rep.Report.ConformanceLevel != 1 || !strings.Contains(strings.Join(rep.Swarm.LevelReasons, ";"), "level 1: a replay") {
			t.Errorf("the demo's report on %s claims %s, level %d", rep.Swarm.Domain, rep.Report.WorkspaceIsolation, rep.Report.ConformanceLevel)
		}
	}
	dir := t.TempDir()
	r := startRun(t, reading(t, embedded(dir)))
	url := r.url()
	out := shadowd(t, "replay", "--format", "json", "--config", operatorConfig(t, url, dir), "--server", url, smallRun)
	for _, rep := range count(t, outputEvents(t, out)).last {
		if rep.Report.WorkspaceIsolation != "legacy" || rep.Report.ConformanceLevel != 1 {
			t.Errorf("in development mode the report on %s claims %s, level %d", rep.Swarm.Domain, rep.Report.WorkspaceIsolation, rep.Report.ConformanceLevel)
		}
	}
	r.says(`development mode: any client`)
}

// In development mode whoever connects may publish the inputs and read the
// outputs, live and durably, and nothing else.
func TestDevelopmentMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := startRun(t, embedded(dir)).url()
	nc := connected(t, url, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	live, err := nc.SubscribeSync("swarm.run-scored.*")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.NewWithAPIPrefix(nc, layout.APIPrefix)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(readFile(t, smallRun)) {
		var l struct {
			Subject string          `json:"nats_subject"`
			Event   json.RawMessage `json:"event"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(t.Context(), l.Subject, l.Event); err != nil {
			t.Fatalf("%s: %v", l.Subject, err)
		}
	}
	m, err := live.NextMsg(patience)
	if err != nil {
		t.Fatalf("live: %v", err)
	}
	c, err := js.Consumer(t.Context(), layout.StreamOut, "anonymous")
	if err != nil {
		t.Fatal(err)
	}
	for {
		stored, err := c.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatalf("durably: %v", err)
		}
		if stored.Subject() == m.Subject {
			break
		}
	}
	stream, err := js.Stream(t.Context(), layout.StreamOut)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.GetLastMsgForSubject(t.Context(), m.Subject); err != nil {
		t.Errorf("looking up: %v", err)
	}
	// A command that does not find the operator's key says so.
	for _, args := range [][]string{{"runs"}, {"replay", "--server", url, smallRun}} {
		file := written(t, "config.yml", fmt.Sprintf("bus: {url: %q, data_dir: nowhere}\n", url))
		said, err := exec.CommandContext(t.Context(), "shadowd", append(args, "--config", file)...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), "does not let this user read the streams") || !strings.Contains(string(said), "operator.nk") {
			t.Errorf("%v: %v: %s", args, err, said)
		}
	}
	for _, subject := range []string{
		"$JS.API.STREAM.MSG.GET.KV_SHADOW_ENVELOPES", "SHADOW.API.STREAM.MSG.GET.KV_SHADOW_ENVELOPES", "$KV.SHADOW_ENVELOPES.small",
		"$JS.API.STREAM.DELETE.IN", "SHADOW.API.STREAM.DELETE.IN", "SHADOW.API.CONSUMER.CREATE.OUT.x", "SHADOW.API.CONSUMER.DELETE.OUT.anonymous",
		"swarm.gap-report.small.x.0", "swarm.envelope-sealed.small", "SHADOW.API.CONSUMER.MSG.NEXT.IN.judge", "anything",
	} {
		if m, err := nc.Request(subject, []byte(`{"seq":1}`), 300*time.Millisecond); err == nil {
			t.Errorf("%s is answered: %s", subject, m.Data)
		}
	}
}

// Each guarantee of docs/security.md names its test, and the test is there.
func TestSecurityDocumented(t *testing.T) {
	page := readFile(t, filepath.Join("..", "..", "docs", "security.md"))
	_, table, _ := strings.Cut(page, "| guarantee | test |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := 0
	for row := range strings.Lines(table) {
		rows++
		tests := regexp.MustCompile("`(Test\\w+)`(?: in `([\\w/]+)`)?").FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test: %s", row)
		}
		for _, m := range tests {
			where := cmp.Or(m[2], "internal/bus")
			if !hasTest(t, where, m[1]) {
				t.Errorf("%s is not in %s: %s", m[1], where, row)
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d guarantees are there", rows)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.Contains(readFile(t, f), "func "+name+"(") })
}
