package bus

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

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
		header, got, err := streams.Input(t.Context(), r.js, seq)
		if err != nil || string(got) != string(body) {
			t.Errorf("%q: %v, %q", block, err, got)
		}
		ev, err := cloudevent.Decode(header, got)
		if err != nil || shadow.Digest(ev.Data()) != rep.Swarm.BundleDigest {
			t.Errorf("%q: %v, another bundle than was judged", block, err)
		}
	}
	if _, _, err := streams.Input(t.Context(), r.js, 1000); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("nothing there: %v", err)
	}
	r.settle()
}
