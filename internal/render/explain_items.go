package render

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// items says what was made of each item of the assignment.
func (x explanation) items() {
	items := x.Items()
	if len(items) == 0 {
		return
	}
	read := shadow.Read{Items: len(items)}
	for i := range items {
		if items[i].Verdict != reading.Unread {
			read.Read++
		}
	}
	x.heading("Assignment: %s", read.Words())
	for i := range items {
		x.item(&items[i])
	}
}

func (x explanation) item(it *shadow.ItemVerdict) {
	mark := x.Mark(shadow.Failed)
	switch it.Verdict {
	case reading.Found:
		mark = x.Mark(shadow.Passed)
	case reading.Unread:
		mark = x.Mark(shadow.Undecided)
	}
	text := it.ItemRef.String() + ": " + it.Text
	if where := whereText(it); where != "" {
		text += " (" + where + ")"
	}
	x.Printf("  %s %-9s   %s\n", mark, it.Verdict, x.Wrap(shadow.Printable(text), 16))
	if ballot := x.BallotOn(it.ItemRef.String()); ballot != nil {
		x.Printf("%s\n", x.Votes("judges", ballot))
	}
	if it.Line > 0 && it.Verdict != reading.Found {
		x.quote(fmt.Sprintf("line %d", it.Line))
	}
}

// unreadOf says how many of the items that a criterion of delivery rests on are
// unread; empty if none is. It passes where nobody read them, which is no praise.
func (x explanation) unreadOf(c *shadow.Criterion) string {
	if !c.Delivery {
		return ""
	}
	items, unread := x.Items(), 0
	refs := c.Material[x.Domain].Items
	for i := range items {
		if items[i].Verdict == reading.Unread && slices.Contains(refs, items[i].ItemRef) {
			unread++
		}
	}
	if unread == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s unread", unread, shadow.Count(len(refs), "item"))
}

var lineNumber = regexp.MustCompile(`\bline (\d{1,7})\b`)

// quote shows the lines of the bundle that a text names, with those around
// them.
func (x explanation) quote(text string) {
	if x.Bundle == nil {
		return
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
	numbers := slices.Sorted(maps.Keys(shown))
	for i, n := range numbers {
		if i > 0 && n > numbers[i-1]+1 {
			x.Printf("                %s\n", x.Paint(Dim, "⋮"))
		}
		pointer, look := " ", Dim
		if shown[n] {
			pointer, look = ">", Cyan
		}
		x.Printf("           %s %s\n", pointer, x.Paint(look, fmt.Sprintf("%4d │ %s", n, passage(lines[n-1]))))
	}
}
