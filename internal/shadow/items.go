package shadow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// ItemKind is what an item of an assignment is.
type ItemKind string

// The kinds of items.
const (
	SubTask     ItemKind = "sub-task"
	Deliverable ItemKind = "deliverable"
	Constraint  ItemKind = "constraint"
	// RequirementItem is a numbered requirement that the assignment names.
	RequirementItem ItemKind = "requirement"
	// Brief is that of a domain with few items, or the task where it has none.
	Brief ItemKind = "brief"
	// Passage is a passage of the content, of which a control question asks
	// whether it is there. No assignment has one.
	Passage ItemKind = "contains passage"
)

// Item is one thing that a domain was asked for.
type Item struct {
	Name string   `json:"item" is:"min=1"` // "sub-task 1", "requirement R3" or "brief"
	Kind ItemKind `json:"kind" is:"of=sub-task|deliverable|constraint|requirement|brief"`
	Text string   `json:"text"` // in the words of the decomposition
}

// work tells items that are the work itself from conditions on it.
func (k ItemKind) work() bool { return k == SubTask || k == Deliverable || k == Brief }

// fewItems: a domain with fewer has its brief as an item as well.
const fewItems = 4

// Items lists what a domain was asked for: its sub-tasks, deliverables, constraints,
// the requirements that its assignment names, and its brief where these are few.
func (d *Decomposition) Items(dom *Domain) []Item { return itemsOf(dom, d.Task, d.Requirements) }

func itemsOf(dom *Domain, task string, requirements []Requirement) []Item {
	var items []Item
	for _, l := range []struct {
		kind  ItemKind
		texts []string
	}{{SubTask, dom.SubTasks}, {Deliverable, dom.Deliverables}, {Constraint, dom.Constraints}} {
		for i, text := range l.texts {
			if strings.TrimSpace(text) != "" {
				items = append(items, Item{fmt.Sprintf("%s %d", l.kind, i+1), l.kind, text})
			}
		}
	}
	if len(requirements) > 0 {
		named := dom.tokens()
		for _, r := range requirements {
			if named[r.ID] {
				items = append(items, Item{string(RequirementItem) + " " + r.ID, RequirementItem, r.Text})
			}
		}
	}
	if len(items) >= fewItems {
		return items
	}
	for _, text := range []string{dom.TaskBrief, task} {
		if strings.TrimSpace(text) != "" {
			return append(items, Item{string(Brief), Brief, text})
		}
	}
	return items
}

// texts are what a domain's assignment says.
func (dom *Domain) texts() []string {
	return slices.Concat([]string{dom.TaskBrief}, dom.SubTasks, dom.Deliverables, dom.Constraints)
}

// tokens are the words of a domain's assignment that may be ids, whole and in
// parts: "R1-R3" has R1 and R3.
func (dom *Domain) tokens() map[string]bool {
	set := map[string]bool{}
	for _, text := range dom.texts() {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
		}) {
			word = strings.Trim(word, "-.")
			set[word] = true
			for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '.' }) {
				set[part] = true
			}
		}
	}
	return set
}

// Unassigned lists the ids of the requirements that no domain's assignment
// names, so that nobody was asked for them.
func (d *Decomposition) Unassigned() (ids []string) {
	named := map[string]bool{}
	for i := range d.Domains {
		maps.Copy(named, d.Domains[i].tokens())
	}
	for _, r := range d.Requirements {
		if !named[r.ID] {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func findItem(items []Item, name string) *Item {
	return find(items, func(it *Item) bool { return it.Name == name })
}

// ItemState is what was made of one item in one bundle.
type ItemState string

// The states of an item. Judges find it, find it missing, or have no majority.
// Without judges it is as the commander's account has it: claimed with a passage,
// declared as not done, or left out. Without an account it is unread.
const (
	ItemFound       ItemState = "found"
	ItemMissing     ItemState = "missing"
	ItemUndecided   ItemState = "undecided"
	ItemUnread      ItemState = "unread"
	ItemClaimed     ItemState = "claimed"
	ItemDeclared    ItemState = "declared"
	ItemUnaccounted ItemState = "unaccounted"
)

// Rule lists the words, for the decoder.
func (ItemState) Rule() string {
	return wordRule(ItemFound, ItemMissing, ItemUndecided, ItemUnread, ItemClaimed, ItemDeclared, ItemUnaccounted)
}

// ItemVerdict says what was made of one item in one bundle.
type ItemVerdict struct {
	Item
	State ItemState `json:"state"`
	// By is who says so: the names of the judges that agree, joined by ", ";
	// "shadowd" where a program decides; "commander" for its account.
	By        string `json:"by,omitempty"`
	Line      int    `json:"line,omitempty"`        // of the content that decides, from 1; 0: none
	Quote     string `json:"quote,omitempty"`       // the passage that the state rests on, verbatim
	Why       string `json:"why,omitempty"`         // what is missing, or what the commander declares
	Criterion string `json:"criterion" is:"asking"` // the id of the one that asks for it
	Message   string `json:"message,omitempty"`     // what the commander is told of it
}

// ItemCounts counts the items of an assignment by their state.
type ItemCounts struct {
	Items       int `json:"items" is:"max=2500000"`
	Found       int `json:"found" is:"max=2500000"`
	Missing     int `json:"missing" is:"max=2500000"`
	Undecided   int `json:"undecided" is:"max=2500000"`
	Unread      int `json:"unread" is:"max=2500000"`
	Claimed     int `json:"claimed" is:"max=2500000"`
	Declared    int `json:"declared" is:"max=2500000"`
	Unaccounted int `json:"unaccounted" is:"max=2500000"`
}

// CountItems counts verdicts on items.
func CountItems(items []ItemVerdict) ItemCounts {
	n := ItemCounts{Items: len(items)}
	for i := range items {
		*n.of(items[i].State)++
	}
	return n
}

func (n *ItemCounts) of(s ItemState) *int {
	switch s {
	case ItemFound:
		return &n.Found
	case ItemMissing:
		return &n.Missing
	case ItemUndecided:
		return &n.Undecided
	case ItemClaimed:
		return &n.Claimed
	case ItemDeclared:
		return &n.Declared
	case ItemUnaccounted:
		return &n.Unaccounted
	}
	return &n.Unread
}

// Add sums up.
func (n *ItemCounts) Add(o ItemCounts) {
	n.Items += o.Items
	for _, s := range itemStates {
		*n.of(s) += *o.of(s)
	}
}

// itemStates are in the order in which they are told.
var itemStates = []ItemState{ItemFound, ItemMissing, ItemDeclared, ItemUnaccounted, ItemClaimed, ItemUndecided, ItemUnread}

// Judged is how many items somebody decided.
func (n ItemCounts) Judged() int { return n.Found + n.Missing }

// String tells the counts that are not 0: "9 items: 7 found, 2 missing".
func (n ItemCounts) String() string {
	var parts []string
	for _, s := range itemStates {
		if k := *n.of(s); k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, s))
		}
	}
	if n.Items == 0 {
		return "no items"
	}
	return Count(n.Items, "item") + ": " + strings.Join(parts, ", ")
}
