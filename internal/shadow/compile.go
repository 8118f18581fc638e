package shadow

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// compiled remembers checks by their expression. An author writes the same few
// expressions again and again, with other material, and compiling one costs
// more than judging a bundle by it. A check has no state, so sharing it
// changes no verdict.
var compiled = func() *lru.Cache[string, *check.Check] {
	c, err := lru.New[string, *check.Check](1024)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return c
}()

func compile(expr string) (*check.Check, error) {
	if c, ok := compiled.Get(expr); ok {
		return c, nil
	}
	c, err := check.Compile(expr)
	if err == nil {
		compiled.Add(expr, c)
	}
	return c, err
}
