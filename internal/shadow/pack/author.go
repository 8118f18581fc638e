package pack

import (
	"context"
	"path"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Author asks the criteria of a pack. It is safe for concurrent use.
type Author struct {
	name string
	pack *Pack
}

var _ shadow.Reader = (*Author)(nil)

// New returns the author called name.
func New(name string, p *Pack) *Author { return &Author{name, p} }

// Ref names the author and the family of the pack: "rules" unless the file says
// otherwise.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.name, Model: shadow.Model{Family: a.pack.family}}
}

// Write returns, for each domain of the order, all criteria that are meant for
// it, in the order of the file: how many fit, and of which categories others
// may be, does not concern a file. It fails only if ctx is done.
func (a *Author) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := make(map[string]shadow.Draft, len(o.Count))
	for domain := range o.Count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var d shadow.Draft
		for i := range a.pack.criteria {
			if c := &a.pack.criteria[i]; c.meantFor(domain) {
				d.Criteria = append(d.Criteria, c.Material)
			}
		}
		drafts[domain] = d
	}
	return drafts, nil
}

// Expect says what the file expects of the requirements of d, where it says so
// in a criterion that is meant for a domain of d.
func (a *Author) Expect(ctx context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	table := map[string]shadow.Expectation{}
	for i := range a.pack.criteria {
		c := &a.pack.criteria[i]
		if c.expects != nil &&
			slices.ContainsFunc(d.Requirements, func(r shadow.Requirement) bool { return r.ID == c.requirement }) &&
			slices.ContainsFunc(d.Domains, func(dom shadow.Domain) bool { return c.meantFor(dom.Domain) }) {
			table[c.requirement] = *c.expects
		}
	}
	return table, ctx.Err()
}

func (c *criterion) meantFor(domain string) bool {
	return len(c.domains) == 0 || slices.ContainsFunc(c.domains, func(glob string) bool {
		ok, err := path.Match(glob, domain)
		return err == nil && ok
	})
}
