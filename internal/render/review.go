package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Review shows what a person needs to review a bundle: what the report and the
// judges say, the task, and the bundle with its line numbers. All of it is untrusted.
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

// ReviewPoint shows one item or criterion that a person is asked about, with what
// judges said of it.
func ReviewPoint(t *Terminal, s *history.Submission, name string) error {
	subject := Of(s.Last)
	text := name
	if it := subject.item(name); it != nil {
		text = itemOf(it).String()
	} else if c := subject.criterion(name); c != nil {
		text = name + ": " + Criterion{c, c.By}.String()
		for _, f := range s.Last.Failures {
			if f.TestName == name {
				text += "; expected: " + passage(f.Expected) + "; found: " + passage(f.Actual)
			}
		}
	}
	t.Printf("\n%s\n", t.Wrap(text, 2))
	for _, b := range subject.ballots(func(b *shadow.Ballot) bool { return b.About == name }) {
		for _, vote := range b.Votes {
			t.Printf("  - %s\n", t.Wrap(vote, 4))
		}
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
