package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Explain tells the operator how a submission was judged, question by question, and what the commander received.
func Explain(t *Terminal, s *history.Submission) error {
	if err := t.show("explain.tmpl", NewWork(s)); err != nil {
		return err
	}
	if len(s.Run.Requests[s.Domain]) == 0 {
		t.heading("The commander received nothing")
	}
	for _, h := range s.Run.Requests[s.Domain] {
		t.request(s.Domain, h)
	}
	return t.Err()
}

// checkText is the check of a criterion, or a word on who decides without one.
func checkText(m *shadow.Material) string {
	switch {
	case m.Kind == shadow.AskItems:
		return "none: judges read its items"
	case m.Kind == shadow.AskFigures:
		return "none: shadowd itself adds up, and looks for what is left to fill in"
	case m.Check == "":
		return "none: it is for judges that read"
	}
	return m.Check
}

// Review shows what a person needs to review a bundle: the report, the task, and the bundle by lines. All is untrusted.
func Review(t *Terminal, s *history.Submission) error {
	doc := OfRun(s.Run, []*shadow.Report{s.Last})
	doc.Run = nil
	if err := Summary(t, doc); err != nil {
		return err
	}
	t.heading("Task")
	t.Printf("%s\n", t.Wrap(inert(shadow.Printable(s.Last.Report.Specification)), 0))
	t.heading("Bundle %s of %s", shadow.Printable(s.Last.Swarm.BundleID), shadow.Printable(s.Last.Swarm.CommanderID))
	if s.Bundle == nil {
		t.Printf("  %s\n", t.Paint(Yellow, s.Withheld))
		return t.Err()
	}
	for i, line := range strings.Split(strings.TrimRight(s.Bundle.Content, "\n"), "\n") {
		t.Printf("%s  %s\n", t.Paint(Dim, fmt.Sprintf("%5d", i+1)), inert(shadow.Printable(line)))
	}
	return t.Err()
}

// Reviewed shows what has come of a review.
func Reviewed(t *Terminal, d *shadow.ReviewedData) error {
	s := Subject{Review: d}
	t.Printf("%s/%s  gate %s, now %s\n", shadow.Printable(d.RunID), shadow.Printable(d.Domain), d.Before.Gate, t.Wrap(s.ReviewText(), 2))
	by := "not signed, for the bus of this run has no wall"
	if d.SignedBy != "" {
		by = "signed by " + d.SignedBy
	}
	t.Printf("  %s\n", t.Paint(Dim, by))
	return t.Err()
}
