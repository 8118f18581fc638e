package rules

import (
	"context"
	"io"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Author writes criteria by rules. It is as safe for concurrent use
// as its source of random bytes.
type Author struct {
	rand io.Reader
}

var _ shadow.Author = (*Author)(nil)

// New returns the author. rand is where the secret draw comes from: 32 bytes
// for each envelope, and the same bytes give the same criteria.
func New(rand io.Reader) *Author { return &Author{rand: rand} }

// Ref names the author "rules", and says that no model wrote the criteria.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "rules", Model: shadow.Model{Family: "rules"}}
}

// Write returns as many criteria as quota has in all, one at least of each of its
// categories, and more of those that have items. It fails only if no
// random bytes can be read or ctx is done.
func (a *Author) Write(ctx context.Context, d *shadow.Decomposition, quota map[shadow.Category]int) ([]shadow.Criterion, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := shadow.Draw(a.rand)
	if err != nil {
		return nil, err
	}
	return newPlan(d, quota, r).write(), nil
}
