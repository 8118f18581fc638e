package render

import (
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// Criteria lists the criteria of a file with how many examples test each.
func Criteria(t *Terminal, file string, trials []pack.Trial) error {
	examples := 0
	for _, x := range trials {
		examples += x.Examples
	}
	t.Printf("%s: %s, %s: %s\n", shadow.Printable(file), criteria(len(trials)), shadow.Count(examples, "example"), t.Paint(Green, "all right"))
	var rows [][]string
	for _, x := range trials {
		words := shadow.Count(x.Examples, "example")
		if x.Open {
			words = "judges decide"
		}
		rows = append(rows, []string{"  " + string(x.Category), words, shadow.Printable(x.Assertion)})
	}
	for _, line := range aligned(rows) {
		t.Printf("%s\n", line)
	}
	return t.Err()
}
