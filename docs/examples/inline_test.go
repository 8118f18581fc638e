package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/fulltest"
)

// TestInline: the programs that docs/connect.md shows in full run as they stand there,
// and the runs that they publish are sealed.
func TestInline(t *testing.T) {
	fulltest.Only(t)
	d := start(t, "cmd-impl")
	page, err := os.ReadFile("../connect.md")
	if err != nil {
		t.Fatal(err)
	}
	nc := d.connect(t, "nexus", nil)
	sealed, err := nc.SubscribeSync("swarm.envelope-sealed.*")
	if err != nil || nc.Flush() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fence, file string
		language    language
	}{{"python", "publish.py", python}, {"js", "publish.mjs", node}, {"go", "publish.go", golang}} {
		t.Run(c.fence, func(t *testing.T) {
			_, text, found := strings.Cut(string(page), "\n```"+c.fence+"\n")
			text, _, _ = strings.Cut(text, "\n```\n")
			if !found {
				t.Fatal("the page has no such program")
			}
			file := filepath.Join(t.TempDir(), c.file)
			text = strings.Replace(text, "nats://127.0.0.1:4222", d.url, 1) + "\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := c.language(t, strings.TrimSuffix(file, filepath.Ext(file)))
			if cmd == nil {
				return // it has said why
			}
			cmd.Dir = filepath.Dir(d.nkeys)
			d.run(t, cmd)
			if m, err := sealed.NextMsg(patience); err != nil || !strings.HasPrefix(m.Subject, "swarm.envelope-sealed.from-") {
				t.Errorf("%v, %v", m, err)
			}
		})
	}
}

// TestPublishTimesOut: the client is told why, in the words of docs/troubleshooting.md.
func TestPublishTimesOut(t *testing.T) {
	fulltest.Only(t)
	d := start(t, "cmd-impl")
	page, err := os.ReadFile("../troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 8)
	nc := d.connect(t, "commander-cmd-impl", func(err error) { said <- err.Error() })
	for want, try := range map[string]func() error{
		`Permissions Violation for Publish to "swarm.…"`:       func() error { return nc.Publish("swarm.bundle-complete.r.cmd-test", nil) },
		`Permissions Violation for Publish to "$JS.API.…"`:     func() error { return nc.Publish("$JS.API.CONSUMER.INFO.OUT.commander-cmd-impl", nil) },
		`Permissions Violation for Publish to "SHADOW.API.…"`:  func() error { return nc.Publish("SHADOW.API.CONSUMER.INFO.OUT.nexus", nil) },
		`Permissions Violation for Subscription to "_INBOX.…"`: func() error { _, err := nc.SubscribeSync("_INBOX.x"); return err },
	} {
		if err := errors.Join(try(), nc.Flush()); err != nil {
			t.Fatal(err)
		}
		start, _, _ := strings.Cut(want, "…")
		select {
		case got := <-said:
			if !strings.Contains(got, start) || !strings.Contains(string(page), "| `"+want+"` |") {
				t.Errorf("the client is told %s, want %s, and the page has to have that", got, want)
			}
		case <-time.After(patience):
			t.Errorf("nothing is said, want %s", want)
		}
	}
}

// connect connects as a user. Refusals go to refused; nil is for who expects none.
func (d daemon) connect(t *testing.T, user string, refused func(error)) *nats.Conn {
	t.Helper()
	login, err := nats.NkeyOptionFromSeed(filepath.Join(d.nkeys, user+".nk"))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(d.url, login, nats.CustomInboxPrefix("_INBOX_"+user), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if refused != nil {
			refused(err)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}
