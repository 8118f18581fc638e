package shadow

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Checks remembers compiled checks by their expression, the last 1024 of them.
// An author writes the same few expressions again and again, with other
// material, and compiling one costs more than judging a bundle by it. A check
// has no state, so sharing it changes no verdict. Checks belongs to whoever
// judges many runs; a nil one compiles each time. It is safe for concurrent
// use.
type Checks struct {
	known *lru.Cache[string, *check.Check]
}

// NewChecks returns an empty memory of checks.
func NewChecks() *Checks {
	known, err := lru.New[string, *check.Check](1024)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &Checks{known}
}

func (c *Checks) compile(expr string) (*check.Check, error) {
	if c == nil {
		return check.Compile(expr)
	}
	if program, ok := c.known.Get(expr); ok {
		return program, nil
	}
	program, err := check.Compile(expr)
	if err == nil {
		c.known.Add(expr, program)
	}
	return program, err
}
