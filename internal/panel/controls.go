package panel

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// withControls adds to the questions for a judge the control questions that it
// has not answered. They stand where they stand among all questions, so that
// their order does not tell them. A judge that answers from a file gets none.
func (s *poll) withControls(m int, places []int) []int {
	if s.p.members[m].recorded {
		return places
	}
	all := slices.Clone(places)
	for i := range s.qs {
		if s.qs[i].Control != "" && s.votes[i][m].state != said {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// examine takes a judge's votes away if it answered a control question wrongly.
// The verdict that it gave counts, whether or not there was evidence for it. No
// readable answer shows nothing.
func (s *poll) examine(m int) {
	j := &s.judges[m]
	if j.excluded != "" {
		return
	}
	for i := range s.qs {
		c := &s.votes[i][m]
		switch q := &s.qs[i]; {
		case c.state != said:
		case q.Control == shadow.ControlFalse && c.vote.Said == shadow.Passed:
			j.excluded = "it passed an item that the work cannot hold"
		case q.Control == shadow.ControlTrue && c.vote.Said == shadow.Failed:
			j.excluded = "it failed a passage that stands in the content"
		}
	}
	if j.excluded == "" {
		return
	}
	for i := range s.qs {
		if c := &s.votes[i][m]; c.state != unasked && s.qs[i].Control == "" {
			c.vote, c.state = s.excluded(m, c.vote), said
		}
	}
}

// excluded is the vote of a judge that has none on this bundle.
func (s *poll) excluded(m int, v shadow.Vote) shadow.Vote {
	return s.none(m, v, "its answer to a control question was wrong: "+s.judges[m].excluded)
}

// enoughPasses is from how many passes on it is odd that one quote serves half
// of them.
const enoughPasses = 8

// doubt says what is odd about a judge's votes, or nothing.
func (s *poll) doubt(m int) string {
	passes, most := 0, 0
	serves := map[string]int{}
	for i := range s.qs {
		if v := &s.votes[i][m].vote; s.qs[i].Control == "" && v.Outcome == shadow.Passed {
			passes++
			serves[v.Quote]++
			most = max(most, serves[v.Quote])
		}
	}
	if passes < enoughPasses || 2*most < passes {
		return ""
	}
	return fmt.Sprintf("one quote serves %d of its %d passes", most, passes)
}
