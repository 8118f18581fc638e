package bus

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestInputWithBadHeader: a bundle is judged whatever its header block is
// like, so it can also be looked at afterwards.
func TestInputWithBadHeader(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	body := eventBytes(t, "e", shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0))))
	for _, block := range []string{"garbage", "NATS/1.0\r\nno colon\r\n\r\n", "NATS/1.0\r\nX: y\r\n\r\n"} {
		seq := dial(t, r.broker.URL()).publish(layout.Subjects{}.Bundle("run-1", "cmd-1"), block, string(body))
		rep := r.report("run-1", "one", 0)
		m, err := streams.At(t.Context(), r.js, layout.StreamIn, seq)
		if err != nil || m == nil || string(m.Data) != string(body) {
			t.Fatalf("%q: %v, %v", block, err, m)
		}
		ev, err := cloudevent.Decode(m.Header, m.Data)
		if err != nil || shadow.Digest(ev.Data()) != rep.Swarm.BundleDigest {
			t.Errorf("%q: %v, another bundle than was judged", block, err)
		}
	}
	if m, err := streams.At(t.Context(), r.js, layout.StreamIn, 1000); m != nil || err != nil {
		t.Errorf("nothing there: %v, %v", m, err)
	}
	r.settle()
}
