// Package figures decides what a program can decide about a text without reading
// it: figures that are wrong by the text's own account, places that were left to
// fill in, and secrets in plain sight.
//
//	figures.Numbers(doc)              what does not add up
//	figures.Places(doc, template)     what was left to fill in
//	figures.Secrets(doc)              what should not be shown
//
// Numbers finds three kinds:
//
//   - a total in a table: a row that says total, whose cell is not the sum of the
//     cells above it;
//   - a share: "8 of 20 (45 %)", where nothing but the percentage stands in the
//     brackets;
//   - an equation of numbers alone: "12 × 3 = 35".
//
// Places finds marks and not words that talk about them: "TODO: add the costs"
// and a cell "TBD", not "the TODO app". A document that is a template has none.
//
// Secrets finds private keys and tokens whose issuer gives them a prefix that
// nothing else has, and that look drawn at random.
//
// A false alarm costs more than a miss. So what is compared stands in one clause
// or one table, every reading that a careful person might defend is tried, and a
// finding is what none explains: another unit, a rounding up or down, a row that
// is part of another. Averages, distinct counts, percentages in columns, limits,
// approximations, questions, code and what the text itself calls wrong are left
// alone. docs/judging.md says how often each kind is right.
//
// The package is pure. Time is linear in the text.
package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Kind is what a finding is.
type Kind string

// The kinds of findings.
const (
	Total    Kind = "total"
	Share    Kind = "share"
	Equation Kind = "equation"
	Place    Kind = "place"
	Secret   Kind = "secret"
)

// Finding is a place in a document that is surely amiss.
type Finding struct {
	Kind Kind
	Line int // 1-based line of the source
	// From and To are the bytes of the source that hold the passage; where markup
	// stands inside it they are those of its line.
	From, To int
	// Text is the passage without markup, in one line of at most 120 characters.
	// Of a secret it is the beginning.
	Text string
	// Should is the figure that would be right, with the unit and the decimals of
	// the one that is written. It is empty for places and secrets.
	Should string

	what string // the sentence without its line
}

// String is the finding in one sentence. It quotes the document, which is
// untrusted text.
//
//	line 9: the column "Hours" adds up to 41 h, the total says 40 h
//	line 3: 8 of 20 is 40 %, the text says 45 %
//	line 5: 12 × 3 is 36, the text says 35
//	line 7: left to fill in: [Your name]
//	line 8: a GitHub token in plain sight: ghp_…
func (f Finding) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.what) }

const (
	maxFindings = 100  // of each function
	maxText     = 120  // characters of a quoted passage
	maxLine     = 4096 // bytes; longer lines are not read
)

// finder collects the findings of a document.
type finder struct {
	doc   *markdown.Doc
	found []Finding
	line  int // 1-based source line whose offset is at
	at    int
}

// offset gives the offset of a source line. Lines are mostly asked for in order.
func (f *finder) offset(line int) int {
	if f.line == 0 || line < f.line {
		f.line, f.at = 1, 0
	}
	for f.line < line {
		n := strings.IndexByte(f.doc.Source[f.at:], '\n')
		if n < 0 {
			break
		}
		f.line, f.at = f.line+1, f.at+n+1
	}
	return f.at
}

// maxAway is how far behind the beginning of a line its passages are looked for: a
// paragraph has many source lines.
const maxAway = 2 * maxLine

// add adds a finding whose passage begins in a source line or, if that is the first
// of a paragraph, further down in it; of a table it stands behind some bars.
func (f *finder) add(kind Kind, line, bars int, passage, should, what string) {
	if len(f.found) >= maxFindings {
		return
	}
	from := f.offset(line)
	for ; bars > 0; bars-- {
		from += 1 + strings.IndexByte(f.doc.Source[from:], '|')
	}
	to := len(f.doc.Source)
	near := f.doc.Source[from:min(to, from+maxAway)]
	if k := strings.Index(near, passage); k >= 0 {
		line += strings.Count(near[:k], "\n")
		from += k
		to = from + len(passage)
	} else if k := strings.IndexByte(near, '\n'); k >= 0 {
		to = from + k
	}
	f.found = append(f.found, Finding{Kind: kind, Line: line, From: from, To: to, Text: clip.Line(passage, maxText), Should: should, what: what})
}

// sorted gives the findings in the order of the source, each once.
func (f *finder) sorted() []Finding {
	slices.SortStableFunc(f.found, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.From, b.From)) })
	return slices.CompactFunc(f.found, func(a, b Finding) bool { return a == b })
}

// Numbers lists the figures that are wrong by the document's own account, in the
// order of the source, at most 100.
func Numbers(doc *markdown.Doc) []Finding {
	r := reader{finder: finder{doc: doc}}
	for i := range doc.Lines {
		if r.load(&doc.Lines[i]) {
			r.equations()
			r.shares()
		}
	}
	for i := range doc.Tables {
		r.table(&doc.Tables[i])
	}
	return r.sorted()
}
