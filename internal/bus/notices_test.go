package bus

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestNotices: fields that nobody reads are named to the publisher of the
// decomposition in the commitment, and of a bundle or fix in its report. The
// audit derives the same. A field that says by chance what is sealed is no leak.
func TestNotices(t *testing.T) {
	r := newRig(t, writesSealed)
	r.start()
	l := layout.Subjects{}
	sealed := "Sealed assertion that the bundle names alpha"
	d := with(t, twoDomains("run-1"), map[string]any{"priority": 1, sealed: true})
	r.send(l.Decomposition("run-1"), shadow.DecompositionDone, d)
	var c shadow.Commitment
	bustest.OK(t, json.Unmarshal(eventData(t, r.await(r.store.In, l.Commitment("run-1"))), &c))
	const unread = ": is unknown, and nobody reads it"
	if diff := cmp.Diff([]string{"/" + sealed + unread, "/priority" + unread}, c.Notices); diff != "" {
		t.Errorf("of the decomposition (-want +got)\n%s", diff)
	}
	r.bundle("run-1", "one", content(0))
	r.send(l.Bundle("run-1", "cmd-2"), shadow.BundleComplete, with(t, bundleData("run-1", bundleOf("two", content(4))), map[string]any{"mood": "good"}))
	if got := r.report("run-1", "one", 0).Swarm.Notices; got != nil {
		t.Errorf("of a bundle without such fields: %q", got)
	}
	if diff := cmp.Diff([]string{"/mood" + unread}, r.report("run-1", "two", 0).Swarm.Notices); diff != "" {
		t.Errorf("of the bundle (-want +got)\n%s", diff)
	}
	fix := fixData("run-1", 1, bundleOf("two", content(0)))
	fix["bundle"] = with(t, fix["bundle"], map[string]any{"mood": "better"})
	r.send(l.Fix("run-1", "cmd-2"), shadow.FixSubmitted, fix)
	if diff := cmp.Diff([]string{"/bundle/mood" + unread}, r.report("run-1", "two", 1).Swarm.Notices); diff != "" {
		t.Errorf("of the fix (-want +got)\n%s", diff)
	}
	r.settle()
	if request := r.await(r.store.Out, l.HardeningRequest("cmd-2", "run-1", "two", 1)); bytes.Contains(request.Data, []byte("mood")) {
		t.Error("the request has the fields of the bundle: whoever guesses sealed text in a name would see that it is kept back")
	}
	checkLog(t, r.store, r.cfg.Key)
}

// with adds fields to an object.
func with(t *testing.T, object any, fields map[string]any) map[string]any {
	t.Helper()
	raw := bustest.Must(shadow.Encode(object))
	var all map[string]any
	bustest.OK(t, json.Unmarshal(raw, &all))
	maps.Copy(all, fields)
	return all
}
