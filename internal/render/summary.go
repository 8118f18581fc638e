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
		t.Printf("\n%s run %s  %s\n", d.runIcon(), t.paint(bold, shadow.Printable(r.ID)), d.median())
	} else {
		t.Printf("\n·  run %s  %s\n", t.paint(bold, shadow.Printable(r.ID)), r.notScored())
	}
	t.warning("ADVISORY", r.doubt())
	t.labelled("missing", r.missing())
	t.labelled("suspect", r.suspect())
}

// labelled is a line about a subject or a run; nothing if text is empty.
func (t *Terminal) labelled(label, text string) {
	if text != "" {
		t.field(2, 9, label, text)
	}
}

// warning is such a line whose label stands out. The labels fill their column.
func (t *Terminal) warning(label, text string) {
	if text != "" {
		t.Printf("  %s  %s\n", t.paint(yellow, label), t.wrap(text, 12))
	}
}

func (t *Terminal) subject(s *Subject) {
	t.Printf("%s %s  %s\n", s.icon(), t.paint(bold, shadow.Printable(s.Name)), s.headline())
	t.warning("ADVISORY", advisoryText(s))
	t.labelled("to do", s.todo())
	t.labelled("gate", gateText(s))
	if s.Swarm != nil {
		t.labelled("cycle", cycleText(s))
	}
	if h := s.Score.Hardening; h != nil && h.CyclesCompleted > 0 {
		t.labelled("hardened", hardenedText(h))
	}
	t.notFound(s)
	for i := range s.Score.Failures {
		t.failure(s, &s.Score.Failures[i])
	}
	t.labelled("not asked", s.spared())
	t.labelled("tampering", s.tampering())
	if s.Swarm != nil {
		for _, notice := range s.Swarm.Notices {
			t.labelled("notice", shadow.Printable(notice))
		}
	}
	if ballots := s.ballots(); len(ballots) > 0 {
		t.labelled("judges", s.judgesTitle()+":")
		for _, ballot := range ballots {
			t.Printf("    - %s\n", t.wrap(ballot.Head, 6))
			for _, vote := range ballot.Votes {
				t.Printf("      - %s\n", t.wrap(vote, 8))
			}
		}
	}
	if o := s.Score.OpenTests; o != nil {
		t.labelled("open", fmt.Sprintf("%d of %d open tests passed%s", o.Passed, o.Total, s.stated()))
	}
	for _, c := range Categories(s.Score.Coverage) {
		k := s.Score.Coverage[c]
		t.Printf("  %-15s %3d sealed  %3d open  %+d\n", shadow.Printable(string(c)), k.Sealed, k.Open, k.Delta)
	}
}

func (t *Terminal) failure(s *Subject, f *shadow.Failure) {
	mark := t.mark(shadow.Failed)
	if s.undecided(f.TestName) {
		mark = t.mark(shadow.Undecided)
	}
	t.Printf("  %s %s  %s\n", mark, t.paint(bold, shadow.Printable(f.TestName)), t.paint(dim, shadow.Printable(string(f.Category))))
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
	list, others := s.items()
	var last reading.Verdict
	for _, it := range list {
		label := ""
		if it.Verdict != last {
			label, last = string(it.Verdict), it.Verdict
		}
		t.field(2, 9, label, it.String())
	}
	if others != "" {
		t.field(2, 9, "", "and "+others)
	}
}

func advisoryText(s *Subject) string {
	if why := s.Advisory(); why != "" {
		return "this score is not authoritative: " + why
	}
	return ""
}

func gateText(s *Subject) string {
	if s.Swarm == nil {
		return ""
	}
	return s.gate() + ": " + shadow.Printable(s.Swarm.Gate.Reason)
}

// cycleText says where the loop of fixes stands.
func cycleText(s *Subject) string {
	h := &s.Swarm.Hardening
	text := fmt.Sprintf("%d", s.Swarm.Cycle)
	switch {
	case !s.Swarm.Final:
		text += ", a fix is awaited: this is not the last word"
	case h.TimedOut:
		text += ", no fix came in time"
	case h.Regressed:
		text += fmt.Sprintf(", a fix was worse: the bundle of cycle %d stands", s.Swarm.AcceptedCycle)
	case s.Swarm.Cycle == 0:
		text += ", no fix was asked for"
	default:
		text += ", the fix stands"
	}
	if len(h.FlatVelocity) > 0 {
		text += "; no better than before, and for other reasons, so the commander may miss what is meant: " + joinedWith(h.FlatVelocity, ", ")
	}
	if len(h.Escalate) > 0 {
		text += "; for a human to look at: " + joinedWith(h.Escalate, ", ")
	}
	return text
}
