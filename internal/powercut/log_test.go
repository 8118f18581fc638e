//go:build linux

package powercut

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamIn     = "IN"
	streamOut    = "OUT"
	streamBucket = "KV_SHADOW_ENVELOPES"
	bucketKey    = "$KV.SHADOW_ENVELOPES."
	commitment   = "swarm.envelope-sealed."
)

// place is where a message stands.
type place struct {
	stream   string
	sequence uint64
}

type message struct{ subject, data string }

// storedLog is all that was ever acknowledged by the bus, or read from it. It outlives daemons.
type storedLog struct {
	mu    sync.Mutex
	at    map[place]message
	once  map[string]string // what is stored at most once, by its subject
	twice []string
	news  chan struct{} // closed at the next message
}

func newStoredLog() *storedLog {
	return &storedLog{at: map[place]message{}, once: map[string]string{}, news: make(chan struct{})}
}

// note notes a message. The log has it from now on.
func (l *storedLog) note(p place, m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[p] = m
	if stays(p, m.subject) && (p.stream != streamIn || strings.HasPrefix(m.subject, commitment)) {
		if was, ok := l.once[m.subject]; ok && was != m.data {
			l.twice = append(l.twice, m.subject)
		}
		l.once[m.subject] = m.data
	}
	close(l.news)
	l.news = make(chan struct{})
}

// stays says whether a message is never replaced and never removed, as what the bucket has beside envelopes is.
func stays(p place, subject string) bool {
	return p.stream != streamBucket || strings.HasPrefix(subject, bucketKey+"run-")
}

func (l *storedLog) conflicts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.twice)
}

// await waits for one of several messages that are stored once.
func (l *storedLog) await(ctx context.Context, subjects ...string) error {
	for {
		l.mu.Lock()
		there := slices.ContainsFunc(subjects, func(s string) bool { _, ok := l.once[s]; return ok })
		news := l.news
		l.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", subjects, context.Cause(ctx))
		}
	}
}

// life is a daemon as long as it has power.
type life struct {
	log   *storedLog
	js    jetstream.JetStream
	ctx   context.Context
	end   func()
	found map[place]message // what was there at first
	lost  []string          // what it knew, and is not there
}

// attach connects to a daemon as its operator and reads its streams: first all
// that is there, which is compared with what the log knows; then what comes.
func (l *storedLog) attach(url, dir string) (*life, error) {
	seed, err := nats.NkeyOptionFromSeed(filepath.Join(dir, "operator.nk"))
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(url, seed, nats.NoReconnect(), nats.Timeout(patience))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	var following sync.WaitGroup
	v := &life{log: l, ctx: ctx, found: map[place]message{}}
	v.end = sync.OnceFunc(func() { cancel(errors.New("the power was cut")); nc.Close(); following.Wait() })
	if v.js, err = jetstream.New(nc); err != nil {
		return nil, err
	}
	l.mu.Lock()
	known := maps.Clone(l.at)
	l.mu.Unlock()
	// In this order, so that what an earlier one needs is in a later one.
	for _, stream := range []string{streamOut, streamIn, streamBucket} {
		if err := v.read(stream, &following); err != nil {
			v.end()
			return nil, fmt.Errorf("reading %s: %w", stream, err)
		}
	}
	for p, m := range known {
		if stays(p, m.subject) && v.found[p] != m {
			v.lost = append(v.lost, fmt.Sprintf("%s %d %s", p.stream, p.sequence, m.subject))
		}
	}
	slices.Sort(v.lost)
	return v, nil
}

// read reads a stream to its present end, and then follows it.
func (v *life) read(stream string, following *sync.WaitGroup) error {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	consumer, err := v.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	context.AfterFunc(v.ctx, messages.Stop)
	next := func() (place, message, error) {
		m, err := messages.Next()
		if err != nil {
			return place{}, message{}, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return place{}, message{}, err
		}
		return place{stream, meta.Sequence.Stream}, message{m.Subject(), string(m.Data())}, nil
	}
	for n := consumer.CachedInfo().NumPending; n > 0; n-- {
		p, m, err := next()
		if err != nil {
			return err
		}
		v.found[p] = m
		v.log.note(p, m)
	}
	following.Go(func() {
		for {
			p, m, err := next()
			if err != nil {
				return // the power was cut
			}
			v.log.note(p, m)
		}
	})
	return nil
}

// disorder are the breaks in the order of what is on the disk: a commitment whose
// envelope is not there, and a report whose commitment is not.
func (v *life) disorder() (breaks []string) {
	has := map[string]bool{}
	for _, m := range v.found {
		has[m.subject] = true
	}
	for subject := range has {
		if run, ok := strings.CutPrefix(subject, commitment); ok && !has[bucketKey+run] {
			breaks = append(breaks, run+" has a commitment, and no envelope")
		}
		if rest, ok := strings.CutPrefix(subject, "swarm.gap-report."); ok {
			if run, _, _ := strings.Cut(rest, "."); !has[commitment+run] {
				breaks = append(breaks, run+" has a report, and no commitment")
			}
		}
	}
	slices.Sort(breaks)
	return breaks
}
