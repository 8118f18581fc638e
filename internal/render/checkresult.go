package render

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// CheckResult shows what an evaluation found.
func CheckResult(t *Terminal, r check.Result) error {
	if r.Passed {
		t.Printf("%s\n", t.Paint(Green, "passed"))
	} else {
		t.Printf("%s\n", t.Paint(Red, "failed"))
	}
	for _, p := range r.Problems {
		t.Printf("  %s %s\n", t.Paint(Red, "✗"), t.Wrap(shadow.Printable(p), 4))
	}
	t.Printf("cost %d of %d units\n", r.Cost, check.MaxCost)
	return t.Err()
}

// CheckFunctions lists the functions of checks for 80 columns.
func CheckFunctions(t *Terminal) error {
	wrap80 := func(text string, indent int) string { return wrap(text, indent, 80) }
	t.Printf("Functions of text, and of any other string, such as text.section('Risks'):\n")
	group := ""
	for _, f := range check.Functions() {
		if f.Group != group {
			group = f.Group
			t.heading("%s", strings.ToUpper(group))
		}
		t.Printf("\n  %s\n      %s\n      e.g. %s\n", wrap80(f.Signature, 6), wrap80(f.Doc, 6), wrap80(f.Example, 11))
	}
	t.Printf("\n%s\n", wrap80("An expression is CEL (https://cel.dev) over the variables text, bundle, domain and material. "+
		"Beside these functions there are CEL's own, such as size, contains, startsWith, all, exists, filter and map.", 0))
	return t.Err()
}

// Caret adds to an error of a check the line of the expression that it is
// about, with a caret under the column.
func Caret(expr string, err error) error {
	var e *check.Error
	if !errors.As(err, &e) {
		return err
	}
	lines := strings.Split(expr, "\n")
	text := []rune(lines[min(e.Line, len(lines))-1])
	column := min(e.Column-1, len(text)) // 0-based
	const around = 60
	from, to := max(column-around, 0), min(column+around, len(text))
	before, after := string(text[from:column]), string(text[column:to])
	if from > 0 {
		before = "…" + before
	}
	if to < len(text) {
		after += "…"
	}
	before, after = shadow.Printable(before), shadow.Printable(after)
	return fmt.Errorf("%w\n  %s\n  %s^", err, strings.TrimRight(before+after, " "), strings.Repeat(" ", columns(before)))
}

// columns is how wide a terminal shows text.
func columns(text string) (n int) {
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
