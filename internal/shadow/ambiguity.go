package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/figures"
)

// Ambiguity is how far the authors of an envelope read the decomposition's
// requirements in different ways.
type Ambiguity struct {
	// Disputed are the ids of the requirements of which authors expect what
	// cannot both be.
	Disputed []string `json:"disputed,omitempty"`
	// Requirements is how many the decomposition has.
	Requirements int `json:"requirements"`
}

// ratio is the spec's spec_ambiguity: from 0, nothing is disputed, to 1.
func (a *Ambiguity) ratio() float64 { return float64(len(a.Disputed)) / float64(a.Requirements) }

// number is the ratio as reports show it, with four decimals at most.
func (a *Ambiguity) number() json.Number {
	return json.Number(strconv.FormatFloat(math.Round(a.ratio()*1e4)/1e4, 'f', -1, 64))
}

// compare asks each author that can say it what it expects of the requirements,
// and measures how far they contradict each other. Without requirements, or
// without two authors that answer, nothing can be said: zero would claim an
// agreement that nobody looked for.
func (g *gathering) compare(ctx context.Context) error {
	if len(g.d.Requirements) == 0 {
		return nil
	}
	var readers []Reader
	for _, a := range slices.Concat(g.in.Files, g.in.Authors) {
		if r, ok := a.(Reader); ok {
			readers = append(readers, r)
		}
	}
	if len(readers) < 2 {
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
	for i, t := range tables {
		a, ok := t[id]
		if !ok || a.Check() != nil {
			continue
		}
		for _, o := range tables[i+1:] {
			if b, ok := o[id]; ok && b.Check() == nil {
				if _, incompatible := a.compare(&b); incompatible {
					return true
				}
			}
		}
	}
	return false
}

// refuse is the error of a decomposition that is more ambiguous than it may
// be. It names requirements, which the decomposition itself states, and
// nothing that an author made of them.
func (a *Ambiguity) refuse(d *Decomposition, limit float64) error {
	var problems []string
	for _, id := range a.Disputed {
		i := slices.IndexFunc(d.Requirements, func(r Requirement) bool { return r.ID == id })
		problems = append(problems, fmt.Sprintf("%.64q (%s)", id, clip.Line(d.Requirements[i].Text, 120)))
	}
	return fmt.Errorf("%d of %d requirements can be read in ways that exclude each other, and at most a share of %v may be: say more precisely what is meant by %s",
		len(a.Disputed), a.Requirements, limit, firstTen(problems, ", "))
}

// Expectation is what a criterion expects of a requirement, in a form that can
// be compared: a figure, bounds of a figure, one of some outcomes, or whether
// something is there.
type Expectation struct {
	Number  string   `json:"number,omitempty" yaml:"number" is:"text,number"`     // such as 5, 1 hour, 10 requests/minute
	AtMost  string   `json:"at_most,omitempty" yaml:"at_most" is:"text,number"`   // as Number
	AtLeast string   `json:"at_least,omitempty" yaml:"at_least" is:"text,number"` // as Number
	OneOf   []string `json:"one_of,omitempty" yaml:"one_of" is:"min=1;text,number,boolean"`
	Present *bool    `json:"present,omitempty" yaml:"present"`
}

// Check says why the expectation cannot be compared, or returns nil.
func (e *Expectation) Check() error {
	forms := 0
	for _, given := range []bool{e.Number != "", e.AtMost != "" || e.AtLeast != "", len(e.OneOf) > 0, e.Present != nil} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		return errors.New("an expectation has one form: number, at_most and at_least, one_of, or present")
	}
	for _, s := range []string{e.Number, e.AtMost, e.AtLeast} {
		if s == "" {
			continue
		}
		if _, ok := figures.Parse(s); !ok {
			return fmt.Errorf("%.40q is not a figure: write digits and then a unit, such as 200 ms, 1 hour, 5 attempts or 10 requests/minute", s)
		}
	}
	for _, s := range e.OneOf {
		if strings.TrimSpace(s) == "" {
			return errors.New("one of the outcomes in one_of is empty")
		}
	}
	if _, ok := e.allowed(); e.AtMost != "" && e.AtLeast != "" && !ok {
		return fmt.Errorf("nothing is at least %.40s and at most %.40s", e.AtLeast, e.AtMost)
	}
	return nil
}

// allowed is what the expectation lets a figure be; ok is false where it is of
// another form, or of figures that exclude each other.
func (e *Expectation) allowed() (r figures.Range, ok bool) {
	for i, text := range []string{e.Number, e.AtLeast, e.AtMost} {
		if text == "" {
			continue
		}
		q, good := figures.Parse(text)
		switch i {
		case 1:
			q.High = math.Inf(1)
		case 2:
			q.Low = math.Inf(-1)
		}
		if ok && good {
			q, good = r.And(q)
		}
		if r, ok = q, good; !ok {
			break
		}
	}
	return r, ok
}

// compare tells whether two expectations are about the same sort of thing, and
// whether nothing can meet both.
func (e *Expectation) compare(o *Expectation) (sameKind, incompatible bool) {
	switch {
	case e.Present != nil && o.Present != nil:
		return true, *e.Present != *o.Present
	case len(e.OneOf) > 0 && len(o.OneOf) > 0:
		for _, a := range e.OneOf {
			for _, b := range o.OneOf {
				if sameOutcome(a, b) {
					return true, false
				}
			}
		}
		return true, true
	case len(e.OneOf) > 0:
		return o.compareOutcomes(e.OneOf)
	case len(o.OneOf) > 0:
		return e.compareOutcomes(o.OneOf)
	}
	a, ok1 := e.allowed()
	b, ok2 := o.allowed()
	if !ok1 || !ok2 || a.Of != b.Of {
		return false, false
	}
	_, both := a.And(b)
	return true, !both
}

// compareOutcomes compares figures with outcomes that are all figures of the
// same measure.
func (e *Expectation) compareOutcomes(outcomes []string) (sameKind, incompatible bool) {
	a, ok := e.allowed()
	if !ok {
		return false, false
	}
	incompatible = true
	for _, s := range outcomes {
		q, ok := figures.Parse(s)
		if !ok || q.Of != a.Of {
			return false, false
		}
		if _, both := a.And(q); both {
			incompatible = false
		}
	}
	return true, incompatible
}

func sameOutcome(a, b string) bool {
	x, ok1 := figures.Parse(a)
	y, ok2 := figures.Parse(b)
	if ok1 && ok2 {
		_, both := x.And(y)
		return both
	}
	return normalise(a) == normalise(b) && normalise(a) != "" || strings.TrimSpace(a) == strings.TrimSpace(b)
}
