package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// comparison is what judges say now of a run, beside what its reports say.
type comparison struct {
	Run     string             `json:"run_id"`
	Judges  []shadow.AuthorRef `json:"judges"` // that were asked now
	Domains []*rejudged        `json:"domains"`
	Cost    shadow.Cost        `json:"cost"` // of asking now
}

// rejudged is the comparison of one domain.
type rejudged struct {
	Domain   string `json:"domain"`
	BundleID string `json:"bundle_id"`
	Cycle    int    `json:"cycle"` // whose submission stands
	// Withheld is why it could not be judged again.
	Withheld string       `json:"withheld,omitempty"`
	Criteria []reconsider `json:"criteria"`
	// Before is what the report says and Now what would follow; nil where it
	// was not judged again.
	Before *standing `json:"before,omitempty"`
	Now    *standing `json:"now,omitempty"`
}

// reconsider is one criterion or item that was put to the judges again.
type reconsider struct {
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

// standing is what follows from a set of verdicts.
type standing struct {
	Score     shadow.Score  `json:"score"`
	Percent   json.Number   `json:"shadow_score"`
	Level     shadow.Level  `json:"level"`
	Gate      shadow.Action `json:"gate"`
	Undecided []string      `json:"undecided"`
	Advisory  []string      `json:"advisory_reasons"`
}

func standingOf(r *shadow.Report) *standing {
	s := &r.Swarm
	return &standing{s.Score, s.Score.Percent(), s.Score.Level(), s.Gate.Action, append([]string{}, s.Undecided...), append([]string{}, s.AdvisoryReasons...)}
}

// failed is the error of a comparison that compares nothing of what it should.
func (c *comparison) failed() error {
	var why []string
	for _, d := range c.Domains {
		if d.Withheld == "" {
			return nil
		}
		why = append(why, fmt.Sprintf("domain %s cannot be judged again: %s", d.Domain, shadow.Printable(d.Withheld)))
	}
	if len(why) == 0 {
		return nil
	}
	return hint.Failed(errors.New(strings.Join(why, "\n")), "")
}

// reconsidered compares one criterion or item and adds the cost of asking.
func (c *comparison) reconsidered(rep *shadow.Report, q *shadow.Question, now *shadow.Ballot) reconsider {
	k := reconsider{Before: before(rep, q), Was: ballotOn(rep, now), Now: now.Outcome, Ballot: *now}
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
	was := ballotOn(rep, &shadow.Ballot{TestName: idOf(q), Item: refOf(q)})
	switch {
	case q.Item != nil && was == nil, slices.Contains(rep.Swarm.Undecided, idOf(q)):
		return shadow.Undecided
	case was != nil:
		return was.Outcome
	case slices.ContainsFunc(rep.Failures, func(f shadow.Failure) bool { return f.TestName == idOf(q) }):
		return shadow.Failed
	}
	return shadow.Passed
}

func idOf(q *shadow.Question) string {
	if q.Item != nil {
		return ""
	}
	return q.Criterion.ID
}

func refOf(q *shadow.Question) *shadow.ItemRef {
	if q.Item == nil {
		return nil
	}
	return &q.Item.ItemRef
}

// ballotOn is the ballot of a report on the same criterion or item, or nil.
func ballotOn(rep *shadow.Report, b *shadow.Ballot) *shadow.Ballot {
	i := slices.IndexFunc(rep.Swarm.Ballots, func(was shadow.Ballot) bool { return sameSubject(&was, b) })
	if i < 0 {
		return nil
	}
	return &rep.Swarm.Ballots[i]
}

// sameSubject reports whether two ballots are about the same criterion or item.
func sameSubject(a, b *shadow.Ballot) bool {
	if a.Item != nil && b.Item != nil {
		return *a.Item == *b.Item
	}
	return a.Item == b.Item && a.TestName == b.TestName
}
