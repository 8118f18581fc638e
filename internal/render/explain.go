package render

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/reading"
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

// Reported is what the last report of the domain says.
func (x explanation) Reported() *Subject {
	s := Of(x.Last)
	return &s
}

// whatToDo is what a gate asks of a consensus service.
func whatToDo(a shadow.Action) string {
	return map[shadow.Action]string{
		shadow.Proceed: "take the bundle", shadow.Warn: "take the bundle, with the report attached", shadow.Quarantine: "review the bundle again, with the failures",
		shadow.Reject: "leave the bundle out of the synthesis", shadow.Pending: "wait: a fix is awaited",
	}[a]
}

// ItemMark is the sign of what was made of an item.
func (x explanation) ItemMark(v reading.Verdict) string {
	switch v {
	case reading.Found:
		return x.Mark(shadow.Passed)
	case reading.Unread:
		return x.Mark(shadow.Undecided)
	}
	return x.Mark(shadow.Failed)
}

// itemText is an item with where it was decided.
func itemText(it *shadow.ItemVerdict) string {
	return Item{Text: it.ItemRef.String() + ": " + it.Text, Where: whereText(it)}.String()
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
	s := Of(x.Report())
	for _, c := range s.Criteria() {
		if i := slices.IndexFunc(x.Envelope.Criteria, func(e shadow.Criterion) bool { return e.ID == c.ID }); i >= 0 {
			all = append(all, shadow.Verdict{Criterion: &x.Envelope.Criteria[i], Outcome: c.Outcome, Actual: c.Failure.Actual, Message: c.Failure.Message})
		}
	}
	return all
}

// Asks tells whether a criterion asks something of the domain.
func (x explanation) Asks(c *shadow.Criterion) bool {
	_, asked := c.Material[x.Domain]
	return asked
}

// Unread says how many of the items that a criterion of delivery rests on are
// unread; empty if none is. It passes where nobody read them, which is no praise.
func (x explanation) Unread(c *shadow.Criterion) string {
	refs, unread := c.Material[x.Domain].Items, 0
	for _, it := range x.Items() {
		if c.Delivery && it.Verdict == reading.Unread && slices.Contains(refs, it.ItemRef) {
			unread++
		}
	}
	if unread == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s unread", unread, shadow.Count(len(refs), "item"))
}

// listed is a value of the material of a check.
func listed(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// maxCheck is how many characters of a check are shown. What it asks for
// stands above it, and a long one hides what was found.
const maxCheck = 160

// Check is the check of a criterion, or the beginning of it.
func (x explanation) Check(c *shadow.Criterion) string {
	check := checkText(c)
	if short := clip.To(check, maxCheck); short != check {
		return short + " (shadowd open " + x.Run.ID + " shows all of it)"
	}
	return check
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

// whole is more characters than a vote has.
const whole = 1 << 20

// Votes shows a ballot and what each judge said, whole.
func (t *Terminal) Votes(label string, b *shadow.Ballot) string {
	said := func(label, text string) string {
		return fmt.Sprintf("      %-9s %s", label, t.Wrap(shadow.Printable(text), 16))
	}
	text := said(label, agreement(b))
	for i := range b.Votes {
		text += "\n" + said("", voteText(b, &b.Votes[i], whole))
	}
	return text
}

var lineNumber = regexp.MustCompile(`\bline (\d{1,7})\b`)

// Quote shows the lines of the bundle that a text names, with those around
// them.
func (x explanation) Quote(text string) string {
	if x.Bundle == nil {
		return ""
	}
	lines := strings.Split(x.Bundle.Content, "\n")
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
	var quoted strings.Builder
	numbers := slices.Sorted(maps.Keys(shown))
	for i, n := range numbers {
		if i > 0 && n > numbers[i-1]+1 {
			fmt.Fprintf(&quoted, "                %s\n", x.Paint(Dim, "⋮"))
		}
		pointer, look := " ", Dim
		if shown[n] {
			pointer, look = ">", Cyan
		}
		fmt.Fprintf(&quoted, "           %s %s\n", pointer, x.Paint(look, fmt.Sprintf("%4d │ %s", n, passage(lines[n-1]))))
	}
	return quoted.String()
}
