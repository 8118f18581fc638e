package pack

import (
	"context"
	"io"
	"path"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Author asks the criteria of a pack. It is as safe for concurrent use
// as its source of random bytes.
type Author struct {
	name string
	pack *Pack
	rand io.Reader
}

var _ shadow.Author = (*Author)(nil)

// New returns the author called name. rand is where the secret draw comes
// from: 32 bytes for each envelope, and the same bytes give the same criteria.
func New(name string, p *Pack, rand io.Reader) *Author {
	return &Author{name: name, pack: p, rand: rand}
}

// Ref names the author and the family of the pack: "rules" unless the file says
// otherwise.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.name, Model: shadow.Model{Family: a.pack.family}}
}

// Write returns quota[c] criteria of each category c, or all that are meant
// for a domain of d where there are fewer. It fails only if no random bytes
// can be read or ctx is done.
func (a *Author) Write(ctx context.Context, d *shadow.Decomposition, quota map[shadow.Category]int) ([]shadow.Criterion, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := shadow.Draw(a.rand)
	if err != nil {
		return nil, err
	}
	var out []shadow.Criterion
	for _, c := range shadow.Categories() {
		var fit []*criterion
		for i := range a.pack.criteria {
			if cr := &a.pack.criteria[i]; cr.Category == c && slices.ContainsFunc(d.Domains, cr.meantFor) {
				fit = append(fit, cr)
			}
		}
		r.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
		for _, cr := range fit[:min(len(fit), quota[c])] {
			out = append(out, cr.asked(d))
		}
	}
	return out, nil
}

func (c *criterion) meantFor(d shadow.Domain) bool {
	return len(c.domains) == 0 || slices.ContainsFunc(c.domains, func(glob string) bool {
		ok, err := path.Match(glob, d.Domain)
		return err == nil && ok
	})
}

// asked is the criterion as it is asked of the domains of d that it is meant
// for. For the others it is not applicable.
func (c *criterion) asked(d *shadow.Decomposition) shadow.Criterion {
	out := c.Criterion
	out.Material = make(map[string]shadow.Material, len(d.Domains))
	for _, dom := range d.Domains {
		if c.meantFor(dom) {
			out.Material[dom.Domain] = shadow.Material{Message: dom.Domain + ": " + c.message}
		}
	}
	return out
}
