package bus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

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
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	w := &wire{t, conn, bufio.NewReader(conn)}
	w.until("INFO")
	fmt.Fprint(conn, "CONNECT {\"headers\":true,\"no_responders\":true,\"verbose\":false}\r\nSUB acks 1\r\n")
	return w
}

func (w *wire) until(verb string) string {
	w.t.Helper()
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			w.t.Fatal(err)
		}
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

// TestMalformedHeaderBlocks: headers that the client library cannot read are
// as good as none, whoever reads them: they keep no bundle on the same subject
// from being judged.
func TestMalformedHeaderBlocks(t *testing.T) {
	r := malformedRig(t)
	w := dial(t, r.broker.URL())
	subject := subjectOf(shadow.BundleComplete)
	for _, k := range []struct{ name, block, data, message string }{
		{"no version", "garbage", "words", "the message is not JSON"},
		{"a line without colon", "NATS/1.0\r\nno colon\r\n\r\n", "words", "the message is not JSON"},
		{"no blank line", "NATS/1.0\r\nce-id: a\r\n", "words", "the message is not JSON"},
		{"a status of one digit", "NATS/1.0 5\r\n\r\n", "words", "the message is not JSON"},
		{"another version", "HTTP/1.1\r\nce-id: a\r\n\r\n", "words", "the message is not JSON"},
		{"invalid, and no data", "garbage", "", "the message is empty"},
		{"a status line", "NATS/1.0 503\r\n\r\n", "words", "the message is not JSON"},
		{"a space before the colon", "NATS/1.0\r\nce-specversion: 1.0\r\nce-id : a\r\n\r\n", "{}", `header "ce-id ": the name of an attribute has`},
		{"a space in a name", "NATS/1.0\r\nce-specversion: 1.0\r\nce-a b: a\r\n\r\n", "{}", `header "ce-a b": the name of an attribute has`},
		{"a control character in a name", "NATS/1.0\r\nce-specversion: 1.0\r\nce-\x1b[31m: a\r\n\r\n", "{}", `header "ce-\x1b[31m": the name of an attribute has`},
		{"Latin-1 in a name", "NATS/1.0\r\nce-specversion: 1.0\r\nce-\xfc: a\r\n\r\n", "{}", `the name of an attribute has`},
		{"a status line: consumer deleted", "NATS/1.0 409 Consumer Deleted\r\n\r\n", "", "the message is empty"},
		{"a status line: bad request", "NATS/1.0 400 Bad Request\r\n\r\n", "", "the message is empty"},
		{"a status line: heartbeat", "NATS/1.0 100 Idle Heartbeat\r\n\r\n", "", "the message is empty"},
		{"a status line: timeout", "NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 256\r\n\r\n", "", "the message is empty"},
		{"a status line: leader change", "NATS/1.0 409 Leadership Change\r\n\r\n", "", "the message is empty"},
	} {
		m := malformed{k.name, subject, nil, k.data, shadow.NotAnEvent, k.message}
		seq := w.publish(subject, k.block, k.data)
		r.await(r.store.Out, layout.Subjects{}.Rejected("cmd-1", seq))
		r.isRejected(m, seq)
	}
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
}

// TestMalformedStatus: an event without payload can look like word from the
// server. It is rejected like any other, and the consumer goes on.
func TestMalformedStatus(t *testing.T) {
	r := malformedRig(t)
	var kinds []malformed
	for _, h := range []nats.Header{
		{"Status": {"409"}, "Description": {"Consumer Deleted"}},
		{"Status": {"409"}, "Description": {"Leadership Change"}},
		{"Status": {"409"}, "Description": {"Server Shutdown"}},
		{"Status": {"409"}, "Description": {"Message Size Exceeds MaxBytes"}, "Nats-Pending-Messages": {"9"}},
		{"Status": {"400"}, "Description": {"Bad Request"}},
		{"Status": {"100"}, "Description": {"Idle Heartbeat"}},
		{"Status": {"404"}, "Description": {"No Messages"}},
		{"Status": {"408"}, "Description": {"Request Timeout"}},
		{"Status": {"423"}, "Description": {"Nats-Wrong-Pin-Id"}},
		{"Status": {"503"}},
		{"Nats-Pin-Id": {"x"}}, // clients that take it for their own ask for no more messages in vain
	} {
		kinds = append(kinds, malformed{fmt.Sprint(h), subjectOf(shadow.BundleComplete), h, "", shadow.NotAnEvent, "the message is empty"},
			malformed{fmt.Sprint(h, " to seal"), subjectOf(shadow.DecompositionDone), h, "", shadow.NotAnEvent, "the message is empty"})
	}
	r.rejectsAll(kinds)
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
	if codes := r.codes(); len(codes) != 0 {
		t.Errorf("the audit reads %v", codes)
	}
}
