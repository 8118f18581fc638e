package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// items says what was made of each item of the assignment in the submission
// that is explained.
func (x *explanation) items(s *story) {
	items := x.itemVerdicts()
	if len(items) == 0 {
		return
	}
	read := shadow.Read{Items: len(items)}
	for i := range items {
		if items[i].Verdict != reading.Unread {
			read.Read++
		}
	}
	s.heading("Assignment: " + render.ReadText(read))
	for i := range items {
		x.item(s, &items[i])
	}
}

// itemVerdicts are those of the submission that is explained: as judged once
// more, or else as its report has them. None are known of a submission that
// does not stand and was not judged again.
func (x *explanation) itemVerdicts() []shadow.ItemVerdict {
	rep := x.report()
	switch {
	case x.judgement != nil:
		return x.judgement.Items
	case rep.Swarm.AcceptedCycle == x.cycle:
		return rep.Swarm.Items
	}
	return nil
}

func (x *explanation) item(s *story, it *shadow.ItemVerdict) {
	mark := s.paint(red, "✗")
	switch it.Verdict {
	case reading.Found:
		mark = s.paint(green, "✓")
	case reading.Unread:
		mark = s.paint(yellow, "?")
	}
	text := it.ItemRef.String() + ": " + it.Text
	if where := render.WhereText(it); where != "" {
		text += " (" + where + ")"
	}
	s.printf("  %s %-9s   %s\n", mark, it.Verdict, s.wrap(shadow.Printable(text), 16))
	if ballot := x.itemBallot(it.ItemRef); ballot != nil {
		s.votes("judges", ballot)
	}
	if it.Line > 0 && it.Verdict != reading.Found {
		x.quote(s, fmt.Sprintf("line %d", it.Line))
	}
}

// unreadOf says how many of the items that a criterion of delivery rests on are
// unread; empty if none is. It passes where nobody read them, which is no praise.
func (x *explanation) unreadOf(c *shadow.Criterion) string {
	if !c.Delivery {
		return ""
	}
	items, unread := x.itemVerdicts(), 0
	refs := c.Material[x.last.Swarm.Domain].Items
	for i := range items {
		if items[i].Verdict == reading.Unread && slices.Contains(refs, items[i].ItemRef) {
			unread++
		}
	}
	if unread == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s unread", unread, plural(len(refs), "item"))
}

// itemBallot is what judges said to an item, or nil.
func (x *explanation) itemBallot(ref shadow.ItemRef) *shadow.Ballot {
	ballots := x.report().Swarm.Ballots
	if i := slices.IndexFunc(ballots, func(b shadow.Ballot) bool { return b.Item != nil && *b.Item == ref }); i >= 0 {
		return &ballots[i]
	}
	return nil
}

// votes shows a ballot and what each judge said, whole.
func (s *story) votes(label string, b *shadow.Ballot) {
	s.line(label, render.Agreement(b))
	for i := range b.Votes {
		text := render.VoteText(b, &b.Votes[i], func(whole string) string { return whole })
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
