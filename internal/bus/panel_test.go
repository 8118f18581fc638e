package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// wordOf is the word that a question asks for: its last one.
func wordOf(q *shadow.Question) string {
	asked := strings.Fields(strings.TrimRight(q.Text(), "."))
	return asked[len(asked)-1]
}

// scripted is a judge that votes as its function says, and counts.
type scripted struct {
	name  string
	calls atomic.Int64
	vote  func(ctx context.Context, q *shadow.Question) (shadow.Vote, error)
}

func (j *scripted) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: j.name, Model: shadow.Model{Model: j.name + "-1", Family: j.name}, Prompt: shadow.Digest([]byte(j.name))}
}

func (j *scripted) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	j.calls.Add(1)
	return j.vote(ctx, q)
}

// reads passes what names the word, with its line as the quote.
func reads(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
	word := wordOf(q)
	v := shadow.Vote{Outcome: shadow.Failed, Actual: "there is nothing on " + word, Calls: 1, Tokens: 50}
	if at := strings.Index(q.Bundle.Content, word); at >= 0 {
		v.Outcome, v.Quote = shadow.Passed, lineAt(q.Bundle.Content, at)
	}
	return v, nil
}

func fails(context.Context, *shadow.Question) (shadow.Vote, error) {
	return shadow.Vote{Calls: 1}, errors.New("no answer, and a secret: alpha")
}

// bench makes judges of a name each.
func bench(votes ...func(context.Context, *shadow.Question) (shadow.Vote, error)) []*scripted {
	var js []*scripted
	for i, vote := range votes {
		js = append(js, &scripted{name: fmt.Sprintf("judge-%d", i+1), vote: vote})
	}
	return js
}

// judged gives an engine a panel of the judges.
func (r *rig) judged(judges []*scripted, change ...func(*panel.Config)) func(*Config) {
	return func(c *Config) {
		pc := panel.Config{Timeout: time.Minute, Logger: c.Logger}
		for _, j := range judges {
			pc.Judges = append(pc.Judges, j)
		}
		for _, f := range change {
			f(&pc)
		}
		c.Panel = panel.New(pc)
	}
}

// TestPanel: the judges are asked for each item, what they find missing is put to
// the commander with the defect, and the fix is judged by them too. The log line
// has the cost and nobody's words.
func TestPanel(t *testing.T) {
	var log syncBuffer
	r := newRig(t, func(c *Config) { c.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	judges := bench(reads, fails, reads)
	r.start(r.judged(judges))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(4)) // alpha to delta are missing
	rep := r.report("run-1", "one", 0)
	s := rep.Swarm
	if s.Score.Failed != 4 || len(s.Ballots) != 7 || len(s.Judges) != 3 || len(s.Undecided()) != 0 || len(s.AdvisoryReasons) != 0 {
		t.Errorf("%+v", s)
	}
	for _, b := range s.Ballots {
		if b.Configured != 3 || b.Cast != 2 || b.Agreed != 2 || len(b.Votes) != 3 || b.Votes[1].Why != "it failed" {
			t.Errorf("%+v", b)
		}
	}
	if c := s.Cost; c == nil || c.Calls != 21 || c.Tokens != 700 {
		t.Errorf("cost %+v", s.Cost)
	}
	h := data[shadow.HardeningData](r, layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1))
	if len(h.Issues) != 4 || !strings.Contains(h.Text, "] Write the part on alpha: there is nothing on alpha\n") {
		t.Errorf("%+v", h)
	}
	r.fix("run-1", "one", 1, content(0))
	if s := r.report("run-1", "one", 1).Swarm; s.Score.Failed != 0 || len(s.Ballots) != 7 {
		t.Errorf("fixed: %+v", s)
	}
	// What judges cannot tell is undecided, advisory, and not put to anybody.
	judges[0].vote = fails
	r.bundle("run-1", "two", content(0))
	if s := r.report("run-1", "two", 0).Swarm; !s.Final || len(s.Undecided()) != 7 || s.Score.Failed != 7 || len(s.AdvisoryReasons) != 1 || s.Gate.Action != shadow.Quarantine {
		t.Errorf("undecided: %+v", s)
	}
	r.absent(layout.Subjects{}.HardeningRequest("cmd-2", "run-1", "two", 1))
	r.checked()
	said := log.String()
	for _, want := range []string{`"msg":"judged"`, `"questions":7`, `"undecided":7`, `"calls":21`, `"tokens":700`} {
		if !strings.Contains(said, want) {
			t.Errorf("the log lacks %s:\n%s", want, said)
		}
	}
	for _, never := range []string{"alpha", "Write the part", "there is nothing", "secret"} {
		if strings.Contains(said, never) {
			t.Errorf("the log has %q", never)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestNobodyIsAsked: not where a program tells all, nor where the seal is broken,
// nor about what has its report. A seal that is broken is told of once.
func TestNobodyIsAsked(t *testing.T) {
	o := &noted{}
	r := newRig(t, func(c *Config) { c.Observer = o })
	judges := bench(reads)
	stop := r.start(r.judged(judges))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	r.bundle("run-1", "one", content(0))
	r.settle()
	if n := judges[0].calls.Load(); n != 7 {
		t.Errorf("%d calls for seven questions", n)
	}
	r.bundle("run-1", "two", content(0)+r.opened("run-1").Decoy.Token)
	if s := r.report("run-1", "two", 0).Swarm; s.SealBroken == "" || len(s.Ballots) > 0 {
		t.Errorf("a bundle with the decoy: %+v", s)
	}
	r.sealRun("run-2")
	r.settle()
	stop()
	r.start(r.judged(judges))
	r.tamper("run-2", []byte("easy criteria"))
	r.bundle("run-2", "one", content(0))
	if s := r.report("run-2", "one", 0).Swarm; s.SealBroken == "" || len(s.Ballots) > 0 {
		t.Errorf("a broken seal: %+v", s)
	}
	r.bundle("run-2", "two", "# Hello world")
	r.report("run-2", "two", 0)
	o.wants(t, "broken", map[string]int{"decoy": 1, "envelope": 1})
	r.sealRun("run-3")
	r.bundle("run-3", "two", "# Hello world")
	if s := r.report("run-3", "two", 0).Swarm; s.Score.Failed != 8 || s.Counts.Missing != 7 || len(s.Ballots) > 0 {
		t.Errorf("a bundle of one heading: %+v", s)
	}
	if n := judges[0].calls.Load(); n != 7 {
		t.Errorf("%d calls in the end", n)
	}
}

// opened is the envelope of a run.
func (r *rig) opened(run string) *shadow.Envelope {
	entry := bustest.Must(r.store.Envelopes.Get(r.t.Context(), run))
	return bustest.Must(shadow.Decrypt(entry.Value(), r.cfg.Key))
}

// TestCopiesShareAJudgement: one daemon asks once, however many copies of the
// event it has in hand, and they hold nobody up.
func TestCopiesShareAJudgement(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	release := make(chan struct{})
	judges := bench(func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		if q.RunID == "run-1" {
			<-release
		}
		return reads(ctx, q)
	})
	r.start(r.judged(judges))
	r.sealRun("run-1")
	const copies = 60
	first := r.bundle("run-1", "one", content(0))
	for range copies {
		r.bundle("run-1", "one", content(0))
	}
	bustest.WaitFor(t, "all copies to be in hand", func() bool { return r.engine.Waiting() == copies && judges[0].calls.Load() == 1 })
	r.goesOn("run-2")
	close(release)
	if s := r.report("run-1", "one", 0).Swarm; s.In.Sequence != first || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.settle()
	if n := judges[0].calls.Load(); n != 14 {
		t.Errorf("%d calls for the seven questions of each run", n)
	}
	checkLog(t, r.store, r.cfg.Key)
}

// TestVotesArePaidOnce: while the report cannot be stored, nobody is asked again.
func TestVotesArePaidOnce(t *testing.T) {
	r := newRig(t)
	_, js := r.broker.Connect(t)
	var tries atomic.Int64
	lossy := newFaulty(js, func(m *nats.Msg) loss {
		if strings.HasPrefix(m.Subject, "swarm.gap-report.") && tries.Add(1) < 3 {
			return lost
		}
		return unharmed
	})
	judges := bench(reads)
	r.start(r.judged(judges), func(c *Config) { c.Publisher = lossy })
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	s := r.report("run-1", "one", 0).Swarm
	if n := judges[0].calls.Load(); n != 7 || s.Cost.Calls != 7 || s.Score.Failed != 1 || tries.Load() != 3 {
		t.Errorf("%d calls, %d tries, %+v", n, tries.Load(), s)
	}
}

// TestStoppedWhileJudging: what a judge says to a daemon that stops is not
// waited for, the event is handed back, and the next daemon judges it.
func TestStoppedWhileJudging(t *testing.T) {
	t.Parallel() // it waits for the grace to pass
	r := newRig(t)
	judges := bench(reads, func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		<-ctx.Done()
		return shadow.Vote{}, ctx.Err()
	})
	stop := r.start(r.judged(judges))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	bustest.WaitFor(t, "the judges to be asked", func() bool { return judges[0].calls.Load() == 7 && judges[1].calls.Load() == 1 })
	stop()
	r.absent(layout.Subjects{}.GapReport("run-1", "one", 0))
	judges[1].vote = reads
	r.start(r.judged(judges))
	if s := r.report("run-1", "one", 0).Swarm; s.Cost.Calls != 14 || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
}
