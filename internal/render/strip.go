package render

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Strip is the criteria of one category, without a word of them.
type Strip struct {
	Category string // empty where the report does not name it
	Marks    []Mark
}

// Mark is one criterion: its number, and what became of it.
type Mark struct{ No, Outcome string }

// Strips group the criteria of a report by category.
func (s *Subject) Strips() (strips []Strip) {
	if s.Swarm == nil || s.Swarm.SealBroken != "" {
		return nil
	}
	groups := map[shadow.Category][]Mark{}
	for n := range s.Score.SealedTests.Total {
		id := shadow.CriterionID(n)
		category, outcome := s.criterion(n, id)
		groups[category] = append(groups[category], Mark{strings.TrimPrefix(id, "sc-"), outcome})
	}
	for _, c := range append(allCategories(), "") {
		if marks := groups[c]; len(marks) > 0 {
			strips = append(strips, Strip{strings.ReplaceAll(string(c), "_", " "), marks})
			delete(groups, c)
		}
	}
	return strips
}

// criterion is what became of the n-th criterion, from 0.
func (s *Subject) criterion(n int, id string) (shadow.Category, string) {
	var category shadow.Category
	if n < len(s.Swarm.Categories) {
		category = s.Swarm.Categories[n]
	}
	if category != "" && !slices.Contains(shadow.Categories(), category) {
		category = results.Unknown
	}
	switch {
	case slices.Contains(s.Swarm.NotApplicable, id):
		return category, "not applicable"
	case slices.Contains(s.Swarm.Undecided, id):
		return category, "undecided"
	case slices.ContainsFunc(s.Score.Failures, func(f shadow.Failure) bool { return f.TestName == id }):
		return category, "failed"
	}
	return category, "passed"
}

// Class is the outcome as a class of the style sheet.
func (m Mark) Class() string { return "mark-" + strings.ReplaceAll(m.Outcome, " ", "-") }
