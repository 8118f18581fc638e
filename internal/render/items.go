package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

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

// maxUnread is how many unread items are told with their texts: the others are
// only named.
const maxUnread = 5

// Items lists the items of a bundle that were not found: first all that are
// missing or declined, then the first ones that are unread. The last one names
// the rest of what is unread, such as "constraints 2 to 5".
func (s *Subject) Items() []Item { return s.items(whereText) }

func (s *Subject) items(where func(*shadow.ItemVerdict) string) (list []Item) {
	var unread []Item
	for i := range s.swarm().Items {
		v := &s.Swarm.Items[i]
		text := inert(shadow.Printable(v.ItemRef.String()) + ": " + clip.To(shadow.Printable(v.Text), maxQuoted))
		switch it := (Item{v.Verdict, text, where(v)}); v.Verdict {
		case reading.Found:
		case reading.Unread:
			unread = append(unread, it)
		default:
			list = append(list, it)
		}
	}
	if len(unread) > maxUnread+1 {
		unread = append(unread[:maxUnread], Item{reading.Unread, names(s.unreadRefs()[maxUnread:]), ""})
	}
	return append(list, unread...)
}

// unreadNames names all items that nobody read, such as "sub-tasks 1 to 3, 5;
// deliverable 2"; empty if all are read.
func (s *Subject) unreadNames() string { return names(s.unreadRefs()) }

// unreadOf says how many of a criterion's items are unread: "2 of 3 items unread".
func (s *Subject) unreadOf(id string) string {
	items, unread := 0, 0
	for i := range s.swarm().Items {
		if v := &s.Swarm.Items[i]; slices.Contains(v.Criteria, id) {
			if items++; v.Verdict == reading.Unread {
				unread++
			}
		}
	}
	return fmt.Sprintf("%d of %s unread", unread, shadow.Count(items, "item"))
}

func (s *Subject) unreadRefs() (refs []shadow.ItemRef) {
	for i := range s.swarm().Items {
		if v := &s.Swarm.Items[i]; v.Verdict == reading.Unread {
			refs = append(refs, v.ItemRef)
		}
	}
	return refs
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

// whereText says on which line an item was decided, by whom, and which criteria
// ask for it.
func whereText(v *shadow.ItemVerdict) string {
	decided := decidedText(v)
	switch {
	case v.Verdict == reading.Unread || v.Verdict == reading.Found:
		return decided
	case len(v.Criteria) == 0:
		return decided + ", no criterion asks for it"
	}
	return decided + ", asked by " + joined(v.Criteria, ", ")
}

// decidedText says on which line an item was decided, and by whom.
func decidedText(v *shadow.ItemVerdict) string {
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
	return strings.Join(parts, ", ")
}
