package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Comparison is what judges say of a run when they are asked again, beside what
// its reports say.
type Comparison struct {
	Run     string             `json:"run_id"`
	Judges  []shadow.AuthorRef `json:"judges"` // that were asked again
	Domains []*DomainCompared  `json:"domains"`
	Cost    shadow.Cost        `json:"cost"` // of asking again
}

// DomainCompared is the comparison of one domain.
type DomainCompared struct {
	Domain   string `json:"domain"`
	BundleID string `json:"bundle_id"`
	Cycle    int    `json:"cycle"` // whose submission stands
	// Withheld is why it could not be judged again.
	Withheld string     `json:"withheld,omitempty"`
	Criteria []Compared `json:"criteria"`
	// Before is what the report says and Now what would follow; nil where it
	// was not judged again.
	Before *Outcome `json:"before,omitempty"`
	Now    *Outcome `json:"now,omitempty"`
}

// Compared is one criterion or item about which the judges were asked again.
type Compared struct {
	TestName string          `json:"test_name,omitempty"`
	Category shadow.Category `json:"category,omitempty"`
	Asserts  string          `json:"assertion,omitempty"`
	// Item and Text are set in the place of the three above.
	Item   *shadow.ItemRef `json:"item,omitempty"`
	Text   string          `json:"text,omitempty"`
	Before shadow.Outcome  `json:"before"`
	// Was is the ballot of the report; nil where nobody was asked then.
	Was     *shadow.Ballot `json:"was,omitempty"`
	Now     shadow.Outcome `json:"now"`
	Ballot  shadow.Ballot  `json:"ballot"`
	Changed bool           `json:"changed"`
}

// Outcome is what follows from a set of verdicts.
type Outcome struct {
	shadow.DomainSummary
	Undecided []string `json:"undecided"`
	Reasons   []string `json:"advisory_reasons"`
}

func outcomeOf(r *shadow.Report) *Outcome {
	return &Outcome{r.Summary(), append([]string{}, r.Swarm.Undecided...), append([]string{}, r.Swarm.AdvisoryReasons...)}
}

// ToJudge are the submissions that stand, of the domains of a selection, whose
// report has something undecided or unread, or with all every one.
func ToJudge(r *history.Run, of Selection, all bool) (subs []*Submission, err error) {
	reports, err := of.Of(r)
	for _, rep := range reports {
		if sw := &rep.Swarm; !all && len(sw.Undecided) == 0 && sw.Read.Read == sw.Read.Items {
			continue
		}
		s, err := Choose(r, rep.Swarm.Domain, nil)
		if err != nil {
			return nil, err
		}
		subs = append(subs, s)
	}
	return subs, err
}

// Err says why nothing was judged again of what should be; nil if something was.
func (c *Comparison) Err() error {
	var why []error
	for _, d := range c.Domains {
		if d.Withheld == "" {
			return nil
		}
		why = append(why, fmt.Errorf("domain %s cannot be judged again: %s", d.Domain, shadow.Printable(d.Withheld)))
	}
	return errors.Join(why...)
}

// Rejudge asks a panel about what the reports on the submissions call undecided
// or unread, or with all everything that the checks leave open. Their envelope
// is open.
func Rejudge(ctx context.Context, js jetstream.JetStream, run string, subs []*Submission, p bus.Panel, all bool) (*Comparison, error) {
	c := &Comparison{Run: run, Judges: []shadow.AuthorRef{}, Domains: []*DomainCompared{}}
	for _, s := range subs {
		if err := c.rejudge(ctx, js, s, p, all); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// rejudge adds a domain to the comparison.
func (c *Comparison) rejudge(ctx context.Context, js jetstream.JetStream, s *Submission, p bus.Panel, all bool) error {
	d := &DomainCompared{Domain: s.Domain, BundleID: s.Last.Swarm.BundleID, Cycle: s.Cycle, Criteria: []Compared{}}
	exam, ev, err := s.evidence(ctx, js)
	if err != nil {
		return err
	}
	if d.Withheld = s.Withheld; exam == nil {
		c.Domains = append(c.Domains, d)
		return nil
	}
	rep := s.Report()
	qs := slices.DeleteFunc(exam.Questions(ev), func(q shadow.Question) bool {
		return !all && before(rep, &q) != shadow.Undecided
	})
	if len(qs) == 0 {
		return nil
	}
	now, err := p.Ask(progress.In(ctx, d.Domain), qs)
	if err != nil {
		return fmt.Errorf("asking the judges: %w", err)
	}
	c.Judges, c.Domains = now.Judges, append(c.Domains, d)
	for i := range qs {
		d.Criteria = append(d.Criteria, c.compared(rep, &qs[i], &now.Ballots[i]))
	}
	// What is not asked again stands as it was voted.
	ev.Panel = now
	was := rep.Panel()
	for i := range was.Ballots {
		if shadow.BallotOn(now.Ballots, was.Ballots[i].About()) == nil {
			ev.Panel.Ballots = append(ev.Panel.Ballots, was.Ballots[i])
		}
	}
	for _, j := range was.Judges {
		if !slices.ContainsFunc(now.Judges, func(n shadow.AuthorRef) bool { return n.Name == j.Name }) {
			ev.Panel.Judges = append(slices.Clone(ev.Panel.Judges), j)
		}
	}
	d.Before, d.Now = outcomeOf(s.Last), s.decide(exam, ev)
	return nil
}

// decide is what would follow if the judges had said then what they say again.
func (s *Submission) decide(exam *shadow.Exam, ev *shadow.Evidence) *Outcome {
	var deadline time.Time
	if d := s.Report().Swarm.Hardening.Deadline; d != nil {
		deadline = *d
	}
	r := exam.Decide(*ev, s.Run.Report(s.Domain, s.Cycle-1), deadline)
	if !r.Swarm.Final && s.Last.Swarm.Final { // the time for a fix is over
		r = shadow.TimedOut(&exam.Envelope.Policy, r, deadline, "")
	}
	return outcomeOf(r)
}

// compared compares one criterion or item and adds the cost of asking.
func (c *Comparison) compared(rep *shadow.Report, q *shadow.Question, now *shadow.Ballot) Compared {
	k := Compared{Before: before(rep, q), Was: shadow.BallotOn(rep.Swarm.Ballots, now.About()), Now: now.Outcome, Ballot: *now}
	if i := q.Item; i != nil {
		k.Item, k.Text = &i.ItemRef, i.Text
	} else {
		k.TestName, k.Category, k.Asserts = q.Criterion.ID, q.Criterion.Category, q.Criterion.Assertion
	}
	k.Changed = k.Before != k.Now
	for i := range now.Votes {
		c.Cost.Calls += now.Votes[i].Calls
		c.Cost.Tokens += now.Votes[i].Tokens
	}
	return k
}

// before is what a report says to a question that the checks leave open. An
// item that no panel decided was not read.
func before(rep *shadow.Report, q *shadow.Question) shadow.Outcome {
	was := shadow.BallotOn(rep.Swarm.Ballots, q.About())
	if q.Item != nil {
		if was != nil {
			return was.Outcome
		}
		return shadow.Undecided
	}
	id := q.Criterion.ID
	switch {
	case slices.Contains(rep.Swarm.Undecided, id):
		return shadow.Undecided
	case was != nil:
		return was.Outcome
	case slices.ContainsFunc(rep.Failures, func(f shadow.Failure) bool { return f.TestName == id }):
		return shadow.Failed
	}
	return shadow.Passed
}

// BallotOn is what judges said to a criterion or an item, as [shadow.Ballot.About]
// names it, or nil.
func (s *Submission) BallotOn(about string) *shadow.Ballot {
	return shadow.BallotOn(s.Report().Swarm.Ballots, about)
}
