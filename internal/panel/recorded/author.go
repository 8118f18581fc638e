package recorded

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Author answers from a file.
type Author struct {
	ref    shadow.AuthorRef
	file   string
	drafts map[string]line                          // by the domain's digest
	expect map[string]map[string]shadow.Expectation // by the run's
}

// OpenAuthor reads the author of a file, FILE or FILE#NAME, which envelopes call
// name.
func OpenAuthor(word, name string) (*Author, error) {
	file, who, lines, err := open(word)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range lines {
		if l.Author != "" {
			names = append(names, l.Author)
		}
	}
	if who, err = choose(file, "an author", who, names); err != nil {
		return nil, err
	}
	a := &Author{ref: shadow.AuthorRef{Name: name}, file: filepath.Base(file), drafts: map[string]line{}, expect: map[string]map[string]shadow.Expectation{}}
	for _, l := range lines {
		if l.Author == who {
			a.ref.Model = shadow.Model{Model: l.Model, Family: l.Family}
			if l.Run != "" {
				a.expect[l.Run] = l.Expect
			} else {
				a.drafts[l.Domain] = l
			}
		}
	}
	return a, nil
}

// Ref names the author, and the model that wrote.
func (a *Author) Ref() shadow.AuthorRef { return a.ref }

// Write gives what is recorded for each domain.
func (a *Author) Write(_ context.Context, o *shadow.Order) (drafts map[string]shadow.Draft, err error) {
	drafts = map[string]shadow.Draft{}
	for i := range o.Decomposition.Domains {
		dom := &o.Decomposition.Domains[i]
		l, ok := a.drafts[domainDigest(o.Decomposition, dom)]
		if !ok {
			l.Refused = []string{a.file + " has no answer for this assignment: record it again"}
		}
		if l.Cut {
			err = shadow.ErrSpecificationCut
		}
		drafts[dom.Domain] = shadow.Draft{Criteria: l.Criteria, Refused: l.Refused}
	}
	return drafts, err
}

// Expect gives what is recorded of the run's requirements.
func (a *Author) Expect(_ context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	table, ok := a.expect[runDigest(d)]
	if !ok {
		return nil, fmt.Errorf("%s does not say what is expected of the requirements of this run", a.file)
	}
	return table, nil
}
