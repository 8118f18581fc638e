package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Summary writes a document in words, for a terminal. Lines are at most width
// columns wide where words allow it; 0 leaves them as they are.
func Summary(w io.Writer, d *Document, width int) error {
	var b strings.Builder
	for i := range d.Subjects {
		if i > 0 {
			b.WriteByte('\n')
		}
		summarise(&b, &d.Subjects[i], width)
	}
	if d.Run != nil {
		summariseRun(&b, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func summariseRun(b *strings.Builder, d *Document) {
	r := d.Run
	b.WriteByte('\n')
	if r.Scored != nil {
		fmt.Fprintf(b, "%s run %s  %s\n", d.runIcon(), shadow.Printable(r.ID), d.median())
	} else {
		fmt.Fprintf(b, "·  run %s  %s\n", shadow.Printable(r.ID), r.notScored())
	}
	if why := r.doubt(); why != "" {
		fmt.Fprintf(b, "  ADVISORY  %s\n", why)
	}
	if m := r.missing(); m != "" {
		fmt.Fprintf(b, "  missing   %s\n", m)
	}
	if why := r.suspect(); why != "" {
		fmt.Fprintf(b, "  suspect   %s\n", why)
	}
}

func summarise(b *strings.Builder, s *Subject, width int) {
	line := func(indent int, label, text string) {
		if text != "" {
			label = strings.Repeat(" ", indent) + label
			fmt.Fprintf(b, "%s%s\n", label, Wrap(text, len([]rune(label)), width))
		}
	}
	fmt.Fprintf(b, "%s %s  %s\n", s.icon(), shadow.Printable(s.Name), s.headline())
	line(2, "ADVISORY  ", advisoryText(s))
	line(2, "to do     ", s.todo())
	line(2, "gate      ", gateText(s))
	if s.Swarm != nil {
		line(2, "cycle     ", cycleText(s))
	}
	if h := s.Score.Hardening; h != nil && h.CyclesCompleted > 0 {
		line(2, "hardened  ", hardenedText(h))
	}
	summariseItems(line, s)
	for _, f := range s.Score.Failures {
		mark := "✗"
		if s.undecided(f.TestName) {
			mark = "?"
		}
		fmt.Fprintf(b, "  %s %s  %s\n", mark, shadow.Printable(f.TestName), shadow.Printable(string(f.Category)))
		line(4, "", inert(shadow.Printable(f.Message)))
		line(4, "expected  ", shadow.Printable(f.Expected))
		for i, text := range found(&f) {
			label := "found     "
			if i > 0 {
				label = "          "
			}
			line(4, label, text)
		}
	}
	line(2, "not asked ", s.spared())
	if t := s.tampering(); t != "" {
		line(2, "tampering ", t)
	}
	if ballots := s.ballots(); len(ballots) > 0 {
		line(2, "judges    ", s.judgesTitle()+":")
		for _, ballot := range ballots {
			line(4, "- ", ballot.Head)
			for _, vote := range ballot.Votes {
				line(6, "- ", vote)
			}
		}
	}
	for _, c := range Categories(s.Score.Coverage) {
		k := s.Score.Coverage[c]
		fmt.Fprintf(b, "  %-15s %3d sealed  %3d open  %+d\n", shadow.Printable(string(c)), k.Sealed, k.Open, k.Delta)
	}
}

// summariseItems lists what was not found, each verdict named once.
func summariseItems(line func(indent int, label, text string), s *Subject) {
	list, others := s.items()
	var last reading.Verdict
	for _, it := range list {
		label := ""
		if it.Verdict != last {
			label, last = string(it.Verdict), it.Verdict
		}
		line(2, fmt.Sprintf("%-10s", label), it.String())
	}
	if others != "" {
		line(2, "          ", "and "+others)
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
