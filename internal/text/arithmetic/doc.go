// Package arithmetic finds figures of a document that are wrong by the
// document's own account.
//
// A few relations are known: explicit equations, shares in every order,
// totals of a sentence, a list, a column or a row, columns that are computed
// from others, differences and changes, means, conversions of units, and a
// figure stated twice in the same words. One policy of doubt holds for all:
//
//   - what is compared stands in one clause, one list or one table;
//   - every reading that a careful person might defend is tried, and a finding
//     is what no reading explains. The size of an error does not matter;
//   - digits say how exact a number is. What is rounded or cut to the digits
//     shown is right, and "about" may be 10 % off;
//   - in tables the text's own regularity says what is meant: what holds in
//     the other rows or columns is expected in this one;
//   - limits, ranges, years, labels (phase 2) and sentences that say that
//     something is wrong are left alone.
//
// The package is pure. Time is linear in the text.
package arithmetic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// Finding is a figure that is wrong by the document's own account.
type Finding struct {
	Line   int    // 1-based line of the source
	Text   string // the passage as written, without markup; of a cell: row and column
	Should string // what would be right, in the same form; of an unbacked figure empty
	Kind   string // the relation: equation, share, total, …

	quoted bool // Text stands in the document like that
	states string
}

// Message says in one line what is wrong:
//
//	line 12: "12 + 7 = 20" should be 19
//	line 15: Total of Tests: "74" should be 72
//
// It quotes the document, which is untrusted text.
func (f Finding) Message() string {
	text := f.Text
	switch {
	case f.Should == "":
		return fmt.Sprintf("%q: nothing in the text backs %s", text, f.states)
	case f.quoted:
		return fmt.Sprintf("line %d: %q should be %s", f.Line, text, f.Should)
	}
	return fmt.Sprintf("line %d: %s: %q should be %s", f.Line, text, f.states, f.Should)
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
			r.both(r.line)
		}
	}
	r.tables()
	r.lists()
	slices.SortStableFunc(r.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return r.found
}

// both looks for findings in the line in hand. If a number of it can be read
// as in English and as in German, a finding must hold in both readings.
func (r *reader) both(look func()) {
	n := len(r.found)
	look()
	l := &r.doc.Lines[r.at]
	if comma := quantity.Comma(l.Text); len(r.found) > n && !comma && strings.Contains(l.Text, ".000") {
		found := r.found
		r.read(l.Text, l.InlineCode, true)
		r.found = slices.Clone(found[:n])
		if look(); len(r.found) > n {
			r.found = found
		}
	}
}

func (r *reader) line() {
	r.equations()
	r.relations()
	r.sums()
}

// report adds a finding, once.
func (r *reader) report(f Finding) {
	f.Text = shorten(f.Text)
	if len(r.found) < maxFindings && !slices.ContainsFunc(r.found, func(g Finding) bool {
		return g.Line == f.Line && g.states == f.states && (g.Should == f.Should || strings.Contains(g.Text, f.Text) || strings.Contains(f.Text, g.Text))
	}) {
		r.found = append(r.found, f)
	}
}

// shorten cuts a passage to a length that can be quoted.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// States is the figure as it is written.
func (f Finding) States() string { return f.states }
