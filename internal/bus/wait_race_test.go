package bus

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// between is a stream in which something is stored between two looks at one
// subject.
type between struct {
	jetstream.Stream
	found func()
}

func (s *between) GetMsg(ctx context.Context, seq uint64, opts ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	m, err := s.Stream.GetMsg(ctx, seq, opts...)
	if err != nil {
		s.found()
	}
	return m, err
}

// TestDecomposedMeanwhile: a bundle is not refused because its run was
// decomposed while shadowd was looking whether it is.
func TestDecomposedMeanwhile(t *testing.T) {
	r := newRig(t)
	in := &input{
		message: &message{seq: 1}, addr: Address{Run: "run-1", Commander: "cmd-1"},
		submission: &shadow.Submission{RunID: "run-1"},
	}
	var once sync.Once
	store := *r.store
	store.In = &between{r.store.In, func() {}}
	e := NewEngine(&store, r.cfg)
	if err := e.awaitSeal(t.Context(), in); err != errWait {
		t.Fatalf("at first sight: %v", err)
	}
	store.In = &between{r.store.In, func() { once.Do(func() { r.decompose(twoDomains("run-1")) }) }}
	if err := e.awaitSeal(t.Context(), in); err != errWait {
		t.Errorf("decomposed meanwhile: %v", err)
	}
}

// TestSharedAnswer: a decomposition is not refused because a bundle that waits
// for it asked just before it was stored, and shares its answer.
func TestSharedAnswer(t *testing.T) {
	r := newRig(t)
	store := *r.store
	e := NewEngine(&store, r.cfg)
	var once sync.Once
	refused := make(chan error, 1)
	store.In = &between{r.store.In, func() {
		once.Do(func() {
			seq := r.decompose(twoDomains("run-1"))
			m, err := r.store.In.GetMsg(t.Context(), seq)
			if err != nil {
				t.Error(err)
				return
			}
			in, err := e.take(&message{subject: m.Subject, header: m.Header, data: m.Data, seq: m.Sequence, time: m.Time})
			if err != nil {
				t.Error(err)
				return
			}
			go func() { refused <- e.firstDecomposition(t.Context(), in) }()
			// What it waits for can be seen in its stack only.
			stacks := make([]byte, 1<<20)
			bustest.WaitFor(t, "both to share an answer", func() bool {
				return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "singleflight.(*Group).Do(") == 2
			})
		})
	}}
	if in, err := e.first(t.Context(), e.decompositionOf("run-1", nil)); in != nil || err != nil {
		t.Errorf("asked before it was stored: %v, %v", in, err)
	}
	if err := <-refused; err != nil {
		t.Errorf("asked for what is in hand: %v", err)
	}
}
