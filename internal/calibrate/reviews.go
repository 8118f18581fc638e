package calibrate

import (
	"cmp"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// FromReview makes examples of the reviews of a domain, one for each item or
// criterion on which there is a verdict; of several the last counts. A criterion is
// sealed, so its example says its category and can be put to no judge.
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
// what they had judged. Nobody is asked. A judge that was not needed for a question
// has no example there.
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
