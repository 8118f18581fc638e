package shadow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/swarmspeed/shadowd/internal/progress"
)

// gathering collects the criteria of several authors for one envelope.
type gathering struct {
	d        *Decomposition
	checks   *Checks
	criteria []Criterion
	// readers are the names of the authors that say in at least one criterion
	// what they expect of a requirement, in a form that can be compared.
	readers map[string]bool
	// disputed are the ids of requirements on which authors contradict each
	// other.
	disputed map[string]bool
	// cut: a criterion comes of a part of the specification.
	cut bool
	// notes tell the operator what became of the authors' shares.
	notes []string
	// notices tell the publisher what the decomposition lacks.
	notices []string
}

// gather asks every author for its share and the filler for all the rest. The
// filler is asked last and at once, even for its own share: what it asks
// covers the work of each domain as a whole, so that of two smaller answers
// one could not replace the other.
func gather(ctx context.Context, d *Decomposition, in *SealInput, quota map[Category]int) (*gathering, error) {
	g := &gathering{d: d, checks: in.Checks, readers: map[string]bool{}, disputed: map[string]bool{}}
	if n := len(in.Authors); n > 0 {
		asked := progress.Count(ctx, "authors asked", n)
		for i, part := range share(quota, in.Settings.Categories, n) {
			if in.Authors[i].Ref().Name == in.Filler.Ref().Name {
				continue
			}
			if err := g.ask(ctx, in.Authors[i], part); err != nil {
				return nil, err
			}
			asked()
		}
	}
	g.dropConflicts(nil)
	return g, g.fill(ctx, in.Filler, quota)
}

func (g *gathering) note(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

// ask takes an author's criteria as far as they can be used. An author that
// fails leaves its share to the filler, unless trying again may help.
func (g *gathering) ask(ctx context.Context, a Author, part map[Category]int) error {
	asked := total(part)
	if asked == 0 {
		g.note("author %q has no share: there are more authors than criteria", a.Ref().Name)
		return nil
	}
	written, err := a.Write(ctx, g.d, part)
	cut := errors.Is(err, ErrSpecificationCut)
	if err != nil && !cut {
		if ctx.Err() != nil || errors.Is(err, ErrUnavailable) {
			return fmt.Errorf("writing criteria with author %q: %w", a.Ref().Name, err)
		}
		g.note("author %q failed, its share of %d is written by others: %v", a.Ref().Name, asked, err)
		return nil
	}
	left := maps.Clone(part)
	unusable, used := 0, 0
	for _, c := range written {
		switch {
		case left[c.Category] == 0:
		case c.usable(g.d, g.checks) != nil:
			unusable++
		default:
			left[c.Category]--
			used++
			c.Author = a.Ref().Name
			g.reads(&c)
			g.criteria = append(g.criteria, c)
		}
	}
	if cut && used > 0 {
		g.cut = true
		g.note("author %q did not read all of the specification, so that scores are advisory: %v", a.Ref().Name, err)
	}
	switch { // to have fewer than its share is no fault of an author
	case unusable > 0:
		g.note("author %q gave %d criteria, and %d that cannot be used", a.Ref().Name, used, unusable)
	case used == 0:
		g.note("author %q gave no criteria for its share of %d", a.Ref().Name, asked)
	}
	return nil
}

func (g *gathering) reads(c *Criterion) {
	if c.Expects != nil && len(c.Requirements) > 0 {
		g.readers[c.Author] = true
	}
}

// dropConflicts leaves out criteria that conflict with each other or with those
// of the filler. Of a contradiction it leaves out both sides: no bundle could
// meet both, and nobody knows which is right. Of criteria that ask the same it
// keeps one. Criteria of the filler stay. It reports whether it left any out.
func (g *gathering) dropConflicts(filled []Criterion) (fewer bool) {
	conflicting := g.dispute(append(slices.Clone(g.criteria), filled...))
	kept := slices.Clone(filled)
	for i, c := range g.criteria {
		same := slices.IndexFunc(kept, func(k Criterion) bool { return k.SameAs(&c) })
		switch {
		case conflicting[i]:
		case same >= 0:
			g.note("a criterion of author %q asks what one of %q asks, and is left out", c.Author, kept[same].Author)
		default:
			kept = append(kept, c)
		}
	}
	kept = kept[len(filled):]
	fewer = len(kept) < len(g.criteria)
	g.criteria = kept
	return fewer
}

// dispute notes the requirements that criteria contradict each other on, and
// returns the indexes of those that do.
func (g *gathering) dispute(criteria []Criterion) map[int]bool {
	parties, ids := disputes(criteria)
	for _, id := range ids {
		if !g.disputed[id] {
			g.note("requirement %q is disputed: its criteria exclude each other and are left out", id)
		}
		g.disputed[id] = true
	}
	return parties
}

// fill has the filler write what is missing. If a criterion of the filler asks
// the same as another author's, or contradicts it, the other one is left out,
// and the filler writes again with one more: its criteria belong together.
// Every round removes a criterion, so the loop ends.
func (g *gathering) fill(ctx context.Context, filler Author, quota map[Category]int) error {
	for {
		rest := maps.Clone(quota)
		for i := range g.criteria {
			rest[g.criteria[i].Category]--
		}
		if total(rest) == 0 {
			return nil
		}
		filled, err := filler.Write(ctx, g.d, rest)
		if err != nil {
			return fmt.Errorf("writing criteria with author %q: %w", filler.Ref().Name, err)
		}
		if err := validate(filled, rest, g.d, g.checks); err != nil {
			return fmt.Errorf("criteria of author %q: %w", filler.Ref().Name, err)
		}
		for i := range filled {
			filled[i].Author = filler.Ref().Name
			g.reads(&filled[i])
		}
		if g.dropConflicts(filled) {
			continue
		}
		if a, ok := filler.(Adviser); ok {
			g.notices = a.Advise(g.d, filled)
		}
		g.criteria = append(g.criteria, filled...)
		return nil
	}
}

// writers lists who wrote at least one criterion, in the order of the list,
// the filler last if it is not on it.
func (g *gathering) writers(in *SealInput) []AuthorRef {
	var refs []AuthorRef
	for _, a := range append(slices.Clone(in.Authors), in.Filler) {
		ref := a.Ref()
		wrote := slices.ContainsFunc(g.criteria, func(c Criterion) bool { return c.Author == ref.Name })
		known := slices.ContainsFunc(refs, func(r AuthorRef) bool { return r.Name == ref.Name })
		if wrote && !known {
			refs = append(refs, ref)
		}
	}
	return refs
}

func total(quota map[Category]int) int {
	n := 0
	for _, k := range quota {
		n += k
	}
	return n
}
