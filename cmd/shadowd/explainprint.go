package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// print tells the explanation on a terminal.
func (x *explanation) print(s *story) {
	rep := x.report()
	sw := &rep.Swarm
	s.printf("%s\n", s.paint(yellow, "SEALED TEXT: for the operator. Keep it from commanders and the Nexus."))
	s.heading(fmt.Sprintf("Domain %s of run %s: bundle %s of %s", sw.Domain, x.run.ID, sw.BundleID, sw.CommanderID))
	x.cycles(s)
	x.gate(s)
	if x.broken != "" {
		s.printf("  %s %s\n", s.paint(red, "SEAL BROKEN"), shadow.Printable(x.broken))
	}
	if x.unverified {
		s.printf("  %s\n", s.paint(yellow, "the log no longer has the commitment, so nothing shows that the envelope is the one that was sealed"))
	}
	s.heading(fmt.Sprintf("Criteria, on the submission of cycle %d", x.cycle))
	switch {
	case x.judgement != nil:
		if why := x.judgement.SealBroken; why != "" {
			s.printf("  %s %s\n", s.paint(red, "SEAL BROKEN"), why)
		}
		for i := range x.judgement.Verdicts {
			x.verdict(s, &x.judgement.Verdicts[i])
		}
		x.items(s)
	case x.broken == "" && sw.AcceptedCycle != x.cycle:
		s.printf("  %s\n", s.paint(yellow, "Not judged again: "+x.withheld+". The report tells of the submission that stands only."))
	case x.broken == "":
		s.printf("  %s\n", s.paint(yellow, "Not judged again: "+x.withheld+". What follows is what the report says."))
		for i := range x.envelope.Criteria {
			x.reported(s, &x.envelope.Criteria[i])
		}
	default:
		s.printf("  %s\n", s.paint(yellow, "Not judged again: "+x.withheld+"."))
	}
	x.told(s)
}

// cycles says which submission stands, and why.
func (x *explanation) cycles(s *story) {
	sw := &x.last.Swarm
	for _, c := range sw.Cycles {
		words := "was replaced"
		switch {
		case !c.Kept:
			words = "was worse than what stood, so it was not kept"
		case c.Cycle == sw.AcceptedCycle && c.Cycle == 0 && len(sw.Cycles) == 1:
			words = "stands: there was no fix"
		case c.Cycle == sw.AcceptedCycle && c.Cycle > 0:
			words = "stands: no worse than what it replaces"
		case c.Cycle == sw.AcceptedCycle:
			words = "stands"
		}
		s.printf("  cycle %d   %d of %d not passed (%s), %s\n", c.Cycle, c.Score.Failed, c.Score.Total, percent(c.Score), words)
	}
	switch {
	case sw.Hardening.TimedOut:
		s.printf("  cycle %d   no fix came by %s\n", sw.Cycle, sw.Hardening.Deadline.UTC().Format("2006-01-02 15:04:05 UTC"))
	case !sw.Final:
		s.printf("  %s\n", s.paint(yellow, fmt.Sprintf("fix %d is awaited: this is not the last word", sw.Cycle+1)))
	}
}

// gate says what a consensus service should do.
func (x *explanation) gate(s *story) {
	sw := &x.last.Swarm
	icon, colour := look(x.last.Report.Level)
	s.printf("  score     %s %s %s\n", icon, s.paint(colour, percent(sw.Score)), x.last.Report.Level)
	what := map[shadow.Action]string{
		shadow.Proceed: "take the bundle", shadow.Warn: "take the bundle, with the report attached", shadow.Quarantine: "review the bundle again, with the failures",
		shadow.Reject: "leave the bundle out of the synthesis", shadow.Pending: "wait: a fix is awaited",
	}[sw.Gate.Action]
	s.printf("  gate      %s: %s. %s\n", s.paint(bold, string(sw.Gate.Action)), what, s.wrap(shadow.Printable(sw.Gate.Reason), 12))
	if c := x.report().Swarm.Cost; c != nil {
		s.printf("  judges    %s\n", render.CostText(c))
	}
	if !sw.Gate.Enforced {
		s.printf("  %s\n", s.paint(yellow, "observe mode: gates are not enforced"))
	}
	for _, why := range sw.AdvisoryReasons {
		s.printf("  %s  %s\n", s.paint(yellow, "ADVISORY"), s.wrap(shadow.Printable(why), 12))
	}
	for _, t := range sw.Tampering {
		s.printf("  %s line %d of %s seems to address the judge (%s); no verdict rests on this\n", s.paint(yellow, "TAMPERING"), t.Line, shadow.Printable(t.In), shadow.Printable(t.Kind))
	}
	if len(sw.Hardening.FlatVelocity) > 0 {
		s.printf("  the fix was no better, and failed for other reasons: the commander may miss what is meant by %s\n", strings.Join(sw.Hardening.FlatVelocity, ", "))
	}
	if len(sw.Hardening.Escalate) > 0 {
		s.printf("  a human should look at %s\n", strings.Join(sw.Hardening.Escalate, ", "))
	}
}

// asked prints what a criterion asks.
func (x *explanation) asked(s *story, c *shadow.Criterion, mark string, outcome shadow.Outcome) {
	s.printf("\n  %s %s  %s  %s\n", mark, s.paint(bold, c.ID), outcome, s.paint(dim, string(c.Category)))
	x.line(s, "asked", c.Assertion)
	x.line(s, "expected", c.Expected)
	x.material(s, c.Material[x.last.Swarm.Domain])
	switch check := []rune(c.Check); {
	case c.Delivery:
		x.line(s, "check", "none: it asks whether its items are delivered")
	case len(check) == 0:
		x.line(s, "check", "none: it is for judges that read")
	case len(check) > mostOfCheck:
		x.line(s, "check", string(check[:mostOfCheck])+"… (shadowd open "+x.run.ID+" shows all of it)")
	default:
		x.line(s, "check", c.Check)
	}
	if c.Author != "" {
		x.line(s, "author", c.Author)
	}
}

// mostOfCheck is how many characters of a check are shown. What it asks for
// stands above it, and a long one hides what was found.
const mostOfCheck = 160

// material prints what a criterion asks of this domain in particular: the items
// that it rests on, and the material of its check.
func (x *explanation) material(s *story, m shadow.Material) {
	for _, ref := range m.Items {
		x.line(s, "rests on", ref.String()+": "+x.envelope.ItemText(x.last.Swarm.Domain, ref))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Data)) {
		if list, ok := m.Data[name].([]any); ok {
			x.line(s, name, joinedItems(list))
			continue
		}
		x.line(s, name, fmt.Sprint(m.Data[name]))
	}
}

func joinedItems(list []any) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

func (x *explanation) line(s *story, label, text string) { s.line(label, text) }

// line is one thing about a criterion.
func (s *story) line(label, text string) {
	s.printf("      %-9s %s\n", label, s.wrap(shadow.Printable(text), 16))
}

func (x *explanation) verdict(s *story, v *shadow.Verdict) {
	x.asked(s, v.Criterion, s.mark(v.Outcome), v.Outcome)
	if ballot := x.ballot(v.Criterion.ID); ballot != nil {
		s.votes("judges", ballot)
	} else {
		for item := range strings.SplitSeq(v.Actual, "; ") {
			if item != "" {
				x.line(s, "found", item)
			}
		}
		x.quote(s, v.Actual)
	}
	if v.Message != "" {
		x.line(s, "message", v.Message)
	}
}

// items says what was made of each item of the assignment.
func (x *explanation) items(s *story) {
	s.heading("Items of the assignment, " + x.report().Swarm.Read.String() + " read")
	for i := range x.judgement.Items {
		it := &x.judgement.Items[i]
		s.line(string(it.Verdict), it.ItemRef.String()+": "+it.Text)
		what := "by " + it.By
		if it.Line > 0 {
			what += fmt.Sprintf(", line %d", it.Line)
		}
		s.line("", what)
	}
}

// reported says what the report has on a criterion.
func (x *explanation) reported(s *story, c *shadow.Criterion) {
	rep := x.report()
	i := slices.IndexFunc(rep.Failures, func(f shadow.Failure) bool { return f.TestName == c.ID })
	if i >= 0 {
		x.asked(s, c, s.paint(red, "✗"), "not passed")
		x.line(s, "found", rep.Failures[i].Actual)
	} else {
		x.asked(s, c, s.paint(green, "✓"), shadow.Passed)
	}
	if ballot := x.ballot(c.ID); ballot != nil {
		s.votes("judges", ballot)
	}
	if i >= 0 {
		x.line(s, "message", rep.Failures[i].Message)
	}
}

// ballot is what judges said to a criterion, or nil.
func (x *explanation) ballot(id string) *shadow.Ballot {
	ballots := x.report().Swarm.Ballots
	if i := slices.IndexFunc(ballots, func(b shadow.Ballot) bool { return b.Item == nil && b.TestName == id }); i >= 0 {
		return &ballots[i]
	}
	return nil
}

// votes shows a ballot and what each judge said, whole.
func (s *story) votes(label string, b *shadow.Ballot) {
	s.line(label, render.Agreement(b))
	for i := range b.Votes {
		v := &b.Votes[i]
		text := v.Judge + ": "
		switch v.Outcome {
		case shadow.Passed:
			text += fmt.Sprintf("passed, for it says %q", v.Quote)
		case shadow.Failed:
			text += "failed: " + v.Actual
			if v.Quote != "" {
				text += fmt.Sprintf(" (it says %q)", v.Quote)
			}
		case shadow.NotApplicable:
			text += "not applicable: " + v.Why
		default:
			text += "no vote: " + v.Why
		}
		if v.Cached {
			text += " (known from before)"
		}
		s.line("", text)
	}
}

var lineNumber = regexp.MustCompile(`\bline (\d{1,7})\b`)

// quote shows the lines of the bundle that a text names, with those around
// them.
func (x *explanation) quote(s *story, text string) {
	lines := strings.Split(x.bundle.Content, "\n")
	shown := map[int]bool{} // true for a line that is named
	for _, m := range lineNumber.FindAllStringSubmatch(text, 5) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > len(lines) {
			continue
		}
		for i := max(n-1, 1); i <= min(n+1, len(lines)); i++ {
			shown[i] = shown[i] || i == n
		}
	}
	numbers := []int{}
	for n := range shown {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if i > 0 && n > numbers[i-1]+1 {
			s.printf("                %s\n", s.paint(dim, "⋮"))
		}
		pointer, look := " ", dim
		if shown[n] {
			pointer, look = ">", cyan
		}
		s.printf("           %s %s\n", pointer, s.paint(look, fmt.Sprintf("%4d │ %s", n, short(lines[n-1]))))
	}
}

// told shows what the commander received, whole.
func (x *explanation) told(s *story) {
	requests := x.run.Requests[x.last.Swarm.Domain]
	if len(requests) == 0 {
		s.heading("The commander was told nothing")
		return
	}
	s.told(&trackedRun{Requests: map[string][]*shadow.HardeningData{x.last.Swarm.Domain: requests}, Reports: map[string][]*shadow.Report{x.last.Swarm.Domain: x.reports}})
}
