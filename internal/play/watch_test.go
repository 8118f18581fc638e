package play

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// put stores an event of a run.
func put(t *testing.T, js jetstream.JetStream, subject string, data any) {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := layout.Subjects{}.Parse(subject)
	if err != nil {
		t.Fatal(err)
	}
	if err := shadow.Validate(addr.Name, raw); err != nil {
		t.Fatal(err)
	}
	msg, _, err := cloudevent.New(layout.Subjects{}, subject, cloudevent.Cause{ID: "cause"}, time.Unix(1, 0), raw)
	if err != nil {
		t.Fatal(err)
	}
	msg.Subject = subject
	msg.Header.Del(nats.MsgIdHdr)
	if _, err := js.PublishMsg(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
}

// reject answers a decomposition at a sequence of IN.
func reject(t *testing.T, js jetstream.JetStream, run string, seq uint64, why shadow.Reason) {
	t.Helper()
	var l layout.Subjects
	put(t, js, l.Rejected(layout.AuthorNexus, seq), shadow.Rejection{Reason: why, Message: "m", Resubmit: "r",
		Subject: l.Decomposition(run), Stream: layout.StreamIn, In: shadow.Place{Sequence: seq, Time: time.Unix(1, 0)}, RunID: run})
}

// sealed stores the commitment of a run.
func sealed(t *testing.T, js jetstream.JetStream, run string) {
	t.Helper()
	hash := shadow.Digest(nil)
	put(t, js, layout.Subjects{}.Commitment(run), shadow.Commitment{RunID: run, TaskHash: hash, DecompositionDigest: hash, SealedHash: hash, CriteriaByDomain: []int{8},
		Policy: shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationStrict, Scale: "ss-100", FixTimeoutMS: 60_000, RunTimeoutMS: 3_600_000,
			EnforceGates: true, Unread: shadow.Warn, Undecided: shadow.Quarantine, Missing: 20}})
}

// scored stores the end of a run.
func scored(t *testing.T, js jetstream.JetStream, run string) {
	t.Helper()
	hash := shadow.Digest(nil)
	put(t, js, layout.Subjects{}.RunScored(run), shadow.RunData{RunID: run, Scale: "ss-100", TaskHash: hash, SealedHash: hash, Median: "100.0", Level: shadow.Critical, Verdict: "critical",
		Incomplete: true, Domains: []shadow.DomainSummary{}, Missing: []string{"d"}})
}

// TestWatchCorrected: a run whose first decomposition was rejected goes on if it
// was corrected, sealed and scored; one that was not ends there.
func TestWatchCorrected(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	d := &shadow.Decomposition{RunID: "corrected", Task: "t", Domains: shadow.Domains{{Domain: "d", CommanderID: "c"}}}
	for seq, run := range []string{"corrected", "refused"} {
		put(t, js, l.Decomposition(run), d)
		reject(t, js, run, uint64(seq+1), shadow.InvalidData)
	}
	put(t, js, l.Decomposition("corrected"), d)
	sealed(t, js, "corrected")
	scored(t, js, "corrected")
	for run, want := range map[string][]string{
		"corrected": {shadow.DecompositionDone, shadow.EventRejected, shadow.DecompositionDone, shadow.EnvelopeSealed, shadow.RunScored},
		"refused":   {shadow.DecompositionDone, shadow.EventRejected},
	} {
		var got []string
		err := Watch(t.Context(), history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: run}, func(o history.Event) error {
			got = append(got, o.Name)
			if o.Run != run {
				t.Errorf("%s is of run %q, want %q", o.Name, o.Run, run)
			}
			return nil
		}, func() error { t.Error("nothing is stored"); return nil }, func() {})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q, %v", run, got, want, err)
		}
	}
}

// TestWatchUnderWay: while a run has a decomposition that may still be sealed, the
// rejection of another one does not end it.
func TestWatchUnderWay(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	decompose := func(run string) {
		put(t, js, l.Decomposition(run), &shadow.Decomposition{RunID: run, Task: "t", Domains: shadow.Domains{{Domain: "d", CommanderID: "c"}}})
	}
	decompose("corrected") // at 1
	reject(t, js, "corrected", 1, shadow.InvalidData)
	decompose("corrected")
	decompose("second") // at 3
	reject(t, js, "second", 4, shadow.OtherContent)
	for _, run := range []string{"corrected", "second"} {
		var last string
		err := Watch(t.Context(), history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: run}, func(o history.Event) error {
			if last = o.Name; last == shadow.EventRejected {
				sealed(t, js, run)
				scored(t, js, run)
			}
			return nil
		}, func() error { t.Error("nothing is stored"); return nil }, func() {})
		if err != nil || last != shadow.RunScored {
			t.Errorf("%s: it ends with %q, %v", run, last, err)
		}
	}
}

// TestWatchOtherContentFirst: a rejection for other content can arrive before the
// seal, and before the decomposition that it lost to.
func TestWatchOtherContentFirst(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	reject(t, js, "run", 2, shadow.OtherContent)
	var last string
	err := Watch(t.Context(), history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: "run"}, func(o history.Event) error {
		if last = o.Name; last == shadow.EventRejected {
			scored(t, js, "run")
		}
		return nil
	}, func() error { t.Error("nothing is stored"); return nil }, func() {})
	if err != nil || last != shadow.RunScored {
		t.Errorf("it ends with %q, %v", last, err)
	}
}

// TestWatchEnd: the end of a run may be delivered before events of the other
// stream. They are shown before it, and nothing is shown twice.
func TestWatchEnd(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	put(t, js, l.Decomposition("run"), &shadow.Decomposition{RunID: "run", Task: "t", Domains: shadow.Domains{{Domain: "d", CommanderID: "c"}}})
	sealed(t, js, "run")
	scored(t, js, "run")
	log := history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: "run"}
	w := &watched{run: "run", open: map[uint64]bool{}, shown: map[place]bool{{shadow.Address{Name: shadow.DecompositionDone, Run: "run", Author: layout.AuthorNexus}, 1}: true}}
	last := history.Event{Address: shadow.Address{Name: shadow.RunScored, Run: "run", Author: "unknown"}, Seq: 1}
	var got []string
	err := w.end(t.Context(), log, last, func(o history.Event) error { got = append(got, o.Name); return nil })
	if want := []string{shadow.EnvelopeSealed, shadow.RunScored}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}
