package render

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// step is a moment of a domain on its way from the seal to the verdict.
type step struct {
	At   time.Time
	Kind string // received, judged, told or final
	Text string
}

// Steps are the moments of a domain in their order.
func (s *Subject) Steps() (steps []step) {
	for _, a := range s.Attempts {
		judged, w := Of(a.Report), &a.Report.Swarm
		what := "the bundle"
		if w.Cycle > 0 {
			what = fmt.Sprintf("fix %d", w.Cycle)
		}
		if w.Hardening.TimedOut {
			steps = append(steps, step{a.Stored, "final", "no " + what + " came in time"})
			continue
		}
		steps = append(steps, step{w.In.Time, "received", what + " came"})
		verdict := step{a.Stored, "judged", "judged: " + judged.ScoreText()}
		if w.Final {
			verdict.Kind = "final"
			verdict.Text += ", gate " + judged.action()
		}
		steps = append(steps, verdict)
		if a.Request != nil {
			steps = append(steps, step{a.RequestedAt, "told", fmt.Sprintf("the commander was told %s, until %s", shadow.Count(len(a.Request.Issues), "issue"), clock(a.Request.Deadline))})
		}
	}
	return steps
}

// After is how long after the seal a step was, such as "+4m12s"; empty where
// that is not known.
func (s section) After(t time.Time) string { return s.run.after(t) }

func (r *Run) after(t time.Time) string {
	if t.IsZero() || r == nil || r.Sealed().IsZero() {
		return ""
	}
	d, sign := t.Sub(r.Sealed()), "+"
	if d < 0 {
		sign = ""
	}
	if d.Abs() < time.Second {
		return sign + d.Round(time.Millisecond).String()
	}
	return sign + d.Round(time.Second).String()
}

// lane is the way of one domain, drawn.
type lane struct {
	No    int
	Title string
	Dots  []dot
}

// dot is a step at a place between 0 and 100, in percent of the whole time.
type dot struct {
	X    string
	Kind string
}

// Lanes draw the steps of all domains over the time of the run.
func (p *Page) Lanes() (lanes []lane) {
	if p.Run == nil || p.Run.Sealed().IsZero() {
		return nil
	}
	first, last := p.span()
	whole := last.Sub(first)
	if whole <= 0 {
		return nil
	}
	for _, s := range p.Sections {
		l := lane{No: s.No, Title: s.Title}
		for _, step := range s.Steps() {
			if !step.At.IsZero() {
				// Room for half a dot at each end.
				l.Dots = append(l.Dots, dot{fmt.Sprintf("%.2f%%", 1+98*float64(step.At.Sub(first))/float64(whole)), step.Kind})
			}
		}
		lanes = append(lanes, l)
	}
	return lanes
}

// Last is how long after the seal the drawn time ends.
func (p *Page) Last() string {
	_, last := p.span()
	return p.Run.after(last)
}

// span is the time that is drawn.
func (p *Page) span() (first, last time.Time) {
	first, last = p.Run.Sealed(), p.Run.Stored[p.Run.Scored]
	for _, s := range p.Sections {
		for _, step := range s.Steps() {
			if !step.At.IsZero() && step.At.Before(first) {
				first = step.At
			}
			if step.At.After(last) {
				last = step.At
			}
		}
	}
	return first, last
}
