package main

import (
	"fmt"
	"maps"
	"slices"
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
	x.items(s)
	s.heading(fmt.Sprintf("Criteria, on the submission of cycle %d", x.cycle))
	switch {
	case x.judgement != nil:
		if why := x.judgement.SealBroken; why != "" {
			s.printf("  %s %s\n", s.paint(red, "SEAL BROKEN"), why)
		}
		for i := range x.judgement.Verdicts {
			x.verdict(s, &x.judgement.Verdicts[i])
		}
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
	icon, level, colour := lookOf(x.last)
	s.printf("  score     %s %s\n", icon, s.paint(colour, render.ScoreText(sw.Score.Percent(), level)))
	if read := render.ReadText(sw.Read); read != "" {
		s.printf("  read      %s\n", strings.TrimSuffix(read, " read"))
	}
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

// checkOf is the check of a criterion, or a word on why it has none.
func checkOf(c *shadow.Criterion) string {
	switch {
	case c.Delivery:
		return "none: it asks whether its items are delivered"
	case c.Check == "":
		return "none: it is for judges that read"
	}
	return c.Check
}

// asked prints what a criterion asks.
func (x *explanation) asked(s *story, c *shadow.Criterion, mark, outcome string) {
	s.printf("\n  %s %s  %s  %s\n", mark, s.paint(bold, c.ID), outcome, s.paint(dim, string(c.Category)))
	x.line(s, "asked", c.Assertion)
	x.line(s, "expected", c.Expected)
	x.material(s, c.Material[x.last.Swarm.Domain])
	check := checkOf(c)
	if r := []rune(check); len(r) > mostOfCheck {
		check = string(r[:mostOfCheck]) + "… (shadowd open " + x.run.ID + " shows all of it)"
	}
	x.line(s, "check", check)
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
	if v.Outcome == shadow.NotApplicable {
		x.spared(s, v.Criterion)
		return
	}
	mark, outcome := s.mark(v.Outcome), string(v.Outcome)
	if left := x.unreadOf(v.Criterion); left != "" && v.Outcome == shadow.Passed {
		mark, outcome = s.paint(yellow, "?"), outcome+", "+left
	}
	x.asked(s, v.Criterion, mark, outcome)
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

// spared prints a criterion that does not apply to the domain.
func (x *explanation) spared(s *story, c *shadow.Criterion) {
	s.printf("\n  %s %s  not applicable  %s\n", s.paint(dim, "-"), s.paint(bold, c.ID), s.paint(dim, string(c.Category)))
	x.line(s, "asked", c.Assertion)
	if _, asked := c.Material[x.last.Swarm.Domain]; !asked {
		x.line(s, "", "it asks nothing of this domain, and counts as passed")
	} else {
		x.line(s, "", "the judges say that it does not apply; it counts as passed")
	}
	if ballot := x.ballot(c.ID); ballot != nil {
		s.votes("judges", ballot)
	}
}

// reported says what the report has on a criterion.
func (x *explanation) reported(s *story, c *shadow.Criterion) {
	rep := x.report()
	if slices.Contains(rep.Swarm.NotApplicable, c.ID) {
		x.spared(s, c)
		return
	}
	i := slices.IndexFunc(rep.Failures, func(f shadow.Failure) bool { return f.TestName == c.ID })
	if i >= 0 {
		x.asked(s, c, s.paint(red, "✗"), "not passed")
		x.line(s, "found", rep.Failures[i].Actual)
	} else if left := x.unreadOf(c); left != "" {
		x.asked(s, c, s.paint(yellow, "?"), string(shadow.Passed)+", "+left)
	} else {
		x.asked(s, c, s.paint(green, "✓"), string(shadow.Passed))
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

// told shows what the commander received, whole.
func (x *explanation) told(s *story) {
	requests := x.run.Requests[x.last.Swarm.Domain]
	if len(requests) == 0 {
		s.heading("The commander was told nothing")
		return
	}
	s.told(&trackedRun{Requests: map[string][]*shadow.HardeningData{x.last.Swarm.Domain: requests}, Reports: map[string][]*shadow.Report{x.last.Swarm.Domain: x.reports}})
}
