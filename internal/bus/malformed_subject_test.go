package bus

import (
	"bytes"
	"errors"
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

// wrongSubjects are good events on subjects that IN stores and no event has:
// the server takes wildcards for plain letters when they are published to.
func wrongSubjects() []malformed {
	var kinds []malformed
	for i, k := range []struct{ name, event, tokens, message string }{
		{"a wildcard for the run", shadow.BundleComplete, "*.cmd-1", `"*" cannot be the run of bundle-complete`},
		{"a wildcard for the commander", shadow.BundleComplete, "run-1.*", `"*" cannot be the commander of bundle-complete`},
		{"the rest as a wildcard", shadow.BundleComplete, "run-1.>", `">" cannot be the commander of bundle-complete`},
		{"two wildcards", shadow.FixSubmitted, "*.*", `"*" cannot be the run of fix-submitted`},
		{"a wildcard inside a token", shadow.FixSubmitted, "run-1.cmd-*", `"cmd-*" cannot be the commander of fix-submitted`},
		{"a run of 65 letters", shadow.DecompositionDone, strings.Repeat("r", 65), `"` + strings.Repeat("r", 60) + `" cannot be the run of decomposition-done: it has 65 characters; use 1 to 64 letters`},
		{"a commander of 2,000 letters", shadow.BundleComplete, "run-1." + strings.Repeat("c", 2000), `"` + strings.Repeat("c", 60) + `" cannot be the commander`},
		{"all other decompositions", shadow.DecompositionDone, ">", `">" cannot be the run of decomposition-done`},
		{"every decomposition", shadow.DecompositionDone, "*", `"*" cannot be the run of decomposition-done`},
		{"a run in Cyrillic", shadow.DecompositionDone, "гun-1", `"гun-1" cannot be the run`},
		{"a commander with an emoji", shadow.BundleComplete, "run-1.cmd-😀", `"cmd-😀" cannot be the commander`},
		{"a commander in Latin-1", shadow.BundleComplete, "run-1.cmd-\xe9", `"cmd-\xe9" cannot be the commander`},
		{"a commander with a control character", shadow.FixSubmitted, "run-1.cmd\x1b[31m", `"cmd\x1b[31m" cannot be the commander`},
		{"a commander with a dollar sign", shadow.FixSubmitted, "run-1.$JS", `"$JS" cannot be the commander`},
		{"a commander with a slash", shadow.BundleComplete, "run-1.cmd/1", `"cmd/1" cannot be the commander`},
		{"a run percent-encoded", shadow.BundleComplete, "run%2D1.cmd-1", `"run%2D1" cannot be the run`},
		{"a run with quotes", shadow.DecompositionDone, `"run-1"`, `"\"run-1\"" cannot be the run`},
		{"a run of markup", shadow.DecompositionDone, `<img/src=x>`, `"<img/src=x>" cannot be the run`},
	} {
		h, body := inShape(i, k.event, goodData[k.event])
		kinds = append(kinds, malformed{k.name, layout.DefaultPrefix + "." + k.event + "." + k.tokens, h, body, shadow.IDMismatch, k.message})
	}
	return kinds
}

// TestMalformedSubjects: what stands on a subject that no event has is
// rejected, and is nobody's run, bundle or fix.
func TestMalformedSubjects(t *testing.T) {
	r := malformedRig(t)
	kinds := wrongSubjects()
	r.rejectsAll(kinds)
	r.rejectionsAreSingle(len(kinds))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
}

// TestMalformedSubjectsAreNotStored: an event on a subject with too few or too
// many tokens does not reach IN, and its publisher is told.
func TestMalformedSubjectsAreNotStored(t *testing.T) {
	r := newRig(t)
	nc, _ := r.broker.Connect(t)
	for _, subject := range []string{
		"swarm", "swarm.bundle-complete", "swarm.bundle-complete.run-1", "swarm.bundle-complete.run-1.cmd-1.x",
		"swarm.decomposition-done", "swarm.decomposition-done.run-1.x", "swarm.decomposition-done.run.1",
		"swarm.fix-submitted.run-1", "swarm.fix-submitted.run-1.cmd-1.1", "swarm.bundle-completed.run-1.cmd-1",
		"swarm.Bundle-Complete.run-1.cmd-1", "SWARM.bundle-complete.run-1.cmd-1", "bundle-complete.run-1.cmd-1", "swarm.>", "swarm.*.run-1.cmd-1",
	} {
		m := &nats.Msg{Subject: subject, Data: []byte(structured(shadow.BundleComplete, goodBundle))}
		if _, err := nc.RequestMsg(m, time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: the answer is %v", subject, err)
		}
	}
	for _, subject := range []string{"", "swarm..run-1", "swarm.bundle-complete.run-1.", "swarm.bundle-complete.run 1.cmd-1", "swarm.bundle-complete.run-1.cmd\r\n1"} {
		if _, err := nc.RequestMsg(&nats.Msg{Subject: subject}, time.Second); err == nil {
			t.Errorf("%q was answered", subject)
		}
	}
	// The server's own limit, as told by JetStream.
	large := &nats.Msg{Subject: subjectOf(shadow.BundleComplete), Data: make([]byte, 1<<20-100), Header: nats.Header{"X": {strings.Repeat("x", 200)}}}
	if _, err := r.js.PublishMsg(t.Context(), large); err == nil {
		t.Error("an event above the size limit was stored")
	}
	if n := bustest.Count(t, r.store.In); n != 0 {
		t.Errorf("IN has %d messages", n)
	}
}

// TestMalformedControlHeaders: headers with which a stream can be commanded
// are refused by the server or do nothing. Nobody's event is suppressed or
// erased, and what is stored is rejected like any other event that is none.
func TestMalformedControlHeaders(t *testing.T) {
	r := malformedRig(t)
	r.sealRun("run-1")
	r.bundle("run-1", "two", content(0))
	r.report("run-1", "two", 0)
	r.settle()
	before := readAll(t, r.store.In)
	subject, other := subjectOf(shadow.BundleComplete), layout.Subjects{}.Bundle("run-1", "cmd-2")
	future := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)

	for _, refused := range [][]string{
		{"Nats-Rollup", "all"},
		{"Nats-Rollup", "sub"},
		{"Nats-Rollup", "everything"},
		{"Nats-TTL", "1s"},
		{"Nats-TTL", "never"},
		{"Nats-TTL", "soon"},
		{"Nats-Schedule", "@at " + future, "Nats-Schedule-Target", other},
		{"Nats-Schedule", "@every 1s", "Nats-Schedule-Target", layout.Subjects{}.Commitment("run-1")},
		{"Nats-Schedule", "whenever"},
		{"Nats-Incr", "+1"},
		{"Nats-Stream-Source", "OTHER 1 > > >"},
		{"Nats-Scheduler", other, "Nats-Schedule-Next", "purge"},
		{"Nats-Batch-Id", "b", "Nats-Batch-Sequence", "1", "Nats-Batch-Commit", "1"},
		{"Nats-Expected-Stream", layout.StreamOut},
		{"Nats-Expected-Last-Sequence", "1"},
		{"Nats-Expected-Last-Msg-Id", "other"},
		{"Nats-Expected-Last-Subject-Sequence", "99"},
		{"Nats-Expected-Last-Subject-Sequence", "99", "Nats-Expected-Last-Subject-Sequence-Subject", other},
	} {
		if _, err := r.js.PublishMsg(t.Context(), bustest.Message(subject, refused...)); bustest.Code(err) == 0 {
			t.Errorf("%v: the server answered %v", refused, err)
		}
	}

	var kinds []malformed
	for _, ignored := range [][]string{
		{"Nats-Msg-Id", "id"},
		{"Nats-Msg-Id", "\x01%zz"},
		{"Nats-Expected-Stream", layout.StreamIn},
		{"nats-rollup", "all"},
		{"Nats-Marker-Reason", "Purge"},
		{"KV-Operation", "PURGE"},
		{"KV-Operation", "DEL"},
		{"Nats-Stream", "KV_SHADOW_ENVELOPES", "Nats-Sequence", "1", "Nats-Subject", other, "Nats-Time-Stamp", future},
		{"Nats-Last-Sequence", "0"},
		{"Nats-Pending-Messages", "0", "Nats-Pending-Bytes", "0"},
		{"Nats-Consumer-Stalled", "$JS.FC.x"},
		{"Nats-Response-Type", "x"},
		{"Status", "409", "Description", "Consumer Deleted"},
		{"Status", "100", "Description", "Idle Heartbeat"},
	} {
		kinds = append(kinds, malformed{strings.Join(ignored, " "), subject, bustest.Message("", ignored...).Header, "words", shadow.NotAnEvent, "the message is not JSON"})
	}
	r.rejectsAll(kinds)
	after := readAll(t, r.store.In)
	for s, msgs := range before {
		if !slices.EqualFunc(msgs, after[s][:min(len(msgs), len(after[s]))], sameStored) {
			t.Errorf("%s is not what it was", s)
		}
	}
	r.bundle("run-1", "one", content(0))
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

func sameStored(a, b *jetstream.RawStreamMsg) bool {
	return a.Sequence == b.Sequence && a.Time.Equal(b.Time) && bytes.Equal(a.Data, b.Data)
}
