package shadow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// validate refuses criteria that would judge wrongly or tell too much: a wrong
// number per category, empty words, the same question twice, a check that does
// not compile or cannot run, a domain without material, a failure message that
// gives its criterion away.
func validate(criteria []Criterion, quota map[Category]int, d *Decomposition) error {
	left := maps.Clone(quota)
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
	// In order, so that every daemon rejects in the same words.
	for _, c := range slices.Sorted(maps.Keys(left)) {
		if left[c] != 0 {
			errs = append(errs, fmt.Errorf("category %s: %d criteria wanted, %d written", c, quota[c], quota[c]-left[c]))
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
			return fmt.Errorf("its check does not compile%s", column(err))
		}
	}
	guard := newGuard([]Criterion{*c}, "")
	for i := range d.Domains {
		dom := &d.Domains[i]
		m, ok := c.Material[dom.Domain]
		if !ok || strings.TrimSpace(m.Message) == "" {
			return fmt.Errorf("domain %q has no failure message", dom.Domain)
		}
		for _, msg := range append(slices.Collect(maps.Values(m.Messages)), m.Message) {
			if guard.leaks(msg) {
				return fmt.Errorf("domain %q: the failure message repeats the criterion", dom.Domain)
			}
		}
		if program == nil {
			continue
		}
		empty := Bundle{Domain: dom.Domain, CommanderID: dom.CommanderID, Status: "success"}
		if _, err := program.Eval(checkInput(&empty, dom, m)); err != nil {
			return fmt.Errorf("domain %q: its check fails on an empty bundle", dom.Domain)
		}
	}
	return nil
}

// column says where a check is wrong. What is wrong would quote the check, and
// this error ends in an event that the swarm can read.
func column(err error) string {
	var e *check.Error
	if errors.As(err, &e) {
		return fmt.Sprintf(" at column %d", e.Column)
	}
	return ""
}
