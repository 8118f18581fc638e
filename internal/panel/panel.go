// Package panel puts the questions that checks leave open to a panel of
// judges, and keeps what that costs within bounds.
//
// What it guarantees: if a majority can answer a question, it does, whatever
// single judges do; a judge that fails, hangs or panics has no vote, and the
// votes of the others count; a judge is not asked once its budget for the run
// is spent; and no goroutine is left when Ask returns. Two daemons that judge
// the same bundle at the same time both ask, and each daemon has a budget of
// its own.
package panel

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Config is what a Panel is made of.
type Config struct {
	// Judges vote, the first ones first. Their names are unique.
	Judges []shadow.Judge
	// Timeout bounds one vote, all that the judge tries included; 0: two
	// minutes.
	Timeout time.Duration
	// Concurrency is how many questions one judge is asked at once; 0: 8. The
	// wait before a question is sent is no part of a vote's Timeout.
	Concurrency int
	// PerRequest is how many questions about one bundle a judge gets in one
	// request, where the judge can take several; 0: 1.
	PerRequest int
	Budget     Budget
	// Cache keeps votes, so that a bundle that is judged again after a crash
	// costs nothing twice; nil keeps none.
	Cache  Cache
	Logger *slog.Logger
}

// Cache keeps votes for a while. It may fail: the judge is then asked again.
type Cache interface {
	// Vote returns what Keep was given for a key of a run; ok is false where
	// there is nothing, for whatever reason.
	Vote(ctx context.Context, run, key string) (v shadow.Vote, ok bool)
	// Keep stores a vote that was cast.
	Keep(ctx context.Context, run, key string, v shadow.Vote)
}

// Panel asks judges. It is safe for concurrent use.
type Panel struct {
	members []member
	timeout time.Duration
	// perRequest is how many questions go in one request.
	perRequest int
	ledger     *ledger
	cache      Cache
	log        *slog.Logger
}

type member struct {
	judge shadow.Judge
	ref   shadow.AuthorRef
	// slots bounds how many questions the judge is asked at once. Each judge
	// has its own, so that a judge that hangs does not delay the others.
	slots chan struct{}
}

const (
	defaultTimeout     = 2 * time.Minute
	defaultConcurrency = 8
)

// New makes a panel.
func New(c Config) *Panel {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Concurrency <= 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	p := &Panel{timeout: c.Timeout, perRequest: max(c.PerRequest, 1), ledger: newLedger(c.Budget), cache: c.Cache, log: c.Logger}
	for _, j := range c.Judges {
		p.members = append(p.members, member{j, j.Ref(), make(chan struct{}, c.Concurrency)})
	}
	return p
}

// Ask puts questions to the judges, all at the same time, and returns a ballot
// for each, in their order. Votes stand in the order of the judges. The error
// is that of ctx, which ended before all was said: the questions are to be put
// again then, since a ballot that lacks votes for no fault of a judge's would
// be made up.
func (p *Panel) Ask(ctx context.Context, qs []shadow.Question) (shadow.Panel, error) {
	out := shadow.Panel{Judges: make([]shadow.AuthorRef, len(p.members)), Ballots: make([]shadow.Ballot, len(qs))}
	answered := progress.Count(ctx, "questions answered", len(qs))
	asking, ctx := errgroup.WithContext(ctx)
	for from, to := 0, 0; from < len(qs); from = to {
		to = from + 1
		for to < len(qs) && to < from+p.perRequest && qs[to].BundleDigest == qs[from].BundleDigest {
			to++
		}
		asking.Go(func() error {
			err := p.ballots(ctx, qs[from:to], out.Ballots[from:to])
			for range qs[from:to] {
				answered()
			}
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return shadow.Panel{}, err
	}
	for i := range p.members {
		out.Judges[i] = p.members[i].ref
	}
	p.report(qs, out.Ballots)
	return out, nil
}

// ballots asks as many judges at once as a majority takes, and then only as
// many more as could still make one. So the cost of a question on which the
// first ones agree is that of a majority, and who is asked depends on what was
// said, never on who was quickest. Questions that go in one request wait for
// each other.
func (p *Panel) ballots(ctx context.Context, qs []shadow.Question, out []shadow.Ballot) error {
	votes := make([][]shadow.Vote, len(qs))
	for open := true; open; {
		var err error
		if open, err = p.round(ctx, qs, votes); err != nil {
			return err
		}
	}
	for i := range qs {
		out[i] = shadow.NewBallot(&qs[i], votes[i], len(p.members))
	}
	return nil
}

// round puts each question that is open to its next judges, and adds what they
// say to its votes. open tells whether there was one.
func (p *Panel) round(ctx context.Context, qs []shadow.Question, votes [][]shadow.Vote) (open bool, err error) {
	cast := make([][]shadow.Vote, len(qs)) // by question, in the order of the judges
	asked := make([][]int, len(p.members)) // the places of the questions, by judge
	for i := range qs {
		cast[i] = make([]shadow.Vote, shadow.Needed(votes[i], len(p.members)))
		for k := range cast[i] {
			member := len(votes[i]) + k
			asked[member] = append(asked[member], i)
			open = true
		}
	}
	asking, ctx := errgroup.WithContext(ctx)
	for member, places := range asked {
		if len(places) == 0 {
			continue
		}
		asking.Go(func() error {
			put := make([]*shadow.Question, len(places))
			for k, i := range places {
				put[k] = &qs[i]
			}
			said, err := p.votes(ctx, &p.members[member], put)
			for k, i := range places {
				cast[i][member-len(votes[i])] = said[k]
			}
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return false, err
	}
	for i := range qs {
		votes[i] = append(votes[i], cast[i]...)
	}
	return open, nil
}

// report says which judges had no vote, and why. The line has neither their
// words nor the criterion's.
func (p *Panel) report(qs []shadow.Question, ballots []shadow.Ballot) {
	type silence struct{ judge, why string }
	out := map[silence]int{}
	for i := range ballots {
		for j := range ballots[i].Votes {
			v := &ballots[i].Votes[j]
			if v.Outcome != shadow.Undecided {
				continue
			}
			why := "in words of its own, which stand in the report"
			if v.Own {
				why = v.Why
			}
			out[silence{v.Judge, why}]++
		}
	}
	for s, n := range out {
		p.log.Warn("a judge had no vote", "judge", s.judge, "run", qs[0].RunID, "domain", qs[0].Bundle.Domain, "questions", n, "reason", s.why)
	}
}
