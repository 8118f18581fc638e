package panel

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// poll is one Ask: questions about a bundle, and what each judge has said. A
// round of it asks every judge at most once, and its answers are looked at when
// all are in: only then is it known whose votes count.
type poll struct {
	p      *Panel
	qs     []shadow.Question
	judges []standing
	// votes are by question and judge.
	votes [][]cell
	// lost is when a judge was first out of reach. Once the wait from then on is
	// over, nobody is waited for.
	lost time.Time
	over bool
	wake chan struct{} // told when a judge that is waited for is back

	// open counts by question the votes that its first round lacks.
	open     []atomic.Int32
	answered func() // tells of progress
	begun    bool
}

// cell is the vote of one judge on one question.
type cell struct {
	vote    shadow.Vote
	state   state
	counted bool // for the progress
}

type state int

const (
	unasked state = iota
	said
	// owed: the judge was out of reach. It will be asked when it is back.
	owed
)

// standing is what a poll knows of a judge.
type standing struct {
	away     bool   // it is out of reach
	why      string // it is
	warm     bool   // it has had a question about the bundle
	excluded string // the control question that it answered wrongly
}

func newPoll(ctx context.Context, p *Panel, qs []shadow.Question) *poll {
	s := &poll{
		p: p, qs: qs, judges: make([]standing, len(p.members)), votes: make([][]cell, len(qs)),
		wake: make(chan struct{}, 1), open: make([]atomic.Int32, len(qs)),
	}
	total := 0
	for i := range qs {
		s.votes[i] = make([]cell, len(p.members))
		if qs[i].Control == "" {
			total++
		}
	}
	s.answered = progress.Count(ctx, "questions answered", total)
	return s
}

// plan lists, by judge, the questions to put to it in the next round: each open
// question goes to as many judges at once as a majority takes. So the cost of a
// question on which the first ones agree is that of a majority. Where nothing
// can be asked that could make one, awaited are the judges out of reach whose
// votes could. Both are nil when all is said.
func (s *poll) plan() (todo [][]int, awaited []int) {
	todo = make([][]int, len(s.judges))
	asked, waits := false, make([]bool, len(s.judges))
	for i := range s.qs {
		if s.qs[i].Control != "" {
			continue
		}
		next, away := s.next(i)
		for _, m := range next {
			todo[m] = append(todo[m], i)
			asked = true
		}
		for _, m := range away {
			waits[m] = true
		}
	}
	if asked {
		return todo, nil
	}
	for m, wait := range waits {
		if wait {
			awaited = append(awaited, m)
		}
	}
	return nil, awaited
}

// next says who is asked question i next, or who is waited for to answer it.
func (s *poll) next(i int) (ask, away []int) {
	settled := s.settled(i)
	need := shadow.Needed(settled, len(s.judges))
	for m := 0; m < len(s.judges) && len(ask) < need; m++ {
		c, j := &s.votes[i][m], &s.judges[m]
		switch {
		case c.state == said:
			continue
		case j.excluded != "":
			c.vote, c.state = s.excluded(m, c.vote), said
			return s.next(i)
		case j.away && s.over:
			s.lose(i, m)
			c.state = said
			return s.next(i)
		case j.away:
			s.lose(i, m)
			away = append(away, m)
		default:
			ask = append(ask, m)
		}
	}
	if len(ask) < need {
		return nil, away
	}
	return ask, nil
}

// settled are the votes on question i, but for those that are owed.
func (s *poll) settled(i int) []shadow.Vote {
	votes := []shadow.Vote{}
	for m := range s.votes[i] {
		if c := &s.votes[i][m]; c.state == said {
			votes = append(votes, c.vote)
		}
	}
	return votes
}

// round puts to each judge what is planned for it, with the control questions
// that it has not answered yet.
func (s *poll) round(ctx context.Context, todo [][]int) error {
	for _, places := range todo {
		for _, i := range places {
			if !s.begun {
				s.open[i].Add(1)
			}
		}
	}
	s.begun = true
	asking, ctx := errgroup.WithContext(ctx)
	for m, places := range todo {
		if len(places) > 0 {
			asking.Go(func() error { return s.ask(ctx, m, s.withControls(m, places)) })
		}
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	for m := range s.judges {
		if s.judges[m].away && s.lost.IsZero() {
			s.lost = time.Now()
		}
		s.examine(m)
	}
	return nil
}

// ask puts questions to one judge. What it cannot be asked is put once more if
// the small question then shows that it can be reached: the outage may have
// ended in between. If that fails again it refuses this bundle, and has no vote.
func (s *poll) ask(ctx context.Context, m int, places []int) error {
	r, j := s.p.members[m].reach, &s.judges[m]
	up, err := r.available(ctx)
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
	j.away, j.why = true, r.reason()
	for _, i := range places {
		s.lose(i, m)
	}
	return nil
}

// put asks a judge questions, the first one before the others, so that the
// provider has cached by then what they share. It returns those for which it was
// out of reach. If that is the first one the others are not sent, unless this is
// the last try.
func (s *poll) put(ctx context.Context, m int, places []int, last bool) (lost []int, err error) {
	member, j := &s.p.members[m], &s.judges[m]
	var left []int
	for _, i := range places {
		if v, ok := s.p.known(ctx, member, &s.qs[i]); ok {
			s.say(i, m, v)
		} else {
			left = append(left, i)
		}
	}
	one := func(ctx context.Context, i int) error {
		v, err := s.p.vote(ctx, member, &s.qs[i])
		s.say(i, m, v)
		return err
	}
	rest := left
	if len(left) > 0 && !j.warm {
		if err := one(ctx, left[0]); err != nil {
			return nil, err
		}
		if rest = left[1:]; s.votes[left[0]][m].vote.Unreachable && !last {
			return left, nil
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
	for _, i := range left {
		if s.votes[i][m].vote.Unreachable {
			lost = append(lost, i)
		}
	}
	return lost, nil
}

// say enters a vote, with what earlier tries to get it cost. One that was known
// costs nothing.
func (s *poll) say(i, m int, v shadow.Vote) {
	c := &s.votes[i][m]
	if !v.Cached {
		v.Calls, v.Tokens, v.Written, v.Millis = v.Calls+c.vote.Calls, v.Tokens+c.vote.Tokens, v.Written+c.vote.Written, v.Millis+c.vote.Millis
	}
	c.vote, c.state = v, said
	s.count(i, m)
}

// lose enters that a judge is out of reach. One that was not even asked, since
// that was known, says so.
func (s *poll) lose(i, m int) {
	c := &s.votes[i][m]
	if c.state == unasked {
		c.vote = s.none(m, c.vote, "it is out of reach: "+s.judges[m].why)
		c.vote.Unreachable = true
	}
	c.state = owed
	s.count(i, m)
}

// none is no vote of a judge. It costs what v did.
func (s *poll) none(m int, v shadow.Vote, why string) shadow.Vote {
	none := shadow.NoVote(s.p.members[m].ref.Name, "%s", why)
	none.Millis, none.Calls, none.Tokens, none.Written, none.Cached = v.Millis, v.Calls, v.Tokens, v.Written, v.Cached
	return none
}

// count tells of progress when the first round of a question is over.
func (s *poll) count(i, m int) {
	if c := &s.votes[i][m]; s.qs[i].Control == "" && !c.counted {
		c.counted = true
		if s.open[i].Add(-1) == 0 {
			s.answered()
		}
	}
}

// await waits until one of the judges can be reached again; or until the wait is over, and then nobody is waited for. The bundle
// waits for the others until [poll.leave].
func (s *poll) await(ctx context.Context, judges []int) error {
	if left := time.Until(s.lost.Add(s.p.wait)); left > 0 {
		for _, m := range judges {
			s.p.members[m].reach.join(ctx, s.wake)
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-s.wake:
		case <-timer.C:
			s.over = true
		case <-ctx.Done():
			return ctx.Err()
		}
	} else {
		s.over = true
	}
	for _, m := range judges {
		s.judges[m].away = s.p.members[m].reach.isDown()
	}
	return nil
}

// leave ends the wait for whoever is waited for.
func (s *poll) leave() {
	for m := range s.p.members {
		s.p.members[m].reach.leave(s.wake)
	}
}
