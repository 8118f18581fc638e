package render

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Criterion is what a report says of one sealed criterion.
type Criterion struct {
	ID       string
	Category shadow.Category // empty where the report does not name it
	Outcome  shadow.Outcome  // or unread
	Failure  shadow.Failure  // nothing where it counts as passed
}

// unread stands for the outcome of a criterion that counts as passed though not
// all of its items were read.
const unread shadow.Outcome = "unread"

// Criteria are those of a bundle, in the order of their ids; none where the seal
// is broken, since nothing was judged.
func (s *Subject) Criteria() (list []Criterion) {
	if s.Swarm == nil || s.Swarm.SealBroken != "" {
		return nil
	}
	for n := range min(s.Score.SealedTests.Total, shadow.MaxCriteria) {
		c := Criterion{ID: shadow.CriterionID(n), Outcome: shadow.Passed}
		if n < len(s.Swarm.Categories) {
			if c.Category = s.Swarm.Categories[n]; !slices.Contains(allCategories(), c.Category) {
				c.Category = results.Unknown
			}
		}
		if i := slices.IndexFunc(s.Score.Failures, func(f shadow.Failure) bool { return f.TestName == c.ID }); i >= 0 {
			c.Outcome, c.Failure = shadow.Failed, s.Score.Failures[i]
		}
		switch {
		case slices.Contains(s.Swarm.NotApplicable, c.ID):
			c.Outcome = shadow.NotApplicable
		case s.undecided(c.ID):
			c.Outcome = shadow.Undecided
		case slices.Contains(s.Swarm.UnreadCriteria, c.ID):
			c.Outcome = unread
		}
		list = append(list, c)
	}
	return list
}

// words is an outcome or a category in words.
func words[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }

// strip is the criteria of one category, without a word of them.
type strip struct {
	Category string // empty where the report does not name it
	Marks    []mark
}

// mark is one criterion: its number, and what became of it.
type mark struct{ No, Outcome string }

// Class is the outcome as a class of the style sheet.
func (m mark) Class() string { return "mark-" + strings.ReplaceAll(m.Outcome, " ", "-") }

// Strips group the criteria of a report by category.
func (s *Subject) Strips() (strips []strip) {
	groups := map[shadow.Category][]mark{}
	for _, c := range s.Criteria() {
		groups[c.Category] = append(groups[c.Category], mark{strings.TrimPrefix(c.ID, "sc-"), words(c.Outcome)})
	}
	for _, c := range append(allCategories(), "") {
		if len(groups[c]) > 0 {
			strips = append(strips, strip{words(c), groups[c]})
		}
	}
	return strips
}
