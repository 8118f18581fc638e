package streams

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestReadStreamGoesOn: where the server forgets the reader halfway, reading
// goes on behind the last message, and each is delivered once.
func TestReadStreamGoesOn(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js)
	const many = 3*readWindow + 7
	for i := range many {
		bustest.Must(js.PublishAsync(s.Bundle(fmt.Sprint("r", i), "c"), []byte("x")))
	}
	<-js.PublishAsyncComplete()
	want, readers := uint64(1), 0
	err := Read(t.Context(), js, layout.StreamIn, nil, func(m *Message) error {
		if m.Seq != want {
			t.Errorf("message %d comes after %d", m.Seq, want-1)
		}
		want = m.Seq + 1
		if m.Seq != 100 {
			return nil
		}
		for info := range s.In.ListConsumers(context.Background()).Info() {
			if info.Config.AckPolicy == jetstream.AckNonePolicy {
				readers++
				if err := js.DeleteConsumer(context.Background(), layout.StreamIn, info.Name); err != nil {
					t.Error(err)
				}
			}
		}
		return nil
	})
	if err != nil || want != many+1 || readers != 1 {
		t.Errorf("%d of %d messages, %d readers removed, %v", want-1, many, readers, err)
	}
	from := 0
	if err := (&Reader{JS: js, Stream: layout.StreamIn, Next: many - 2}).All(t.Context(), func(*Message) error { from++; return nil }); err != nil || from != 3 {
		t.Errorf("%d of the last 3 messages, %v", from, err)
	}
	// A selection, and one that is empty.
	for subject, n := range map[string]int{s.Bundle("r7", "*"): 1, s.Bundle("nobody", "*"): 0} {
		got := 0
		if err := Read(t.Context(), js, layout.StreamIn, []string{subject}, func(*Message) error { got++; return nil }); err != nil || got != n {
			t.Errorf("%s: %d messages, %v", subject, got, err)
		}
	}
	if err := Read(t.Context(), js, "NONE", nil, func(*Message) error { return nil }); err == nil {
		t.Error("a stream that there is not")
	}
}

// TestReadStreamEnds: an error of who takes the messages ends the reading.
func TestReadStreamEnds(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js)
	for i := range 5 {
		bustest.Must(js.Publish(t.Context(), s.Decomposition(fmt.Sprint("run-", i)), nil))
	}
	took, enough := 0, errors.New("enough")
	err := Read(t.Context(), js, layout.StreamIn, []string{s.Decomposition("*")}, func(m *Message) error {
		if took++; m.Seq == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || took != 3 {
		t.Errorf("%d messages, then %v", took, err)
	}
}
