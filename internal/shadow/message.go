package shadow

import "strings"

// message is what the commander is told of a criterion that its bundle fails:
// the author's words, with the defect behind them. What gives something sealed
// away is left out, also if the bundle has it: the request would be withheld.
func (x *Exam) message(c *Criterion, b *Bundle, defect string) string {
	tells := func(text string) bool { return x.guard.Tells(c.ID, text, b.Texts()...) }
	msg := spaced(c.Material[b.Domain].Message)
	if msg == "" || tells(msg) {
		msg = "A requirement of kind " + string(c.Category) + " is not met"
	}
	if x.Envelope.Policy.Reveal == RevealArea || defect == "" {
		return msg
	}
	if full := strings.TrimRight(msg, ".") + ": " + spaced(defect); !tells(full) && !x.guard.Holds(full) {
		return full
	}
	return msg
}

// Bounds on what a report repeats of a bundle, in bytes, so that a report
// stays far smaller than the bundle that it is about.
const (
	maxActual  = 4000
	maxMessage = 2000
)

// maxTask bounds the task in a report, in characters: a run has a thousand reports.
const maxTask = 2000
