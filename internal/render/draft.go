package render

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Draft is an envelope that nobody sealed.
type Draft struct {
	Run      *shadow.Decomposition
	Envelope *shadow.Envelope
	Judges   int // that are configured
}

const draftNote = "NOT SEALED: nothing was stored or published. What authors write, they write anew for the daemon."

// draftWidth is the width in columns to which a draft is wrapped.
const draftWidth = 80

// Text shows a draft to people. All that it quotes is untrusted.
func (d *Draft) Text(t *Terminal) error {
	page := *t
	page.Width = draftWidth
	err := page.show("draft.tmpl", d)
	t.err = page.err
	return err
}

// Size says how much there is to judge.
func (d *Draft) Size() string {
	items, most := 0, 0
	for i := range d.Run.Domains {
		items += len(d.Run.Items(&d.Run.Domains[i]))
		most = max(most, d.Envelope.CriteriaByDomain[i])
	}
	return fmt.Sprintf("up to %s for each of %s, with %s", criteria(most), shadow.Count(len(d.Run.Domains), "domain"), shadow.Count(items, "item"))
}

// Asked are the criteria of a domain: those on items first, then figures, then those that authors wrote.
func (d *Draft) Asked(domain string) (list []shadow.Material) {
	for _, kind := range []shadow.Kind{shadow.AskItems, shadow.AskFigures, shadow.AskWritten} {
		for i := range d.Envelope.Criteria {
			if m, ok := d.Envelope.Criteria[i].Material[domain]; ok && m.Kind == kind {
				list = append(list, m)
			}
		}
	}
	return list
}

// askedItems are the items that a criterion names in a domain, with their texts.
func askedItems(e *shadow.Envelope, domain string, m *shadow.Material) (list []string) {
	dom := e.Domains.Find(domain)
	if dom == nil {
		return m.Items
	}
	for _, it := range e.Items(dom) {
		if slices.Contains(m.Items, it.Name) {
			list = append(list, it.Name+": "+it.Text)
		}
	}
	return list
}

// WhoReads says, before anything is judged, who judges where so many judges are configured.
func WhoReads(judges int) string {
	if judges > 0 {
		return fmt.Sprintf("Judged by a panel of %s, which reads every item and what authors wrote, and by programs, which check figures, what is left to fill in, and the operator's own checks.", shadow.Count(judges, "judge"))
	}
	return "No judge is configured: shadowd checks figures, what is left to fill in, and your own checks, and says that nobody read the rest. A model reads it: --judge openai:gpt-5-mini, or judging.panel."
}
