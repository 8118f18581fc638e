// Package arithmetic finds figures of a document that are wrong by the
// document's own account.
//
// Read are:
//
//   - explicit equations of prose and lists, of numbers without words between
//     and with one number behind the sign: 12 × 7 = 84, 2^10 = 1,024;
//   - the percentage beside a part and its whole, in every order: 8 of 20
//     (40 %), 40 % (8/20), of 20 forms, 8 (40 %), 8 are 40 % of the 20;
//   - the total of what a sentence lists: 18 on Monday and 12 on Friday, 30 in
//     all;
//   - the totals of a table. A row that says to be a total is believed if it
//     holds in one column, and a last row that does not if it holds in two; the
//     columns in which it does not hold are wrong. A single column is judged if
//     the row says total and no more, or names what the column names.
//
// Not read are inline code, changes, differences, means, conversions, remainders,
// lists with a number in each item, columns computed from others, ranges and
// counts of items.
//
// A false alarm costs more than a miss, so one policy of doubt holds for all:
//
//   - what is compared stands in one clause or one table;
//   - every reading that a careful person might defend is tried, and a finding
//     is what no reading explains: other units, powers of ten, what is left of
//     the whole, a rounding up or down;
//   - the surer the statement, the less doubt: beside a loose label, such as
//     overall, only whole numbers are added;
//   - limits, ranges, years, labels (phase 2), questions, code, and sentences
//     that say that something is wrong are left alone.
//
// docs/judging.md has what was measured.
//
// The package is pure. Time is linear in the text.
package arithmetic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/clip"
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
//	line 15: Total, column Tests: "74" should be 72
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
	maxText     = 120  // characters of a quoted passage
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
	f.Text = clip.Line(f.Text, maxText)
	known := slices.ContainsFunc(r.found, func(g Finding) bool { return g.Line == f.Line && g.States == f.States && g.Should == f.Should })
	if !known && len(r.found) < maxFindings {
		r.found = append(r.found, f)
	}
}
