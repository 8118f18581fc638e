package panel

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// poll is one Ask: questions about a bundle, and what each judge has said. The answers
// of a round are looked at when all are in: only then is it known whose votes count.
type poll struct {
	p      *Panel
	qs     []shadow.Question
	judges []standing
	votes  [][]cell // by question and judge
	// lost is when a judge was first out of reach. Once the wait from then on is
	// over, nobody is waited for.
	lost time.Time
	over bool
	mu   sync.Mutex // of what judges have spent
}

// cell is the vote of one judge on one question.
type cell struct {
	vote  shadow.Vote
	state state
}

type state int

const (
	unasked state = iota
	said
	// missed: the judge was out of reach. It will be asked when it is back.
	missed
)

// standing is what a poll knows of a judge.
type standing struct {
	away     string // why it is out of reach; empty: it is not
	warm     bool   // it has had a question about the bundle
	excluded string // the control question that it answered wrongly
	spent    Budget
}

func newPoll(p *Panel, qs []shadow.Question) *poll {
	s := &poll{p: p, qs: qs, judges: make([]standing, len(p.members)), votes: make([][]cell, len(qs))}
	for i := range qs {
		s.votes[i] = make([]cell, len(p.members))
	}
	return s
}

// plan lists, by judge, the questions to put to it in the next round: each open question
// goes to as many judges at once as a majority takes. Where nothing can be asked, awaited
// are the judges out of reach whose votes could make one. Both are nil when all is said.
func (s *poll) plan() (todo [][]int, awaited []int) {
	todo = make([][]int, len(s.judges))
	asked := false
	for i := range s.qs {
		if s.qs[i].Control != "" {
			continue
		}
		next, away := s.next(i)
		for _, m := range next {
			todo[m] = append(todo[m], i)
			asked = true
		}
		awaited = append(awaited, away...)
	}
	if asked {
		return todo, nil
	}
	slices.Sort(awaited)
	return nil, slices.Compact(awaited)
}

// next says who is asked question i next, or who is waited for to answer it.
func (s *poll) next(i int) (ask, away []int) {
	votes := []shadow.Vote{}
	for m := range s.judges {
		if c := &s.votes[i][m]; c.state == said {
			votes = append(votes, c.vote)
		}
	}
	need := shadow.Needed(votes, len(s.judges))
	for m := 0; m < len(s.judges) && len(ask) < need; m++ {
		c, j := &s.votes[i][m], &s.judges[m]
		switch {
		case c.state == said:
		case j.excluded != "":
			c.vote, c.state = s.excluded(m, c.vote), said
			return s.next(i)
		case j.away != "":
			s.miss(i, m)
			if away = append(away, m); s.over {
				c.state = said
				return s.next(i)
			}
		default:
			ask = append(ask, m)
		}
	}
	if len(ask) < need {
		return nil, away
	}
	return ask, nil
}

// round puts to each judge what is planned for it, with the control questions that it
// has not answered yet in their places, so that their order does not show them.
func (s *poll) round(ctx context.Context, todo [][]int) error {
	asking, ctx := errgroup.WithContext(ctx)
	for m, places := range todo {
		if len(places) == 0 {
			continue
		}
		for i := range s.qs {
			if s.qs[i].Control != "" && s.votes[i][m].state != said && !s.p.members[m].recorded {
				places = append(places, i)
			}
		}
		slices.Sort(places)
		asking.Go(func() error { return s.ask(ctx, m, places) })
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	for m := range s.judges {
		if s.judges[m].away != "" && s.lost.IsZero() {
			s.lost = time.Now()
		}
		s.examine(m)
	}
	return nil
}

// ask puts questions to one judge. What fails is put once more if the small question
// then shows that it can be reached. If that fails again it refuses this bundle.
func (s *poll) ask(ctx context.Context, m int, places []int) error {
	r, up, err := s.p.members[m].reach, true, error(nil)
	if r.away() != "" {
		up, err = r.check(ctx)
	}
	for last := r.small == nil; up && err == nil; last = true {
		if places, err = s.put(ctx, m, places, last); err != nil || len(places) == 0 {
			return err
		}
		if up, err = r.check(ctx); up && last {
			return err
		}
	}
	if err != nil {
		return err
	}
	s.judges[m].away = r.away()
	for _, i := range places {
		s.miss(i, m)
	}
	return nil
}

// put asks a judge questions, the first one before the others, so that the provider has
// cached by then what they share, and returns those for which it was out of reach. If
// that is the first one the others are not sent, unless this is the last try.
func (s *poll) put(ctx context.Context, m int, places []int, last bool) (lost []int, err error) {
	j := &s.judges[m]
	one := func(ctx context.Context, i int) error {
		v, err := s.vote(ctx, i, m)
		s.enter(i, m, v)
		return err
	}
	rest := places
	if len(places) > 0 && !j.warm {
		if err := one(ctx, places[0]); err != nil {
			return nil, err
		}
		if rest = places[1:]; s.votes[places[0]][m].vote.Unreachable && !last {
			return places, nil
		}
		j.warm = true
	}
	asking, within := errgroup.WithContext(ctx)
	for _, i := range rest {
		asking.Go(func() error { return one(within, i) })
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(places, func(i int) bool { return !s.votes[i][m].vote.Unreachable }), nil
}

// enter enters a vote, with what earlier tries to get it cost.
func (s *poll) enter(i, m int, v shadow.Vote) {
	c := &s.votes[i][m]
	v.Calls, v.Tokens, v.Written, v.Micros, v.Millis = v.Calls+c.vote.Calls, v.Tokens+c.vote.Tokens, v.Written+c.vote.Written, v.Micros+c.vote.Micros, v.Millis+c.vote.Millis
	c.vote, c.state = v, said
}

// miss enters that a judge is out of reach. One that was not even asked, since
// that was known, says so.
func (s *poll) miss(i, m int) {
	c := &s.votes[i][m]
	if c.state == unasked {
		c.vote = s.none(m, c.vote, "it is out of reach: "+s.judges[m].away)
		c.vote.Unreachable = true
	}
	c.state = missed
}

// none is no vote of a judge. It costs what v did.
func (s *poll) none(m int, v shadow.Vote, why string) shadow.Vote {
	none := shadow.NoVote(s.p.members[m].ref.Name, "%s", why)
	none.Millis, none.Calls, none.Tokens, none.Written, none.Micros = v.Millis, v.Calls, v.Tokens, v.Written, v.Micros
	return none
}

// await waits until one of the judges can be reached again, or until the wait is over,
// and then nobody is waited for.
func (s *poll) await(ctx context.Context, judges []int) error {
	over := shadow.Patience(ctx)
	if over == nil {
		over = time.After(time.Until(s.lost.Add(s.p.Wait)))
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for back := false; !back && !s.over; {
		select { // it may be over before anybody begins to wait
		case <-over:
			s.over = true
			continue
		default:
		}
		for _, m := range judges {
			s.p.members[m].reach.join(s)
		}
		select {
		case <-over:
			s.over = true
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			for _, m := range judges {
				back = s.p.members[m].reach.look(ctx) || back
			}
		}
	}
	for _, m := range judges {
		s.judges[m].away = s.p.members[m].reach.away()
	}
	return ctx.Err()
}

// leave ends the wait for whoever is waited for.
func (s *poll) leave() {
	for m := range s.p.members {
		s.p.members[m].reach.leave(s)
	}
}
