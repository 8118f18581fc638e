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
	"github.com/swarmspeed/shadowd/schemas"
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
	if err := schemas.Validate(addr.Name, raw); err != nil {
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

// TestWatchCorrected: a run whose first decomposition was rejected goes on if it
// was corrected, sealed and scored; one that was not ends there.
func TestWatchCorrected(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	var l layout.Subjects
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	d := &shadow.Decomposition{RunID: "corrected", Task: "t", Domains: shadow.Domains{{Domain: "d", CommanderID: "c"}}}
	hash := shadow.Digest(nil)
	for seq, run := range []string{"corrected", "refused"} {
		put(t, js, l.Decomposition(run), d)
		put(t, js, l.Rejected(layout.AuthorNexus, uint64(seq+1)), shadow.Rejection{Reason: shadow.InvalidData, Message: "m", Resubmit: "r",
			Subject: l.Decomposition(run), Stream: layout.StreamIn, In: shadow.Place{Sequence: uint64(seq + 1), Time: time.Unix(1, 0)}, RunID: run})
	}
	put(t, js, l.Decomposition("corrected"), d)
	put(t, js, l.Commitment("corrected"), shadow.Commitment{RunID: "corrected", TaskHash: hash, DecompositionDigest: hash, SealedHash: hash, CriteriaCount: 8, Domains: 1,
		Policy: shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationStrict, Scale: "ss-100", FixTimeoutMS: 60_000, RunTimeoutMS: 3_600_000,
			EnforceGates: true, MinRead: 50, UnreadAction: shadow.Warn, Reveal: "defect"}})
	put(t, js, l.RunScored("corrected"), shadow.RunData{RunID: "corrected", Scale: "ss-100", TaskHash: hash, SealedHash: hash, Median: "100.0", Level: shadow.Critical,
		Incomplete: true, Domains: []shadow.DomainLine{}, Missing: []string{"d"}})
	for run, want := range map[string][]string{
		"corrected": {shadow.DecompositionDone, shadow.EventRejected, shadow.DecompositionDone, shadow.EnvelopeSealed, shadow.RunScored},
		"refused":   {shadow.DecompositionDone, shadow.EventRejected},
	} {
		var got []string
		err := Watch(t.Context(), history.Log{JS: js, Logger: slog.New(slog.DiscardHandler), Only: run}, func(o history.Output) error {
			got = append(got, o.Name)
			return nil
		}, func() { t.Error("nothing is stored") })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q, %v", run, got, want, err)
		}
	}
}
