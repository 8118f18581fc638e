package bus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// link is a connection to a bus that may vanish and come back. What waits for
// an answer when it vanishes is called off, and tried again.
type link struct {
	js     jetstream.JetStream
	mu     sync.Mutex
	cancel context.CancelFunc
	ctx    context.Context // ends with the present connection
}

// connect opens a link. The function that it returns closes it.
func connect(url string, opts ...nats.Option) (*link, func(), error) {
	l := &link{}
	l.renew()
	closed := make(chan struct{})
	nc, err := nats.Connect(url, append(opts,
		nats.Timeout(10*time.Second),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(10*time.Millisecond),
		nats.ReconnectBufSize(-1), // a publish fails rather than wait unseen
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.renew() }),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }))...)
	if err != nil {
		return nil, nil, err
	}
	l.js, err = jetstream.New(nc)
	return l, func() { nc.Close(); <-closed; l.cancel() }, err
}

func (l *link) renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel()
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
}

// retry does f until it succeeds or ctx ends.
func (l *link) retry(ctx context.Context, f func(context.Context) error) error {
	for {
		l.mu.Lock()
		present := l.ctx
		l.mu.Unlock()
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		stop := context.AfterFunc(present, cancel)
		err := f(attempt)
		stop()
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// watch follows a stream message by message.
type watch struct {
	link   *link
	stream string
	filter string

	mu       sync.Mutex
	patience time.Duration
	seen     map[string]*jetstream.RawStreamMsg // the last on each subject
	news     chan struct{}                      // closed at the next message
	arrived  int
}

func newWatch(l *link, stream, filter string) *watch {
	return &watch{patience: patience, link: l, stream: stream, filter: filter, seen: map[string]*jetstream.RawStreamMsg{}, news: make(chan struct{})}
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context) {
	var s jetstream.Stream
	for seq := uint64(1); ; {
		var m *jetstream.RawStreamMsg
		err := w.link.retry(ctx, func(ctx context.Context) (err error) {
			if s == nil {
				if s, err = w.link.js.Stream(ctx, w.stream); err != nil {
					return err
				}
			}
			m, err = s.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(w.filter))
			return err
		})
		if err != nil {
			return
		}
		seq = m.Sequence + 1
		w.mu.Lock()
		w.seen[m.Subject] = m
		w.arrived++
		close(w.news)
		w.news = make(chan struct{})
		w.mu.Unlock()
	}
}

// until waits until cond holds. It is asked again after each message.
func (w *watch) until(ctx context.Context, cond func() bool) error {
	for {
		w.mu.Lock()
		ok, news := cond(), w.news
		w.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// patience is how long something is waited for. It is long, since it is
// reached only when the test has failed.
const patience = 2 * time.Minute

// await waits for a message on a subject.
func (w *watch) await(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	if err = w.until(ctx, func() bool { m = w.seen[subject]; return m != nil }); err != nil {
		err = fmt.Errorf("waiting for %s: %w", subject, err)
	}
	return m, err
}

// more waits until n further messages have come.
func (w *watch) more(ctx context.Context, n int) error {
	w.mu.Lock()
	want := w.arrived + n
	w.mu.Unlock()
	return w.until(ctx, func() bool { return w.arrived >= want })
}

// swarm is what publishes: a Nexus and its commanders.
type swarm struct {
	link    *link
	in, out *watch

	mu     sync.Mutex
	stored map[uint64][]byte // what was acknowledged, by sequence in IN
	run    []*shadow.Decomposition
	fixes  map[string]int // how often each kind of answer was given
	events atomic.Int64   // events published
	tries  atomic.Int64   // what it took
}

// publish stores an event, however often that has to be tried. A publish
// whose acknowledgement was lost leaves the same event twice.
func (s *swarm) publish(ctx context.Context, subject, name string, data any) error {
	raw := eventBytes(fmt.Sprint("ev-", s.events.Add(1)), name, data)
	return s.link.retry(ctx, func(ctx context.Context) error {
		s.tries.Add(1)
		ack, err := s.link.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: raw}, jetstream.WithRetryAttempts(0))
		if err == nil {
			s.mu.Lock()
			s.stored[ack.Sequence] = raw
			s.mu.Unlock()
		}
		return err
	})
}

// writeDecomposition makes up a run of three to five domains.
func writeDecomposition(rnd *rand.Rand, run, scale string) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: run, Scale: scale, Task: "Renew the back office in a quarter without an interruption of sales, " + run}
	for _, name := range []string{"architecture", "implementation", "testing", "documentation", "integration"}[:3+rnd.IntN(3)] {
		dom := shadow.Domain{Domain: name, CommanderID: "cmd-" + name}
		for _, thing := range []string{"invoice export", "session store", "price cache", "audit trail", "mail queue"} {
			dom.SubTasks = append(dom.SubTasks, fmt.Sprintf("Do the %s of the %s within %d days", name, thing, 1+rnd.IntN(9)))
		}
		d.Domains = append(d.Domains, dom)
	}
	return d
}

// writeBundle makes up the bundle of a domain that does so many of its sub-tasks. One
// that does not do all has something to fill in, and a table that does not add up.
func writeBundle(dom *shadow.Domain, does int) shadow.Bundle {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report on the %s\n", dom.Domain)
	for i, task := range dom.SubTasks[:does] {
		fmt.Fprintf(&b, "\n## Part %d\n\n%s: this is done, and two reviewers agreed.\n", i+1, task)
	}
	if does < len(dom.SubTasks) {
		fmt.Fprintf(&b, "\n## Effort\n\nTODO: the rest.\n\n| part | days |\n|---|---|\n| 1 | %d |\n| 2 | 3 |\n| total | 99 |\n", does)
	}
	return shadow.Bundle{BundleID: "b-" + dom.Domain, Domain: dom.Domain, CommanderID: dom.CommanderID, Status: "success", Content: b.String()}
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// play plays the n-th run from its decomposition to its score. All that it
// does follows from n, but for its timing.
func (s *swarm) play(ctx context.Context, n int) error {
	rnd := rand.New(rand.NewPCG(uint64(n), 2))
	d := writeDecomposition(rnd, fmt.Sprintf("run-%04d", n), []string{"ss-100", "SS-250", "ss-50", ""}[n%4])
	s.mu.Lock()
	s.run = append(s.run, d)
	s.mu.Unlock()
	for range 1 + rnd.IntN(2) {
		if err := s.publish(ctx, layout.Subjects{}.Decomposition(d.RunID), shadow.DecompositionDone, d); err != nil {
			return err
		}
	}
	if n%3 > 0 { // the others don't wait for the seal
		if _, err := s.in.await(ctx, layout.Subjects{}.Commitment(d.RunID)); err != nil {
			return err
		}
	}
	errs := make([]error, len(d.Domains))
	var wg sync.WaitGroup
	for i := range d.Domains {
		own := rand.New(rand.NewPCG(uint64(n), uint64(10+i)))
		wg.Go(func() { errs[i] = s.command(ctx, own, d, &d.Domains[i]) })
	}
	wg.Wait()
	_, err := s.out.await(ctx, layout.Subjects{}.RunScored(d.RunID))
	return errors.Join(append(errs, err)...)
}

// command is one commander at its work: it hands in a bundle, good or bad,
// and answers the request for a fix in one way or another.
func (s *swarm) command(ctx context.Context, rnd *rand.Rand, d *shadow.Decomposition, dom *shadow.Domain) error {
	l := layout.Subjects{}
	most := len(dom.SubTasks)
	bundle := writeBundle(dom, []int{most, 2, 1}[rnd.IntN(3)])
	better, worse := writeBundle(dom, most), writeBundle(dom, 0)
	fix := func(b shadow.Bundle) error {
		return s.publish(ctx, l.Fix(d.RunID, dom.CommanderID), shadow.FixSubmitted, fixData(d.RunID, 1, b))
	}
	answer := pick(rnd, []string{"better", "worse", "early", "twice", "two", "late", "none"})
	handIn := []func() error{func() error {
		return s.publish(ctx, l.Bundle(d.RunID, dom.CommanderID), shadow.BundleComplete, bundleData(d.RunID, bundle))
	}}
	if answer == "early" {
		handIn = append(handIn, func() error { return fix(better) })
	}
	switch rnd.IntN(4) {
	case 0: // the same again
		handIn = append(handIn, handIn[0], handIn[0])
	case 1: // another one for the same domain
		other := better
		other.BundleID = "b-other"
		handIn = append(handIn, func() error {
			return s.publish(ctx, l.Bundle(d.RunID, dom.CommanderID), shadow.BundleComplete, bundleData(d.RunID, other))
		})
	}
	if err := inTurn(handIn...); err != nil {
		return err
	}
	m, err := s.out.await(ctx, l.GapReport(d.RunID, dom.Domain, 0))
	if err != nil {
		return err
	}
	var rep struct{ Data shadow.Report }
	if err := json.Unmarshal(m.Data, &rep); err != nil || !rep.Data.Swarm.Hardening.Requested {
		return err
	}
	if _, err := s.out.await(ctx, l.HardeningRequest(dom.CommanderID, d.RunID, dom.Domain, 1)); err != nil {
		return err
	}
	s.mu.Lock()
	s.fixes[answer]++
	s.mu.Unlock()
	better.BundleID, worse.BundleID = rep.Data.Swarm.BundleID, rep.Data.Swarm.BundleID
	switch answer {
	case "better":
		return fix(better)
	case "worse":
		return fix(worse)
	case "twice":
		return inTurn(func() error { return fix(better) }, func() error { return fix(better) })
	case "two":
		return inTurn(func() error { return fix(better) }, func() error { return fix(worse) })
	case "late":
		if _, err := s.out.await(ctx, l.GapReport(d.RunID, dom.Domain, 1)); err != nil {
			return err
		}
		return fix(better)
	}
	return nil
}

func inTurn(steps ...func() error) error {
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// errChanged: a message is there, and it is another one.
var errChanged = errors.New("it is another one")

// kept checks that IN still has all that it acknowledged, and OUT all that
// could once be read there.
func (s *swarm) kept(ctx context.Context, store *layout.Store) error {
	var errs []error
	for seq, raw := range s.stored {
		if m, err := store.In.GetMsg(ctx, seq); err != nil || !bytes.Equal(m.Data, raw) {
			errs = append(errs, fmt.Errorf("IN has lost event %d, which it had acknowledged: %w", seq, cmp.Or(err, errChanged)))
		}
	}
	for subject, was := range s.out.seen {
		if m, err := store.Out.GetMsg(ctx, was.Sequence); err != nil || m.Subject != subject || !bytes.Equal(m.Data, was.Data) {
			errs = append(errs, fmt.Errorf("OUT has lost %s, which stood at %d: %w", subject, was.Sequence, cmp.Or(err, errChanged)))
		}
	}
	return errors.Join(errs...)
}
