package bus

import (
	"cmp"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// item is something to be handled: an event of IN, or what is due in a run.
type item struct {
	kind itemKind
	seq  uint64           // of an event; of anything else one behind all that was read before
	addr shadow.Address   // of an event
	msg  *streams.Message // nil where it has to be read again, since too much waits
	run  *run
	slot shadow.Slot // of the end of a cycle

	author *author
	place  bool // it is among what its author has under way
	failed bool // it is tried again, and its author's others need not wait for it
	// before is closed when the item before it in the run has been taken into the
	// view; folded is this item's own, nil once it is closed.
	before, folded chan struct{}
	replayed       bool               // a session before may have rejected it
	arrival        *shadow.Arrival    // in the view
	await          shadow.Turn        // what it waits for
	counted        bool               // it counts among what its commander has waiting
	unknown        bool               // it waits for a run that nobody has decomposed
	stuck          bool               // it waits until its run can be read
	refusal        *shadow.Refusal    // its rejection is to be stored
	said           *shadow.PanelVotes // about it, which cost money
}

type itemKind int

const (
	anEvent    itemKind = iota
	theOpening          // a run of before the start is looked at
	endOfCycle          // the deadline of a fix has passed
	endOfRun            // the deadline of a run has passed
	endReached          // all that a commander handed in before that was taken in
	noPatience          // judges that are out of reach are waited for no longer
)

// author is whose events wait for their turn, in the order of the log. However
// many they are, no other author waits for them.
type author struct {
	name string
	// again are items that have waited and go before the others.
	again, items []*item
	underWay     int
	unknown      int // events that wait for runs that nobody has decomposed
	waiting      int // items that wait
	kept         int // messages that they keep
	failed       int // items that are tried again while others go on
}

const (
	perAuthor  = 16       // events under way, and messages of waiting ones that are kept
	queueBytes = 64 << 20 // of messages that wait for their turn; beyond they are read again
)

// by is an author. The lock of the session is held, here and in what follows.
func (s *session) by(name string) *author {
	a := s.authors[name]
	if a == nil {
		a = &author{name: name}
		s.authors[name] = a
	}
	return a
}

// add puts an item behind all others of its author. Those of a run are counted, so
// that it is known when nothing is left to do in it.
func (s *session) add(it *item) {
	it.run.items++
	if it.kind != anEvent {
		it.seq = s.read + 1 // also where it waits, it stays behind what was read before
	}
	switch it.addr.Name {
	case shadow.DecompositionDone:
		it.run.view.Pending++
	case shadow.ReportReviewed:
		it.run.reviews.add(it.seq)
	}
	if it.msg != nil {
		if n := len(it.msg.Data); s.queued+n > queueBytes {
			it.msg = nil
		} else {
			s.queued += n
		}
	}
	it.author.items = append(it.author.items, it)
	s.next(it.author)
}

// next starts what an author may have under way. The turn of an item in its run is
// behind the one that was started before it.
func (s *session) next(a *author) {
	for a.underWay < perAuthor && len(a.again)+len(a.items) > 0 {
		from := &a.items
		if len(a.again) > 0 {
			from = &a.again
		}
		it := (*from)[0]
		*from = (*from)[1:]
		if it.msg != nil {
			s.queued -= len(it.msg.Data)
		}
		if s.ctx.Err() != nil {
			continue // the next session reads it again
		}
		if it.run.retrying {
			s.stick(it) // those of before go first
			continue
		}
		a.underWay++
		it.place = true
		it.before, it.folded = it.run.tail, make(chan struct{})
		it.run.tail = it.folded
		s.wg.Go(func() { s.handle(it) })
	}
	// An item that has left its place may outlive its author here, and wait later.
	if a.underWay == 0 && a.waiting == 0 && a.failed == 0 && s.authors[a.name] == a {
		delete(s.authors, a.name)
	}
}

// leave: an item is not under way any more, or takes long, and its author's others
// need not wait for it.
func (s *session) leave(it *item) {
	if it.place {
		it.place = false
		it.author.underWay--
		s.next(it.author)
	}
}

// fails: an item is going to be tried again. Beside a few such the author's others go on;
// where there are more, nothing can be stored, and nobody else is begun.
func (s *session) fails(it *item) {
	a := it.author
	switch {
	case it.failed:
	case a.failed < perAuthor:
		it.failed = true
		a.failed++
		s.leave(it)
	case !it.place:
		it.place = true
		a.underWay++
	}
}

// goesOn: an item does not fail any more.
func (s *session) goesOn(it *item) {
	if it.failed {
		it.failed = false
		it.author.failed--
		s.next(it.author)
	}
}

// park has an item wait in its run. Its message is kept if few of its author are.
func (s *session) park(it *item) {
	a := it.author
	a.waiting++
	if a.kept >= perAuthor {
		it.msg = nil
	} else if it.msg != nil {
		a.kept++
	}
	it.run.waiting = append(it.run.waiting, it)
	s.parked++
	it.fold()
	s.leave(it)
	s.goesOn(it)
}

// wake starts waiting items of a run that are due, before all others of their authors.
func (s *session) wake(r *run, due func(*item) bool) {
	var woken []*item
	left := r.waiting[:0:0]
	for _, it := range r.waiting {
		if due(it) {
			woken = append(woken, it)
		} else {
			left = append(left, it)
		}
	}
	r.waiting = left
	slices.SortStableFunc(woken, bySequence)
	for _, it := range woken {
		a := it.author
		if it.unknown {
			a.unknown--
		}
		if it.counted {
			r.waitingOf[it.addr.Commander]--
		}
		it.unknown, it.counted, it.stuck = false, false, false
		s.parked--
		a.waiting--
		if it.msg != nil {
			a.kept--
			s.queued += len(it.msg.Data)
		}
		i, _ := slices.BinarySearchFunc(a.again, it, bySequence)
		a.again = slices.Insert(a.again, i, it)
		s.next(a)
	}
}

func bySequence(x, y *item) int { return cmp.Compare(x.seq, y.seq) }

// wakeFor starts the items again that wait for the report of a slot.
func (s *session) wakeFor(r *run, slot shadow.Slot) {
	s.wake(r, func(it *item) bool { return !it.stuck && it.await.Await == shadow.AwaitReport && it.await.Slot == slot })
}

// wakeSealed starts the items again that wait for a decomposition or the seal.
func (s *session) wakeSealed(r *run) {
	s.wake(r, func(it *item) bool { return !it.stuck && it.await.Await <= shadow.AwaitSeal })
}

// ended: an item has its outcome.
func (s *session) ended(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it.fold()
	s.leave(it)
	s.goesOn(it)
	if it.kind == anEvent {
		s.events.finish(it.seq)
	}
	it.run.items--
	switch it.addr.Name {
	case shadow.DecompositionDone:
		it.run.view.Pending--
		if r := it.run; r.view.Sealed.Sequence == 0 && !r.committed { // it was refused, or somebody removed it
			s.wakeSealed(r)
		}
	case shadow.ReportReviewed:
		it.run.reviews.finish(it.seq)
		s.scorePostponed()
	}
	s.retire(it.run)
}

// frontier knows which of some ascending sequences are not done.
type frontier struct {
	order []uint64
	done  map[uint64]bool
}

func (f *frontier) add(seq uint64) { f.order = append(f.order, seq) }

func (f *frontier) finish(seq uint64) {
	if f.done == nil {
		f.done = map[uint64]bool{}
	}
	f.done[seq] = true
	for len(f.order) > 0 && f.done[f.order[0]] {
		delete(f.done, f.order[0])
		f.order = f.order[1:]
	}
}

// first is the lowest that is not done, or otherwise.
func (f *frontier) first(otherwise uint64) uint64 {
	if len(f.order) == 0 {
		return otherwise
	}
	return f.order[0]
}
