package streams

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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
			s := ensured(t, js)
			for i := range 5 {
				bustest.Must(js.Publish(t.Context(), s.Bundle("r", "c"), fmt.Appendf(nil, "message %d", i+1)))
			}
			dir := b.Server().JetStreamConfig().StoreDir
			b.Stop()
			damage(t, dir, layout.StreamIn, fmt.Sprint("message ", damaged))
			b.Start(t)
			bustest.WaitFor(t, "the server", func() bool {
				_, err := s.In.Info(t.Context())
				return err == nil
			})
			for _, subjects := range [][]string{nil, {s.Bundle("r", "*"), s.Fix("r", "*")}} {
				err := Read(t.Context(), js, layout.StreamIn, subjects, func(*Message) error { return nil })
				var bad *UnreadableError
				if !errors.As(err, &bad) || bad.Sequence != damaged || bad.Stream != layout.StreamIn {
					t.Errorf("%v: %v", subjects, err)
				}
			}
		})
	}
}

// damage flips one bit of what a stopped server has stored, the first time
// that the text stands in the blocks of a stream.
func damage(t *testing.T, dir, stream, text string) {
	t.Helper()
	blocks := bustest.Must(filepath.Glob(filepath.Join(dir, "*", "streams", stream, "msgs", "*.blk")))
	for _, file := range blocks {
		data := bustest.Must(os.ReadFile(file))
		if at := bytes.Index(data, []byte(text)); at >= 0 {
			data[at] ^= 1
			bustest.OK(t, os.WriteFile(file, data, 0o600))
			return
		}
	}
	t.Fatalf("%q does not stand in the %d blocks of %s", text, len(blocks), stream)
}

// TestReadExpired: reading ends where the messages that it waits for are gone
// before they are delivered.
func TestReadExpired(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js)
	const many = 3 * readWindow
	for i := range many {
		bustest.Must(js.PublishAsync(s.Bundle(fmt.Sprint("r", i), "c"), []byte("x")))
	}
	<-js.PublishAsyncComplete()
	got := 0
	err := Read(t.Context(), js, layout.StreamIn, nil, func(m *Message) error {
		if got++; m.Seq == 1 {
			if err := s.In.Purge(t.Context()); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil || got == 0 || got == many {
		t.Errorf("%d of %d messages, %v", got, many, err)
	}
}

// TestReaderLosesItsServer: the server that has a reader's consumer may go and
// stay away. The others answer for its consumers neither that they are there nor
// that they are gone.
func TestReaderLosesItsServer(t *testing.T) {
	nodes := bustest.Cluster(t, 3)
	_, js := nodes.Connect(t)
	bustest.Must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}, Replicas: 3}))
	ctx, stop := context.WithCancel(t.Context())
	var got atomic.Int64
	r := &Reader{JS: js, Stream: "S", Next: 1, Follow: true, Deliver: func(*Message) { got.Add(1) }}
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx, func(error) {}) }()
	defer func() { stop(); <-ended }()
	read := func(n int64) {
		bustest.WaitFor(t, "a publish", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := js.Publish(ctx, "s.x", nil)
			return err == nil
		})
		bustest.WaitFor(t, "the reader to read on", func() bool { return got.Load() >= n })
	}
	read(1)
	stream := bustest.Must(js.Stream(t.Context(), "S"))
	has := (<-stream.ListConsumers(t.Context()).Info()).Cluster.Leader
	for _, b := range nodes {
		if b.Server().Name() == has {
			b.Stop()
		}
	}
	read(2)
}

// TestReaderOfACutStream: a stream that is made anew, or is gone, under a reader
// that follows is told from one that has the same messages as before.
func TestReaderOfACutStream(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]int{"gone": -1, "shorter": 1, "as long": 3, "longer": 5} {
		_, js := bustest.Server(t).Connect(t)
		s := ensured(t, js)
		publish := func(n int) {
			for range n {
				bustest.Must(js.Publish(t.Context(), s.Bundle("r", "c"), nil))
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		r := &Reader{JS: js, Stream: layout.StreamIn, Follow: true, Next: 1}
		r.Deliver = func(m *Message) {
			if m.Seq == 3 {
				stop()
			}
		}
		publish(3)
		bustest.OK(t, r.Session(ctx))
		if err := r.checkCut(t.Context()); err != nil {
			t.Errorf("%s: before, it says %v", name, err)
		}
		bustest.OK(t, js.DeleteStream(t.Context(), layout.StreamIn))
		if stored >= 0 {
			ensured(t, js)
			publish(stored)
		}
		if _, err := r.consumer(t.Context()); !errors.Is(err, ErrTruncated) {
			t.Errorf("%s: it says %v", name, err)
		}
	}
}

func ensured(t *testing.T, js jetstream.JetStream) *layout.Store {
	t.Helper()
	s := bustest.Must(layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{}))
	return s
}
