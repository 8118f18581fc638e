package bus

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// One commander cannot take the connections of all others.
func TestConnectionFlood(t *testing.T) {
	t.Parallel()
	w := newWalled(t)
	refused := 0
	for range 300 {
		nc, err := w.try(w.url, "alpha", nats.NoReconnect())
		if err != nil {
			refused++
			continue
		}
		t.Cleanup(nc.Close)
	}
	if refused != 300-256 {
		t.Errorf("%d of 300 connections are refused", refused)
	}
	w.connect("beta")
}

// A subject stays in the server's memory, so none is longer than any id needs.
func TestLongSubjects(t *testing.T) {
	t.Parallel()
	w := newWalled(t)
	closed := make(chan error, 1)
	nc := bustest.Must(w.try(w.url, "alpha", nats.NoReconnect(), nats.ClosedHandler(func(nc *nats.Conn) { closed <- nc.LastError() })))
	t.Cleanup(nc.Close)
	bustest.OK(t, nc.Publish("swarm.bundle-complete."+strings.Repeat("r", 1100)+".cmd-1", []byte("{}")))
	if err := <-closed; err == nil || !strings.Contains(strings.ToLower(err.Error()), "control line") {
		t.Errorf("the connection ended by %v", err)
	}
	if in, err := w.store.In.Info(t.Context()); err != nil || in.State.Msgs != 0 {
		t.Errorf("%d events are stored: %v", in.State.Msgs, err)
	}
}

// What an author can tell of the log of others: the number of the newest event on
// subjects that it names, with wildcards, and the message id of the newest one of
// all. docs/security.md says so.
func TestExpectedSequenceTellsNumbersOnly(t *testing.T) {
	t.Parallel()
	const theirs, id = "swarm.fix-submitted.run-1.cmd-2", "an id of beta's choice"
	w := newWalled(t)
	js := func(user string) jetstream.JetStream {
		return bustest.Must(jetstream.New(w.connect(user), jetstream.WithDefaultTimeout(patience)))
	}
	alpha := js("alpha")
	told := func() (all []string) {
		headers := []nats.Header{{"Nats-Expected-Last-Sequence": {"999999"}}, {"Nats-Expected-Last-Msg-Id": {"x"}}}
		for _, subject := range []string{theirs, "swarm.fix-submitted.>", "swarm.*.*.cmd-2", "swarm.*.run-1.>", ">"} {
			headers = append(headers, nats.Header{"Nats-Expected-Last-Subject-Sequence": {"999999"}, "Nats-Expected-Last-Subject-Sequence-Subject": {subject}})
		}
		for _, h := range headers {
			_, err := alpha.PublishMsg(t.Context(), &nats.Msg{Subject: "swarm.bundle-complete.run-1.cmd-1", Data: []byte("{}"), Header: h})
			_, said, _ := strings.Cut(fmt.Sprint(err), "wrong last ")
			if !slices.Contains(all, said) {
				all = append(all, said)
			}
		}
		return all
	}
	before := told()
	ack := bustest.Must(js("beta").Publish(t.Context(), theirs, []byte(`{"content": "confidential"}`), jetstream.WithMsgID(id)))
	after, want := told(), []string{fmt.Sprint("sequence: ", ack.Sequence), "msg ID: " + id}
	if !slices.Equal(before, []string{"sequence: 0", "msg ID: "}) || !slices.Equal(after, want) {
		t.Errorf("told %q before and %q after", before, after)
	}
}

// Who asks and does not read the answers is put out, and harms nobody else. Until
// then the server drops most requests to its API, whoever makes them, and that
// lasts the longer the less it gets to work; so what begins meanwhile is looked at
// afterwards.
func TestSlowConsumer(t *testing.T) {
	t.Parallel()
	w := newWalled(t)
	conn := w.dialRaw("alpha")
	asked := make(chan error)
	go func() {
		ask := []byte(strings.Repeat("PUB SHADOW.API.CONSUMER.INFO.OUT.commander-cmd-1 _INBOX_alpha.x.1 0\r\n\r\n", 200))
		for {
			if _, err := conn.Write(ask); err != nil {
				asked <- err
				return
			}
		}
	}()
	w.as("nexus", layout.Subjects{}.Decomposition("run-1"), shadow.DecompositionDone, twoDomains("run-1"))
	w.as("beta", layout.Subjects{}.Bundle("run-1", "cmd-2"), shadow.BundleComplete, bundleData("run-1", bundleOf("two", content(0))))
	t.Log("put out:", <-asked)
	w.report("run-1", "two", 0)
	playThroughTheWall(w, "run-2")
}

// dialRaw connects as a user without a client library.
func (w *walled) dialRaw(user string) net.Conn {
	w.t.Helper()
	conn := bustest.Must(net.Dial("tcp", strings.TrimPrefix(w.url, "nats://")))
	w.t.Cleanup(func() { _ = conn.Close() })
	r := bufio.NewReader(conn)
	line := bustest.Must(r.ReadString('\n'))
	var info struct{ Nonce string }
	bustest.OK(w.t, json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info))
	kp := w.keys[user]
	sig := bustest.Must(kp.Sign([]byte(info.Nonce)))
	public := bustest.Must(kp.PublicKey())
	bustest.Must(fmt.Fprintf(conn, "CONNECT {\"verbose\":false,\"nkey\":%q,\"sig\":%q,\"protocol\":1,\"headers\":true}\r\nSUB _INBOX_%s.x.* 1\r\nPING\r\n",
		public, base64.RawURLEncoding.EncodeToString(sig), user))
	if line, err := r.ReadString('\n'); err != nil || line != "PONG\r\n" {
		w.t.Fatalf("%s is answered %q, %v", user, line, err)
	}
	return conn
}
