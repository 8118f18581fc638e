package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Unread tells whether so little of the bundle was read that its score is no
// judgement, and no rendering may show it as a good one.
func Unread(s *shadow.Swarm) bool {
	return slices.ContainsFunc(s.AdvisoryReasons, isUnread)
}

// isUnread tells the reason that too little was read from the others.
func isUnread(why string) bool { return strings.HasPrefix(why, "unread:") }

// ReadText says how much of an assignment was read, such as "4 of 9 items
// read". It is empty where there is no item.
func ReadText(r shadow.Read) string {
	if r.Items == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s read", r.Read, Count(r.Items, "item"))
}

// Item is an item of an assignment that was not found, in words that are fit to
// be shown.
type Item struct {
	Verdict reading.Verdict
	Text    string // "sub-task 2: Plan the retention of events"
	Where   string // "line 12, by rules, asked by sc-03"; may be empty
}

// Failed tells whether somebody is sure that the item was not delivered.
func (i Item) Failed() bool { return i.Verdict != reading.Unread }

// String is the item in one line, without its verdict.
func (i Item) String() string {
	if i.Where == "" {
		return i.Text
	}
	return i.Text + " (" + i.Where + ")"
}

// mostUnread is how many unread items are told with their texts: the others are
// only named.
const mostUnread = 5

// Items lists the items of a bundle that were not found: first all that are
// missing or declined, then the first ones that are unread. others names the
// rest of what is unread, such as "constraints 2 to 5".
func Items(s *shadow.Swarm) (list []Item, others string) {
	var unread []Item
	var refs []shadow.ItemRef
	for i := range s.Items {
		switch v := &s.Items[i]; v.Verdict {
		case reading.Found:
		case reading.Unread:
			unread, refs = append(unread, itemOf(v)), append(refs, v.ItemRef)
		default:
			list = append(list, itemOf(v))
		}
	}
	if len(unread) <= mostUnread+1 {
		return append(list, unread...), ""
	}
	return append(list, unread[:mostUnread]...), names(refs[mostUnread:])
}

// UnreadNames names all items that nobody read, such as "sub-tasks 1 to 3, 5;
// deliverable 2"; empty if all are read.
func UnreadNames(s *shadow.Swarm) string {
	var refs []shadow.ItemRef
	for i := range s.Items {
		if s.Items[i].Verdict == reading.Unread {
			refs = append(refs, s.Items[i].ItemRef)
		}
	}
	return names(refs)
}

// names joins the names of items, which are in their order: "sub-tasks 1 to 3,
// 5; deliverable 2".
func names(refs []shadow.ItemRef) string {
	var kinds []string
	for len(refs) > 0 {
		n := 1
		for n < len(refs) && refs[n].Kind == refs[0].Kind {
			n++
		}
		kind, _, _ := strings.Cut(refs[0].String(), " ")
		if n > 1 {
			kind += "s"
		}
		kinds = append(kinds, shadow.Printable(kind)+" "+numbers(refs[:n]))
		refs = refs[n:]
	}
	return strings.Join(kinds, "; ")
}

// numbers joins the numbers of items of one kind: "1 to 3, 5".
func numbers(refs []shadow.ItemRef) string {
	var out []string
	for len(refs) > 0 {
		n := 1
		for n < len(refs) && refs[n].Index == refs[0].Index+n {
			n++
		}
		if n < 3 {
			n = 1
		}
		text := fmt.Sprint(refs[0].Index + 1)
		if n > 1 {
			text += fmt.Sprintf(" to %d", refs[n-1].Index+1)
		}
		out, refs = append(out, text), refs[n:]
	}
	return strings.Join(out, ", ")
}

func itemOf(v *shadow.ItemVerdict) Item {
	return Item{v.Verdict, inert(shadow.Printable(v.ItemRef.String()) + ": " + clip.To(shadow.Printable(v.Text), mostQuoted)), WhereText(v)}
}

// WhereText says on which line an item was decided, by whom, and which criteria
// ask for it.
func WhereText(v *shadow.ItemVerdict) string {
	var parts []string
	if v.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", v.Line))
	}
	switch by := shadow.Printable(v.By); {
	case v.Verdict != reading.Unread:
		parts = append(parts, "by "+by)
	case by != "rules":
		parts = append(parts, by+" could not settle it")
	}
	switch {
	case v.Verdict == reading.Unread || v.Verdict == reading.Found:
	case len(v.Criteria) == 0:
		parts = append(parts, "no criterion asks for it")
	default:
		parts = append(parts, "asked by "+joinedWith(v.Criteria, ", "))
	}
	return strings.Join(parts, ", ")
}

// items are those that were not found, none for a test suite.
func (s *Subject) items() (list []Item, others string) {
	if s.Swarm == nil {
		return nil, ""
	}
	return Items(s.Swarm)
}

// failedItems lists in one line each what is missing or declined.
func (s *Subject) failedItems() (lines []string) {
	list, _ := s.items()
	for _, it := range list {
		if it.Failed() {
			lines = append(lines, string(it.Verdict)+" "+it.String())
		}
	}
	return lines
}

// read says how much of the assignment was read; empty where there is no item.
func (s *Subject) read() string {
	if s.Swarm == nil {
		return ""
	}
	return ReadText(s.Swarm.Read)
}

// share is how much was read as a cell of a table, such as "4 of 9".
func (s *Subject) share() string {
	if s.read() == "" {
		return ""
	}
	return s.Swarm.Read.String()
}

// unread tells whether the score is no judgement, since too little was read.
func (s *Subject) unread() bool { return s.Swarm != nil && Unread(s.Swarm) }

// todo says what to do about a score that is no judgement; empty if it is one.
func (s *Subject) todo() string {
	if !s.unread() {
		return ""
	}
	return TodoText(s.Swarm.Read)
}

// TodoText says what to do where too little was read.
func TodoText(r shadow.Read) string {
	return "let a person or a judge read the bundle: this score says nothing about " + Count(r.Items-r.Read, "item")
}

// spared says which criteria do not apply; empty if all do.
func (s *Subject) spared() string {
	if s.Swarm == nil {
		return ""
	}
	return SparedText(s.Swarm)
}

// SparedText says which criteria do not apply to a domain; empty if all do.
func SparedText(s *shadow.Swarm) string {
	ids := joinedWith(s.NotApplicable, ", ")
	switch len(s.NotApplicable) {
	case 0:
		return ""
	case 1:
		return ids + " does not apply to this domain, and counts as passed"
	}
	return ids + " do not apply to this domain, and count as passed"
}

// mostQuoted is how many characters of a passage are quoted.
const mostQuoted = 80
