package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/review"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Comparison shows what judges say when they are asked again, beside what they
// said before. Their words and quotes are untrusted.
func Comparison(t *Terminal, c *review.Comparison) error {
	if len(c.Domains) == 0 {
		t.Printf("There is nothing of run %s to put to the judges again. --all asks about all that the checks leave open.\n", c.Run)
		return t.Err()
	}
	t.Printf("%s\n", t.Paint(Yellow, sealedText))
	var names []string
	for i := range c.Judges {
		names = append(names, judgeText(&c.Judges[i]))
	}
	if len(names) > 0 {
		t.Printf("Run %s, put to %s\n", c.Run, strings.Join(names, ", "))
	}
	for _, d := range c.Domains {
		t.compared(d)
	}
	t.Printf("\nIt took %s. Nothing is stored of it: the reports stand as they are.\n", costText(&c.Cost))
	return t.Err()
}

func (t *Terminal) compared(d *review.DomainCompared) {
	t.heading("Domain %s: bundle %s, the submission of cycle %d", d.Domain, d.BundleID, d.Cycle)
	if d.Withheld != "" {
		t.Printf("  %s\n", t.Paint(Yellow, "Not judged again: "+shadow.Printable(d.Withheld)+"."))
		return
	}
	for i := range d.Criteria {
		k := &d.Criteria[i]
		words := fmt.Sprintf("%s, as before", k.Now)
		if k.Changed {
			words = fmt.Sprintf("%s → %s", k.Before, k.Now)
		}
		name, kind, asked := k.TestName, string(k.Category), k.Asserts
		if k.Item != nil {
			name, kind, asked = k.Item.String(), "item", k.Text
		}
		t.Printf("\n  %s %s  %s  %s\n", t.mark(k.Now), t.Paint(Bold, name), words, t.Paint(Dim, kind))
		t.about("asked", asked)
		if k.Was != nil {
			t.votes("before", k.Was)
		} else {
			t.about("before", "no judge was asked")
		}
		t.votes("now", &k.Ballot)
	}
	t.Printf("\n")
	t.labelled("score", changed(percent(d.Before.Score)+" "+string(d.Before.Level), percent(d.Now.Score)+" "+string(d.Now.Level)))
	t.labelled("gate", changed(string(d.Before.Gate), string(d.Now.Gate)))
	for _, why := range d.Now.Advisory {
		t.advisory(2, shadow.Printable(why))
	}
	if len(d.Before.Advisory) > 0 && len(d.Now.Advisory) == 0 {
		t.Printf("  the score would no longer be advisory\n")
	}
}
