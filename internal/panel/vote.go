package panel

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// vote gets the vote of judge m on question i. The error is that of ctx; whatever
// else goes wrong makes it no vote.
func (s *poll) vote(ctx context.Context, i, m int) (shadow.Vote, error) {
	p, q, member := s.p, &s.qs[i], &s.p.members[m]
	select {
	case member.slots <- struct{}{}:
		defer func() { <-member.slots }()
	case <-ctx.Done():
		return shadow.Vote{}, ctx.Err()
	}
	if why := member.reach.away(); why != "" { // since the question began to wait
		v := shadow.NoVote(member.ref.Name, "it is out of reach: %s", why)
		v.Unreachable = true
		return v, nil
	}
	if spent := s.reserve(m); spent != "" {
		return shadow.NoVote(member.ref.Name, "budget: its budget for the domain is spent: %s", spent), nil
	}
	start := time.Now()
	v := p.put(ctx, member, q)
	took := time.Since(start)
	v.Judge, v.Millis = member.ref.Name, took.Milliseconds()
	s.charge(m, &v, took)
	return q.Admit(v), ctx.Err() // there may be none because it was interrupted
}

// put puts the question. Why there is no vote is said in words of our own: an error
// may quote what was sent. A panic is the judge's fault and costs its vote only.
func (p *Panel) put(ctx context.Context, m *member, q *shadow.Question) (v shadow.Vote) {
	within, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			// What it panics with may quote the question.
			p.Logger.Error("a judge panicked", "judge", m.ref.Name, "run", q.RunID, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			v = shadow.NoVote(m.ref.Name, "it panicked")
		}
	}()
	v, err := m.judge.Vote(within, q)
	if err != nil {
		v.Outcome, v.Said, v.Own, v.Why = shadow.Undecided, "", true, "it failed"
	}
	if err != nil && within.Err() != nil {
		v.Unreachable, v.Why = true, fmt.Sprintf("no answer within %s (judging.timeout)", p.Timeout)
	}
	return v
}

// Budget is what judging one bundle may spend on each judge; 0 is no bound. Were it
// shared, one judge or one commander could use it up. Votes that have begun are not cut
// off: they may go beyond it in tokens and time.
type Budget struct {
	Calls  int
	Tokens int64
	// Time is what the votes took, added up.
	Time time.Duration
}

// reserve counts a call of a judge before it is made, so that calls at the same time
// do not exceed the budget together. It says what is spent, if anything is.
func (s *poll) reserve(m int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, spent := &s.p.Budget, &s.judges[m].spent
	switch {
	case limit.Calls > 0 && spent.Calls >= limit.Calls:
		return fmt.Sprintf("%d calls", limit.Calls)
	case limit.Tokens > 0 && spent.Tokens >= limit.Tokens:
		return fmt.Sprintf("%d tokens", limit.Tokens)
	case limit.Time > 0 && spent.Time >= limit.Time:
		return limit.Time.String()
	}
	spent.Calls++
	return ""
}

// charge puts what a vote really took in the place of the reserved call. An outage
// spends nobody's budget, but for what the model worked.
func (s *poll) charge(m int, v *shadow.Vote, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spent := &s.judges[m].spent
	spent.Tokens += v.Tokens
	spent.Calls--
	if !v.Unreachable {
		spent.Calls += v.Calls
		spent.Time += took
	}
}
