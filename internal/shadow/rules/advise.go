package rules

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

var _ shadow.Adviser = (*Author)(nil)

// lacking says, for a category, what an assignment would have to state.
var lacking = map[shadow.Category]string{
	shadow.HappyPath:     "what is to be done, in sub_tasks",
	shadow.EdgeCase:      "constraints, or in sub_tasks what holds in special cases (if, when, unless)",
	shadow.ErrorHandling: "in sub_tasks what is to be rejected, or what happens when something fails",
	shadow.Completeness:  "deliverables: files, sections, tables",
}

// Advise says where criteria ask what can be asked of any work: of domains
// without items, and in categories that no item is filed under. It lists the
// requirements that nobody is asked for, too. Every item is asked for in every
// draw, so that none of this depends on the draw.
func (a *Author) Advise(d *shadow.Decomposition, criteria []shadow.Criterion) []string {
	asked, served, filed, wanted := map[shadow.ItemRef]bool{}, map[string]bool{}, map[shadow.Category]bool{}, map[shadow.Category]bool{}
	matched := 0
	for i := range criteria {
		wanted[criteria[i].Category] = true
		for domain, m := range criteria[i].Material {
			served[domain] = served[domain] || len(m.Items) > 0
			for _, ref := range m.Items {
				asked[ref] = true
				if ref.Kind == shadow.RequirementItem {
					matched++
				}
			}
		}
	}
	var bare, unasked []string
	for i := range d.Domains {
		for _, it := range d.Domains[i].Items() {
			if strings.TrimSpace(it.Text) != "" {
				filed[categoryOf(it)] = true
			}
		}
		if !served[d.Domains[i].Domain] {
			bare = append(bare, fmt.Sprintf("/domains/%d", i))
		}
	}
	for k, req := range d.Requirements {
		ref := shadow.ItemRef{Kind: shadow.RequirementItem, Index: k}
		if !asked[ref] {
			unasked = append(unasked, fmt.Sprintf("/requirements/%d (%s)", k, shadow.Printable(req.ID)))
			continue
		}
		filed[categoryOf(shadow.Item{ItemRef: ref, Text: req.Text})] = true
	}
	advice := about(nil, bare, "there is no item to ask for, so that criteria are general: state sub_tasks, deliverables or constraints")
	advice = about(advice, unasked, "the assignment of no domain deals with it, so that nobody is asked for it: name it in a sub_task")
	if matched >= maxRequirements {
		advice = append(advice, fmt.Sprintf("/requirements: so many domains deal with so many of them that they are asked for %d times and no more: split the run", maxRequirements))
	}
	for _, c := range shadow.Categories() {
		if wanted[c] && !filed[c] && lacking[c] != "" && len(bare) < len(d.Domains) {
			advice = append(advice, fmt.Sprintf("%s: no item is of this kind, so that criteria are general: state %s", c, lacking[c]))
		}
	}
	return advice
}

// about adds what is said of some places, the first twenty of which are named.
func about(advice, places []string, text string) []string {
	if len(places) == 0 {
		return advice
	}
	return append(advice, clip.List(places, 20, ", ")+": "+text)
}
