package panel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// remote is a judge that may be out of reach.
type remote struct {
	*scripted
	down    atomic.Bool // nothing is answered
	refuses atomic.Bool // the bundle is not, the small question is
	hangs   atomic.Bool // neither ends
	mu      sync.Mutex
	small   []time.Time // the small question was put
}

func newRemote(name string, say func(*shadow.Question) shadow.Vote) *remote {
	r := &remote{}
	r.scripted = &scripted{name: name, say: func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		switch {
		case r.hangs.Load():
			<-ctx.Done()
			return shadow.Vote{}, ctx.Err()
		case r.down.Load() || r.refuses.Load():
			return shadow.Vote{Outcome: shadow.Undecided, Why: "the server answered 503", Own: true, Unreachable: true, Calls: 4}, nil
		}
		return say(q), nil
	}}
	return r
}

func (r *remote) Reachable(ctx context.Context) error {
	if r.hangs.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.small = append(r.small, time.Now())
	if r.down.Load() {
		return errors.New("the server answered 503")
	}
	return nil
}

func (r *remote) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.small)
}

// outage makes a panel of judges that read and pass, and are all out of reach.
func outage(n int, change ...func(*Config)) (*Panel, []*remote, *bytes.Buffer) {
	var log bytes.Buffer
	var judges []*remote
	c := Config{Wait: 30 * time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for i := range n {
		r := newRemote(string(rune('a'+i)), reads(pass))
		r.down.Store(true)
		judges = append(judges, r)
		c.Judges = append(c.Judges, r)
	}
	for _, f := range change {
		f(&c)
	}
	return New(c), judges, &log
}

// asking runs Ask and tells when it is done.
func asking(ctx context.Context, p *Panel, qs []shadow.Question) (out *shadow.PanelVotes, fault *error, done chan struct{}) {
	out, fault, done = &shadow.PanelVotes{}, new(error), make(chan struct{})
	go func() {
		defer close(done)
		*out, *fault = p.Ask(ctx, qs)
	}()
	return out, fault, done
}

func isDone(done chan struct{}) bool {
	synctest.Wait()
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// While no majority can be reached the bundle waits, and is judged when judges
// are back.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges, log := outage(3, func(c *Config) { c.Budget.Calls = 9 })
		began := time.Now()
		out, fault, done := asking(t.Context(), p, controlled(5))
		if isDone(done) {
			t.Fatalf("it did not wait: %+v, %v", out, *fault)
		}
		// The first question of each judge shows the outage: no other is sent. The
		// third alone can make no majority.
		for i, j := range judges {
			if j.calls.Load() != int64([]int{1, 1, 0}[i]) {
				t.Errorf("%s was sent %d questions", j.name, j.calls.Load())
			}
		}
		time.Sleep(4 * time.Minute) // in the bubble's time
		waits := p.Waiting()
		if len(waits) != 2 || waits[0] != (Wait{"a", "the server answered 503", began, 1}) {
			t.Errorf("%+v", waits)
		}
		judges[1].down.Store(false)
		time.Sleep(time.Minute)
		if isDone(done) || judges[1].asked() == 0 {
			t.Errorf("one judge of three decided: %+v", out)
		}
		judges[0].down.Store(false)
		time.Sleep(30 * time.Second)
		if !isDone(done) || *fault != nil {
			t.Fatalf("it waits on: %+v, %v", p.Waiting(), *fault)
		}
		for _, b := range out.Ballots {
			if b.Outcome != shadow.Passed || b.Agreed != 2 {
				t.Errorf("%+v", b)
			}
		}
		// The failed tries are told, and spent no budget: each judge has 7 questions and 9 calls.
		if v := out.Ballots[0].Votes[0]; v.Calls != 5 || len(p.Waiting()) != 0 {
			t.Errorf("%+v, %+v wait", v, p.Waiting())
		}
		if n := strings.Count(log.String(), "bundles wait for it"); n != 3 || strings.Count(log.String(), "a judge is back") != 2 {
			t.Errorf("%s", log)
		}
	})
}

// The small question is put less and less often, by one for all.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges, _ := outage(1)
		_, _, done := asking(t.Context(), p, controlled(2))
		time.Sleep(2 * time.Minute) // in the bubble's time
		for range 5 {
			asking(t.Context(), p, controlled(2))
		}
		time.Sleep(time.Minute)
		judges[0].down.Store(false)
		<-done
		put := judges[0].small
		if len(put) < 8 || len(put) > 11 {
			t.Fatalf("put at %v", put)
		}
		for i := range put[1:] {
			if want := time.Duration(min(2<<i, 30)) * time.Second; put[i+1].Sub(put[i]) != want {
				t.Errorf("put at %v", put)
			}
		}
		synctest.Wait()
	})
}

// The wait is bounded from the first try on, and ends in no decision.
func TestWaitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, wait := range []time.Duration{0, 30 * time.Minute} {
			p, judges, log := outage(3, func(c *Config) { c.Wait = wait })
			began := time.Now()
			out, err := p.Ask(t.Context(), controlled(3))
			if took := time.Since(began); err != nil || took != wait {
				t.Errorf("it took %v, %v", took, err)
			}
			for _, b := range out.Ballots {
				if b.Outcome != shadow.Undecided || len(b.Votes) < 2 || !strings.Contains(b.Votes[0].Why, "the server answered 503") {
					t.Errorf("%+v", b)
				}
			}
			if judges[0].calls.Load() > 1 || len(p.Waiting()) != 0 || strings.Contains(log.String(), "wait") != (wait > 0) {
				t.Errorf("%d calls, %+v, %s", judges[0].calls.Load(), p.Waiting(), log)
			}
		}
	})
}

// Nobody waits for a judge that answers the small question. It is asked once more, since
// the outage may have ended meanwhile: that costs no vote, else it refuses this bundle.
func TestRefusesTheBundle(t *testing.T) {
	for _, refuses := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p, judges, _ := outage(1)
			j := judges[0]
			j.down.Store(false)
			j.refuses.Store(true)
			say := j.say
			j.say = func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
				v, err := say(ctx, q)
				j.refuses.Store(refuses)
				return v, err
			}
			began := time.Now()
			out, err := p.Ask(t.Context(), controlled(3))
			if err != nil || time.Since(began) != 0 || len(out.Ballots) != 3 || j.calls.Load() != 6 { // the first, and then all
				t.Fatalf("%v, %v, %d questions", time.Since(began), err, j.calls.Load())
			}
			for _, b := range out.Ballots {
				if refuses && (b.Outcome != shadow.Undecided || b.Votes[0].Why != "the server answered 503") || !refuses && b.Outcome != shadow.Passed {
					t.Errorf("%+v", b)
				}
			}
		})
	}
}

// Nobody waits where the other judges make a majority, and a judge that is known
// to be out of reach is sent nothing.
func TestMajorityOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges, log := outage(3)
		judges[1].down.Store(false)
		judges[2].down.Store(false)
		for range 3 {
			out, err := p.Ask(t.Context(), controlled(4))
			if err != nil || len(out.Ballots) != 4 {
				t.Fatal(err)
			}
			for _, b := range out.Ballots {
				if b.Outcome != shadow.Passed || len(b.Votes) != 3 || b.Votes[0].Outcome != shadow.Undecided {
					t.Errorf("%+v", b)
				}
			}
		}
		if judges[0].calls.Load() != 1 || judges[0].asked() != 1 || strings.Contains(log.String(), "bundles wait") {
			t.Errorf("%d questions, %d small ones, %s", judges[0].calls.Load(), judges[0].asked(), log)
		}
		judges[0].down.Store(false)
		time.Sleep(minPause) // in the bubble's time
		if out, err := p.Ask(t.Context(), controlled(4)); err != nil || len(out.Ballots[0].Votes) != 2 {
			t.Errorf("it is not asked when it is back: %+v, %v", out.Ballots, err)
		}
	})
}

// A judge that hangs is out of reach, as is one whose small question hangs.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges, _ := outage(1)
		judges[0].hangs.Store(true)
		out, fault, done := asking(t.Context(), p, controlled(2))
		time.Sleep(20 * time.Minute) // in the bubble's time
		if w := p.Waiting(); isDone(done) || len(w) != 1 || !strings.HasPrefix(w[0].Why, "no answer to a small question within ") {
			t.Errorf("%+v", w)
		}
		judges[0].down.Store(false)
		judges[0].hangs.Store(false)
		<-done
		if *fault != nil || out.Ballots[1].Outcome != shadow.Passed {
			t.Errorf("%+v, %v", out, *fault)
		}
		synctest.Wait()
	})
}

// Hundreds of bundles wait on few goroutines, for one that asks; when a judge is
// back all are judged, and when ctx ends nothing is left.
func TestManyWait(t *testing.T) {
	const bundles = 400
	for _, ends := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p, judges, log := outage(3)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			before := runtime.NumGoroutine()
			var outs []*shadow.PanelVotes
			var faults []*error
			var all []chan struct{}
			for range bundles {
				out, fault, done := asking(ctx, p, controlled(20))
				outs, faults, all = append(outs, out), append(faults, fault), append(all, done)
			}
			time.Sleep(10 * time.Minute) // in the bubble's time
			synctest.Wait()
			if n := runtime.NumGoroutine() - before; n > bundles+10 {
				t.Errorf("%d goroutines for %d bundles", n, bundles)
			}
			w := p.Waiting()
			if len(w) != 2 || w[0].Bundles != bundles || w[1].Bundles != bundles {
				t.Errorf("%+v", w)
			}
			if n := judges[0].asked(); n > 40 {
				t.Errorf("%d small questions", n)
			}
			if ends {
				cancel()
			} else {
				for _, j := range judges {
					j.down.Store(false)
				}
			}
			for i, done := range all {
				<-done
				if ends != errors.Is(*faults[i], context.Canceled) || !ends && outs[i].Ballots[19].Outcome != shadow.Passed {
					t.Fatalf("%+v, %v", outs[i], *faults[i])
				}
			}
			// The bubble itself fails where a goroutine is left.
			if w := p.Waiting(); len(w) != 0 {
				t.Errorf("%+v", w)
			}
			if n := strings.Count(log.String(), "bundles wait for it"); n != 2 {
				t.Errorf("%d times: %.2000s", n, log)
			}
		})
	}
}

// Whoever is out of reach when, the ballots are those that an audit derives: the
// votes of the judges in their order, as many as could change something.
func TestVotesStandAsAudited(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "judges")
		script := rapid.SliceOfN(rapid.StringMatching("[pfw]{6}"), n, n).Draw(rt, "script")
		away := rapid.SliceOfN(rapid.IntRange(-1, 40), n, n).Draw(rt, "back after minutes") // 0 and less: always there
		synctest.Test(t, func(t *testing.T) {
			var judges []shadow.Judge
			for i := range n {
				r := newRemote(string(rune('a'+i)), func(q *shadow.Question) shadow.Vote {
					var k int
					if _, err := fmt.Sscanf(q.Item.Name, "sub-task %d", &k); err != nil {
						return reads(pass)(q)
					}
					return map[byte]shadow.Vote{'p': pass, 'f': fail, 'w': shadow.NoVote("", "no verdict")}[script[i][k-1]]
				})
				if r.down.Store(away[i] > 0); away[i] > 0 {
					time.AfterFunc(time.Duration(away[i])*time.Minute, func() { r.down.Store(false) })
				}
				judges = append(judges, r)
			}
			p := New(Config{Judges: judges, Wait: 30 * time.Minute, Logger: slog.New(slog.DiscardHandler)})
			out, err := p.Ask(t.Context(), controlled(6))
			if err != nil {
				rt.Fatal(err)
			}
			for _, b := range out.Ballots {
				var votes []shadow.Vote
				for k := 1; k > 0; {
					k = shadow.Needed(votes, n)
					for range k {
						votes = append(votes, b.Votes[len(votes)])
					}
				}
				o, _ := shadow.Tally(votes, n)
				if len(votes) != len(b.Votes) || o != b.Outcome {
					rt.Fatalf("%+v", b)
				}
				for i, v := range b.Votes {
					if v.Judge != string(rune('a'+i)) || v.Outcome == shadow.Undecided && v.Why == "" {
						rt.Fatalf("vote %d of %+v", i, b)
					}
				}
			}
			time.Sleep(time.Hour) // in the bubble's time, until all timers are over
		})
	})
}

// Where an outage begins, or begins again, questions that wait for their turn
// are not sent, and a judge that comes and goes does not lengthen the wait.
func TestComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges, _ := outage(1, func(c *Config) { c.Concurrency = 2 })
		j := judges[0]
		say := j.say
		j.say = func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
			j.down.Store(true)           // each question ends what was up
			time.Sleep(10 * time.Second) // in the bubble's time
			return say(ctx, q)
		}
		j.down.Store(false)
		began := time.Now()
		var all []chan struct{}
		for range 50 {
			_, _, done := asking(t.Context(), p, controlled(3))
			all = append(all, done)
		}
		for range 2 {
			time.Sleep(10 * time.Minute)
			j.down.Store(false)
		}
		for _, done := range all {
			<-done
		}
		if took := time.Since(began); took > 30*time.Minute+time.Minute {
			t.Errorf("they waited for %v", took)
		}
		if n := j.calls.Load(); n > 3*4 {
			t.Errorf("%d questions were sent", n)
		}
	})
}
