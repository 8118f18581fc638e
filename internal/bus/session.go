package bus

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// session is an engine while it is active. It reads IN once, in order, with data,
// and gives each event to its author's queue.
type session struct {
	*Engine
	ctx  context.Context // ends when nothing more is begun; judges are left then
	work context.Context // ends when what was begun must end
	wg   sync.WaitGroup
	// asking bounds the bytes of what is with authors and judges.
	asking        *semaphore.Weighted
	cpu           chan struct{} // those who compute
	reader        *streams.Reader
	from, backlog uint64 // the floor and the end of IN when it began: between may be reports
	ticks         *shadow.Ticks

	mu        sync.Mutex // guards what follows, and each run
	runs      map[string]*run
	authors   map[string]*author
	queued    int // bytes of the messages that wait for their turn
	deadlines deadlines
	events    frontier // those without an outcome
	unscored  frontier // commitments of runs that are not scored
	read      uint64   // how far IN was read
	parked    int      // events that wait
	stored    Progress // as it stands in the bucket
	postponed []*run   // their sums wait for reviews
	sooner    chan struct{}
	ticked    chan struct{}
}

// floorEvery is how often the floor is stored.
var floorEvery = time.Second

const (
	graceful    = 5 * time.Second        // for what was begun, once a session ends
	askingBytes = 64 << 20               // at most with authors and judges at a time
	tickPause   = 100 * time.Millisecond // between two ticks, at least
	tickRead    = time.Second            // until a tick is read, at most
)

// serve is active until ctx ends or the lease is lost.
func (e *Engine) serve(ctx context.Context) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	taking, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := &session{Engine: e, ctx: taking, work: work, asking: semaphore.NewWeighted(askingBytes), ticks: &shadow.Ticks{},
		runs: map[string]*run{}, authors: map[string]*author{}, sooner: make(chan struct{}, 1), ticked: make(chan struct{}, 1), cpu: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	var others sync.WaitGroup
	others.Go(func() { // first, so that a long start does not lose the lease
		if err := e.lease.keep(work); err != nil {
			end(err)
			if !errors.Is(err, errLeaseGiven) {
				stopWork()
			}
		}
	})
	defer others.Wait()
	defer stopWork()
	begun := s.begin(taking)
	if begun != nil {
		end(begun)
	} else {
		e.session.Store(s)
		others.Go(func() { s.keepFloor(taking) })
		others.Go(func() { s.tick(taking) })
		s.reader.Run(taking, func(err error) {
			e.log.Warn("IN cannot be read, will be tried again", "error", err)
			if errors.Is(err, streams.ErrTruncated) {
				end(err)
			}
		})
	}
	<-taking.Done()
	over := time.AfterFunc(graceful, stopWork)
	defer over.Stop()
	s.wg.Wait()
	if begun == nil && e.lease.active() {
		s.storeFloor(work)
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(taking)
}

// deliver takes in the next message of IN.
func (s *session) deliver(m *streams.Message) {
	a, parseErr := s.layout.Parse(m.Subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.scorePostponed()
	s.read = m.Seq
	switch {
	case parseErr == nil && a.Name == shadow.Tick:
		s.addTick(m)
	case parseErr == nil && a.Name == shadow.EnvelopeSealed:
		r := s.of(a.Run)
		switch {
		case s.sealed(r, m, true):
			s.wakeSealed(r)
			if m.Seq <= s.backlog && !r.loaded {
				s.look(r) // it may be scored
			}
		case r.view.Sealed.Sequence == m.Seq && !r.tracked && !r.view.Scored:
			s.track(r) // its events came to it before
		}
		s.retire(r)
	default:
		it := &item{kind: anEvent, seq: m.Seq, addr: a, msg: m, author: s.by(a.Author), run: s.of(a.Run), replayed: m.Seq <= s.backlog}
		if a.Name == shadow.DecompositionDone && !it.replayed && it.run.fresh {
			it.run.loaded = true // whatever is stored of it comes behind this
		}
		it.run.fresh = false
		s.events.add(m.Seq)
		s.add(it)
	}
}

// of is a run, which is made where it is not known. The lock is held.
func (s *session) of(id string) *run {
	r := s.runs[id]
	if r == nil {
		r = &run{id: id, fresh: true, tail: begin, view: shadow.NewView(id, s.ticks)}
		s.runs[id] = r
	}
	return r
}

// sealed notes a run's commitment, and says whether it is the first. open: the run is
// known not to be scored. The lock is held.
func (s *session) sealed(r *run, m *streams.Message, open bool) bool {
	if r.view.Sealed.Sequence > 0 {
		return false
	}
	c := &shadow.Commitment{}
	own, err := isOwn(m, s.cfg.Key)
	if err == nil && !own {
		return false // somebody else's is none
	}
	if err == nil {
		_, err = readOutput(m, c)
	}
	if err != nil {
		s.log.Error("a commitment cannot be read", "run", r.id, "error", err)
		return false
	}
	r.view.Sealed, r.view.Commitment = shadow.Place{Sequence: m.Seq, Time: m.Time}, c
	delete(r.view.Arrivals, shadow.Source{})
	r.fresh = false
	if open {
		s.track(r)
	}
	return true
}

// track counts a run as not scored, and sets its deadline. The lock is held.
func (s *session) track(r *run) {
	r.tracked = true
	at := r.view.Sealed
	s.unscored.add(at.Sequence)
	s.due(&deadline{at: r.view.Commitment.Policy.RunDeadline(at.Time), behind: at.Sequence, run: r, kind: endOfRun})
}

// look has a run looked at, though nothing of it may come any more. The lock is held.
func (s *session) look(r *run) { s.add(&item{kind: theOpening, run: r, author: s.by("")}) }

// retire forgets a run in which nothing is left to do.
func (s *session) retire(r *run) {
	if r.items > 0 || (r.view.Sealed.Sequence > 0 || r.committed) && !r.view.Scored || s.runs[r.id] != r {
		return
	}
	for _, d := range r.deadlines {
		s.deadlines.remove(d)
	}
	delete(s.runs, r.id)
	s.exams.Remove(r.id)
}

// keepFloor stores the floor each second until ctx ends.
func (s *session) keepFloor(ctx context.Context) {
	for {
		s.storeFloor(ctx)
		if pause(ctx, floorEvery) != nil {
			return
		}
	}
}

func (s *session) storeFloor(ctx context.Context) {
	s.mu.Lock()
	f := Progress{Events: s.events.first(s.read+1) - 1}
	f.Runs = s.unscored.first(f.Events + 1)
	same := f.Events == s.stored.Events && f.Runs == s.stored.Runs
	s.mu.Unlock()
	if same || !s.lease.active() {
		return
	}
	s.ticks.Forget(min(f.Runs, f.Events+1))
	out, err := s.store.Out.Info(ctx)
	var text []byte
	if err == nil {
		f.Out = out.State.LastSeq
		text, err = json.Marshal(f)
	}
	if err == nil {
		_, err = s.store.Envelopes.Put(ctx, floorKey, text)
	}
	if err == nil {
		s.mu.Lock()
		s.stored = f
		s.mu.Unlock()
	} else if ctx.Err() == nil {
		s.log.Warn("how far shadowd has come cannot be stored, will be tried again", "error", err)
	}
}
