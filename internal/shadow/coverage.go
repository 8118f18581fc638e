package shadow

import "slices"

// coverage compares sealed criteria with open tests, category by category, or
// is nil where the bundle does not say of which category its tests are. Tests
// of a category that the protocol does not know are of "unknown".
func coverage(criteria []Criterion, open map[Category]TestTally) map[Category]Coverage {
	if len(open) == 0 {
		return nil
	}
	out := map[Category]Coverage{}
	add := func(c Category, sealed, open int) {
		n := out[c]
		n.Sealed += sealed
		n.Open += open
		n.Delta = n.Sealed - n.Open
		out[c] = n
	}
	for i := range criteria {
		add(criteria[i].Category, 1, 0)
	}
	for c, t := range open {
		if c == "edge_cases" { // as some runners have it
			c = EdgeCase
		}
		if !slices.Contains(Categories(), c) {
			c = "unknown"
		}
		add(c, 0, t.Total)
	}
	return out
}
