package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/swarmspeed/shadowd/internal/text/figures"
)

// Ambiguity is how far the authors of an envelope read the decomposition's
// requirements in different ways.
type Ambiguity struct {
	Disputed     []string `json:"disputed,omitempty"` // the ids of those of which authors expect what cannot both be
	Requirements int      `json:"requirements"`       // how many there are
}

// number is the spec's spec_ambiguity as reports show it: from 0, nothing is disputed,
// to 1, with four decimals at most.
func (a *Ambiguity) number() json.Number {
	ratio := float64(len(a.Disputed)) / float64(a.Requirements)
	return json.Number(strconv.FormatFloat(math.Round(ratio*1e4)/1e4, 'f', -1, 64))
}

// compare asks each author that can say it what it expects of the requirements, and
// measures how far they contradict each other. Without two that answer nothing can be
// said: zero would claim an agreement that nobody looked for.
func (g *gathering) compare(ctx context.Context) error {
	var readers []Reader
	for _, a := range g.in.Authors {
		if r, ok := a.(Reader); ok {
			readers = append(readers, r)
		}
	}
	if len(readers) < 2 || len(g.d.Requirements) == 0 {
		return nil
	}
	var tables []map[string]Expectation
	for _, r := range readers {
		table, err := r.Expect(ctx, g.d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.notes = append(g.notes, fmt.Sprintf("author %q does not say what it expects of the requirements: %v", r.Ref().Name, err))
		} else if len(table) > 0 {
			tables = append(tables, table)
		}
	}
	if len(tables) < 2 {
		return nil
	}
	g.ambiguity = &Ambiguity{Requirements: len(g.d.Requirements)}
	for _, r := range g.d.Requirements {
		if disputed(r.ID, tables) {
			g.ambiguity.Disputed = append(g.ambiguity.Disputed, r.ID)
			g.notes = append(g.notes, fmt.Sprintf("requirement %q is disputed: authors expect of it what excludes each other", r.ID))
		}
	}
	return nil
}

// disputed tells whether two tables expect of a requirement what cannot both be.
func disputed(id string, tables []map[string]Expectation) bool {
	var said []Expectation
	for _, t := range tables {
		if e, ok := t[id]; ok && e.Comparable() {
			if slices.ContainsFunc(said, func(o Expectation) bool { return o.excludes(&e) }) {
				return true
			}
			said = append(said, e)
		}
	}
	return false
}

// Expectation is what an author expects of a requirement, in a form that can be
// compared: bounds of a figure, which are equal for a figure that is exact, or one of
// some outcomes.
type Expectation struct {
	AtMost  string   `json:"at_most,omitempty"` // such as 5, 1 hour, 10 requests/minute
	AtLeast string   `json:"at_least,omitempty"`
	OneOf   []string `json:"one_of,omitempty"`
}

// Comparable says whether the expectation has one form, which can be compared.
func (e *Expectation) Comparable() bool {
	if e.AtMost == "" && e.AtLeast == "" {
		return len(e.OneOf) > 0 && !slices.ContainsFunc(e.OneOf, func(s string) bool { return normalise(s) == "" })
	}
	_, ok := e.figure()
	return ok && len(e.OneOf) == 0
}

// figure is what the bounds let a figure be; ok is false where there are none, or
// where they exclude each other.
func (e *Expectation) figure() (r figures.Range, ok bool) {
	r, ok = figures.Parse(e.AtLeast)
	r.High = math.Inf(1)
	if e.AtMost == "" {
		return r, ok
	}
	most, good := figures.Parse(e.AtMost)
	most.Low = math.Inf(-1)
	if e.AtLeast == "" {
		return most, good
	}
	both, overlap := r.And(most)
	return both, ok && good && overlap
}

// excludes tells whether nothing can meet both of two expectations. Those of
// different forms or measures are not compared.
func (e *Expectation) excludes(o *Expectation) bool {
	a, ok1 := e.figure()
	b, ok2 := o.figure()
	switch {
	case ok1 && ok2 && a.Of == b.Of:
		_, both := a.And(b)
		return !both
	case ok1 || ok2:
		return false
	}
	return !slices.ContainsFunc(e.OneOf, func(s string) bool {
		return slices.ContainsFunc(o.OneOf, func(other string) bool { return SameWords(s, other) })
	})
}
