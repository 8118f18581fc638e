package bus

import (
	"errors"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Observer learns what an engine has done, for metrics. Its methods return at
// once and may be called concurrently. What it keeps must not show sealed
// text, which reports hold.
type Observer interface {
	// Settled: an event of the swarm, by its name, has its outcome. The
	// reason is empty for one that was not rejected.
	Settled(event string, why shadow.Reason)
	// Failed: a delivery of a consumer, by its name, ended in an error and
	// will be tried again.
	Failed(consumer string)
	// Stored: the engine stored an output, by its event's name.
	Stored(event string)
	// Sealed: a run's envelope is committed to. Writing and storing it took
	// so long.
	Sealed(took time.Duration, shares []shadow.Share)
	// Judged: a report is stored. Judging took so long, judges included; it
	// is zero where a deadline made the report. parent is the W3C trace context
	// of the event that was judged; empty where it has none.
	Judged(r *shadow.Report, took time.Duration, parent string)
	// SealBroken: by [BrokenEnvelope] or [BrokenDecoy].
	SealBroken(how string)
	// Withheld: an output held sealed text and was not stored.
	Withheld()
}

// How a seal can turn out to be broken: the envelope does not match its
// commitment, or a bundle carries the decoy's token.
const (
	BrokenEnvelope = "envelope"
	BrokenDecoy    = "decoy"
)

// notifier reports each thing to an observer once, however often an event is
// delivered. It does not report an output whose acknowledgement was lost. A nil
// notifier reports nothing.
type notifier struct {
	to     Observer
	layout layout.Subjects
	// reported are the keys of what the observer knows already.
	reported *lru.Cache[string, struct{}]
}

// maxReported is how many such keys are kept: more than the messages that can be
// in flight, and so be delivered again, when a connection is lost.
const maxReported = 16 * runsKept

func newNotifier(to Observer, l layout.Subjects) *notifier {
	if to == nil {
		return nil
	}
	reported, err := lru.New[string, struct{}](maxReported)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &notifier{to, l, reported}
}

// settled reports how the handling of a delivery ended.
func (n *notifier) settled(consumer string, m *message, err error) {
	r := asRefusal(err)
	switch {
	case n == nil || errors.Is(err, errNotYet):
	case err != nil && r == nil:
		n.to.Failed(consumer)
	case consumer != layout.DurableClock && n.first(fmt.Sprint("event ", m.Seq)):
		a, _ := n.layout.Parse(m.Subject)
		if r == nil {
			r = &shadow.Refusal{}
		}
		n.to.Settled(a.Name, r.Reason)
	}
}

// stored reports an output that this engine stored, and then calls more.
func (n *notifier) stored(subject string, more []func()) {
	if n == nil {
		return
	}
	a, _ := n.layout.Parse(subject)
	if a.Name == shadow.Clock {
		return
	}
	n.to.Stored(a.Name)
	for _, f := range more {
		f()
	}
}

func (n *notifier) judged(run *sealedRun, r *shadow.Report, took time.Duration, parent string) {
	if r.Swarm.SealBroken != "" && run.broken == "" {
		n.to.SealBroken(BrokenDecoy)
	}
	n.to.Judged(r, took, parent)
}

// broken: the envelope of a run is not what was committed to.
func (n *notifier) broken(run string, revision uint64) {
	if n != nil && n.first(fmt.Sprint("broken ", run, "@", revision)) {
		n.to.SealBroken(BrokenEnvelope)
	}
}

func (n *notifier) withheld(subject string) {
	if n != nil && n.first("withheld "+subject) {
		n.to.Withheld()
	}
}

func (n *notifier) first(key string) bool {
	known, _ := n.reported.ContainsOrAdd(key, struct{}{})
	return !known
}
