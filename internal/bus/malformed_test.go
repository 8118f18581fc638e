package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// malformed is one kind of event that is rejected as it comes in.
type malformed struct {
	name    string
	subject string
	header  nats.Header
	data    string
	reason  shadow.Reason
	// message is a part of the rejection's text: what is wrong, and where.
	message string
}

// Well-formed data of the three inputs. Every malformed one differs from these
// in one thing.
const (
	goodDecomposition = `{"run_id":"run-1","scale":"ss-100","task":"Build it","specification":"s","specification_truncated":false,` +
		`"requirements":[{"id":"R-1","text":"t"},{"id":"R-2","text":"u"}],"specifier":{"model":"m","family":"f"},` +
		`"domains":[{"domain":"one","commander_id":"cmd-1","task_brief":"b","sub_tasks":["s"],"deliverables":["d"],"constraints":["c"],` +
		`"implementer":{"model":"n","family":"g"}},{"domain":"two","commander_id":"cmd-2"}]}`
	goodBundle = `{"run_id":"run-1",` + goodContent + `}`
	goodFix    = `{"run_id":"run-1","bundle_id":"b-one","domain":"one","commander_id":"cmd-1","cycle":1,"bundle":{` + goodContent + `}}`

	goodContent = `"bundle_id":"b-one","domain":"one","commander_id":"cmd-1","status":"success","content":"words","summary":"s","atoms_merged":3,` +
		`"conflicts":[{"description":"d","resolution":"r"}],"confidence":0.5,"wall_clock_s":1.5,"implementer":{"model":"m","family":"f"},` +
		`"open_tests":{"total":2,"passed":1,"failed":1,"by_category":{"edge_case":{"total":2,"passed":1,"failed":1}}}`
)

var goodData = map[string]string{
	shadow.DecompositionDone: goodDecomposition,
	shadow.BundleComplete:    goodBundle,
	shadow.FixSubmitted:      goodFix,
}

func subjectOf(name string) string {
	switch name {
	case shadow.DecompositionDone:
		return layout.Subjects{}.Decomposition("run-1")
	case shadow.FixSubmitted:
		return layout.Subjects{}.Fix("run-1", "cmd-1")
	}
	return layout.Subjects{}.Bundle("run-1", "cmd-1")
}

// attributes are those of a structured event called name, without braces.
func attributes(name string) string {
	return `"specversion":"1.0","id":"e-1","source":"/test","type":"` + shadow.Type(name) + `"`
}

func structured(name, data string) string { return "{" + attributes(name) + `,"data":` + data + "}" }

// binary is the header of a binary event called name, with more beside.
func binary(name string, more ...string) nats.Header {
	h := nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"e-1"}, "ce-source": {"/test"}, "ce-type": {shadow.Type(name)}}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = append(h[more[i]], more[i+1])
	}
	return h
}

// inShape writes an event in one of the four shapes that are taken.
func inShape(shape int, name, data string) (nats.Header, string) {
	switch shape % 4 {
	case 0:
		return typed(event.ApplicationCloudEventsJSON), structured(name, data)
	case 1:
		return nil, structured(name, data)
	case 2:
		return binary(name, "ce-subject", "Gr%C3%BC%C3%9Fe 100%25"), data
	}
	return binary(name, "ce-subject", "Grüße"), data
}

// swap replaces the one place in s that reads old.
func swap(s, old, with string) string {
	if strings.Count(s, old) != 1 {
		panic(fmt.Sprintf("%q is there %d times in %.200s", old, strings.Count(s, old), s))
	}
	return strings.Replace(s, old, with, 1)
}

// malformedKinds are all kinds but those of subjects that no event has.
func malformedKinds() []malformed {
	return slices.Concat(notEvents(), wrongAttributes(), wrongHeaders(), wrongDecompositions(), wrongBundles(), wrongFixes())
}

// TestRejectionsAreSmall: what an author can have stored in OUT is at most four times
// what its events count as in IN.
func TestRejectionsAreSmall(t *testing.T) {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(&layout.Store{}, *auditLimits(key))
	escaped := func(n int) string { return strings.Repeat(`\`, n) } // each has two bytes in JSON
	large := bustest.Message("swarm.bundle-complete.r.c", "content-type", "application/json", "ce-specversion", "1.0", "ce-source", "/x", "ce-type", shadow.Type(shadow.BundleComplete),
		"ce-id", escaped(1000), "ce-traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "ce-tracestate", escaped(512))
	large.Data = []byte("{}")
	for _, m := range []*nats.Msg{
		{Subject: "swarm.bundle-complete.r.c"},
		{Subject: "swarm.bundle-complete.r.c", Data: []byte("{}")},
		{Subject: "swarm.bundle-complete." + strings.Repeat("r", 900) + ".c"},
		large,
	} {
		in, err := takeInput(e.layout, &e.cfg, &streams.Message{Subject: m.Subject, Header: m.Header, Data: m.Data, Seq: 1 << 40, Time: time.Now()})
		refusal, _ := errors.AsType[*shadow.Refusal](err)
		out, err := e.rejection(in, refusal)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d bytes have a rejection of %d", m.Size(), out.Size())
		if out.Size() > 4*max(m.Size(), layout.MinEventBytes) || len(m.Header) == 0 && out.Size() > 2*layout.MinEventBytes {
			t.Errorf("%d bytes have a rejection of %d: %s", m.Size(), out.Size(), out.Data)
		}
	}
}

func TestMalformedIsRejected(t *testing.T) {
	t.Parallel()
	kinds := malformedKinds()
	if len(kinds) < 200 {
		t.Errorf("%d kinds, there should be 200", len(kinds))
	}
	e := serverless()
	for name, data := range goodData {
		for shape := range 4 {
			h, body := inShape(shape, name, data)
			if _, err := takeInput(e.layout, &e.cfg, &streams.Message{Subject: subjectOf(name), Header: h, Data: []byte(body)}); err != nil {
				t.Errorf("what the kinds differ from is malformed itself: %s in shape %d: %v", name, shape, err)
			}
		}
	}
	r := malformedRig(t)
	r.rejectsAll(kinds)
	r.rejectionsAreSingle(len(kinds))

	// The run that all of them were about goes on as if they had not been.
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(4))
	r.bundle("run-1", "two", content(0))
	r.report("run-1", "one", 0)
	r.fix("run-1", "one", 1, content(2))
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	if count := checkLog(t, r.store, r.cfg.Key); count[shadow.EventRejected] != len(kinds) || count[shadow.GapReport] != 3 {
		t.Errorf("outputs: %v, with %d malformed events", count, len(kinds))
	}
}

// malformedRig is a rig with a running engine. What is taken in by mistake is
// rejected too, for another reason.
func malformedRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, func(c *Config) { c.SealWait = 0 })
	r.start()
	return r
}

// rejectsAll publishes malformed events and checks the outcome of each.
func (r *rig) rejectsAll(kinds []malformed) {
	r.t.Helper()
	seqs := make([]uint64, len(kinds))
	same := map[string]string{}
	for i, k := range kinds {
		seqs[i] = r.sendRaw(&nats.Msg{Subject: k.subject, Header: k.header, Data: []byte(k.data)})
		message := fmt.Sprint(k.subject, k.header, k.data)
		if other, ok := same[message]; ok {
			r.t.Errorf("%q and %q are the same message", k.name, other)
		}
		same[message] = k.name
	}
	r.settle()
	for i, k := range kinds {
		r.isRejected(k, seqs[i])
	}
}

// isRejected checks the rejection of one event, all of which is for others to
// read.
func (r *rig) isRejected(k malformed, seq uint64) {
	r.t.Helper()
	a, _ := (layout.Subjects{}).Parse(k.subject)
	m, err := r.store.Out.GetLastMsgForSubject(r.t.Context(), layout.Subjects{}.Rejected(a.Author, seq))
	if err != nil {
		r.t.Errorf("%s: no rejection: %v", k.name, err)
		return
	}
	var rej shadow.Rejection
	body := eventData(r.t, m)
	if err := json.Unmarshal(body, &rej); err != nil {
		r.t.Errorf("%s: %v", k.name, err)
		return
	}
	if rej.Reason != k.reason || !strings.Contains(rej.Message, k.message) {
		r.t.Errorf("%s\n got %s: %s\nwant %s: %s", k.name, rej.Reason, rej.Message, k.reason, k.message)
	}
	if rej.In.Sequence != seq || rej.Stream != layout.StreamIn || rej.Subject != shadow.Printable(k.subject) || rej.Resubmit != k.reason.Hint() || rej.RunID != a.Run {
		r.t.Errorf("%s: %+v", k.name, rej)
	}
	if err := fitRejection(m.Data, body, rej); err != nil || len(m.Data) > 4<<10 {
		r.t.Errorf("%s: %d bytes, %v\n%s", k.name, len(m.Data), err, m.Data)
	}
}

// fitRejection says what about a rejection is not fit for others to read.
func fitRejection(msg, body []byte, rej shadow.Rejection) error {
	if err := shadow.Validate(shadow.EventRejected, body); err != nil {
		return err
	}
	// Everything that is repeated has a kilobyte at most, but JSON doubles a
	// quotation mark, and the id stands there twice.
	if len(msg) > 8<<10 {
		return fmt.Errorf("%d bytes", len(msg))
	}
	if rej.Resubmit == "" {
		return errors.New("no word on what to do")
	}
	for _, s := range []string{string(msg), rej.Message, rej.Subject, rej.EventID, rej.Resubmit} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("not printable: %q", s)
		}
	}
	return nil
}

// rejectionsAreSingle checks that OUT holds n rejections, each on a subject of
// its own, and nothing else.
func (r *rig) rejectionsAreSingle(n int) {
	r.t.Helper()
	info, err := r.store.Out.Info(r.t.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil {
		r.t.Fatal(err)
	}
	if len(info.State.Subjects) != n || info.State.LastSeq != uint64(n) {
		r.t.Errorf("OUT has %d subjects and has had %d messages, want %d rejections", len(info.State.Subjects), info.State.LastSeq, n)
	}
}

// serverless is an engine that can take events and write rejections.
func serverless() *Engine {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		panic(err)
	}
	return NewEngine(&layout.Store{}, Config{Key: key, Settings: testSettings(), Limits: shadow.Limits{ContentBytes: 64 << 10}})
}

// typed is a header with a Content-Type.
func typed(media string) nats.Header { return nats.Header{"Content-Type": {media}} }
