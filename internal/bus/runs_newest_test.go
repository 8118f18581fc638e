package bus

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// The envelope by which a daemon's key is known is the newest one that is
// left, whatever was forgotten since. A daemon that was idle for weeks has stored
// a hundred thousand probes behind it, which a start must not go through.
func TestNewestEnvelope(t *testing.T) {
	nc, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{})
	asked, err := nc.SubscribeSync("$JS.API.STREAM.MSG.GET.>")
	if err != nil {
		t.Fatal(err)
	}
	newest := func(want string) {
		t.Helper()
		if got, err := NewestEnvelope(t.Context(), s); err != nil || string(got) != want {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	}
	newest("")
	for _, run := range []string{"a", "b", "c"} {
		if _, err := s.Envelopes.Create(t.Context(), run, []byte("box of "+run)); err != nil {
			t.Fatal(err)
		}
	}
	probes(t, s)
	newest("box of c")
	for _, c := range []struct{ forgotten, left string }{{"c", "box of b"}, {"a", "box of b"}, {"b", ""}} {
		if err := s.Envelopes.Purge(t.Context(), c.forgotten); err != nil {
			t.Fatal(err)
		}
		probes(t, s)
		newest(c.left)
	}
	if n, _, err := asked.Pending(); err != nil || n == 0 || n > 150 {
		t.Errorf("%d requests, %v", n, err)
	}
}

// probes looks as often whether the bus stores as a daemon does meanwhile.
func probes(t *testing.T, s *layout.Store) {
	t.Helper()
	for range 100 {
		if _, _, err := Probe(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}
