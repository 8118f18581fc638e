package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Summary writes a document in words.
func Summary(t *Terminal, d *Document) error {
	for i := range d.Subjects {
		if i > 0 {
			t.Printf("\n")
		}
		t.subject(&d.Subjects[i])
	}
	if d.Run != nil {
		t.run(d)
	}
	return t.Err()
}

func (t *Terminal) run(d *Document) {
	r := d.Run
	if r.Scored != nil {
		t.Printf("\n%s run %s  %s\n", d.Look().Icon, t.Paint(Bold, shadow.Printable(r.ID)), d.Median())
	} else {
		t.Printf("\n·  run %s  %s\n", t.Paint(Bold, shadow.Printable(r.ID)), r.NotScored())
	}
	if why := r.Doubt(); why != "" {
		t.advisory(2, why)
	}
	t.labelled("missing", r.NoBundle())
	t.labelled("suspect", r.Suspect())
}

// labelled is a line about a subject or a run; nothing if text is empty.
func (t *Terminal) labelled(label, text string) {
	if text != "" {
		t.field(2, 9, label, text)
	}
}

func (t *Terminal) subject(s *Subject) {
	t.Printf("%s %s  %s\n", s.Look().Icon, t.Paint(Bold, shadow.Printable(s.Name)), s.headline())
	if why := s.Advisory(); why != "" {
		t.advisory(2, "this score is not authoritative: "+why)
	}
	t.labelled("to do", s.Todo())
	if s.Swarm != nil {
		t.labelled("gate", s.GateText()+": "+shadow.Printable(s.Swarm.Gate.Reason))
		t.labelled("cycle", s.CycleText())
	}
	if s.Fixed() {
		t.labelled("hardened", s.HardenedText())
	}
	t.notFound(s)
	for _, f := range s.Score.Failures {
		t.failure(s, f)
	}
	t.labelled("criteria", s.UnreadText())
	t.labelled("not asked", s.Spared())
	t.labelled("tampering", s.Tampering())
	for _, notice := range s.swarm().Notices {
		t.labelled("notice", shadow.Printable(notice))
	}
	if ballots := s.Ballots(); len(ballots) > 0 {
		t.labelled("judges", s.JudgesTitle()+":")
		for _, ballot := range ballots {
			t.Printf("    - %s\n", t.wrap(ballot.Head, 6))
			for _, vote := range ballot.Votes {
				t.Printf("      - %s\n", t.wrap(vote, 8))
			}
		}
	}
	if o := s.Score.OpenTests; o != nil {
		t.labelled("open", fmt.Sprintf("%d of %d open tests passed%s", o.Passed, o.Total, s.Stated()))
	}
	for _, c := range s.Categories() {
		k := s.Score.Coverage[c]
		t.Printf("  %-15s %3d sealed  %3d open  %+d\n", shadow.Printable(string(c)), k.Sealed, k.Open, k.Delta)
	}
}

func (t *Terminal) failure(s *Subject, f shadow.Failure) {
	mark := t.mark(shadow.Failed)
	if s.undecided(f.TestName) {
		mark = t.mark(shadow.Undecided)
	}
	t.Printf("  %s %s  %s\n", mark, t.Paint(Bold, shadow.Printable(f.TestName)), t.Paint(Dim, shadow.Printable(string(f.Category))))
	if text := inert(shadow.Printable(f.Message)); text != "" {
		t.Printf("    %s\n", t.wrap(text, 4))
	}
	if f.Expected != "" {
		t.field(4, 9, "expected", shadow.Printable(f.Expected))
	}
	for i, text := range found(f) {
		label := "found"
		if i > 0 {
			label = ""
		}
		if text != "" {
			t.field(4, 9, label, text)
		}
	}
}

// notFound lists what was not found, each verdict named once.
func (t *Terminal) notFound(s *Subject) {
	var last reading.Verdict
	for _, it := range s.Items() {
		label := ""
		if it.Verdict != last {
			label, last = string(it.Verdict), it.Verdict
		}
		t.field(2, 9, label, it.String())
	}
}
