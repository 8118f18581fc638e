package reading

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

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
	*vocabulary
	content, summary *text
	status           string
}

// New analyses a work.
func New(w *Work) *Reader {
	n := 64 + len(w.Content.Source)/16 // as many words as most texts of this length have
	r := &Reader{vocabulary: &vocabulary{known: make([]int32, len(lexicon)), ids: make(map[string]int32, n/2), entries: make([]entry, 0, n), success: w.Status == "success"}, status: w.Status}
	r.content = r.read(w.Content)
	if w.Summary != nil {
		r.summary = r.read(w.Summary)
	}
	return r
}

// Read gives the readings of the items of an assignment, in their order. Items
// should be read together: a passage is about the nearest of them, and the words
// of one are no evidence for another.
func (r *Reader) Read(items *Items) []Reading {
	out := make([]Reading, len(items.items))
	if r.work(items) > maxWork {
		for i := range out {
			out[i] = Reading{Verdict: Unread, Why: "the text is too long to be held against an assignment of this length"}
		}
		return out
	}
	a := r.match(items)
	declined := r.declines(a)
	said := r.gather(a, declined)
	for i := range out {
		out[i] = r.judge(a, i, &declined[i], &said[i])
	}
	return out
}

// maxWork bounds what a work is held against, in steps of a few nanoseconds. A
// text of 256 KiB that does nothing but decline stays below it with ten items.
const (
	maxWork = 1 << 28
	perCue  = 64 // steps: a cue is read with the words around it
)

// work counts the most steps that reading items takes.
func (r *Reader) work(items *Items) int {
	places := len(r.content.lines) + len(r.content.doc.Sections) + perCue*len(r.content.cues)
	if r.summary != nil {
		places += perCue * len(r.summary.cues)
	}
	steps := places*items.terms + len(r.entries)*len(items.initials)/32
	if items.names > 0 {
		source := r.content.doc.Source
		steps += items.names * (len(source)/32 + 4*strings.Count(source, "_") + 4*strings.Count(source, "."))
	}
	return steps
}

// judge settles what the passages about an item say together.
func (r *Reader) judge(a *assignment, i int, h *hit, s *itemEvidence) Reading {
	claimed := h.share < max(meant, s.claimed+near)   // another line names it about as much and denies nothing
	treated := h.share < plainly && s.other.treated() // another section does
	switch {
	case len(r.content.words) == 0:
		return Reading{Verdict: Missing, Why: "the content is empty"}
	case h.line >= 0 && (claimed || treated):
		return Reading{Verdict: Unread, Why: "a passage may say that it was not done, but not surely"}
	case h.line >= 0:
		return r.declined(h)
	case s.best.treated() && a.hasIdentifiers(i) && !r.content.denies(int(s.best.line)):
		return r.found(&s.best)
	}
	if why, ok := a.missing(i); ok {
		return Reading{Verdict: Missing, Why: why}
	}
	if r.status == "failed" && s.best.share < named {
		return Reading{Verdict: Declined, Why: "the status is failed and nothing in the text treats it"}
	}
	return Reading{Verdict: Unread, Why: "no passage tells surely whether it was done"}
}

func (r *Reader) declined(h *hit) Reading {
	l := &h.t.doc.Lines[h.line]
	if h.t == r.summary {
		return Reading{Verdict: Declined, Passage: l.Text, Why: "the summary " + h.why}
	}
	return Reading{Verdict: Declined, Line: l.No, Passage: l.Text, Why: fmt.Sprintf("line %d %s", l.No, h.why)}
}
