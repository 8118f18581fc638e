package shadow

import "strings"

// message is what the commander is told of a criterion that its bundle fails:
// the author's words, with the defect behind them, each fit for one line.
func (x *Exam) message(c *Criterion, b *Bundle, defect string) string {
	msg, written := spaced(Line(c.Material[b.Domain].Message)), b.Texts()
	if msg == "" || x.guard.Reveals(c.ID, msg, written, written) {
		msg = "A requirement of kind " + string(c.Category) + " is not met"
	}
	return x.messageFor(c, b, msg, defect, msg)
}

// messageFor is the matter with the defect behind it, or otherwise if the
// commander must not learn the defect. A defect with sealed text is left out
// even if the bundle has that text, since the request would be withheld.
func (x *Exam) messageFor(c *Criterion, b *Bundle, matter, defect, otherwise string) string {
	full := strings.TrimRight(matter, ".") + ": " + spaced(Line(defect))
	if x.Envelope.Policy.Reveal == RevealArea || defect == "" || x.guard.Reveals(c.ID, full, nil, b.Texts()) {
		return otherwise
	}
	return full
}

// Bounds on what a report repeats of a bundle, in bytes, so that a report
// stays far smaller than the bundle that it is about.
const (
	maxActual  = 4000
	maxMessage = 2000
)

// maxTask bounds the task in a report, in characters: a run has a thousand reports.
const maxTask = 2000
