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
	// Of an event: its sequence, address and message. The message is nil where it
	// has to be read again, since too much waits.
	seq  uint64
	addr shadow.Address
	msg  *streams.Message
	run  *run
	slot shadow.Slot // of the end of a cycle

	author *author
	place  bool // it is among what its author has under way
	// before is closed when the item before it in the run has been taken into the
	// view; folded is this item's own, nil once it is closed.
	before, folded chan struct{}
	replayed       bool            // a session before may have rejected it
	arrival        *shadow.Arrival // in the view
	await          shadow.Turn     // what it waits for
	counted        bool            // it counts among what its commander has waiting
	unknown        bool            // it waits for a run that nobody has decomposed
	stuck          bool            // it waits until its run can be read
	refusal        *shadow.Refusal // its rejection is to be stored
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
	// unknown counts its events that wait for runs that nobody has decomposed.
	unknown int
	// waiting counts its items that wait, and kept the messages that they keep.
	waiting, kept int
}

// queue starts the items of authors. The lock of the session guards it.
type queue struct {
	authors map[string]*author
	bytes   int // of messages that wait for their turn
	start   func(*item)
}

const (
	// perAuthor is how many events of an author are under way at once, and how many
	// messages of its waiting ones are kept. Of others only the sequence is.
	perAuthor = 16
	// queueBytes bounds the messages that wait for their turn; beyond it they are
	// read again.
	queueBytes = 64 << 20
)

func (q *queue) of(name string) *author {
	a := q.authors[name]
	if a == nil {
		a = &author{name: name}
		q.authors[name] = a
	}
	return a
}

// add puts an item behind all others of its author.
func (q *queue) add(it *item) {
	if it.msg != nil {
		if n := len(it.msg.Data); q.bytes+n > queueBytes {
			it.msg = nil
		} else {
			q.bytes += n
		}
	}
	it.author.items = append(it.author.items, it)
	q.next(it.author)
}

// wait counts an item among those that wait, and keeps its message if few do.
func (q *queue) wait(it *item) {
	a := it.author
	a.waiting++
	if a.kept >= perAuthor {
		it.msg = nil
	} else if it.msg != nil {
		a.kept++
	}
	q.leave(it)
}

// readd puts an item that has waited before all others of its author.
func (q *queue) readd(it *item) {
	a := it.author
	a.waiting--
	if it.msg != nil {
		a.kept--
		q.bytes += len(it.msg.Data)
	}
	i, _ := slices.BinarySearchFunc(a.again, it, func(x, y *item) int { return cmp.Compare(x.seq, y.seq) })
	a.again = slices.Insert(a.again, i, it)
	q.next(a)
}

// next starts what an author may have under way.
func (q *queue) next(a *author) {
	for a.underWay < perAuthor && len(a.again)+len(a.items) > 0 {
		from := &a.items
		if len(a.again) > 0 {
			from = &a.again
		}
		it := (*from)[0]
		*from = (*from)[1:]
		if it.msg != nil {
			q.bytes -= len(it.msg.Data)
		}
		a.underWay++
		it.place = true
		q.start(it)
	}
	if a.underWay == 0 && a.waiting == 0 {
		delete(q.authors, a.name)
	}
}

// leave: an item is not under way any more.
func (q *queue) leave(it *item) {
	if it.place {
		it.place = false
		it.author.underWay--
		q.next(it.author)
	}
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
