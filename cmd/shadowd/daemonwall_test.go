package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ownWall is a server with the wall that bus config prints, changed, and the configuration of shadowd for it.
func ownWall(t *testing.T, text string, change func(*server.Options)) *config.Config {
	t.Helper()
	broker := bustest.ServerWith(t, text, change)
	var read struct{ Bus config.Bus }
	if err := yaml.Unmarshal([]byte(ownConfig(t, text)), &read); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Bus.URL, cfg.Bus.NKey, cfg.Bus.Users = broker.URL(), read.Bus.NKey, read.Bus.Users
	cfg.Bus.DataDir = t.TempDir()
	return cfg
}

// starts starts a daemon, and returns what its reports claim and its log.
func starts(t *testing.T, cfg *config.Config) (isolation, log string) {
	t.Helper()
	var lines bytes.Buffer
	v, err := daemon.NewParticipants(cfg, os.Getenv, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Start(t.Context(), v, slog.New(slog.NewTextHandler(&lines, nil)), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	}()
	isolation = shadow.IsolationLegacy
	if strings.Contains(lines.String(), "the wall holds") {
		isolation = shadow.IsolationStrict
	}
	return isolation, lines.String()
}

// loosen adds to what a user may publish or hear, by the key in its file.
func loosen(t *testing.T, o *server.Options, file string, publish, subscribe []string) {
	t.Helper()
	public, err := keys.PublicUser(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range o.Nkeys {
		if u.Nkey == public {
			u.Permissions.Publish.Allow = append(u.Permissions.Publish.Allow, publish...)
			u.Permissions.Subscribe.Allow = append(u.Permissions.Subscribe.Allow, subscribe...)
			return
		}
	}
	t.Fatalf("no user has the key in %s", file)
}

// On a server of somebody else's, reports claim the isolation that shadowd has
// tried, and otherwise the log says what was possible or what is not known.
func TestWallIsTriedAtStart(t *testing.T) {
	nkeys := filepath.Join(t.TempDir(), "keys")
	text, _, code := command(t, "bus", "config", "--commanders", "cmd-1,cmd-2", "--nkeys", nkeys)
	if code != hint.ExitClean {
		t.Fatal(code)
	}
	seed := func(name string) string { return filepath.Join(nkeys, name+".nk") }
	for _, c := range []struct {
		name   string
		loosen func(*server.Options) // the server's configuration
		change func(*config.Config)  // shadowd's
		want   string                // in the log; empty is a wall that holds
	}{
		{name: "as it was printed"},
		{name: "a commander hears what is said in its account", loosen: func(o *server.Options) {
			loosen(t, o, seed("commander-cmd-2"), nil, []string{">"})
		}, want: "commander-cmd-2: listen to swarm.gap-report"},
		{name: "the Nexus asks for any message of OUT", loosen: func(o *server.Options) {
			const request = "$JS.API.STREAM.MSG.GET.OUT"
			loosen(t, o, seed("nexus"), []string{request}, nil)
			open(t, o, "NEXUS", request)
		}, want: "nexus: $JS.API.STREAM.MSG.GET.OUT"},
		{name: "a commander publishes as its colleague", loosen: func(o *server.Options) {
			const subject = "swarm.bundle-complete.*.*"
			loosen(t, o, seed("commander-cmd-1"), []string{subject}, nil)
			open(t, o, "SWARM_cmd-1", subject)
		}, want: "commander-cmd-1: publish swarm.bundle-complete.shadowd-doctor.shadowd-doctor"},
		{name: "consensus has the account of the streams", loosen: func(o *server.Options) {
			for _, u := range o.Nkeys {
				if public, _ := keys.PublicUser(seed("consensus-main")); u.Nkey == public {
					u.Account, u.Permissions = account(o, "SHADOW"), nil
				}
			}
		}, want: "consensus-main: publish swarm.gap-report.shadowd-doctor.shadowd-doctor.0"},
		{name: "whoever gives no credentials is let in", loosen: func(o *server.Options) {
			o.Nkeys[len(o.Nkeys)-1].Permissions = nil
			o.NoAuthUser = o.Nkeys[len(o.Nkeys)-1].Nkey
		}, want: "(unknown): connect with no credentials"},
		{name: "a user with its public key only", change: func(c *config.Config) {
			c.Bus.Users[1].NKey, _ = keys.PublicUser(c.Bus.Users[1].NKeyFile)
			c.Bus.Users[1].NKeyFile = ""
		}, want: "commander-cmd-1: bus.users has its public key only"},
		{name: "a user that the server does not know", change: func(c *config.Config) {
			c.Bus.Users = append(c.Bus.Users, config.User{Name: "late", Role: "commander", NKeyFile: newUserFile(t)})
		}, want: "late: it cannot connect: nats: Authorization Violation"},
		{name: "no commander is named", change: func(c *config.Config) { c.Bus.Users = c.Bus.Users[:1] }, want: "bus.users names no commander"},
		{name: "nobody is named", change: func(c *config.Config) { c.Bus.Users = nil }, want: "bus.users names no commander"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // they wait for answers that don't come
			cfg := ownWall(t, text, func(o *server.Options) {
				if c.loosen != nil {
					c.loosen(o)
				}
			})
			if c.change != nil {
				c.change(cfg)
			}
			isolation, log := starts(t, cfg)
			if strict := c.want == ""; strict != (isolation == "strict") || strict == strings.Contains(log, "reports claim conformance level 1") {
				t.Errorf("reports claim %s, and the log says\n%s", isolation, log)
			}
			if !strings.Contains(log, c.want) || strings.Contains(log, "SUA") {
				t.Errorf("the log does not say %q:\n%s", c.want, log)
			}
		})
	}
	t.Run("a server without accounts", func(t *testing.T) {
		cfg := config.Default()
		// Credentials in the URL are shadowd's own; a stranger has none.
		cfg.Bus.URL, cfg.Bus.DataDir = strings.Replace(bustest.Server(t).URL(), "nats://", "nats://me:myself@", 1), t.TempDir()
		if isolation, log := starts(t, cfg); isolation != "legacy" || !strings.Contains(log, "(unknown): connect with no credentials") {
			t.Errorf("reports claim %s, and the log says\n%s", isolation, log)
		}
	})
}

// open imports a subject of the account SHADOW into another.
func open(t *testing.T, o *server.Options, into, subject string) {
	t.Helper()
	from, to := account(o, "SHADOW"), account(o, into)
	if err := from.AddServiceExport(subject, []*server.Account{to}); err != nil {
		t.Fatal(err)
	}
	if err := to.AddServiceImport(from, subject, subject); err != nil {
		t.Fatal(err)
	}
}

func account(o *server.Options, name string) *server.Account {
	for _, a := range o.Accounts {
		if a.Name == name {
			return a
		}
	}
	return nil
}

func newUserFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := keys.NamedUser(dir, "new"); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "new.nk")
}

// A seed that is not there, or not a seed, and a password that is no secret keep the daemon from starting.
func TestSeedsOfUsers(t *testing.T) {
	none, shown := written(t, "none.nk", "hunter2\n"), newUserFile(t)
	if err := os.Chmod(shown, 0o644); err != nil {
		t.Fatal(err)
	}
	one, short, read := newUserFile(t), written(t, "short", "hunter2\n"), written(t, "open", "correct horse battery\n")
	if err := os.Chmod(read, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		users []config.User
		want  string
	}{
		{[]config.User{{Name: "nexus", Role: "nexus", NKeyFile: filepath.Join(t.TempDir(), "absent.nk")}}, "the nkey of nexus: open"},
		{[]config.User{{Name: "nexus", Role: "nexus", NKeyFile: none}}, "it holds no user seed"},
		{[]config.User{{Name: "nexus", Role: "nexus", NKeyFile: shown}}, "others can read it: chmod 600"},
		{[]config.User{{Name: "nexus", Role: "nexus", NKeyFile: one}, {Name: "judge", Role: "consensus", NKeyFile: one}}, "judge has the nkey of another one"},
		{[]config.User{{Name: "judge", Role: "consensus", PasswordFile: short}}, "holds 7 characters in its first line: a password has 12 to 72"},
		{[]config.User{{Name: "judge", Role: "consensus", PasswordFile: read}}, "others can read it: chmod 600"},
	} {
		cfg := config.Default()
		cfg.Bus.Users = c.users
		if _, err := daemon.Users(cfg); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, want %s", c.users, err, c.want)
		}
	}
}
