package history

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Log reads the events of all runs, for those who watch. It changes nothing.
type Log struct {
	layout.Subjects
	JS     jetstream.JetStream
	Logger *slog.Logger
	// Only is the one run to follow; empty follows all. Rejections of all runs come, as their subjects name none.
	Only string
	// Signers are the keys one of which reviews must be signed by; none: all of them come.
	Signers []ed25519.PublicKey
	// Whole has bundles and fixes come with their event.
	Whole bool
}

// Follow delivers the events of the newest runs, or of the one that Only names, and then every event as it is stored,
// until ctx ends. caughtUp is called once, behind what was stored before. deliver may be called concurrently.
func (l Log) Follow(ctx context.Context, newest int, deliver func(Event), caughtUp func()) {
	var since time.Time
	if l.Only == "" {
		since = l.startOf(ctx, newest)
	}
	in := []string{l.RunWildcard(shadow.DecompositionDone, l.Only), l.RunWildcard(shadow.EnvelopeSealed, l.Only)}
	work := []string{l.RunWildcard(shadow.BundleComplete, l.Only), l.RunWildcard(shadow.FixSubmitted, l.Only)}
	out := []string{l.RunWildcard(shadow.GapReport, l.Only), l.RunWildcard(shadow.HardeningRequest, l.Only), l.RunWildcard(shadow.BundleQuarantined, l.Only),
		l.RunWildcard(shadow.RunScored, l.Only), l.RunWildcard(shadow.RunReviewed, l.Only), l.RunWildcard(shadow.EventRejected, l.Only)}
	var readers sync.WaitGroup
	// The decompositions say which runs there are, so the others wait for them.
	for _, all := range [][]*streams.Reader{
		{{Stream: layout.StreamIn, Subjects: in}},
		{{Stream: layout.StreamIn, Subjects: work, HeadersOnly: !l.Whole}, {Stream: layout.StreamOut, Subjects: out}},
	} {
		var behind sync.WaitGroup
		for _, r := range all {
			r.JS, r.Since, r.Deliver = l.JS, since, l.decoded(deliver)
			behind.Add(1)
			readers.Go(func() { l.follow(ctx, r, behind.Done) })
		}
		behind.Wait()
	}
	if ctx.Err() == nil {
		caughtUp()
	}
	readers.Wait()
}

// follow reads to the end of the stream, says so, and goes on.
func (l Log) follow(ctx context.Context, r *streams.Reader, caughtUp func()) {
	l.run(ctx, r)
	caughtUp()
	r.Follow, r.Done = true, false
	l.run(ctx, r)
}

func (l Log) run(ctx context.Context, r *streams.Reader) {
	r.Run(ctx, func(err error) {
		l.Logger.Debug("following a stream, will be tried again", "stream", r.Stream, "error", err)
	})
}

// startOf is when the oldest of the newest runs was decomposed, or zero where there are no more runs than that.
func (l Log) startOf(ctx context.Context, newest int) time.Time {
	var times []time.Time
	r := &streams.Reader{JS: l.JS, Stream: layout.StreamIn, Subjects: []string{l.RunWildcard(shadow.DecompositionDone, l.Only)}, HeadersOnly: true, Next: 1, Deliver: func(m *streams.Message) {
		if times = append(times, m.Time); len(times) > newest {
			times = times[1:]
		}
	}}
	l.run(ctx, r)
	if len(times) < newest {
		return time.Time{}
	}
	return times[0]
}

// decoded decodes what it delivers. What breaks its schema is passed over: on a bus
// without an account wall anybody can write it.
func (l Log) decoded(deliver func(Event)) func(*streams.Message) {
	return func(m *streams.Message) {
		a, err := l.Parse(m.Subject)
		switch {
		case err != nil:
		case !l.Whole && (a.Name == shadow.BundleComplete || a.Name == shadow.FixSubmitted):
			deliver(Event{Address: a, Seq: m.Seq, Time: m.Time})
		default:
			if e, ok := ReadEvent(l.Subjects, m); ok && e.Wrong == nil && e.counts(l.Signers) {
				deliver(e)
			}
		}
	}
}
