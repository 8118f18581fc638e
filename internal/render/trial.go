package render

import (
	"strings"

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

// Trials shows what each criterion of a file says of a text. Its count is of
// those that did not pass.
func Trials(t *Terminal, trials []pack.Trial) (failed int, err error) {
	for _, x := range trials {
		sign := t.Mark(shadow.Passed)
		switch {
		case x.Open:
			sign = t.Mark(shadow.Undecided)
		case x.Err != nil || !x.Passed:
			sign = t.Mark(shadow.Failed)
			failed++
		}
		t.Printf("%s %s  %s\n", sign, t.Paint(Dim, string(x.Category)), t.Wrap(shadow.Printable(x.Assertion), 4))
		switch {
		case x.Open:
			t.Printf("    judges decide\n")
		case x.Err != nil:
			t.Printf("    no verdict: %s\n", shadow.Printable(x.Err.Error()))
		case !x.Passed:
			words := x.Message
			if len(x.Problems) > 0 {
				words += ": " + strings.Join(x.Problems, "; ")
			}
			t.Printf("    %s\n", t.Wrap(shadow.Printable(words), 4))
		}
	}
	return failed, t.Err()
}
