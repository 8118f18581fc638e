package bus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// wire is a connection that writes the bytes it is told to, for what a client
// library would not send.
type wire struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func dial(t testing.TB, url string) *wire {
	t.Helper()
	conn := bustest.Must(net.Dial("tcp", strings.TrimPrefix(url, "nats://")))
	t.Cleanup(func() { conn.Close() })
	w := &wire{t, conn, bufio.NewReader(conn)}
	w.until("INFO")
	fmt.Fprint(conn, "CONNECT {\"headers\":true,\"no_responders\":true,\"verbose\":false}\r\nSUB acks 1\r\n")
	return w
}

func (w *wire) until(verb string) string {
	w.t.Helper()
	for {
		line := bustest.Must(w.in.ReadString('\n'))
		switch {
		case strings.HasPrefix(line, verb):
			return line
		case strings.HasPrefix(line, "PING"):
			fmt.Fprint(w.conn, "PONG\r\n")
		case strings.HasPrefix(line, "-ERR"):
			w.t.Fatal(line)
		}
	}
}

// publish stores data under a header block and returns its sequence.
func (w *wire) publish(subject, block, data string) uint64 {
	w.t.Helper()
	fmt.Fprintf(w.conn, "HPUB %s acks %d %d\r\n%s%s\r\n", subject, len(block), len(block)+len(data), block, data)
	w.until("MSG")
	var ack struct{ Seq uint64 }
	if err := json.NewDecoder(w.in).Decode(&ack); err != nil || ack.Seq == 0 {
		w.t.Fatalf("%q: %v", block, err)
	}
	w.in = bufio.NewReader(w.conn)
	return ack.Seq
}

// TestMalformedHeaders: no header commands a stream or a reader of it. The server
// refuses those that could, and all others do nothing: nobody's event is suppressed or
// erased, and what is stored is rejected like any other event that is none.
func TestMalformedHeaders(t *testing.T) {
	r := malformedRig(t)
	r.playsOn("run-0")
	before := readAll(t, r.store.In)
	subject, other := layout.Subjects{}.Bundle("run-0", "cmd-1"), layout.Subjects{}.Bundle("run-0", "cmd-2")
	future := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)

	for _, refused := range [][]string{
		{"Nats-Rollup", "all"}, {"Nats-Rollup", "sub"}, {"Nats-TTL", "1s"}, {"Nats-TTL", "never"}, {"Nats-Incr", "+1"},
		{"Nats-Schedule", "@at " + future, "Nats-Schedule-Target", other},
		{"Nats-Schedule", "@every 1s", "Nats-Schedule-Target", layout.Subjects{}.Commitment("run-1")},
		{"Nats-Scheduler", other, "Nats-Schedule-Next", "purge"},
		{"Nats-Stream-Source", "OTHER 1 > > >"},
		{"Nats-Batch-Id", "b", "Nats-Batch-Sequence", "1", "Nats-Batch-Commit", "1"},
		{"Nats-Expected-Stream", layout.StreamOut},
		{"Nats-Expected-Last-Subject-Sequence", "99", "Nats-Expected-Last-Subject-Sequence-Subject", other},
	} {
		if _, err := r.js.PublishMsg(t.Context(), bustest.Message(subject, refused...)); bustest.Code(err) == 0 {
			t.Errorf("%v: the server answered %v", refused, err)
		}
	}

	var kinds []malformed
	for _, ignored := range []string{
		"Nats-Msg-Id:id\n", "Nats-Msg-Id:\x01%zz\n", "Nats-Expected-Stream:IN\n", "nats-rollup:all\n", "Nats-Marker-Reason:Purge\n", "KV-Operation:PURGE\n",
		"Nats-Stream:KV_SHADOW_ENVELOPES\nNats-Sequence:1\nNats-Subject:" + other + "\nNats-Time-Stamp:" + future + "\n",
		"Nats-Last-Sequence:0\nNats-Pending-Messages:0\nNats-Pending-Bytes:0\n", "Nats-Consumer-Stalled:$JS.FC.x\n",
		// Clients that take it for their own ask for no more messages in vain.
		"Nats-Pin-Id:x\n",
		// Without a payload these look like word from the server.
		"Status:409\nDescription:Consumer Deleted\n", "Status:409\nDescription:Leadership Change\n", "Status:409\nDescription:Server Shutdown\n",
		"Status:409\nDescription:Message Size Exceeds MaxBytes\nNats-Pending-Messages:9\n", "Status:400\nDescription:Bad Request\n",
		"Status:100\nDescription:Idle Heartbeat\n", "Status:404\nDescription:No Messages\n", "Status:408\nDescription:Request Timeout\n",
		"Status:423\nDescription:Nats-Wrong-Pin-Id\n", "Status:503\n",
	} {
		kinds = append(kinds, malformed{subject, ignored, "", shadow.NotAnEvent, "the message is empty"})
		if strings.HasPrefix(ignored, "Status") {
			kinds = append(kinds, malformed{goodSubject[shadow.DecompositionDone], ignored, "", shadow.NotAnEvent, "the message is empty"})
		}
	}
	r.rejectsAll(kinds)

	// What the client library cannot read is as good as no header.
	w := dial(t, r.broker.URL())
	for _, k := range []struct{ block, data, message string }{
		{"garbage", "words", "the message is not JSON"},
		{"garbage", "", "the message is empty"},
		{"NATS/1.0\r\nno colon\r\n\r\n", "words", "the message is not JSON"},
		{"NATS/1.0\r\nce-id: a\r\n", "words", "the message is not JSON"},
		{"HTTP/1.1\r\nce-id: a\r\n\r\n", "words", "the message is not JSON"},
		{"NATS/1.0 5\r\n\r\n", "words", "the message is not JSON"},
		{"NATS/1.0 409 Consumer Deleted\r\n\r\n", "", "the message is empty"},
		{"NATS/1.0 100 Idle Heartbeat\r\n\r\n", "", "the message is empty"},
		{"NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 256\r\n\r\n", "", "the message is empty"},
		{"NATS/1.0\r\nce-specversion: 1.0\r\nce-id : a\r\n\r\n", "{}", `header "ce-id ": the name of an attribute has`},
		{"NATS/1.0\r\nce-specversion: 1.0\r\nce-\x1b[31m: a\r\n\r\n", "{}", `header "ce-\x1b[31m": the name of an attribute has`},
		{"NATS/1.0\r\nce-specversion: 1.0\r\nce-\xfc: a\r\n\r\n", "{}", `the name of an attribute has`},
	} {
		seq := w.publish(subject, k.block, k.data)
		r.await(r.store.Out, layout.Subjects{}.Rejected("cmd-1", seq))
		r.isRejected(malformed{subject, k.block, k.data, shadow.NotAnEvent, k.message}, seq)
	}

	after := readAll(t, r.store.In)
	for s, msgs := range before {
		if !slices.EqualFunc(msgs, after[s][:min(len(msgs), len(after[s]))], func(a, b *jetstream.RawStreamMsg) bool {
			return a.Sequence == b.Sequence && a.Time.Equal(b.Time) && bytes.Equal(a.Data, b.Data)
		}) {
			t.Errorf("%s is not what it was", s)
		}
	}
	r.playsOn("run-1")
	if codes := r.codes(); len(codes) != 1 || codes["same-task"] != 1 {
		t.Errorf("the audit reads %v", codes)
	}
}

// TestMalformedSubjectsAreNotStored: an event on a subject with too few or too
// many tokens does not reach IN, and its publisher is told.
func TestMalformedSubjectsAreNotStored(t *testing.T) {
	r := newRig(t)
	nc, _ := r.broker.Connect(t)
	for _, subject := range []string{
		"swarm", "swarm.bundle-complete.run-1", "swarm.bundle-complete.run-1.cmd-1.x", "swarm.decomposition-done.run.1",
		"swarm.Bundle-Complete.run-1.cmd-1", "SWARM.bundle-complete.run-1.cmd-1", "bundle-complete.run-1.cmd-1", "swarm.>", "swarm.*.run-1.cmd-1",
	} {
		if _, err := nc.Request(subject, []byte(goodBundle), time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: the answer is %v", subject, err)
		}
	}
	for _, subject := range []string{"", "swarm..run-1", "swarm.bundle-complete.run-1.", "swarm.bundle-complete.run 1.cmd-1", "swarm.bundle-complete.run-1.cmd\r\n1"} {
		if _, err := nc.Request(subject, nil, time.Second); err == nil {
			t.Errorf("%q was answered", subject)
		}
	}
	// The server's own limit, as told by JetStream.
	large := &nats.Msg{Subject: goodSubject[shadow.BundleComplete], Data: make([]byte, 1<<20-100), Header: nats.Header{"X": {strings.Repeat("x", 200)}}}
	if _, err := r.js.PublishMsg(t.Context(), large); err == nil {
		t.Error("an event above the size limit was stored")
	}
	if n := bustest.Count(t, r.store.In); n != 0 {
		t.Errorf("IN has %d messages", n)
	}
}
