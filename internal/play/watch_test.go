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

// TestWatch: a run ends with its sum, or with the rejection of its decomposition where no other one is sealed, or
// still may be. What is stored while it is watched is shown before the end, whichever stream delivers first.
func TestWatch(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	seq := uint64(0)
	decompose := func(run string) {
		seq++
		put(t, js, l.Decomposition(run), &shadow.Decomposition{RunID: run, Task: "t", Domains: shadow.Domains{{Domain: "d", CommanderID: "c"}}})
	}
	finish := func(run string) {
		sealed(t, js, run)
		scored(t, js, run)
	}
	decomposed, refused := shadow.DecompositionDone, shadow.EventRejected
	for run, c := range map[string]struct {
		stored func(run string)
		at     string // the event at which the rest is stored
		want   []string
	}{
		"refused": {func(run string) {
			decompose(run)
			reject(t, js, run, seq, shadow.InvalidData)
		}, "", []string{decomposed, refused}},
		"corrected": {func(run string) {
			decompose(run)
			reject(t, js, run, seq, shadow.InvalidData)
			decompose(run)
			finish(run)
			seq++ // of the seal, in IN
		}, "", []string{decomposed, refused, decomposed, shadow.EnvelopeSealed, shadow.RunScored}},
		"being-corrected": {func(run string) {
			decompose(run)
			reject(t, js, run, seq, shadow.InvalidData)
			decompose(run)
		}, refused, []string{decomposed, refused, decomposed, shadow.EnvelopeSealed, shadow.RunScored}},
		// The rejection for other content arrives before the decomposition that it lost to.
		"second": {func(run string) { reject(t, js, run, 1000, shadow.OtherContent) }, refused, []string{refused, shadow.EnvelopeSealed, shadow.RunScored}},
	} {
		c.stored(run)
		var got []string
		err := Watch(t.Context(), history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: run}, func(o history.Event) error {
			got = append(got, o.Name)
			if o.Run != run {
				t.Errorf("%s is of run %q, want %q", o.Name, o.Run, run)
			}
			if o.Name == c.at {
				finish(run)
				seq++
			}
			return nil
		}, func() error { t.Error("nothing is stored"); return nil }, func() {})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q, %v", run, got, c.want, err)
		}
	}
}
