package panel

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// batching is a judge that takes several questions at once: by the number of
// a question, its letter says p, f, or anything else for no vote.
type batching struct {
	*scripted
	letters string
	sizes   chan int // of the requests
	fewer   bool     // it forgets the last vote
}

func (j *batching) Votes(_ context.Context, qs []*shadow.Question) ([]shadow.Vote, error) {
	j.sizes <- len(qs)
	votes := make([]shadow.Vote, len(qs))
	for i, q := range qs {
		var n int
		if _, err := fmt.Sscanf(q.Criterion.Assertion, "assertion %d", &n); err != nil {
			return nil, err
		}
		switch j.letters[n] {
		case 'p':
			votes[i] = pass
		case 'f':
			votes[i] = fail
		}
		votes[i].Calls, votes[i].Tokens = 0, 10
	}
	votes[0].Calls = 1
	if j.fewer {
		votes = votes[1:]
	}
	return votes, nil
}

func batchPanel(several int, letters ...string) (*Panel, []*batching) {
	var judges []*batching
	p, _ := panelOf("", func(c *Config) {
		c.PerRequest = several
		for i, l := range letters {
			j := &batching{scripted: says(fmt.Sprint("judge-", i+1), 'p'), letters: l, sizes: make(chan int, 100)}
			judges = append(judges, j)
			c.Judges = append(c.Judges, j)
		}
	})
	return p, judges
}

func (j *batching) requests() string {
	close(j.sizes)
	var out []string
	for n := range j.sizes {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, " ")
}

// TestSeveral: questions go in requests of the configured size, only those
// that are open go on to the third judge, and the cost counts requests.
func TestSeveral(t *testing.T) {
	p, judges := batchPanel(5, "ppfu-", "pffp-", "ppppp")
	out := ask(t, p, "run", 5)
	var got []string
	calls, tokens := 0, int64(0)
	for _, b := range out.Ballots {
		got = append(got, string(b.Outcome))
		for _, v := range b.Votes {
			calls += v.Calls
			tokens += v.Tokens
		}
	}
	// Of question 4 nobody could make a majority: the third judge is not asked.
	if want := "passed passed failed passed undecided"; strings.Join(got, " ") != want || calls != 3 || tokens != 120 {
		t.Errorf("%q, %d calls, %d tokens; want %s", got, calls, tokens, want)
	}
	for i, want := range []string{"5", "5", "2"} {
		if got := judges[i].requests(); got != want {
			t.Errorf("judge %d had requests of %s questions, want %s", i+1, got, want)
		}
	}
}

func TestSeveralAtMost(t *testing.T) {
	p, judges := batchPanel(2, "ppppp")
	ask(t, p, "run", 5)
	if got := judges[0].requests(); got != "2 2" || judges[0].calls.Load() != 1 {
		t.Errorf("requests of %s questions and %d single ones", got, judges[0].calls.Load())
	}
	// One is the default, and then nothing is put together.
	p, judges = batchPanel(0, "ppppp")
	ask(t, p, "run", 5)
	if got := judges[0].requests(); got != "" || judges[0].calls.Load() != 5 {
		t.Errorf("requests of %s questions and %d single ones", got, judges[0].calls.Load())
	}
	// Nor are questions about different bundles.
	p, judges = batchPanel(5, "ppppp")
	qs := questions("run", 3)
	qs[1].BundleDigest = "sha256:other"
	if _, err := p.Ask(t.Context(), qs); err != nil || judges[0].requests() != "" {
		t.Errorf("bundles were mixed, or %v", err)
	}
}

// TestSeveralOfSingles: a judge that takes one question at a time is asked
// one by one.
func TestSeveralOfSingles(t *testing.T) {
	p, judges := panelOf("pp", func(c *Config) { c.PerRequest = 4 })
	out := ask(t, p, "run", 4)
	for _, b := range out.Ballots {
		if b.Outcome != shadow.Passed || b.Votes[0].Calls != 1 {
			t.Errorf("%+v", b)
		}
	}
	if judges[0].calls.Load() != 4 {
		t.Errorf("%d calls", judges[0].calls.Load())
	}
}

// TestSeveralFaults: too few votes are none at all, and one budgeted call is
// one request.
func TestSeveralFaults(t *testing.T) {
	p, judges := batchPanel(3, "ppp")
	judges[0].fewer = true
	for _, b := range ask(t, p, "run", 3).Ballots {
		if b.Outcome != shadow.Undecided || b.Votes[0].Why != "it failed" {
			t.Errorf("%+v", b)
		}
	}
	var judge *batching
	p, _ = panelOf("", func(c *Config) {
		judge = &batching{scripted: says("judge", 'p'), letters: "pppppp", sizes: make(chan int, 9)}
		c.PerRequest, c.Judges, c.Budget = 3, []shadow.Judge{judge}, Budget{Calls: 1}
	})
	passed := 0
	for _, b := range ask(t, p, "run", 6).Ballots {
		if b.Outcome == shadow.Passed {
			passed++
		} else if !strings.Contains(b.Votes[0].Why, "budget") {
			t.Errorf("%+v", b)
		}
	}
	if passed != 3 {
		t.Errorf("%d passed with one call of three questions", passed)
	}
}

// TestSeveralCached: of a request only what is not known is asked.
func TestSeveralCached(t *testing.T) {
	cache := &memory{votes: map[string]shadow.Vote{}}
	var judge *batching
	with := func(letters string) *Panel {
		p, _ := panelOf("", func(c *Config) {
			judge = &batching{scripted: says("judge", 'p'), letters: letters, sizes: make(chan int, 9)}
			c.PerRequest, c.Judges, c.Cache = 4, []shadow.Judge{judge}, cache
		})
		return p
	}
	ask(t, with("p-f-"), "run", 4)
	out := ask(t, with("fppp"), "run", 4)
	if got := judge.requests(); got != "2" {
		t.Errorf("requests of %s questions", got)
	}
	for i, want := range []shadow.Outcome{shadow.Passed, shadow.Passed, shadow.Failed, shadow.Passed} {
		if b := out.Ballots[i]; b.Outcome != want || b.Votes[0].Cached != (i%2 == 0) {
			t.Errorf("question %d: %+v", i, b)
		}
	}
}
