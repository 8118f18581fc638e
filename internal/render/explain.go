package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Explain tells the operator how a submission was judged: criterion by
// criterion, what was asked, what was found and where, what the commander
// received, and what consensus should do.
func Explain(t *Terminal, s *history.Submission) error {
	if err := execute(t, "explain.tmpl", explanation{t, s}); err != nil {
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

// explanation is what the template sees of a submission.
type explanation struct {
	*Terminal
	*history.Submission
}

// whatToDo is what a gate asks of a consensus service.
func whatToDo(a shadow.Action) string {
	return map[shadow.Action]string{
		shadow.Proceed: "take the bundle", shadow.Warn: "take the bundle, with the report attached", shadow.Quarantine: "review the bundle again, with the failures",
		shadow.Reject: "leave the bundle out of the synthesis", shadow.Pending: "wait: a fix is awaited",
	}[a]
}

// NotAgain says what is shown of a submission that was not judged again.
func (x explanation) NotAgain() string {
	switch {
	case x.Broken != "":
		return ""
	case x.Report().Swarm.AcceptedCycle != x.Cycle:
		return " The report tells of the submission that stands only."
	}
	return " What follows is what the report says."
}

// Verdicts are those on each criterion: as it was judged again, or as the
// report has them.
func (x explanation) Verdicts() (all []shadow.Verdict) {
	switch {
	case x.Judgement != nil:
		return x.Judgement.Verdicts
	case x.Broken != "" || x.Report().Swarm.AcceptedCycle != x.Cycle:
		return nil
	}
	w := &x.Report().Swarm
	for i := range w.Criteria {
		c := &w.Criteria[i]
		v := shadow.Verdict{Asked: shadow.Asked{ID: c.ID, Material: x.material(c)}, Outcome: c.Outcome, By: c.By, Line: c.Line}
		for _, f := range x.Report().Failures {
			if f.TestName == c.ID {
				v.Actual, v.Message = f.Actual, f.Message
			}
		}
		all = append(all, v)
	}
	return all
}

// material is what a criterion asks of the domain, as the envelope has it.
func (x explanation) material(c *shadow.CriterionVerdict) *shadow.Material {
	if x.Envelope != nil {
		for i := range x.Envelope.Criteria {
			if m, ok := x.Envelope.Criteria[i].Material[x.Domain]; ok && x.Envelope.Criteria[i].ID == c.ID {
				return &m
			}
		}
	}
	return &shadow.Material{Kind: c.Kind, Category: c.Category}
}

// Asked are the items that a criterion names, with their texts.
func (x explanation) Asked(m *shadow.Material) []string {
	if x.Envelope == nil {
		return m.Items
	}
	return askedItems(x.Envelope, x.Domain, m)
}

// maxCheck is how many characters of a check are shown. What it asks for
// stands above it, and a long one hides what was found.
const maxCheck = 160

// Check is the check of a criterion, or the beginning of it.
func (x explanation) Check(m *shadow.Material) string {
	check := checkText(m)
	if short := clip.To(check, maxCheck); short != check {
		return short + " (shadowd open " + x.Run.ID + " shows all of it)"
	}
	return check
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

// whole is more characters than a vote has.
const whole = 1 << 20

// Votes shows a ballot and what each judge said, whole.
func (t *Terminal) Votes(label string, b *shadow.Ballot) string {
	said := func(label, text string) string {
		return fmt.Sprintf("      %-9s %s", label, t.Wrap(shadow.Printable(text), 16))
	}
	item := !strings.HasPrefix(b.About, "sc-")
	text := said(label, agreement(b, item))
	for i := range b.Votes {
		text += "\n" + said("", voteText(&b.Votes[i], item, whole))
	}
	return text
}

// Quote shows the line of the bundle that decides, or all that a text names, with
// those around them.
func (x explanation) Quote(line int, text string) string {
	if x.Bundle == nil {
		return ""
	}
	var quoted strings.Builder
	last := 0
	for _, l := range around(strings.Split(x.Bundle.Content, "\n"), append(linesNamed(text), line), 1) {
		if last > 0 && l.No > last+1 {
			fmt.Fprintf(&quoted, "                %s\n", x.Paint(Dim, "⋮"))
		}
		pointer, look := " ", Dim
		if last = l.No; l.Named {
			pointer, look = ">", Cyan
		}
		fmt.Fprintf(&quoted, "           %s %s\n", pointer, x.Paint(look, fmt.Sprintf("%4d │ %s", l.No, passage(l.Text))))
	}
	return quoted.String()
}
