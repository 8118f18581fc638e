package shadow

import (
	"slices"
	"strings"
)

// plan is how many criteria of each kind a domain of n criteria is asked.
type plan struct{ items, figures, written int }

// planFor gives half of n criteria, rounded up, to the items of the assignment,
// one to figures, and the rest to authors.
func planFor(n int) plan {
	p := plan{items: (n + 1) / 2}
	p.figures = min(n-p.items, 1)
	p.written = n - p.items - p.figures
	return p
}

// compose lists what one domain is asked, of at most n criteria: what authors
// have written, figures, and the items, which get what authors leave. Nothing
// in it is drawn. Fewer items than criteria make fewer criteria.
func compose(items []Item, n int, written []Material) []Material {
	p := planFor(n)
	parts := dealItems(items, n-p.figures-len(written))
	out := make([]Material, 0, n)
	for _, part := range parts {
		names := make([]string, len(part))
		for i, it := range part {
			names[i] = it.Name
		}
		out = append(out, Material{
			Kind: AskItems, Category: categoryOf(part), Author: Program, Items: names,
			Assertion: "The work delivers " + strings.Join(names, ", ") + ".",
			Expected:  "a passage of the content that delivers each of them",
		})
	}
	if p.figures > 0 {
		out = append(out, Material{
			Kind: AskFigures, Category: ErrorHandling, Author: Program,
			Assertion: "The figures of the work add up, and nothing in it is left to fill in.",
			Expected:  "totals, shares and equations that are right; no placeholder and no secret",
		})
	}
	return append(out, written...)
}

// dealItems deals items in turn into at most n parts: sub-tasks, then
// deliverables, then constraints and requirements. What is left out together is
// often of one kind and stands side by side; dealt in turn it falls into
// different criteria, and the score follows how much is missing. Parts for each
// kind would put all deliverables of an assignment into one.
func dealItems(items []Item, n int) [][]Item {
	n = min(n, len(items))
	if n <= 0 {
		return nil
	}
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int { return a.Kind.order() - b.Kind.order() })
	parts := make([][]Item, n)
	for i, it := range items {
		parts[i%n] = append(parts[i%n], it)
	}
	return parts
}

// kindCategories are the categories of the kinds of items, in the order in which
// items are dealt.
var kindCategories = []Category{HappyPath, Completeness, EdgeCase}

// order is the place of a kind in kindCategories.
func (k ItemKind) order() int {
	switch k {
	case SubTask, Brief:
		return 0
	case Deliverable:
		return 1
	}
	return 2
}

// categoryOf is the category of most of some items; of as many, that of the kind
// that comes last, which is the rarer one.
func categoryOf(items []Item) Category {
	count := make([]int, len(kindCategories))
	for _, it := range items {
		count[it.Kind.order()]++
	}
	best := 0
	for i, n := range count {
		if n > 0 && n >= count[best] {
			best = i
		}
	}
	return kindCategories[best]
}
