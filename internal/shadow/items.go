package shadow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// ItemKind is what an item of an assignment is.
type ItemKind string

// The kinds of items.
const (
	SubTask         ItemKind = "sub_task"
	Deliverable     ItemKind = "deliverable"
	Constraint      ItemKind = "constraint"
	RequirementItem ItemKind = "requirement"
)

// ItemRef names an item of a domain's assignment: the Index-th, from 0, of the
// domain's sub-tasks, deliverables or constraints, or of the decomposition's
// requirements.
type ItemRef struct {
	Kind  ItemKind `json:"kind"`
	Index int      `json:"index"`
}

// String gives the item as people count: "sub-task 1".
func (r ItemRef) String() string {
	return fmt.Sprintf("%s %d", strings.ReplaceAll(string(r.Kind), "sub_task", "sub-task"), r.Index+1)
}

// Item is an item of an assignment with its words.
type Item struct {
	ItemRef
	Text string `json:"text"`
}

// ItemVerdict says what was made of one item in one bundle.
type ItemVerdict struct {
	ItemRef
	// Text is the item in the words of the decomposition.
	Text string `json:"text"`
	// Verdict is found, missing or declined where somebody is sure, and else
	// unread.
	Verdict reading.Verdict `json:"verdict"`
	// By is who says so: "rules", or the names of the judges that agree,
	// joined by ", ". An unread item is by the last who tried.
	By string `json:"by"`
	// Line of the content that decides, from 1; 0 where there is none.
	Line int `json:"line,omitempty"`
	// Criteria are the ids of the criteria that rest on the item.
	Criteria []string `json:"criteria"`

	why string // what was found instead; empty where it was found
}

// failed tells whether the item is known not to be delivered.
func (v *ItemVerdict) failed() bool {
	return v.Verdict == reading.Missing || v.Verdict == reading.Declined
}

// Read counts the items of an assignment, and how many of them somebody was
// sure about.
type Read struct {
	Items int `json:"items"`
	Read  int `json:"read"`
}

// String gives the share in words: "4 of 9".
func (r Read) String() string { return fmt.Sprintf("%d of %d", r.Read, r.Items) }

// Below tells whether less than percent of the items were read. Where there is
// no item, nothing is left unread.
func (r Read) Below(percent int) bool { return r.Read*100 < percent*r.Items }

// unread says what of a report was read if that is too little, and else nothing:
// less than percent of the items or, where there is none, nothing that a judge
// was asked.
func (s *Swarm) unread(percent int) string {
	if s.Read.Items == 0 && len(s.Ballots) == 0 && percent > 0 {
		return "the assignment has no item to read"
	}
	if s.Read.Below(percent) {
		return s.Read.Words()
	}
	return ""
}

// Unread tells whether so little was read that the score is no judgement.
func (s *Swarm) Unread() bool { return slices.ContainsFunc(s.AdvisoryReasons, IsUnread) }

// IsUnread tells the reason that too little was read from the others.
func IsUnread(why string) bool { return strings.HasPrefix(why, "unread: ") }

// Add sums up.
func (r *Read) Add(o Read) { r.Items += o.Items; r.Read += o.Read }

// ReadOf is how many items of an assignment were read.
func ReadOf(items []ItemVerdict) (r Read) {
	r.Items = len(items)
	for i := range items {
		if items[i].Verdict != reading.Unread {
			r.Read++
		}
	}
	return r
}

// Items lists the items of a domain's assignment, in its order.
func (d *Domain) Items() []Item {
	var items []Item
	for _, l := range []struct {
		kind  ItemKind
		texts []string
	}{{SubTask, d.SubTasks}, {Deliverable, d.Deliverables}, {Constraint, d.Constraints}} {
		for i, text := range l.texts {
			items = append(items, Item{ItemRef{l.kind, i}, text})
		}
	}
	return items
}

// items lists the items of a domain's assignment, and behind them the
// requirements that a criterion rests on in this domain.
func (e *Envelope) items(d *Domain) []Item {
	items := d.Items()
	for i, r := range e.Requirements {
		ref := ItemRef{RequirementItem, i}
		rests := func(c Criterion) bool { return slices.Contains(c.Material[d.Domain].Items, ref) }
		if slices.ContainsFunc(e.Criteria, rests) {
			items = append(items, Item{ref, r.Text})
		}
	}
	return items
}

// byRules names the program itself where it says who gave a verdict.
const byRules = "rules"

// read has the rules read the items of a domain's assignment in a bundle.
func (e *Envelope) read(d *Domain, work *reading.Work) []ItemVerdict {
	list := e.items(d)
	out := make([]ItemVerdict, len(list))
	items := make([]string, len(list))
	for i, it := range list {
		items[i] = it.Text
		out[i] = ItemVerdict{ItemRef: it.ItemRef, By: byRules, Criteria: []string{}, Text: it.Text}
	}
	for j := range e.Criteria {
		of := e.Criteria[j].Material[d.Domain].Items
		for i := range out {
			if slices.Contains(of, out[i].ItemRef) {
				out[i].Criteria = append(out[i].Criteria, e.Criteria[j].ID)
			}
		}
	}
	for i, r := range reading.New(work).Read(reading.Prepare(items)) {
		v := &out[i]
		if v.Verdict, v.Line = r.Verdict, r.Line; v.Kind == Constraint && v.failed() {
			// A constraint is kept in silence, and what is "not done" beside its
			// words is mostly how it is kept: "no key leaves the cluster".
			v.Verdict, v.Line = reading.Unread, 0
		}
		if v.failed() {
			v.why = r.Why
		}
	}
	return out
}

// ItemText gives the words of an item of a domain, "" if there is none such.
func (e *Envelope) ItemText(domain string, ref ItemRef) string {
	d := e.Domains.Find(domain)
	if d == nil || ref.Index < 0 {
		return ""
	}
	if ref.Kind == RequirementItem && ref.Index < len(e.Requirements) {
		return e.Requirements[ref.Index].Text
	}
	texts := map[ItemKind][]string{SubTask: d.SubTasks, Deliverable: d.Deliverables, Constraint: d.Constraints}[ref.Kind]
	if ref.Index < len(texts) {
		return texts[ref.Index]
	}
	return ""
}
