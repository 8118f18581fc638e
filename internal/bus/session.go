package bus

import (
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// session is an engine while it is active. It reads IN once, in order, with data,
// and gives each event to its author's queue.
type session struct {
	*Engine
	ctx  context.Context // ends when nothing more is begun; judges are left then
	work context.Context // ends when what was begun must end
	end  context.CancelCauseFunc
	wg   sync.WaitGroup
	// asking bounds the bytes of what is with authors and judges.
	asking *semaphore.Weighted
	cpu    chan struct{} // those who compute
	reader *streams.Reader
	// from is the floor that it began at, and backlog the last sequence of IN then.
	// Runs of what lies between them may have reports.
	from, backlog uint64
	// rejected are the events behind the floor that were rejected before: by shadowd,
	// or by whom nobody here can tell, as the error says.
	rejected map[uint64]error
	ticks    *shadow.Ticks

	mu        sync.Mutex
	runs      map[string]*run
	queue     queue
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
	// graceful is how long what was begun may take once a session ends.
	graceful = 5 * time.Second
	// askingBytes bounds what is with authors and judges at a time.
	askingBytes = 64 << 20
	// tickPause is the least time between two ticks, and tickRead how long a tick may
	// take until it is read.
	tickPause = 100 * time.Millisecond
	tickRead  = time.Second
)

// serve is active until ctx ends or the lease is lost.
func (e *Engine) serve(ctx context.Context) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	taking, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := &session{Engine: e, ctx: taking, work: work, end: end, asking: semaphore.NewWeighted(askingBytes), ticks: &shadow.Ticks{},
		runs: map[string]*run{}, sooner: make(chan struct{}, 1), ticked: make(chan struct{}, 1), rejected: map[uint64]error{},
		cpu: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	s.queue = queue{authors: map[string]*author{}, limit: 2 * runtime.GOMAXPROCS(0), start: func(it *item) {
		s.chain(it)
		s.wg.Go(func() { s.handle(it) })
	}}
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
	if err := s.begin(taking); err != nil {
		return err
	}
	e.session.Store(s)
	others.Go(func() { s.keepFloor(taking) })
	others.Go(func() { s.tick(taking) })
	s.mu.Lock()
	s.queue.next() // the open runs; IN may be idle
	s.mu.Unlock()
	s.reader.Run(taking, func(err error) {
		e.log.Warn("IN cannot be read, will be tried again", "error", err)
		if errors.Is(err, streams.ErrTruncated) {
			end(err)
		}
	})
	<-taking.Done()
	over := time.AfterFunc(graceful, stopWork)
	defer over.Stop()
	s.wg.Wait()
	if e.lease.active() {
		s.storeFloor(work)
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(taking)
}

// problem is what keeps the session from its work.
func (s *session) problem() string {
	if !s.reader.Alive.Load() {
		return "nothing comes from the bus for " + layout.StreamIn + ": has the stream no leader, or is it gone? See nats stream report"
	}
	return ""
}

func (s *session) waitingEvents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parked
}

// begin finds out where to begin, and which runs are open.
func (s *session) begin(ctx context.Context) error {
	told := time.AfterFunc(2*time.Second, func() { s.log.Info("reading which runs are open") })
	defer told.Stop()
	f, err := Floor(ctx, s.store.JS)
	if err != nil {
		return err
	}
	info, err := s.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	out, err := s.store.Out.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamOut, err)
	}
	if last := out.State.LastSeq; last < f.Out {
		s.log.Error("OUT has lost outputs that were stored, as a power cut does where bus.sync is an interval: all events in IN are read again, and what is missing is made anew",
			"stored", f.Out, "ends", last)
		f = Progress{}
	}
	s.backlog, s.stored = info.State.LastSeq, f
	if err := streams.CheckEnd(layout.StreamIn, s.backlog, f.Events); err != nil {
		return err
	}
	if err := s.checkTruncated(ctx, info.State.LastSeq, info.State.LastTime); err != nil {
		return err
	}
	s.from = max(f.Events, info.State.FirstSeq-min(info.State.FirstSeq, 1))
	s.read = s.from
	s.reader = &streams.Reader{JS: s.store.JS, Stream: layout.StreamIn, Next: s.from + 1, Follow: true, Deliver: s.deliver}
	if err := s.readRejected(ctx); err != nil {
		return err
	}
	return s.readOpen(ctx, f.Runs)
}

// readRejected reads which events behind the floor were rejected.
func (s *session) readRejected(ctx context.Context) error {
	if s.from == s.backlog {
		return nil
	}
	since, err := s.storedAt(ctx, s.from+1)
	if err != nil {
		return err
	}
	return streams.ReadSince(ctx, s.store.JS, layout.StreamOut, []string{s.layout.RunWildcard(shadow.EventRejected, "")}, since, func(m *streams.Message) error {
		a, err := s.layout.Parse(m.Subject)
		if err != nil || a.Sequence <= s.from {
			return nil
		}
		own, err := isOwn(m, s.cfg.Key)
		if before, known := s.rejected[a.Sequence]; own || err != nil && (!known || before != nil) {
			s.rejected[a.Sequence] = err
		}
		return nil
	})
}

// storedAt is a time before which nothing followed from the events of IN at or
// behind a sequence: clocks of servers may differ by clockSkew.
func (s *session) storedAt(ctx context.Context, seq uint64) (time.Time, error) {
	m, err := streams.Next(ctx, s.store.JS, layout.StreamIn, ">", seq)
	if m == nil || err != nil {
		return time.Time{}, err
	}
	return m.Time.Add(-clockSkew), nil
}

// clockSkew is how far the clocks of servers may differ.
const clockSkew = time.Minute

// readOpen finds the runs that are not scored among those that were committed to
// at a sequence or behind it. What is stored of each is read when it is needed.
func (s *session) readOpen(ctx context.Context, from uint64) error {
	since, err := s.storedAt(ctx, max(from, 1))
	if err != nil {
		return err
	}
	scored := map[string]bool{}
	if err := streams.ReadSince(ctx, s.store.JS, layout.StreamOut, []string{s.layout.RunScored("*")}, since, func(m *streams.Message) error {
		a, err := s.layout.Parse(m.Subject)
		if own, _ := isOwn(m, s.cfg.Key); err == nil && own {
			scored[a.Run] = true
		}
		return nil
	}); err != nil {
		return err
	}
	subjects := []string{s.layout.Commitment("*"), s.layout.Subject(shadow.Tick, "*")}
	return streams.ReadFrom(ctx, s.store.JS, layout.StreamIn, subjects, max(from, 1), func(m *streams.Message) error {
		a, err := s.layout.Parse(m.Subject)
		if err != nil || m.Seq > s.from {
			return nil // the reader comes to it
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.Name == shadow.Tick {
			s.addTick(m)
		} else if !scored[a.Run] {
			if r := s.of(a.Run); r.seal == nil && s.sealed(r, m, true) {
				s.look(r)
			}
		}
		return nil
	})
}

// deliver takes in the next message of IN.
func (s *session) deliver(m *streams.Message) {
	a, parseErr := s.layout.Parse(m.Subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.queue.next()
	defer s.scorePostponed()
	s.read = m.Seq
	doubt, known := s.rejected[m.Seq]
	switch {
	case parseErr == nil && a.Name == shadow.Tick:
		s.addTick(m)
	case parseErr == nil && a.Name == shadow.EnvelopeSealed:
		r := s.of(a.Run)
		switch {
		case r.seal == nil && s.sealed(r, m, true):
			s.wake(r, func(it *item) bool { return it.await.Await <= shadow.AwaitSeal })
			if m.Seq <= s.backlog && !r.loaded.Load() {
				s.look(r) // it may be scored
			}
		case r.seal != nil && r.seal.Sequence == m.Seq && !r.tracked && !r.scored:
			s.track(r) // its events came to it before
		}
		s.retire(r)
	case known && doubt == nil && a.Name != shadow.DecompositionDone:
	default:
		it := &item{kind: anEvent, seq: m.Seq, addr: a, msg: m, author: s.queue.of(a.Author), rejected: known, doubt: doubt != nil}
		it.run = s.of(a.Run)
		if a.Name == shadow.DecompositionDone && m.Seq > s.backlog && it.run.fresh {
			it.run.loaded.Store(true) // whatever is stored of it comes behind this
		}
		it.run.fresh = false
		s.events.add(m.Seq)
		s.begun(it)
		s.queue.add(it)
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

// sealed notes a run's commitment, with its deadline. open: the run is known not to
// be scored. It says whether it is a commitment. The lock is held.
func (s *session) sealed(r *run, m *streams.Message, open bool) bool {
	c := &shadow.Commitment{}
	own, err := isOwn(m, s.cfg.Key)
	if err == nil && !own {
		return false // somebody else's is none
	}
	if err == nil {
		err = readOutput(m, c)
	}
	if err != nil {
		s.log.Error("a commitment cannot be read", "run", r.id, "error", err)
		return false
	}
	r.seal = &commitment{shadow.Place{Sequence: m.Seq, Time: m.Time}, c}
	r.fresh = false
	if open {
		s.track(r)
	}
	return true
}

// track counts a run among those that are not scored, and sets its deadline. The lock
// is held.
func (s *session) track(r *run) {
	r.tracked = true
	s.unscored.add(r.seal.Sequence)
	s.due(&deadline{at: r.seal.Policy.RunDeadline(r.seal.Time), behind: r.seal.Sequence, run: r, kind: endOfRun})
}

// look has a run looked at, though nothing of it may come any more. The lock is held.
func (s *session) look(r *run) {
	it := &item{kind: theOpening, run: r, author: s.queue.of("")}
	s.begun(it)
	s.queue.add(it)
}

// begun and ended count the items of a run, so that it is known when nothing is left
// to do in it. The lock is held.
func (s *session) begun(it *item) {
	it.run.items++
	switch it.addr.Name {
	case shadow.DecompositionDone:
		it.run.decompositions++
	case shadow.ReportReviewed:
		it.run.reviews.add(it.seq)
	}
}

func (s *session) ended(it *item) {
	s.queue.leave(it)
	if it.kind == anEvent {
		s.events.finish(it.seq)
	}
	it.run.items--
	switch it.addr.Name {
	case shadow.DecompositionDone:
		it.run.decompositions--
	case shadow.ReportReviewed:
		it.run.reviews.finish(it.seq)
		s.scorePostponed()
	}
	s.retire(it.run)
}

// retire forgets a run in which nothing is left to do. Whatever comes later is read
// from the log.
func (s *session) retire(r *run) {
	if r.items > 0 || (r.seal != nil || r.committed) && !r.scored || s.runs[r.id] != r {
		return
	}
	for _, d := range r.deadlines {
		s.deadlines.remove(d)
	}
	delete(s.runs, r.id)
	s.exams.Remove(r.id)
}

// due has something happen in a run behind a deadline. The lock is held.
func (s *session) due(d *deadline) {
	if _, over := s.ticks.After(d.at, d.behind); over {
		d.index = -1
		s.happens(d)
		return
	}
	heap.Push(&s.deadlines, d)
	d.run.deadlines = append(d.run.deadlines, d)
	if s.deadlines[0] == d {
		select {
		case s.sooner <- struct{}{}:
		default:
		}
	}
}

// happens gives a due deadline its turn: behind all that its commander handed in
// before it.
func (s *session) happens(d *deadline) {
	if d.kind == anEvent {
		s.wake(d.run, func(it *item) bool { return it.await.Await == shadow.AwaitRun && !it.await.Deadline.After(d.at) })
		return
	}
	if d.kind == noPatience {
		close(d.over)
		return
	}
	it := &item{kind: d.kind, run: d.run, slot: d.slot, author: s.queue.of(d.commander)}
	s.begun(it)
	s.queue.add(it)
}

// addTick takes in a tick, if it is shadowd's own. The lock is held.
func (s *session) addTick(m *streams.Message) {
	if own, _ := isOwn(m, s.cfg.Key); !own {
		return
	}
	s.ticks.Add(shadow.Place{Sequence: m.Seq, Time: m.Time})
	for len(s.deadlines) > 0 && s.deadlines[0].at.Before(m.Time) {
		d := heap.Pop(&s.deadlines).(*deadline)
		d.run.deadlines = slices.DeleteFunc(d.run.deadlines, func(o *deadline) bool { return o == d })
		s.happens(d)
	}
	select {
	case s.ticked <- struct{}{}:
	default:
	}
}

// tick stores a tick whenever a deadline seems due, until ctx ends.
func (s *session) tick(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var msg *nats.Msg // that is to be stored
	for {
		s.mu.Lock()
		wait := time.Hour
		if len(s.deadlines) > 0 {
			wait = time.Until(s.deadlines[0].at)
		}
		s.mu.Unlock()
		if wait < 0 {
			wait = tickPause
			var err error
			if msg == nil {
				now := time.Now()
				msg, _, err = s.out.output(s.layout.TickAt(now), cloudevent.Cause{}, now, shadow.TickData{Due: now.UTC()})
			}
			if err == nil {
				err = s.out.ifNew(ctx, msg)
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("a tick could not be stored, will be tried again", "error", err)
			} else if err == nil {
				msg = nil
				timer.Reset(tickRead)
				select {
				case <-ctx.Done():
					return
				case <-s.ticked:
				case <-timer.C:
				}
			}
			if pause(ctx, wait) != nil {
				return
			}
			continue
		}
		timer.Reset(max(wait, time.Millisecond))
		select {
		case <-ctx.Done():
			return
		case <-s.sooner:
		case <-timer.C:
		}
	}
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

// checkTruncated holds the end of IN against the newest outputs that name an
// event of it, and all that were stored since its last event: outcomes are not
// stored in the order of their events, so the newest may name an early one. Those
// of events that IN has lost were stored after all that it still has. What is not
// known as shadowd's own keeps no engine from starting.
func (s *session) checkTruncated(ctx context.Context, end uint64, since time.Time) error {
	check := func(m *streams.Message) error {
		if own, _ := isOwn(m, s.cfg.Key); !own { // it may be forged
			return nil
		}
		in := s.named(m)
		if in.Sequence == 0 || in.Sequence > end {
			return streams.CheckEnd(layout.StreamIn, end, in.Sequence)
		}
		at, err := streams.At(ctx, s.store.JS, layout.StreamIn, in.Sequence)
		if at != nil && !at.Time.Equal(in.Time) { // it has grown again meanwhile
			err = fmt.Errorf("%s has another message at sequence %d than before: %w", layout.StreamIn, in.Sequence, streams.ErrTruncated)
		}
		return err
	}
	outputs := s.layout.Wildcards(shadow.EventRejected, shadow.GapReport, shadow.RunReviewed)
	for _, subject := range outputs {
		m, err := streams.Last(ctx, s.store.JS, layout.StreamOut, subject)
		if err == nil && m != nil {
			err = check(m)
		}
		if err != nil {
			return err
		}
	}
	err := streams.ReadSince(ctx, s.store.JS, layout.StreamOut, outputs, since, check)
	if _, damaged := errors.AsType[*streams.UnreadableError](err); damaged {
		return nil // what can be read was looked at
	}
	return err
}

// named is the place of the event of IN that an output names; zero if it cannot be read.
func (s *session) named(m *streams.Message) shadow.Place {
	var out struct {
		In    shadow.Place
		Swarm struct{ In shadow.Place }
	}
	if readOutput(m, &out) != nil {
		return shadow.Place{}
	}
	if out.In.Sequence > 0 {
		return out.In
	}
	return out.Swarm.In
}
