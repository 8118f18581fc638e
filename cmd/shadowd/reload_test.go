//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// TestReload: on SIGHUP a commander whose key came gets in, one whose key is gone is put out, the certificate and the
// log level change, what needs a restart is named, and a file that is wrong changes nothing.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"nexus", "commander-one", "commander-two", "commander-three"} {
		if _, _, err := keys.NamedUser(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	hide := func(name string, hidden bool) {
		from, to := at(name+".pub"), at(name+".hidden")
		if !hidden {
			from, to = to, from
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	hide("commander-two", true)
	hide("commander-three", true)
	cert, key := writeCertificate(t, dir)
	config := fmt.Sprintf(`bus:
  tls: {cert: %q, key: %q}
  listen: "127.0.0.1:0"
  data_dir: %q
  max_bytes: 100MiB
  users:
    - {name: nexus, role: nexus, nkey_file: %q}
    - {name: commander-*, role: commander, nkey_file: %q}
log: {level: info, format: json}
`, cert, key, at("data"), at("nexus.pub"), at("commander-*.pub"))
	r := startRun(t, config)
	url := r.url()
	reload := func(replace ...string) {
		t.Helper()
		if err := os.WriteFile(r.cmd.Args[len(r.cmd.Args)-1], []byte(strings.NewReplacer(replace...).Replace(config)), 0o600); err != nil {
			t.Fatal(err)
		}
		r.signal(syscall.SIGHUP)
	}
	getsIn := func(name string) bool {
		t.Helper()
		login, err := nats.NkeyOptionFromSeed(at(name + ".nk"))
		if err != nil {
			t.Fatal(err)
		}
		nc, err := nats.Connect(url, login, nats.RootCAs(cert))
		if err == nil {
			nc.Close()
		}
		return err == nil
	}
	if !getsIn("commander-one") || getsIn("commander-two") {
		t.Fatal("the users at the start are others")
	}

	writeCertificate(t, dir) // another one: only it is trusted from here on
	hide("commander-two", false)
	hide("commander-one", true)
	reload("level: info", "level: debug", "format: json", "format: text")
	r.says(`"msg":"the configuration was read again","changed":\["bus.users","log.level"\]`)
	r.says(`"msg":"some settings hold from the next start on","settings":\["log.format"\]`)
	if getsIn("commander-one") || !getsIn("commander-two") {
		t.Error("the users after the reload are others")
	}

	reload("level: info", "level: loud")
	r.says(`"msg":"the configuration is not taken, and the old one stays","error":"[^"]*log\.level: `)
	if err := os.WriteFile(at("commander-four.pub"), []byte("no key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reload()
	r.says(`"error":"bus\.users: the nkey of commander-four: `)
	if err := os.Remove(at("commander-four.pub")); err != nil {
		t.Fatal(err)
	}
	reload("- {name: nexus", "# - {name: nexus", "- {name: commander", "# - {name: commander", "users:", "users: []")
	r.says(`"error":"bus\.users: the first user puts up a wall, and without the last one there is none`)
	if getsIn("commander-one") || !getsIn("commander-two") {
		t.Error("a configuration that was not taken changed the users")
	}

	pushed(t, url, at("data/operator.nk"), cert, "commander-three") // as no reader has it
	hide("commander-two", true)
	hide("commander-three", false)
	reload()
	r.says(`"error":"bus\.users: consumer commander-three of OUT: `)
	if !getsIn("commander-two") || getsIn("commander-three") {
		t.Error("users whose durables could not be made changed the users")
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(0)
}

// pushed makes a durable of OUT that is delivered to a subject.
func pushed(t *testing.T, url, operator, cert, name string) {
	t.Helper()
	login, err := nats.NkeyOptionFromSeed(operator)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(url, login, nats.RootCAs(cert))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreatePushConsumer(t.Context(), layout.StreamOut, jetstream.ConsumerConfig{Durable: name, DeliverSubject: "elsewhere"}); err != nil {
		t.Fatal(err)
	}
}
