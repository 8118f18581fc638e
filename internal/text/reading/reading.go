// Package reading tells of the items of an assignment whether a work
// delivers them.
package reading

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Item is a sub-task or a deliverable of an assignment.
type Item struct {
	Text        string
	Deliverable bool
}

// Work is what was handed in. Summary may be nil. Status is success, partial
// or failed.
type Work struct {
	Content, Summary *markdown.Doc
	Status           string
}

// Verdict is what the text tells of an item.
type Verdict string

// The verdicts.
const (
	Found    Verdict = "found"
	Missing  Verdict = "missing"
	Declined Verdict = "declined"
	Unread   Verdict = "unread"
)

// Reading is the verdict on an item with the line that decides it.
type Reading struct {
	Verdict Verdict
	// Line is the 1-based source line of the content, 0 if no line decides or
	// one of the summary does.
	Line int
	// Passage is the line that decides, as it stands in the text.
	Passage string
	// Why is a short clause that says what was read.
	Why string
}

// Reader is a work made ready to be read. It is immutable; all methods may be
// called concurrently.
type Reader struct {
	vocabulary
	content, summary *text
}

// New analyses a work.
func New(w *Work) *Reader {
	r := &Reader{vocabulary: vocabulary{ids: make(map[string]int32, 256), success: w.Status == "success"}}
	r.content = r.read(w.Content)
	if w.Summary != nil {
		r.summary = r.read(w.Summary)
	}
	return r
}

// Read gives the readings of the items of an assignment, in their order.
func (r *Reader) Read(items []Item) []Reading {
	a := r.assign(items)
	out := make([]Reading, len(items))
	declined := r.declines(a)
	for i := range out {
		out[i] = Reading{Verdict: Unread, Why: "no line tells surely whether it was done"}
		if h := &declined[i]; h.line >= 0 {
			out[i] = r.reading(Declined, h)
		}
	}
	return out
}

func (r *Reader) reading(v Verdict, h *hit) Reading {
	l := &h.t.doc.Lines[h.line]
	out := Reading{Verdict: v, Passage: l.Text}
	where := "the summary"
	if h.t == r.content {
		out.Line = l.No
		where = fmt.Sprintf("line %d", l.No)
	}
	out.Why = where + " " + h.why
	return out
}

// Near tells whether two words or phrases stand within n words of each other
// in the content, in any form of the words.
func (r *Reader) Near(a, b string, n int) bool { return false }
