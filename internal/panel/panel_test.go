package panel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a judge that says what its script says.
type scripted struct {
	name  string
	calls atomic.Int64
	say   func(ctx context.Context, q *shadow.Question) (shadow.Vote, error)
}

func (j *scripted) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: j.name, Model: shadow.Model{Model: j.name + "-1", Family: j.name}, Prompt: "sha256:prompt"}
}

func (j *scripted) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	j.calls.Add(1)
	v, err := j.say(ctx, q)
	v.Calls = max(v.Calls, 1)
	return v, err
}

const text = "Tokens expire after one hour."

var (
	pass = shadow.Vote{Outcome: shadow.Passed, Quote: text, Calls: 1, Tokens: 100}
	fail = shadow.Vote{Outcome: shadow.Failed, Actual: "no expiry is stated", Calls: 1, Tokens: 100}
)

// secret stands for all that no reason and no log may repeat.
const secret = "sk-secret: tokens must expire"

// says makes a judge of a letter: p passes, f fails, and the others have no
// vote for a reason of their own.
func says(name string, letter rune) *scripted {
	return &scripted{name: name, say: func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		switch letter {
		case 'p':
			return pass, nil
		case 'f':
			return fail, nil
		case 'q': // quotes what is not there
			return shadow.Vote{Outcome: shadow.Passed, Quote: "this does not stand there"}, nil
		case 'e':
			return pass, errors.New(secret)
		case 'u':
			return shadow.Vote{Why: "no connection", Own: true, Unreachable: true}, nil
		case '!':
			panic(secret)
		case 'h':
			<-ctx.Done()
			return shadow.Vote{Why: "gave up on " + secret}, fmt.Errorf("%s: %w", secret, ctx.Err())
		case 's':
			<-time.After(time.Minute)
			return pass, nil
		case 'w':
			return shadow.Vote{Outcome: shadow.Undecided, Why: "the criterion does not apply"}, nil
		}
		panic("no such letter")
	}}
}

func panelOf(letters string, change ...func(*Config)) (*Panel, []*scripted) {
	c := Config{Logger: slog.New(slog.DiscardHandler)}
	var judges []*scripted
	for i, l := range letters {
		j := says(fmt.Sprintf("judge-%d", i+1), l)
		judges = append(judges, j)
		c.Judges = append(c.Judges, j)
	}
	for _, f := range change {
		f(&c)
	}
	return New(c), judges
}

func questions(run string, n int) []shadow.Question {
	b := &shadow.Bundle{Domain: "one", Content: text}
	var qs []shadow.Question
	for i := range n {
		qs = append(qs, shadow.Question{RunID: run, Bundle: b, BundleDigest: "sha256:bundle",
			Criterion: &shadow.Asked{ID: shadow.CriterionID(i), Material: &shadow.Material{Assertion: fmt.Sprintf("assertion %d", i), Expected: "expected"}}})
	}
	return qs
}

func ask(t *testing.T, p *Panel, run string, n int) shadow.PanelVotes {
	t.Helper()
	out, err := p.Ask(t.Context(), questions(run, n))
	if err != nil || len(out.Ballots) != n {
		t.Fatalf("%d ballots, %v", len(out.Ballots), err)
	}
	return out
}

// A judge that is slow is told by its name, once, with the settings that help.
func TestSlow(t *testing.T) {
	for letters, want := range map[string]string{"p": "", "pps": "", "psp": "judge=judge-2", "h": "judge=judge-1"} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			p, _ := panelOf(letters, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			ask(t, p, "run-1", 2)
			ask(t, p, "run-2", 2)
			n := strings.Count(log.String(), "a judge is slow")
			if want == "" && n > 0 || want != "" && (n != 1 || !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "judging.timeout how long it has for each (2m0s)")) {
				t.Errorf("%s: the log says %s", letters, &log)
			}
		})
	}
}

// Who is asked, what is decided, and why there is no vote.
func TestBallots(t *testing.T) {
	for _, c := range []struct {
		judges string
		want   shadow.Outcome
		asked  int
		agreed int
		why    string
	}{
		{"p", shadow.Passed, 1, 1, ""},
		{"f", shadow.Failed, 1, 1, ""},
		{"w", shadow.Undecided, 1, 0, "the criterion does not apply"},
		{"pp", shadow.Passed, 2, 2, ""},
		{"pf", shadow.Undecided, 2, 1, ""},
		{"ppf", shadow.Passed, 2, 2, ""}, // the third can change nothing
		{"pfp", shadow.Passed, 3, 2, ""},
		{"pff", shadow.Failed, 3, 2, ""},
		{"eep", shadow.Undecided, 2, 0, "it failed"},
		{"epp", shadow.Passed, 3, 2, "it failed"},
		{"ufu", shadow.Undecided, 3, 1, "no connection"},
		{"!pp", shadow.Passed, 3, 2, "it panicked"},
		{"qpp", shadow.Passed, 3, 2, "a pass whose quote proves nothing: it does not stand in the content"},
		{"hpp", shadow.Passed, 3, 2, "no answer within 2m0s (judging.timeout)"},
		{"hhh", shadow.Undecided, 2, 0, "no answer within 2m0s (judging.timeout)"},
		{"pppff", shadow.Passed, 3, 3, ""},
		{"ppfff", shadow.Failed, 5, 3, ""},
		{"ppff", shadow.Undecided, 4, 2, ""},
		{"pffp", shadow.Undecided, 4, 2, ""},
		{"eeepp", shadow.Undecided, 3, 0, "it failed"},
	} {
		t.Run(c.judges, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				p, judges := panelOf(c.judges, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
				out := ask(t, p, "run", 1)
				b := out.Ballots[0]
				if b.Outcome != c.want || len(b.Votes) != c.asked || b.Agreed != c.agreed || b.Configured != len(judges) || b.About != "sc-01" {
					t.Errorf("%+v", b)
				}
				why := ""
				for i, v := range b.Votes {
					if v.Judge != judges[i].name || judges[i].calls.Load() != 1 {
						t.Errorf("vote %d is of %s, asked %d times", i, v.Judge, judges[i].calls.Load())
					}
					if v.Outcome == shadow.Undecided && why == "" {
						why = v.Why
					}
				}
				for _, j := range judges[c.asked:] {
					if j.calls.Load() != 0 {
						t.Errorf("%s was asked for nothing", j.name)
					}
				}
				if why != c.why {
					t.Errorf("no vote because of %q, want %q", why, c.why)
				}
				told := c.why
				if c.judges == "w" {
					told = "in words of its own"
				}
				if why != "" && (!strings.Contains(log.String(), "a judge had no vote") || !strings.Contains(log.String(), told)) || strings.Contains(log.String(), "does not apply") {
					t.Errorf("the log does not say %q, and nothing else: %s", told, &log)
				}
				if said := fmt.Sprintf("%+v %s", out, &log); strings.Contains(said, secret) || strings.Contains(log.String(), "expire") {
					t.Errorf("it repeats what it must not: %s", said)
				}
				if len(out.Judges) != len(judges) || out.Judges[0].Prompt == "" {
					t.Errorf("judges %+v", out.Judges)
				}
			})
		})
	}
}

// Votes and ballots stand in the same order whoever is quickest.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges := panelOf("fpfpf")
		for i, j := range judges {
			say := j.say
			j.say = func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
				time.Sleep(time.Duration(len(judges)-i) * time.Duration(1+len(q.Criterion.ID)) * time.Second) // in the bubble's time
				return say(ctx, q)
			}
		}
		out := ask(t, p, "run", 3)
		for i, b := range out.Ballots {
			if b.About != shadow.CriterionID(i) || len(b.Votes) != 5 || b.Outcome != shadow.Failed {
				t.Errorf("%+v", b)
			}
			for k, v := range b.Votes {
				if v.Judge != judges[k].name || v.Millis == 0 {
					t.Errorf("vote %d: %+v", k, v)
				}
			}
		}
	})
}

// A judge has so many questions in hand and no more, and waiting for its turn
// is not held against it.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, judges := panelOf("p", func(c *Config) { c.Concurrency, c.Timeout = 2, 3*time.Second })
		var now, most atomic.Int64
		judges[0].say = func(context.Context, *shadow.Question) (shadow.Vote, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(2 * time.Second)
			return pass, nil
		}
		for _, b := range ask(t, p, "run", 9).Ballots {
			if b.Outcome != shadow.Passed {
				t.Errorf("%+v", b)
			}
		}
		if most.Load() != 2 {
			t.Errorf("%d questions at once", most.Load())
		}
	})
}

func TestBudget(t *testing.T) {
	spend := func(c Budget, took time.Duration, n int) int {
		votes := 0
		synctest.Test(t, func(t *testing.T) {
			p, judges := panelOf("p", func(cfg *Config) { cfg.Budget, cfg.Concurrency = c, 1 })
			judges[0].say = func(context.Context, *shadow.Question) (shadow.Vote, error) {
				time.Sleep(took)
				return pass, nil
			}
			for _, b := range ask(t, p, "run", n).Ballots {
				if b.Cast == 1 {
					votes++
				} else if why := b.Votes[0].Why; !strings.HasPrefix(why, "budget: its budget for the domain is spent: ") || b.Votes[0].Calls != 0 {
					t.Errorf("no vote because of %q", why)
				}
			}
			if int(judges[0].calls.Load()) != votes {
				t.Errorf("%d calls for %d votes", judges[0].calls.Load(), votes)
			}
			if out := ask(t, p, "another", 1); out.Ballots[0].Outcome != shadow.Passed { // each bundle has a budget of its own
				t.Errorf("another bundle: %+v", out.Ballots)
			}
		})
		return votes
	}
	for name, c := range map[string]struct {
		budget Budget
		want   int
	}{
		"none":   {Budget{}, 7},
		"calls":  {Budget{Calls: 3}, 3},
		"tokens": {Budget{Tokens: 250}, 3}, // the third begins below it
		"time":   {Budget{Time: 4 * time.Second}, 2},
	} {
		if got := spend(c.budget, 2*time.Second, 7); got != c.want {
			t.Errorf("%s: %d votes, want %d", name, got, c.want)
		}
	}
}

// Calls in hand at once don't go beyond the budget together.
func TestBudgetAtOnce(t *testing.T) {
	p, judges := panelOf("pp", func(c *Config) { c.Budget, c.Concurrency = Budget{Calls: 11}, 50 })
	ask(t, p, "run", 40)
	if a, b := judges[0].calls.Load(), judges[1].calls.Load(); a != 11 || b > 11 {
		t.Errorf("%d and %d calls of 11 each", a, b)
	}
}

// A judge that states what it likes, or is slow, spends its own budget: the others
// go on.
func TestBudgetOfEach(t *testing.T) {
	p, judges := panelOf("ppp", func(c *Config) { c.Budget, c.Concurrency = Budget{Tokens: 5_000_000}, 1 })
	judges[0].say = func(context.Context, *shadow.Question) (shadow.Vote, error) {
		v := pass
		v.Tokens = 10_000_000
		return v, nil
	}
	for i, b := range ask(t, p, "run", 4).Ballots {
		if b.Outcome != shadow.Passed {
			t.Errorf("question %d: %+v", i, b)
		}
	}
	if n := judges[0].calls.Load(); n != 1 {
		t.Errorf("%d calls beyond its own budget", n-1)
	}
}

// When ctx ends the questions are put again.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, judges := panelOf("pp")
	voting := make(chan struct{})
	judges[0].say = func(ctx context.Context, _ *shadow.Question) (shadow.Vote, error) {
		close(voting)
		<-ctx.Done()
		return pass, nil // it is paid for, though too late
	}
	judges[1].say = func(ctx context.Context, _ *shadow.Question) (shadow.Vote, error) {
		<-voting
		cancel()
		<-ctx.Done()
		return shadow.NoVote("", "it gave up"), nil
	}
	out, err := p.Ask(ctx, questions("run", 1))
	if !errors.Is(err, context.Canceled) || len(out.Ballots) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := p.Ask(ctx, questions("run", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("asked with a context that has ended: %v", err)
	}
}
