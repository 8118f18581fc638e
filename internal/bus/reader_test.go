package bus

import (
	"errors"
	"fmt"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestReadDamaged: a message that the server cannot read ends the reading, and
// the error names it, wherever it stands and whether it is asked for or not.
func TestReadDamaged(t *testing.T) {
	for _, damaged := range []uint64{1, 3, 5} {
		t.Run(fmt.Sprint(damaged), func(t *testing.T) {
			t.Parallel()
			b := bustest.Server(t)
			_, js := b.Connect(t)
			s := ensure(t, js, layout.StorageConfig{})
			for i := range 5 {
				if _, err := js.Publish(t.Context(), s.Bundle("r", "c"), fmt.Appendf(nil, "message %d", i+1)); err != nil {
					t.Fatal(err)
				}
			}
			b.Stop()
			b.Damage(t, layout.StreamIn, fmt.Sprint("message ", damaged))
			b.Start(t)
			bustest.WaitFor(t, "the server", func() bool {
				_, err := s.In.Info(t.Context())
				return err == nil
			})
			for _, subjects := range [][]string{nil, {s.Bundle("r", "*"), s.Fix("r", "*")}} {
				err := readStream(t.Context(), js, layout.StreamIn, subjects, func(*message) {})
				var bad *UnreadableError
				if !errors.As(err, &bad) || bad.Sequence != damaged || bad.Stream != layout.StreamIn {
					t.Errorf("%v: %v", subjects, err)
				}
			}
		})
	}
}

// TestReadExpired: reading ends where the messages that it waits for are gone
// before they are delivered.
func TestReadExpired(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{})
	const many = 3 * readWindow
	for i := range many {
		if _, err := js.PublishAsync(s.Bundle(fmt.Sprint("r", i), "c"), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	got := 0
	err := readStream(t.Context(), js, layout.StreamIn, nil, func(m *message) {
		if got++; m.seq == 1 {
			if err := s.In.Purge(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || got == 0 || got == many {
		t.Errorf("%d of %d messages, %v", got, many, err)
	}
}
