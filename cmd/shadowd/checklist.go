package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// listFunctions prints the function table for a terminal of 80 columns.
func listFunctions(w io.Writer) error {
	s := &story{width: 80}
	var b strings.Builder
	b.WriteString("Functions of text, and of any other string, such as text.section('Risks'):\n")
	group := ""
	for _, f := range check.Functions() {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(group))
		}
		fmt.Fprintf(&b, "\n  %s\n      %s\n      e.g. %s\n", s.wrap(f.Signature, 6), s.wrap(f.Doc, 6), s.wrap(f.Example, 11))
	}
	fmt.Fprintf(&b, "\n%s\n", s.wrap("An expression is CEL (https://cel.dev) over the variables text, bundle, domain and material. "+
		"Beside these functions there are CEL's own, such as size, contains, startsWith, all, exists, filter and map.", 0))
	_, err := io.WriteString(w, b.String())
	return err
}
