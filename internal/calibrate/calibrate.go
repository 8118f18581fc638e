// Package calibrate tells how well judges judge: it compares what they say of
// labelled examples with the labels. Its figures are about the examples alone.
package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Result is how well judges did on labelled examples.
type Result struct {
	Examples int `json:"examples"`
	Passing  int `json:"-"` // of the examples, those that are labelled pass
	// Reviews: the labels are those of reviews in the log, and the votes those that
	// were cast in the runs.
	Reviews bool    `json:"reviews,omitempty"`
	Judges  []Judge `json:"judges"`
	// Panel is the strict majority of the judges; nil with fewer than two.
	Panel *Judge `json:"panel,omitempty"`
}

// Judge is what one judge did.
type Judge struct {
	Name       string       `json:"name"`
	Model      string       `json:"model,omitempty"`
	Family     string       `json:"family,omitempty"`
	Overall    Accuracy     `json:"overall"`
	Categories []ByCategory `json:"categories"`
	Reasons    []Reason     `json:"no_vote_reasons"` // the most frequent first
	Calls      int          `json:"calls"`
	Tokens     int64        `json:"tokens"`
	Millis     int64        `json:"ms"` // of all votes, added up
}

// ByCategory is the accuracy on the examples of one category, or on the items
// of one kind.
type ByCategory struct {
	Category shadow.Category `json:"category"`
	Accuracy
}

// Reason is why a judge had no vote, and how often.
type Reason struct {
	Why string `json:"why"`
	N   int    `json:"n"`
}

// Err names the judges that had no vote at all, with the most
// frequent reason; nil if every judge had one.
func (r *Result) Err() error {
	var silent []error
	for i := range r.Judges {
		if j := &r.Judges[i]; j.Overall.NoVote.N == j.Overall.NoVote.Of && len(j.Reasons) > 0 {
			silent = append(silent, fmt.Errorf("%s had no vote on any example: %s", shadow.Printable(j.Name), shadow.Printable(j.Reasons[0].Why)))
		}
	}
	return errors.Join(silent...)
}

// Run puts all examples to each judge by itself. c says how judges are asked; its
// judges and budget are not used.
func Run(ctx context.Context, examples []Example, judges []shadow.Judge, c panel.Config) (*Result, error) {
	questions := make([]shadow.Question, len(examples))
	for i := range examples {
		questions[i] = examples[i].question()
	}
	var all []column
	c.Budget = panel.Budget{}
	for _, j := range judges {
		c.Judges = []shadow.Judge{j}
		said, err := panel.New(c).Ask(ctx, questions)
		if err != nil {
			return nil, err
		}
		of := column{name: j.Ref().Name, model: j.Ref().Model}
		for i := range said.Ballots {
			of.votes = append(of.votes, &said.Ballots[i].Votes[0])
		}
		all = append(all, of)
	}
	return compare(examples, all, majority(all, len(examples))), nil
}

// column is what one judge said of each example; nil where it was not asked.
type column struct {
	name  string
	model shadow.Model
	votes []*shadow.Vote
}

// compare says how judges did, and a panel of them.
func compare(examples []Example, all []column, panel column) *Result {
	r := &Result{Examples: len(examples), Judges: []Judge{}}
	for i := range examples {
		if examples[i].Passes {
			r.Passing++
		}
	}
	for _, c := range all {
		r.Judges = append(r.Judges, judged(examples, c))
	}
	if len(all) > 1 {
		p := judged(examples, panel)
		r.Panel = &p
	}
	return r
}

// judged sums up what one judge, or a panel, did.
func judged(examples []Example, c column) Judge {
	j := Judge{Name: c.name, Model: c.model.Model, Family: c.model.Family, Categories: []ByCategory{}, Reasons: []Reason{}}
	j.Overall = noVotes()
	groups, why := map[shadow.Category]*ByCategory{}, map[string]int{}
	for i, v := range c.votes {
		if v == nil {
			continue
		}
		category := examples[i].category()
		if groups[category] == nil {
			groups[category] = &ByCategory{category, noVotes()}
		}
		j.Overall.add(examples[i].Passes, v.Outcome)
		groups[category].add(examples[i].Passes, v.Outcome)
		j.Calls, j.Tokens, j.Millis = j.Calls+v.Calls, j.Tokens+v.Tokens, j.Millis+v.Millis
		if v.Outcome == shadow.Undecided && v.Why != "" {
			why[v.Why]++
		}
	}
	for _, category := range slices.Sorted(maps.Keys(groups)) {
		j.Categories = append(j.Categories, *groups[category])
	}
	for w, n := range why {
		j.Reasons = append(j.Reasons, Reason{w, n})
	}
	slices.SortFunc(j.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Why, b.Why))
	})
	return j
}

// majority is what a panel of all judges decides of each of n examples, and costs.
func majority(all []column, n int) column {
	out := column{name: "panel"}
	for i := range n {
		var cast []shadow.Vote
		v := &shadow.Vote{}
		for _, c := range all {
			of := c.votes[i]
			cast = append(cast, *of)
			v.Calls, v.Tokens, v.Millis = v.Calls+of.Calls, v.Tokens+of.Tokens, v.Millis+of.Millis
		}
		if v.Outcome, _ = shadow.Tally(cast, len(all)); v.Outcome == shadow.Undecided {
			v.Why = "no majority"
		}
		out.votes = append(out.votes, v)
	}
	return out
}

// Accuracy counts right and wrong votes.
type Accuracy struct {
	Examples int `json:"examples"`
	// Right is among the votes that were cast. FalsePass is among the examples
	// that are labelled fail, FalseFail among those that are labelled pass, and
	// NoVote among all.
	Right     Share `json:"right"`
	FalsePass Share `json:"false_pass"`
	FalseFail Share `json:"false_fail"`
	NoVote    Share `json:"no_vote"`
}

// Share is a part of a whole, with the 95 % interval after Wilson. Of nothing
// it is 0, from 0 to 1.
type Share struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func shareOf(n, of int) Share {
	s := Share{N: n, Of: of, High: 1}
	if of == 0 {
		return s
	}
	const z = 1.959964 // of 95 %
	p, m := float64(n)/float64(of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	rounded := func(f float64) float64 { return math.Round(f*1e4) / 1e4 } // the same everywhere
	s.Rate, s.Low, s.High = rounded(p), rounded(max(0, mid-half)), rounded(min(1, mid+half))
	return s
}

func noVotes() Accuracy {
	none := shareOf(0, 0)
	return Accuracy{Right: none, FalsePass: none, FalseFail: none, NoVote: none}
}

// add counts a vote by what its example is labelled.
func (a *Accuracy) add(passes bool, said shadow.Outcome) {
	a.Examples++
	cast, right, mistakes := said != shadow.Undecided, (said == shadow.Passed) == passes, &a.FalsePass
	if passes {
		mistakes = &a.FalseFail
	}
	mistakes.add(cast && !right)
	a.NoVote.add(!cast)
	if cast {
		a.Right.add(right)
	}
}

func (s *Share) add(is bool) {
	if s.Of++; is {
		s.N++
	}
	*s = shareOf(s.N, s.Of)
}

// String is a share in percent, as "3/40 8 % [3, 20]", or a dash of nothing.
func (s Share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d %.0f %% [%.0f, %.0f]", s.N, s.Of, 100*s.Rate, 100*s.Low, 100*s.High)
}

// FromReview makes an example of each item or criterion of which reviews of a domain
// give a verdict, the last one. That of a criterion, which is sealed, has its category alone.
func FromReview(s *history.Submission) (all []Example) {
	judged := s.Report() // of the cycle that stands
	labels := map[string]shadow.ItemState{}
	var names []string
	for _, d := range s.Run.Reviews {
		if d.Domain != s.Domain || d.Review.Cycle != s.Last.Swarm.Cycle {
			continue
		}
		for _, f := range d.Review.Found {
			if labels[f.About] == "" {
				names = append(names, f.About)
			}
			labels[f.About] = f.State
		}
	}
	for _, name := range names {
		l := Example{Passes: labels[name] == shadow.ItemFound, Task: judged.Report.Specification, Bundle: s.Bundle, id: name,
			judges: judged.Swarm.Judges, ballot: shadow.BallotOn(judged.Swarm.Ballots, name)}
		if v := s.Last.Swarm.Item(name); v != nil {
			l.Item = &v.Item
		} else if c := s.Last.Swarm.Criterion(name); c != nil {
			l.Criterion = &shadow.Asked{ID: name, Material: &shadow.Material{Category: c.Category}}
		} else {
			continue
		}
		all = append(all, l)
	}
	return all
}

// Asked are those that can be put to judges: on items of bundles that are still
// stored.
func Asked(all []Example) []Example {
	return slices.DeleteFunc(slices.Clone(all), func(e Example) bool { return e.Item == nil || e.Bundle == nil })
}

// Stored says how often the judges of the log agreed with the people who reviewed
// what they had judged. Nobody is asked.
func Stored(all []Example) *Result {
	var columns []column
	panel := column{name: "panel"}
	for i := range all {
		e := &all[i]
		outcome := &shadow.Vote{Outcome: shadow.Undecided, Why: "no judge was asked"}
		panel.votes = append(panel.votes, outcome)
		if e.ballot == nil {
			continue
		}
		outcome.Outcome, outcome.Why = e.ballot.Outcome, "no majority"
		for k := range e.ballot.Votes {
			v := &e.ballot.Votes[k]
			j := slices.IndexFunc(e.judges, func(j shadow.JudgeRef) bool { return j.Name == v.Judge })
			if j < 0 {
				continue
			}
			model := shadow.Model{Model: e.judges[j].Model.Model, Family: e.judges[j].Family}
			at := slices.IndexFunc(columns, func(c column) bool { return c.name == v.Judge && c.model == model })
			if at < 0 {
				at, columns = len(columns), append(columns, column{v.Judge, model, make([]*shadow.Vote, len(all))})
			}
			columns[at].votes[i] = v
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.model.Model, b.model.Model))
	})
	r := compare(all, columns, panel)
	r.Reviews = true
	return r
}
