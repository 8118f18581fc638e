package shadow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/guard"
)

// validate refuses criteria that would judge wrongly or tell too much: a wrong
// number, a category that has none or was not asked for, empty words, the same question twice, a check that does
// not compile or cannot run, a domain or an item that is not there, a failure
// message that gives its criterion away.
func validate(criteria []Criterion, quota map[Category]int, d *Decomposition, checks *Checks) error {
	written := map[Category]int{}
	var errs []error
	asked := map[string]bool{}
	for i := range criteria {
		c := &criteria[i]
		written[c.Category]++
		if key := normalise(c.Assertion); asked[key] {
			errs = append(errs, fmt.Errorf("criterion %d asks what another one asks", i+1))
		} else {
			asked[key] = true
		}
		if err := c.usable(d, checks); err != nil {
			errs = append(errs, fmt.Errorf("criterion %d (%s): %w", i+1, c.Category, err))
		}
	}
	for _, c := range Categories() {
		if (quota[c] > 0) != (written[c] > 0) {
			errs = append(errs, fmt.Errorf("category %s: %d criteria wanted, %d written", c, quota[c], written[c]))
		}
	}
	if total(quota) != len(criteria) {
		errs = append(errs, fmt.Errorf("%d criteria wanted, %d written", total(quota), len(criteria)))
	}
	return errors.Join(errs...)
}

// Usable returns why the criterion cannot be sealed for the domains of d, or
// nil. It quotes nothing of it.
func (c *Criterion) Usable(d *Decomposition) error { return c.usable(d, nil) }

func (c *Criterion) usable(d *Decomposition, checks *Checks) error {
	if strings.TrimSpace(c.Assertion) == "" || strings.TrimSpace(c.Expected) == "" {
		return errors.New("assertion and expected must both say something")
	}
	if c.Expects != nil && c.Expects.Check() != nil {
		return errors.New("its structured expectation cannot be compared")
	}
	var program *check.Check
	if c.Check != "" {
		var err error
		if program, err = checks.compile(c.Check); err != nil {
			return fmt.Errorf("its check does not compile%s", column(err))
		}
	}
	if c.Delivery && program != nil {
		return errors.New("a criterion of delivery has no check")
	}
	if len(c.Material) == 0 {
		return errors.New("it asks nothing of any domain")
	}
	secrets := c.secrets()
	// In order, so that every daemon rejects in the same words.
	for _, name := range slices.Sorted(maps.Keys(c.Material)) {
		if err := c.usableIn(d, name, program, secrets); err != nil {
			return fmt.Errorf("domain %q: %w", name, err)
		}
	}
	return nil
}

// usableIn returns why the criterion cannot be sealed for one domain. Words that
// are known, from the decomposition, give no secret away.
func (c *Criterion) usableIn(d *Decomposition, domain string, program *check.Check, secrets *guard.Guard) error {
	dom, m := d.Domains.Find(domain), c.Material[domain]
	switch {
	case dom == nil:
		return errors.New("there is no such domain")
	case c.Delivery && len(m.Items) == 0:
		return errors.New("a criterion of delivery names no item")
	case !c.Delivery && strings.TrimSpace(m.Message) == "":
		return errors.New("there is no failure message")
	case secrets.Contains(m.Message) && secrets.Contains(m.Message, d.Texts()...):
		return errors.New("the failure message repeats the criterion")
	}
	for _, ref := range m.Items {
		if !d.has(dom, ref) {
			return fmt.Errorf("it rests on %s, which is not there", ref)
		}
	}
	if program != nil && RunOnNothing(program, dom, m) != nil {
		return errors.New("its check fails on an empty bundle")
	}
	return nil
}

// has tells whether an item is one of a domain's assignment.
func (d *Decomposition) has(dom *Domain, ref ItemRef) bool {
	n := map[ItemKind]int{SubTask: len(dom.SubTasks), Deliverable: len(dom.Deliverables), Constraint: len(dom.Constraints), RequirementItem: len(d.Requirements)}
	return ref.Index >= 0 && ref.Index < n[ref.Kind]
}

// Texts are the words of a decomposition, its specification last.
func (d *Decomposition) Texts() []string {
	texts := []string{d.Task}
	for _, r := range d.Requirements {
		texts = append(texts, r.ID, r.Text)
	}
	return append(append(texts, textsOf(d.Domains)...), d.Specification)
}

// column says where a check is wrong. What is wrong would quote the check, and
// this error ends in an event that the swarm can read.
func column(err error) string {
	if e, ok := errors.AsType[*check.Error](err); ok {
		return fmt.Sprintf(" at column %d", e.Column)
	}
	return ""
}
