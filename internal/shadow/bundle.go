package shadow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Bundle is a commander's finished work on its domain.
type Bundle struct {
	BundleID    string     `json:"bundle_id" is:"id"`
	Domain      string     `json:"domain" is:"id"`
	CommanderID string     `json:"commander_id" is:"id"`
	Status      string     `json:"status" is:"of=success|partial|failed"` // success, partial or failed
	Summary     string     `json:"summary,omitempty" is:"max=65536"`
	AtomsMerged int        `json:"atoms_merged,omitempty" is:"max=1000000000"`
	Conflicts   []Conflict `json:"conflicts,omitempty" is:"max=1000"`
	Content     string     `json:"content" is:"max=1048576"` // Markdown: the document under test
	// Delivery is the commander's account of the items; it may be left out.
	Delivery    []Account  `json:"delivery,omitempty" is:"max=5000"`
	Confidence  float64    `json:"confidence,omitempty" is:"max=1"`
	WallClockS  float64    `json:"wall_clock_s,omitempty" is:"max=1000000000"`
	Implementer *Model     `json:"implementer,omitempty"`
	OpenTests   *OpenTests `json:"open_tests,omitempty"`
}

// Conflict is a disagreement inside a commander's team, and how it ended.
type Conflict struct {
	Description string `json:"description" is:"max=65536"`
	Resolution  string `json:"resolution,omitempty" is:"max=65536"`
}

// OpenTests counts the tests that the implementer could see.
type OpenTests struct {
	TestTally
	ByCategory map[Category]TestTally `json:"by_category,omitempty" is:"max=100"`
}

// TestTally counts tests of one category.
type TestTally struct {
	Total  int `json:"total" is:"max=1000000000"`
	Passed int `json:"passed" is:"max=1000000000"`
	Failed int `json:"failed" is:"max=1000000000"`
}

// Texts are the parts of a bundle that a judge is shown: the content first.
func (b *Bundle) Texts() []string {
	texts := []string{b.Content, b.Summary}
	for _, c := range b.Conflicts {
		texts = append(texts, c.Description, c.Resolution)
	}
	return texts
}

// ShownBytes is how many bytes a bundle's texts take where they are shown to a
// judge, each line with a mark before it.
func (b *Bundle) ShownBytes() int {
	const mark = 8
	n := 0
	for _, text := range b.Texts() {
		n += len(text) + mark*(1+strings.Count(text, "\n"))
	}
	return n
}

// Account says what became of one item: a passage of the content that delivers
// it, or why it was not done.
type Account struct {
	Item   string `json:"item" is:"max=200"` // its name, such as "sub-task 3"
	Quote  string `json:"quote,omitempty" is:"max=4000"`
	Undone string `json:"undone,omitempty" is:"max=4000"`
}

// checkDelivery holds what needs no assignment to tell: one entry an item, with
// a quote or a reason. The bundle is below a JSON pointer.
func (b *Bundle) checkDelivery(below string) error {
	seen := map[string]bool{}
	for i, a := range b.Delivery {
		switch name := itemName(a.Item); {
		case name == "":
			return fmt.Errorf("%s/delivery/%d/item: name an item, such as \"sub-task 1\"", below, i)
		case seen[name]:
			return fmt.Errorf("%s/delivery/%d/item: %.80q is there twice: give each item one entry", below, i, a.Item)
		case (strings.TrimSpace(a.Quote) == "") == (strings.TrimSpace(a.Undone) == ""):
			return fmt.Errorf("%s/delivery/%d: give either quote, a passage of the content, or undone, the reason", below, i)
		default:
			seen[name] = true
		}
	}
	return nil
}

// itemName is a name as commanders may write it: in any case and spacing.
func itemName(name string) string {
	kind, rest, _ := strings.Cut(spaced(name), " ")
	kind = strings.ToLower(kind)
	if kind == "subtask" || kind == "sub_task" {
		kind = string(SubTask)
	}
	return strings.TrimSpace(kind + " " + rest)
}

// account says what the commander says of each of its items, with notices on what
// cannot be used of it. A quote proves something, and serves one item.
func (b *Bundle) account(items []Item, content *passage.Text) (states []ItemVerdict, notices []string) {
	states = make([]ItemVerdict, len(items))
	for i, it := range items {
		states[i] = ItemVerdict{Item: it, State: ItemUnread}
	}
	for i := range states {
		switch v := &states[i]; {
		case len(b.Delivery) > 0:
			v.State, v.By, v.Why = ItemUnaccounted, byCommander, unaccounted
		case b.Status == "failed":
			v.State, v.By, v.Why = ItemDeclared, byCommander, "the bundle's status is failed"
		}
	}
	served := map[passage.Place]string{}
	for _, a := range b.Delivery {
		name := itemName(a.Item)
		i := slices.IndexFunc(items, func(it Item) bool { return it.Name == name })
		if i < 0 {
			notices = append(notices, fmt.Sprintf("delivery names %.80q, which is no item of the assignment", a.Item))
			continue
		}
		v := &states[i]
		if a.Undone != "" {
			v.State, v.Why = ItemDeclared, spaced(Line(a.Undone))
			continue
		}
		at, why := noProof(a.Quote, content, items[i].Kind, items[i].Text)
		if why == "" && served[at] != "" {
			why = "it serves " + served[at] + " already"
		}
		if why != "" {
			v.Why = "the quote given in delivery does not count: " + why
			notices = append(notices, fmt.Sprintf("delivery, %s: %s", name, v.Why))
			continue
		}
		served[at] = name
		v.State, v.Line, v.Quote, v.Why = ItemClaimed, at.Line, b.Content[at.From:at.To], ""
	}
	return states, notices
}

// byCommander names who accounts for an item.
const byCommander = "commander"

// tooLittle tells whether a content has so few words outside of its headings
// that it cannot hold the work that it was asked for, and says how many.
func tooLittle(content string, items []Item) string {
	work := 0
	for _, it := range items {
		if it.Kind.work() {
			work++
		}
	}
	const wordsPerItem = 3
	words := 0
	for line := range strings.SplitSeq(content, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if words += len(fold.Words(line)); words >= wordsPerItem*work {
			return ""
		}
	}
	return fmt.Sprintf("the content has %s outside of its headings, which cannot hold %s", Count(words, "word"), Count(work, "item"))
}
