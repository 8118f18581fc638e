// Package panel puts the questions that programs leave open to a panel of
// judges, and keeps what that costs within bounds.
//
// If a majority can answer a question, it does, whatever single judges do: who fails,
// hangs, panics, has spent its budget or answers a control question wrongly has no vote.
// While so few judges can be reached that no majority is possible the bundle waits, in
// bounds. Who is asked follows from what was said and from who can be reached, never
// from who was quickest. No goroutine is left when Ask returns.
package panel

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Config is what a Panel is made of.
type Config struct {
	Judges  []shadow.Judge // the first ones vote first; their names are unique
	Timeout time.Duration  // of one vote, all that the judge tries included; 0: two minutes
	// Wait bounds how long a bundle waits for judges that are out of reach, from
	// the first that was, unless [shadow.WithPatience] says otherwise; 0: not at all.
	Wait time.Duration
	// Concurrency is how many questions one judge is asked at once; 0: 8. The
	// wait before a question is sent is no part of a vote's Timeout.
	Concurrency int
	Budget      Budget
	Currency    string // of what votes cost; empty where no price is known
	Logger      *slog.Logger
}

// Reachable is a judge that can tell an outage from a bundle that it refuses.
type Reachable interface {
	shadow.Judge
	// Reachable puts a small question, without a bundle. It returns nil if there
	// is an answer, and else why there is none, in words that may be logged.
	Reachable(ctx context.Context) error
}

// Recorded is a judge that may answer from a file. It gets no control
// questions.
type Recorded interface {
	shadow.Judge
	Recorded() bool
}

// Panel asks judges. It is safe for concurrent use.
type Panel struct {
	Config
	members []member
}

type member struct {
	judge    shadow.Judge
	ref      shadow.AuthorRef
	recorded bool
	// slots bounds how many questions the judge is asked at once. Each judge
	// has its own, so that a judge that hangs does not delay the others.
	slots chan struct{}
	reach *reach
	slow  *atomic.Bool // it was told that it is
}

// New makes a panel.
func New(c Config) *Panel {
	c.Timeout, c.Concurrency = cmp.Or(c.Timeout, 2*time.Minute), cmp.Or(c.Concurrency, 8)
	p := &Panel{Config: c}
	for _, j := range c.Judges {
		m := member{judge: j, ref: j.Ref(), slots: make(chan struct{}, c.Concurrency), slow: new(atomic.Bool)}
		r, ok := j.(Recorded)
		m.recorded = ok && r.Recorded()
		m.reach = newReach(j, m.ref.Name, min(c.Timeout, probeTimeout), c.Logger)
		p.members = append(p.members, m)
	}
	return p
}

// Ask puts the questions about a bundle to the judges, and returns a ballot for each
// that is no control question, in their order, with votes in the order of the judges.
// The error is that of ctx: the questions are to be put again then.
func (p *Panel) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	s := newPoll(p, qs)
	defer s.leave()
	for {
		todo, awaited := s.plan()
		var err error
		switch {
		case todo != nil:
			err = s.round(ctx, todo)
		case awaited != nil:
			err = s.await(ctx, awaited)
		default:
			return s.result(), nil
		}
		if err != nil {
			return shadow.PanelVotes{}, err
		}
	}
}

// Wait is a judge that bundles wait for.
type Wait struct {
	Judge   string    `json:"judge"`
	Why     string    `json:"why"`     // it is out of reach
	Since   time.Time `json:"since"`   // when bundles began to wait for it
	Bundles int       `json:"bundles"` // how many wait
}

// Waiting lists the judges that bundles wait for now.
func (p *Panel) Waiting() []Wait {
	var out []Wait
	for i := range p.members {
		r := p.members[i].reach
		r.mu.Lock()
		if n := len(r.waits); n > 0 {
			out = append(out, Wait{r.judge, r.why, r.since, n})
		}
		r.mu.Unlock()
	}
	return out
}
