// Package arithmetic finds figures of a document that are wrong by the
// document's own account.
//
// A few relations are known: explicit equations, shares in every order, totals
// of a sentence, a list, a column or a row, columns that are computed from
// others, differences and changes, means, and conversions of units. One policy
// of doubt holds for all:
//
//   - what is compared stands in one clause, one list or one table;
//   - every reading that a careful person might defend is tried, and a finding
//     is what no reading explains. The size of an error does not matter;
//   - digits say how exact a number is. What is rounded or cut to the digits
//     shown is right, and "about" may be 10 % off;
//   - in tables the text's own regularity says what is meant: what holds in
//     the other rows or columns is expected in this one;
//   - limits, ranges, years, labels (phase 2), questions, code, and sentences
//     that say that something is wrong are left alone.
//
// The package is pure. Time is linear in the text.
package arithmetic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Finding is a figure that is wrong by the document's own account.
type Finding struct {
	Line   int    // 1-based line of the source
	Text   string // the passage as written, without markup; of a cell: what it is of
	States string // the figure as it is written
	Should string // what would be right, in the same form; empty for an unbacked figure
	Kind   string // the relation: equation, share, total, …

	cell bool // Text is no passage but names a row and a column
}

// Message says in one line what is wrong:
//
//	line 12: "12 + 7 = 20" should be 19
//	line 15: Total of Tests: "74" should be 72
//	"66 new tests": nothing in the text backs 66
//
// It quotes the document, which is untrusted text.
func (f Finding) Message() string {
	switch {
	case f.Should == "":
		return fmt.Sprintf("%q: nothing in the text backs %s", f.Text, f.States)
	case f.cell:
		return fmt.Sprintf("line %d: %s: %q should be %s", f.Line, f.Text, f.States, f.Should)
	}
	return fmt.Sprintf("line %d: %q should be %s", f.Line, f.Text, f.Should)
}

const (
	maxFindings = 100
	maxText     = 120  // bytes of a quoted passage
	maxLine     = 4096 // longer lines are not read
)

// Find lists what does not add up, at most 100 findings in the order of their
// lines.
func Find(doc *markdown.Doc) []Finding {
	r := reader{doc: doc}
	for i := range doc.Lines {
		if r.load(i) {
			r.equations()
			r.shares()
			r.sums()
		}
	}
	r.tables()
	slices.SortStableFunc(r.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return r.found
}

// report adds a finding, once.
func (r *reader) report(f Finding) {
	f.Text = strings.Join(strings.Fields(f.Text), " ")
	if len(f.Text) > maxText {
		f.Text = strings.ToValidUTF8(f.Text[:maxText], "") + "…"
	}
	for _, g := range r.found {
		if g.Line == f.Line && g.States == f.States && g.Should == f.Should {
			return
		}
	}
	if len(r.found) < maxFindings {
		r.found = append(r.found, f)
	}
}
