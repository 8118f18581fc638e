package bus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	nc, err := w.try(w.url, "alpha", nats.NoReconnect(), nats.ClosedHandler(func(nc *nats.Conn) { closed <- nc.LastError() }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if err := nc.Publish("swarm.bundle-complete."+strings.Repeat("r", 1100)+".cmd-1", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err == nil || !strings.Contains(strings.ToLower(err.Error()), "control line") {
		t.Errorf("the connection ended by %v", err)
	}
	if in, err := w.store.In.Info(t.Context()); err != nil || in.State.Msgs != 0 {
		t.Errorf("%d events are stored: %v", in.State.Msgs, err)
	}
}

// What an author can tell of the log of others: that a subject which it names
// has a message, and which number that has. docs/security.md says so.
func TestExpectedSequenceTellsNumbersOnly(t *testing.T) {
	t.Parallel()
	w := newWalled(t)
	const theirs = "swarm.fix-submitted.run-1.cmd-2"
	guess := func() string {
		js, err := jetstream.New(w.connect("alpha"), jetstream.WithDefaultTimeout(patience))
		if err != nil {
			t.Fatal(err)
		}
		_, err = js.PublishMsg(t.Context(), &nats.Msg{Subject: "swarm.bundle-complete.run-1.cmd-1", Data: []byte("{}"), Header: nats.Header{
			"Nats-Expected-Last-Subject-Sequence": {"999999"}, "Nats-Expected-Last-Subject-Sequence-Subject": {theirs}}})
		if err == nil {
			t.Fatal("the guess is right")
		}
		return err.Error()
	}
	if none := guess(); !strings.HasSuffix(none, "wrong last sequence: 0") {
		t.Errorf("before: %s", none)
	}
	seq := w.as("beta", theirs, "x", map[string]string{"content": "confidential"})
	if told := guess(); !strings.HasSuffix(told, fmt.Sprint("wrong last sequence: ", seq)) {
		t.Errorf("after: %s", told)
	}
}
