// Package play plays swarms, that of the demo and those of recorded events, and follows what comes of them to the end.
package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Bus is the bus that is played on.
type Bus struct {
	JS jetstream.JetStream
	// Authors are the connections of those who have their own; JS publishes for the others.
	Authors map[string]jetstream.JetStream
	// Where it is: a directory, or an address.
	Where string
	// Awaited says for which judges bundles wait, a line each; nil where that is not known.
	Awaited func() []string
	// Close ends it, and erases what it stored unless it is to be kept.
	Close func(keep bool) error
}

// Player publishes events as a swarm does and follows what comes of them.
type Player struct {
	// Waits hears, every now and then, for which judges bundles wait; nil: nobody does.
	Waits func(lines []string)

	bus     *Bus
	layout  layout.Subjects
	tracker *tracker
	outputs <-chan history.Event
	show    func(history.Event) error
}

// NewPlayer makes a player for some runs. Until ctx ends it hands every output to show, as they arrive.
func NewPlayer(ctx context.Context, b *Bus, l layout.Subjects, runs []string, show func(history.Event) error) (*Player, error) {
	outputs, err := follow(ctx, b.JS, l, runs)
	if err != nil {
		return nil, err
	}
	return &Player{bus: b, layout: l, tracker: newTracker(), outputs: outputs, show: show}, nil
}

// Runs are those that are followed, by name. One without a name has the rejections of events of no run.
func (p *Player) Runs() []*history.Run {
	var all []*history.Run
	for _, id := range slices.Sorted(maps.Keys(p.tracker.runs)) {
		all = append(all, p.tracker.runs[id])
	}
	return all
}

// Ballots are those of all runs. The report of a timeout only repeats those of the report before.
func (p *Player) Ballots() (all []shadow.Ballot) {
	for _, r := range p.Runs() {
		for _, d := range r.Domains() {
			for _, rep := range r.Reports[d] {
				if !rep.Swarm.Hardening.TimedOut {
					all = append(all, rep.Swarm.Ballots...)
				}
			}
		}
	}
	return all
}

// Done reports whether nothing more will come of what was published.
func (p *Player) Done() bool { return p.tracker.judged() }

// settle is how long what follows from the last report of a run has to come.
const settle = time.Second

// Wait takes in outputs until nothing more will come. Behind the sum of a run nothing comes; a run without one has
// what follows from its reports soon or, where shadowd withholds it, never.
func (p *Player) Wait(ctx context.Context) error {
	if err := p.until(ctx, 0, p.tracker.judged); err != nil {
		return err
	}
	err := p.until(ctx, settle, p.tracker.scored)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// publish stores one event in IN and notes it.
func (p *Player) publish(ctx context.Context, subject string, ev []byte) error {
	msg := &nats.Msg{Subject: subject, Data: ev, Header: nats.Header{"Content-Type": {"application/cloudevents+json"}}}
	addr, err := p.layout.Parse(subject)
	if err != nil {
		addr = shadow.Address{}
	}
	js := cmp.Or(p.bus.Authors[addr.Author], p.bus.JS)
	ack, err := js.PublishMsg(ctx, msg)
	if err != nil {
		return fmt.Errorf("publishing on %s: %w", subject, err)
	}
	e := history.Event{Address: addr}
	if decoded, err := cloudevent.Decode(msg.Header, ev); err == nil {
		e = history.NewEvent(addr, decoded)
	}
	p.tracker.sent(ack.Sequence, e)
	return p.drain()
}

// drain takes in what has arrived.
func (p *Player) drain() error {
	for {
		select {
		case o := <-p.outputs:
			if err := p.take(o); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (p *Player) take(o history.Event) error {
	if o.Sequence != 0 && !p.tracker.mine[o.Sequence] {
		return nil // the rejection of somebody else's event
	}
	if o.Wrong != nil {
		return o.Wrong
	}
	p.tracker.take(o)
	return p.show(o)
}

// lookEvery is how often it is looked for which judges bundles wait.
const lookEvery = 2 * time.Second

// until takes in outputs until cond holds. With a limit it gives up after it.
func (p *Player) until(ctx context.Context, limit time.Duration, cond func() bool) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for !cond() {
		select {
		case o := <-p.outputs:
			if err := p.take(o); err != nil {
				return err
			}
		case <-look.C:
			if p.Waits != nil && p.bus.Awaited != nil {
				p.Waits(p.bus.Awaited())
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.drain()
}

// follow delivers all outputs about some runs, and rejections from now on, until ctx ends. Each stream keeps its order.
func follow(ctx context.Context, js jetstream.JetStream, l layout.Subjects, runs []string) (<-chan history.Event, error) {
	out, err := js.Stream(ctx, layout.StreamOut)
	if err != nil {
		return nil, fmt.Errorf("reading %s: is a shadowd set up on this bus?: %w", layout.StreamOut, err)
	}
	readers := []*streams.Reader{{Stream: layout.StreamOut, Subjects: l.Wildcards(shadow.EventRejected), Next: out.CachedInfo().State.LastSeq + 1}}
	var sealed, said []string
	for _, run := range runs {
		sealed = append(sealed, l.Commitment(run))
		said = append(said, l.RunOutputs(run)...)
	}
	if len(runs) > 0 {
		readers = append(readers, &streams.Reader{Stream: layout.StreamIn, Subjects: sealed, Next: 1}, &streams.Reader{Stream: layout.StreamOut, Subjects: said, Next: 1})
	}
	ch := make(chan history.Event, 64)
	for _, r := range readers {
		r.JS, r.Follow = js, true
		r.Deliver = func(m *streams.Message) {
			if o, ok := history.ReadEvent(l, m); ok {
				select {
				case ch <- o:
				case <-ctx.Done():
				}
			}
		}
		go r.Run(ctx, func(error) {}) // it tries again
	}
	return ch, nil
}

// tracker knows what has become of the events that were published, and when there is nothing left to wait for.
type tracker struct {
	runs map[string]*history.Run
	// open are the published events without an outcome, by their sequence in IN.
	open map[uint64]history.Event
	// mine are all sequences that were published.
	mine map[uint64]bool
}

func newTracker() *tracker {
	return &tracker{runs: map[string]*history.Run{}, open: map[uint64]history.Event{}, mine: map[uint64]bool{}}
}

func (t *tracker) run(id string) *history.Run {
	if t.runs[id] == nil {
		t.runs[id] = history.NewRun(id)
	}
	return t.runs[id]
}

// sent notes that an event was stored at a sequence of IN.
func (t *tracker) sent(seq uint64, e history.Event) {
	t.mine[seq], t.open[seq] = true, e
	t.run(e.Run).Take(e)
	t.closeJudged()
}

// take takes in an output.
func (t *tracker) take(o history.Event) {
	delete(t.open, o.Sequence) // of a rejected event
	t.run(o.Run).Take(o)
	t.closeJudged()
}

// closeJudged closes what has an outcome.
func (t *tracker) closeJudged() {
	for seq, e := range t.open {
		r := t.run(e.Run)
		switch data := e.Payload.(type) {
		case *shadow.Decomposition:
			if r.Commitment != nil && r.Commitment.DecompositionDigest == e.Digest {
				delete(t.open, seq)
			}
		case *shadow.Submission:
			for _, rep := range r.Reports[data.Bundle.Domain] {
				if rep.Swarm.Cycle == data.Cycle && rep.Swarm.BundleDigest == e.Digest && !rep.Swarm.Hardening.TimedOut {
					delete(t.open, seq)
				}
			}
		}
	}
}

// sealed says whether a run is sealed, or never will be: its decompositions were rejected, and none is on its way.
func (t *tracker) sealed(run string) bool {
	for _, e := range t.open {
		if e.Name == shadow.DecompositionDone && e.Run == run {
			return t.run(run).Commitment != nil
		}
	}
	return t.run(run).Commitment != nil || t.run(run).Refused()
}

// scored says whether every run with a report has its sum.
func (t *tracker) scored() bool {
	for _, r := range t.runs {
		if r.Scored == nil && len(r.Reports) > 0 {
			return false
		}
	}
	return true
}

// judged says whether every event has its outcome, no fix is awaited, and complete runs are scored.
func (t *tracker) judged() bool {
	if len(t.open) > 0 {
		return false
	}
	for _, r := range t.runs {
		fix := awaitsFix(r)
		complete := r.Commitment != nil && len(r.Reports) == len(r.Commitment.CriteriaByDomain) && !fix
		if r.Scored == nil && (fix || complete) {
			return false
		}
	}
	return true
}

func awaitsFix(r *history.Run) bool {
	for domain := range r.Reports {
		if !r.Last(domain).Swarm.Final {
			return true
		}
	}
	return false
}
