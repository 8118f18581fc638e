package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/review"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// explanation draws how a submission was judged.
type explanation struct {
	*Terminal
	*review.Submission
}

// Explain tells the operator how a submission was judged: criterion by
// criterion, what was asked, what was found and where, what the commander
// received, and what consensus should do.
func Explain(t *Terminal, s *review.Submission) error {
	x := explanation{t, s}
	sw := &s.Report().Swarm
	x.Printf("%s\n", x.Paint(Yellow, sealedText))
	x.heading("Domain %s of run %s: bundle %s of %s", sw.Domain, s.Run.ID, sw.BundleID, sw.CommanderID)
	x.outcome()
	if s.Broken != "" {
		x.Printf("  %s %s\n", x.Paint(Red, "SEAL BROKEN"), shadow.Printable(s.Broken))
	}
	if s.Unverified {
		x.Printf("  %s\n", x.Paint(Yellow, "the log no longer has the commitment, so nothing shows that the envelope is the one that was sealed"))
	}
	x.items()
	x.heading("Criteria, on the submission of cycle %d", s.Cycle)
	x.criteria(sw)
	if len(s.Run.Requests[s.Domain]) == 0 {
		x.heading("The commander received nothing")
	}
	for _, h := range s.Run.Requests[s.Domain] {
		x.request(s.Domain, h)
	}
	return t.Err()
}

// criteria shows each criterion: as it was judged again, or as the report has
// it.
func (x explanation) criteria(sw *shadow.Swarm) {
	withheld := func(more string) {
		x.Printf("  %s\n", x.Paint(Yellow, "Not judged again: "+x.Withheld+"."+more))
	}
	switch {
	case x.Judgement != nil:
		if why := x.Judgement.SealBroken; why != "" {
			x.Printf("  %s %s\n", x.Paint(Red, "SEAL BROKEN"), why)
		}
		for i := range x.Judgement.Verdicts {
			v := &x.Judgement.Verdicts[i]
			x.criterion(v.Criterion, v.Outcome, v.Actual, v.Message)
		}
	case x.Broken != "":
		withheld("")
	case sw.AcceptedCycle != x.Cycle:
		withheld(" The report tells of the submission that stands only.")
	default:
		withheld(" What follows is what the report says.")
		s := Of(x.Report())
		for _, c := range s.Criteria() {
			if i := slices.IndexFunc(x.Envelope.Criteria, func(e shadow.Criterion) bool { return e.ID == c.ID }); i >= 0 {
				x.criterion(&x.Envelope.Criteria[i], c.Outcome, c.Failure.Actual, c.Failure.Message)
			}
		}
	}
}

// whatToDo is what a gate asks of a consensus service.
var whatToDo = map[shadow.Action]string{
	shadow.Proceed: "take the bundle", shadow.Warn: "take the bundle, with the report attached", shadow.Quarantine: "review the bundle again, with the failures",
	shadow.Reject: "leave the bundle out of the synthesis", shadow.Pending: "wait: a fix is awaited",
}

// outcome says which submission stands, and what a consensus service should do.
func (x explanation) outcome() {
	s, sw := Of(x.Last), &x.Last.Swarm
	for _, c := range sw.Cycles {
		x.Printf("  cycle %d   %d of %d not passed (%s), %s\n", c.Cycle, c.Score.Failed, c.Score.Total, percent(c.Score), s.Kept(c))
	}
	x.labelled("fixes", s.fixText())
	x.Printf("  score     %s %s\n", s.Look().Icon, x.Paint(s.Look().colour, s.Look().score(sw.Score.Percent().String())))
	x.labelled("read", strings.TrimSuffix(s.Read(), " read"))
	x.Printf("  gate      %s: %s. %s\n", x.Paint(Bold, string(sw.Gate.Action)), whatToDo[sw.Gate.Action], x.Wrap(shadow.Printable(sw.Gate.Reason), 12))
	if c := x.Report().Swarm.Cost; c != nil {
		x.labelled("judges", costText(c))
	}
	if s.Observed() {
		x.Printf("  %s\n", x.Paint(Yellow, "observe mode: gates are not enforced"))
	}
	for _, why := range sw.AdvisoryReasons {
		x.advisory(2, shadow.Printable(why))
	}
	x.labelled("tampering", s.Tampering())
}

// criterion shows what a criterion asks, and what was found.
func (x explanation) criterion(c *shadow.Criterion, o shadow.Outcome, actual, message string) {
	mark, said := x.Mark(o), words(o)
	if left := x.unreadOf(c); o == shadow.Passed && left != "" {
		mark, said = x.Mark(shadow.Undecided), said+", "+left
	}
	x.Printf("\n  %s %s  %s  %s\n", mark, x.Paint(Bold, c.ID), said, x.Paint(Dim, string(c.Category)))
	x.about("asked", c.Assertion)
	if o == shadow.NotApplicable {
		why := "the judges say that it does not apply; it counts as passed"
		if _, asked := c.Material[x.Domain]; !asked {
			why = "it asks nothing of this domain, and counts as passed"
		}
		x.about("", why)
	} else {
		x.asked(c)
	}
	if ballot := x.BallotOn(c.ID); ballot != nil {
		x.Printf("%s\n", x.Votes("judges", ballot))
	} else if actual != "" {
		for item := range strings.SplitSeq(actual, "; ") {
			x.about("found", item)
		}
		x.quote(actual)
	}
	if message != "" {
		x.about("message", message)
	}
}

// mostOfCheck is how many characters of a check are shown. What it asks for
// stands above it, and a long one hides what was found.
const mostOfCheck = 160

// asked shows what a criterion asks of this domain in particular: the items
// that it rests on, and the material of its check.
func (x explanation) asked(c *shadow.Criterion) {
	x.about("expected", c.Expected)
	m := c.Material[x.Domain]
	for _, ref := range m.Items {
		x.about("rests on", ref.String()+": "+x.Envelope.ItemText(x.Domain, ref))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Data)) {
		text := fmt.Sprint(m.Data[name])
		if list, ok := m.Data[name].([]any); ok {
			words := make([]string, len(list))
			for i, v := range list {
				words[i] = fmt.Sprint(v)
			}
			text = strings.Join(words, ", ")
		}
		x.about(name, text)
	}
	check := checkText(c)
	if short := clip.To(check, mostOfCheck); short != check {
		check = short + " (shadowd open " + x.Run.ID + " shows all of it)"
	}
	x.about("check", check)
	if c.Author != "" {
		x.about("author", c.Author)
	}
}

// checkText is the check of a criterion, or a word on why it has none.
func checkText(c *shadow.Criterion) string {
	switch {
	case c.Delivery:
		return "none: it asks whether its items are delivered"
	case c.Check == "":
		return "none: it is for judges that read"
	}
	return c.Check
}

// about is one thing about a criterion.
func (t *Terminal) about(label, text string) { t.Printf("%s\n", t.said(label, text)) }

func (t *Terminal) said(label, text string) string {
	return fmt.Sprintf("      %-9s %s", label, t.Wrap(shadow.Printable(text), 16))
}

// whole is more characters than a vote has.
const whole = 1 << 20

// Votes shows a ballot and what each judge said, whole.
func (t *Terminal) Votes(label string, b *shadow.Ballot) string {
	text := t.said(label, agreement(b))
	for i := range b.Votes {
		text += "\n" + t.said("", voteText(b, &b.Votes[i], whole))
	}
	return text
}
