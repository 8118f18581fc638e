package render

import (
	"fmt"
	"slices"
	"strings"

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
func (s section) Strips() []Strip {
	if s.Swarm == nil || s.Swarm.SealBroken != "" {
		return nil
	}
	groups := map[shadow.Category][]Mark{}
	for n := range s.Score.SealedTests.Total {
		id := fmt.Sprintf("sc-%02d", n+1) // as the envelope numbers them
		category, outcome := s.criterion(n, id)
		groups[category] = append(groups[category], Mark{strings.TrimPrefix(id, "sc-"), outcome})
	}
	var strips []Strip
	for _, c := range append(shadow.Categories(), "unknown", "") {
		if marks := groups[c]; len(marks) > 0 {
			strips = append(strips, Strip{strings.ReplaceAll(string(c), "_", " "), marks})
			delete(groups, c)
		}
	}
	return strips
}

// criterion is what became of the n-th criterion, from 0.
func (s section) criterion(n int, id string) (shadow.Category, string) {
	var category shadow.Category
	if n < len(s.Swarm.Categories) {
		category = s.Swarm.Categories[n]
	}
	if category != "" && !slices.Contains(shadow.Categories(), category) {
		category = "unknown"
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
