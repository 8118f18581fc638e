package llm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Author has a model write criteria. It is safe for concurrent use.
type Author struct {
	name    string
	timeout time.Duration
	client  *Client
	digest  string
}

var _ shadow.Reader = (*Author)(nil)

// NewAuthor returns the author called name, which asks the model of c. timeout bounds
// the writing for one envelope, and the table of expectations by itself.
func NewAuthor(name string, timeout time.Duration, c *Client) *Author {
	texts := []string{authorInstruction, expectsInstruction}
	for _, file := range []string{"author.txt", "author.json", "author_repair.txt", "author_expects.txt", "author_expects.json"} {
		texts = append(texts, promptText(file))
	}
	return &Author{name, timeout, c, digest(texts...)}
}

// Ref names the author, its model, and the words and the schemas that the model
// is given.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.name, Model: a.client.Model(), Prompt: a.digest}
}

// Write asks the model for the criteria of each domain, tells it once what of its reply
// cannot be used, and returns what can be. Its error says why no domain has any. It never
// wraps shadow.ErrUnavailable: items take what a model fails to write.
func (a *Author) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	within, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	mark, err := markFor(o.Decomposition)
	if err != nil {
		return nil, err
	}
	domains := slices.DeleteFunc(slices.Clone(o.Decomposition.Domains), func(d shadow.Domain) bool { return o.Count[d.Domain] == 0 })
	drafts, errs := make([]shadow.Draft, len(domains)), make([]error, len(domains))
	var g errgroup.Group
	g.SetLimit(cap(a.client.slots)) // more would hold prompts in memory that cannot be sent
	for i := range domains {
		g.Go(func() error {
			drafts[i], errs[i] = a.write(within, o, mark, &domains[i])
			return nil // one domain's failure leaves the others
		})
	}
	_ = g.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(errs) > 0 && !slices.Contains(errs, nil):
		return nil, errs[0]
	}
	byDomain := make(map[string]shadow.Draft, len(domains))
	for i := range domains {
		if errs[i] != nil {
			drafts[i].Refused = []string{errs[i].Error()}
		}
		byDomain[domains[i].Domain] = drafts[i]
	}
	return byDomain, nil
}

// write asks for the criteria of one domain.
func (a *Author) write(ctx context.Context, o *shadow.Order, mark string, dom *shadow.Domain) (shadow.Draft, error) {
	d, items := o.Decomposition, o.Decomposition.Items(dom)
	m := taskOfRun(d, mark)
	m.part("assignment", "domain: "+dom.Domain+"\n"+assignment(dom, items))
	p := promptOf("author", m.b.String()+fmt.Sprintf(authorInstruction, o.Count[dom.Domain], list(o.Categories)))
	text, err := a.client.complete(ctx, p, &shadow.Cost{})
	if ctx.Err() != nil {
		return shadow.Draft{}, fmt.Errorf("wrote nothing within %s", a.timeout)
	}
	if err != nil {
		return shadow.Draft{}, err
	}
	dr := newDraft(o, dom, items)
	dr.take(text)
	if dr.left > 0 && len(dr.problems) > 0 {
		p.messages = append(p.messages, text, dr.repair())
		// That this request fails takes nothing from what there is.
		if text, err = a.client.complete(ctx, p, &shadow.Cost{}); err == nil {
			dr.take(text)
		}
	}
	return dr.done(), nil
}

const authorInstruction = "That is all of the material. By the rules that you were given first, write at most %d criteria for the assignment, each of one of these categories: %s."

// list names categories, those that are asked for first in front.
func list(categories []shadow.Category) string {
	var names []string
	for _, c := range []shadow.Category{shadow.ErrorHandling, shadow.EdgeCase, shadow.HappyPath, shadow.Completeness, shadow.Security} {
		if slices.Contains(categories, c) {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ", ")
}

// markFor draws a mark for all prompts about a decomposition. They begin alike,
// so that providers can keep what is the same.
func markFor(d *shadow.Decomposition) (string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encoding the decomposition: %w", err)
	}
	return markFrom(rand.Text(), string(raw)), nil
}

// taskOfRun writes what all domains of a run share.
func taskOfRun(d *shadow.Decomposition, mark string) *wrapping {
	var requirements []string
	for _, r := range d.Requirements {
		requirements = append(requirements, "- requirement "+r.ID+": "+r.Text)
	}
	w := &wrapping{mark: mark}
	w.part("task", d.Task)
	w.part("specification", d.Specification)
	w.part("requirements", strings.Join(requirements, "\n"))
	return w
}

// assignment is what a domain was given to do, its items by their names.
func assignment(dom *shadow.Domain, items []shadow.Item) string {
	var lines []string
	if !slices.ContainsFunc(items, func(it shadow.Item) bool { return it.Kind == shadow.Brief }) {
		lines = append(lines, dom.TaskBrief)
	}
	for _, it := range items {
		lines = append(lines, "- "+it.Name+": "+it.Text)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// promptOf makes a prompt of the files called name.
func promptOf(name, message string) *prompt {
	return &prompt{system: promptText(name + ".txt"), messages: []string{message}, schema: schemaOf(name)}
}

const expectsInstruction = "That is all of the material. Say what you expect of each requirement, by the rules that you were given first."

// Expect asks the model, in one request, what it expects of each requirement.
// What it does not say in a form that can be compared is not in the table.
func (a *Author) Expect(ctx context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	within, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	mark, err := markFor(d)
	if err != nil {
		return nil, err
	}
	text, err := a.client.complete(within, promptOf("author_expects", taskOfRun(d, mark).b.String()+expectsInstruction), &shadow.Cost{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fmt.Errorf("no reply within %s", a.timeout)
	case err != nil:
		return nil, err
	}
	return expectations(d, text)
}

// expectations reads the table. A requirement that it names twice is left out:
// nobody knows which holds.
func expectations(d *shadow.Decomposition, text string) (map[string]shadow.Expectation, error) {
	var reply struct {
		Requirements []struct {
			ID     string   `json:"id"`
			Form   string   `json:"form"`
			Values []string `json:"values"`
		} `json:"requirements"`
	}
	all, _ := objectsIn(thought(text))
	if len(all) != 1 || json.Unmarshal(all[0], &reply) != nil {
		return nil, errors.New("the reply is not one JSON object of the asked form")
	}
	table, named := map[string]shadow.Expectation{}, map[string]bool{}
	for _, r := range reply.Requirements {
		id := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(r.ID), "requirement "))
		if !slices.ContainsFunc(d.Requirements, func(of shadow.Requirement) bool { return of.ID == id }) {
			continue
		}
		e := expectation(r.Form, r.Values)
		if delete(table, id); !named[id] && e.Comparable() {
			table[id] = e
		}
		named[id] = true
	}
	return table, nil
}

// expectation is one of a form, or one that says nothing.
func expectation(form string, values []string) (e shadow.Expectation) {
	two := append(slices.Clone(values), "", "")
	switch form {
	case "number":
		e.AtLeast, e.AtMost = two[0], two[0]
	case "at_most":
		e.AtMost = two[0]
	case "at_least":
		e.AtLeast = two[0]
	case "between":
		e.AtLeast, e.AtMost = two[0], two[1]
	case "one_of":
		e.OneOf = values
	case "present", "absent":
		e.OneOf = []string{form}
	}
	return e
}
