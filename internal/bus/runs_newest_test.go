package bus

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// The envelope by which a daemon's key is known is the newest one that is
// left, whatever was forgotten since.
func TestNewestEnvelope(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{})
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
	newest("box of c")
	for _, c := range []struct{ forgotten, left string }{{"c", "box of b"}, {"a", "box of b"}, {"b", ""}} {
		if err := s.Envelopes.Purge(t.Context(), c.forgotten); err != nil {
			t.Fatal(err)
		}
		newest(c.left)
	}
}
