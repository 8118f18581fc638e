// Package figures decides what a program can decide about a text without reading it:
// figures that are wrong by the text's own account, places that were left to fill in,
// and secrets in plain sight.
//
// A false alarm costs more than a miss: every reading that a careful person might defend
// is tried, and a finding is what none explains. docs/judging.md says how often each kind
// is right. The package is pure, and its time linear in the text.
package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Finding is a place in a document that is surely amiss.
type Finding struct {
	Line int    // of the source, from 1
	Text string // the passage without markup, at most 120 characters; of a secret the beginning
	what string // the sentence without its line
}

// String is the finding in one sentence, which quotes the document, untrusted text:
//
//	line 9: the column "Hours" adds up to 41 h, the total says 40 h
func (f Finding) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.what) }

const (
	maxFindings = 100  // of each function
	maxText     = 120  // characters of a quoted passage
	maxLine     = 4096 // bytes; longer lines are not read
	maxShares   = 4000 // lines with a percentage that are read
	maxAway     = 8192 // bytes behind the beginning of a line, of which a paragraph has many
)

// finder collects the findings of a document.
type finder struct {
	doc      *markdown.Doc
	found    []Finding
	line, at int // a line of the source, and the offset where it begins
}

// offset gives the offset of a source line. Lines are mostly asked for in order.
func (f *finder) offset(line int) int {
	if f.line == 0 || line < f.line {
		f.line, f.at = 1, 0
	}
	for ; f.line < line; f.line++ {
		f.at += 1 + strings.IndexByte(f.doc.Source[f.at:], '\n')
	}
	return f.at
}

// within adds a finding of a passage of a line of the document, which may begin further
// down in the source than the paragraph.
func (f *finder) within(l *markdown.Line, passage, what string) {
	near := f.doc.Source[f.offset(l.No):]
	k := strings.Index(near[:min(len(near), maxAway)], passage)
	f.add(l.No+strings.Count(near[:max(k, 0)], "\n"), passage, what)
}

func (f *finder) add(line int, passage, what string) {
	if len(f.found) < maxFindings {
		f.found = append(f.found, Finding{line, clip.Line(passage, maxText), what})
	}
}

// sorted gives the findings in the order of the source.
func (f *finder) sorted() []Finding {
	slices.SortStableFunc(f.found, func(a, b Finding) int { return a.Line - b.Line })
	return f.found
}

// Numbers lists the figures that are wrong by the document's own account, in the
// order of the source, at most 100: totals of tables, shares and equations.
func Numbers(doc *markdown.Doc) []Finding {
	f, shares := finder{doc: doc}, 0
	for i := range doc.Lines {
		l := &doc.Lines[i]
		if l.Kind == markdown.Code || len(l.Text) > maxLine || l.Struck || strings.HasSuffix(l.Text, "?") {
			continue
		}
		if strings.IndexByte(l.Text, '=') >= 0 {
			f.equations(l)
		}
		if strings.IndexByte(l.Text, '%') >= 0 && shares < maxShares {
			shares++
			f.shares(l)
		}
	}
	for i := range doc.Tables {
		f.table(&doc.Tables[i])
	}
	return f.sorted()
}
