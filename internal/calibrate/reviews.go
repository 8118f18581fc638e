package calibrate

import (
	"cmp"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Labelled is an example that a person has labelled in a review, with what judges
// said of it when the bundle was judged.
type Labelled struct {
	Example
	Judges []shadow.JudgeRef // of the run
	Ballot *shadow.Ballot    // nil: nobody was asked
}

// FromReview makes examples of the reviews of a domain, one for each item or
// criterion on which there is a verdict; of several the last counts. A criterion is
// sealed, so its example says its category and can be put to no judge.
func FromReview(s *history.Submission) (all []Labelled) {
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
		l := Labelled{Judges: judged.Swarm.Judges, Ballot: shadow.BallotOn(judged.Swarm.Ballots, name)}
		l.Passes, l.Task, l.Bundle, l.id = labels[name] == shadow.ItemFound, judged.Report.Specification, s.Bundle, name
		if i := slices.IndexFunc(s.Last.Swarm.Items, func(v shadow.ItemVerdict) bool { return v.Name == name }); i >= 0 {
			l.Item = &s.Last.Swarm.Items[i].Item
		} else if i := slices.IndexFunc(s.Last.Swarm.Criteria, func(c shadow.CriterionVerdict) bool { return c.ID == name }); i >= 0 {
			l.Criterion = &shadow.Asked{ID: name, Material: &shadow.Material{Category: s.Last.Swarm.Criteria[i].Category}}
		} else {
			continue
		}
		all = append(all, l)
	}
	return all
}

// Asked are those that can be put to judges: on items of bundles that are still
// stored.
func Asked(all []Labelled) (examples []Example) {
	for i := range all {
		if l := &all[i]; l.Item != nil && l.Bundle != nil {
			examples = append(examples, l.Example)
		}
	}
	return examples
}

// Stored says how often the judges of the log agreed with the people who reviewed
// what they had judged. Nobody is asked. A judge that was not needed for a question
// has no example there.
func Stored(all []Labelled) *Result {
	r := &Result{Examples: len(all), Reviews: true, Judges: []Judge{}, Agreement: []Agreement{}}
	type ref struct{ name, model, family string }
	var refs []ref
	votes := map[ref][]*shadow.Vote{}
	outcomes := make([]shadow.Vote, len(all))
	examples := make([]Example, len(all))
	for i := range all {
		l := &all[i]
		if examples[i] = l.Example; l.Passes {
			r.Passing++
		}
		outcomes[i] = shadow.Vote{Outcome: shadow.Undecided, Why: "no judge was asked"}
		if l.Ballot == nil {
			continue
		}
		if outcomes[i].Outcome = l.Ballot.Outcome; l.Ballot.Outcome == shadow.Undecided {
			outcomes[i].Why = "no majority"
		}
		for k := range l.Ballot.Votes {
			v := &l.Ballot.Votes[k]
			j := slices.IndexFunc(l.Judges, func(j shadow.JudgeRef) bool { return j.Name == v.Judge })
			if j < 0 {
				continue
			}
			by := ref{v.Judge, l.Judges[j].Model.Model, l.Judges[j].Family}
			if votes[by] == nil {
				votes[by] = make([]*shadow.Vote, len(all))
				refs = append(refs, by)
			}
			votes[by][i] = v
		}
	}
	slices.SortFunc(refs, func(a, b ref) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.model, b.model)) })
	for i, by := range refs {
		var of []Example
		var cast []shadow.Vote
		for k, v := range votes[by] {
			if v != nil {
				of, cast = append(of, examples[k]), append(cast, *v)
			}
		}
		r.Judges = append(r.Judges, judged(of, by.name, shadow.Model{Model: by.model, Family: by.family}, cast))
		for _, other := range refs[i+1:] {
			var first, second []shadow.Vote
			for k := range all {
				if v, w := votes[by][k], votes[other][k]; v != nil && w != nil {
					first, second = append(first, *v), append(second, *w)
				}
			}
			a := agree(first, second)
			a.Judges = []string{by.name, other.name}
			r.Agreement = append(r.Agreement, a)
		}
	}
	if len(refs) > 1 {
		p := judged(examples, "panel", shadow.Model{}, outcomes)
		r.Panel = &p
	}
	return r
}
