package main

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// print tells the comparison on a terminal. Judges' words and quotes are
// untrusted.
func (c *comparison) print(s *story) {
	if len(c.Domains) == 0 {
		s.printf("There is nothing of run %s to put to the judges again. --all asks about all that the checks leave open.\n", c.Run)
		return
	}
	s.printf("%s\n", s.paint(yellow, "SEALED TEXT: for the operator. Keep it from commanders and the Nexus."))
	var names []string
	for i := range c.Judges {
		names = append(names, render.JudgeText(&c.Judges[i]))
	}
	if len(names) > 0 {
		s.printf("Run %s, put to %s\n", c.Run, strings.Join(names, ", "))
	}
	for _, d := range c.Domains {
		d.print(s)
	}
	s.printf("\nIt took %s. Nothing is stored of it: the reports stand as they are.\n", render.CostText(&c.Cost))
}

func (d *rejudged) print(s *story) {
	s.heading(fmt.Sprintf("Domain %s: bundle %s, the submission of cycle %d", d.Domain, d.BundleID, d.Cycle))
	if d.Withheld != "" {
		s.printf("  %s\n", s.paint(yellow, "Not judged again: "+shadow.Printable(d.Withheld)+"."))
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
			name, kind, asked = fmt.Sprintf("%s %d", k.Item.Kind, k.Item.Index+1), "item", k.Text
		}
		s.printf("\n  %s %s  %s  %s\n", s.mark(k.Now), s.paint(bold, name), words, s.paint(dim, kind))
		s.line("asked", asked)
		if k.Was != nil {
			s.votes("before", k.Was)
		} else {
			s.line("before", "no judge was asked")
		}
		s.votes("now", &k.Ballot)
	}
	s.printf("\n")
	change := func(name, before, now string) {
		if before != now {
			now = before + " → " + now
		}
		s.printf("  %-9s %s\n", name, now)
	}
	change("score", percent(d.Before.Score)+" "+string(d.Before.Level), percent(d.Now.Score)+" "+string(d.Now.Level))
	change("gate", string(d.Before.Gate), string(d.Now.Gate))
	for _, why := range d.Now.Advisory {
		s.printf("  %s  %s\n", s.paint(yellow, "ADVISORY"), s.wrap(shadow.Printable(why), 12))
	}
	if len(d.Before.Advisory) > 0 && len(d.Now.Advisory) == 0 {
		s.printf("  %s\n", "the score would no longer be advisory")
	}
}

// mark is the sign of an outcome.
func (s *story) mark(o shadow.Outcome) string {
	return map[shadow.Outcome]string{shadow.Passed: s.paint(green, "✓"), shadow.Failed: s.paint(red, "✗"), shadow.NotApplicable: s.paint(dim, "–"), shadow.Undecided: s.paint(yellow, "?")}[o]
}
