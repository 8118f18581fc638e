package cases

import (
	"fmt"
	"io"

	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Files are what one check is evaluated over: a text or a bundle, and the
// variables material and domain, which may be empty. "-" is standard input.
type Files struct{ Text, Bundle, Material, Domain string }

// Read reads the files.
func (f Files) Read(stdin io.Reader) (none check.Input, err error) {
	b := &shadow.Bundle{Status: "success"}
	file := f.Text + f.Bundle // one of them is empty
	data, err := input.Text(file, stdin)
	if err != nil {
		return none, err
	}
	if f.Text != "" {
		b.Content = string(data)
	} else if b, err = input.Bundle(data); err != nil {
		return none, fmt.Errorf("%s: %w", input.Name(file), err)
	}
	material, err := input.Object(f.Material, stdin)
	if err != nil {
		return none, err
	}
	entry, err := input.Object(f.Domain, stdin)
	if err != nil {
		return none, err
	}
	domain, err := input.Domain(entry)
	if err != nil {
		return none, fmt.Errorf("%s: %w", input.Name(f.Domain), err)
	}
	return shadow.CheckInput(b, domain, material), nil
}
