package shadow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// validate refuses criteria that would judge wrongly or tell too much: a wrong
// number per category, empty words, the same question twice, a check that does
// not compile or cannot run, a domain without material, a failure message that
// gives its criterion away.
func validate(criteria []Criterion, quota map[Category]int, d *Decomposition) error {
	left := map[Category]int{}
	for c, n := range quota {
		left[c] = n
	}
	var errs []error
	asked := map[string]bool{}
	for i := range criteria {
		c := &criteria[i]
		left[c.Category]--
		if key := normalise(c.Assertion); asked[key] {
			errs = append(errs, fmt.Errorf("criterion %d asks what another one asks", i+1))
		} else {
			asked[key] = true
		}
		if err := c.validate(d); err != nil {
			errs = append(errs, fmt.Errorf("criterion %d (%s): %w", i+1, c.Category, err))
		}
	}
	for c, n := range left {
		if n != 0 {
			errs = append(errs, fmt.Errorf("category %s: %d criteria wanted, %d written", c, quota[c], quota[c]-n))
		}
	}
	return errors.Join(errs...)
}

func (c *Criterion) validate(d *Decomposition) error {
	if strings.TrimSpace(c.Assertion) == "" || strings.TrimSpace(c.Expected) == "" {
		return errors.New("assertion and expected must both say something")
	}
	var program *check.Check
	if c.Check != "" {
		var err error
		if program, err = compile(c.Check); err != nil {
			return fmt.Errorf("check: %w", err)
		}
	}
	guard := newGuard([]Criterion{*c}, "")
	for i := range d.Domains {
		dom := &d.Domains[i]
		m, ok := c.Material[dom.Domain]
		if !ok || strings.TrimSpace(m.Message) == "" {
			return fmt.Errorf("domain %q has no failure message", dom.Domain)
		}
		for _, msg := range append(values(m.Messages), m.Message) {
			if guard.leaks(msg) {
				return fmt.Errorf("domain %q: the failure message repeats the criterion", dom.Domain)
			}
		}
		if program == nil {
			continue
		}
		empty := Bundle{Domain: dom.Domain, CommanderID: dom.CommanderID, Status: "success"}
		if _, err := program.Eval(checkInput(&empty, dom, m)); err != nil {
			return fmt.Errorf("domain %q: the check fails on an empty bundle: %w", dom.Domain, err)
		}
	}
	return nil
}
