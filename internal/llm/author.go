package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// AuthorConfig says how an author works.
type AuthorConfig struct {
	// Name is what the configuration and reports call it.
	Name string
	// Timeout bounds the writing of one envelope's share, tries and repairs
	// included, and the table of expectations by itself.
	Timeout time.Duration
}

// Author has a model write criteria. It is safe for concurrent use.
type Author struct {
	cfg    AuthorConfig
	client *Client
	digest string
}

var _ shadow.Reader = (*Author)(nil)

// NewAuthor returns an author that asks the model of c.
func NewAuthor(cfg AuthorConfig, c *Client) *Author {
	a := &Author{cfg: cfg, client: c}
	texts := []string{authorInstruction, expectsInstruction}
	for _, file := range []string{"author.txt", "author.json", "author_repair.txt", "author_expects.txt", "author_expects.json"} {
		texts = append(texts, promptText(file))
	}
	a.digest = digest(texts...)
	return a
}

// Ref names the author, its model, and the words and the schemas that the model
// is given.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.cfg.Name, Model: a.client.Model(), Prompt: a.digest}
}

// writing is what becomes of one domain.
type writing struct {
	domain *shadow.Domain
	draft  shadow.Draft
	cut    int   // how many bytes of the specification the model did not see
	err    error // why there is no reply
}

// Write asks the model for the criteria of each domain, in one request a
// domain, tells it once what of its reply cannot be used, and returns what can
// be. The error wraps [shadow.ErrSpecificationCut], and comes with drafts, where
// the model saw only a part of the specification. Another error says why no
// domain has any. It never wraps shadow.ErrUnavailable: items take what a model
// fails to write, and no bundle waits for it.
func (a *Author) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	within, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	d := o.Decomposition
	mark, err := markFor(d)
	if err != nil {
		return nil, err
	}
	var all []writing
	for i := range d.Domains {
		if o.Count[d.Domains[i].Domain] > 0 {
			all = append(all, writing{domain: &d.Domains[i]})
		}
	}
	var g errgroup.Group
	g.SetLimit(cap(a.client.slots)) // more would hold prompts in memory that cannot be sent
	for i := range all {
		g.Go(func() error {
			a.write(within, o, mark, &all[i])
			return nil // one domain's failure leaves the others
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return drafts(d, all)
}

// drafts is what was written, by domain.
func drafts(d *shadow.Decomposition, all []writing) (map[string]shadow.Draft, error) {
	byDomain, cut, failed := make(map[string]shadow.Draft, len(all)), 0, 0
	for i := range all {
		w := &all[i]
		if w.err != nil {
			w.draft.Refused = append(w.draft.Refused, w.err.Error())
			failed++
		}
		byDomain[w.domain.Domain], cut = w.draft, max(cut, w.cut)
	}
	if failed > 0 && failed == len(all) {
		return nil, all[0].err
	}
	if cut > 0 {
		return byDomain, fmt.Errorf("%w: the model was given %d of %d bytes", shadow.ErrSpecificationCut, len(d.Specification)-cut, len(d.Specification))
	}
	return byDomain, nil
}

// write asks for the criteria of one domain.
func (a *Author) write(ctx context.Context, o *shadow.Order, mark string, w *writing) {
	d, n := o.Decomposition, o.Count[w.domain.Domain]
	items := d.Items(w.domain)
	p, cut, err := fitted("author", d, func(specification string) string {
		m := &wrapping{mark: mark}
		wrapTask(m, d, specification)
		m.part("assignment", "domain: "+w.domain.Domain+"\n"+assignment(w.domain, items))
		return m.b.String() + fmt.Sprintf(authorInstruction, n, list(o.Categories))
	})
	if err != nil {
		w.err = err
		return
	}
	text, _, err := a.client.complete(ctx, p)
	if err != nil {
		if w.err = err; ctx.Err() != nil {
			w.err = fmt.Errorf("wrote nothing within %s", a.cfg.Timeout)
		}
		return
	}
	dr := newDraft(o, w.domain, items)
	dr.take(text)
	if dr.left > 0 && len(dr.problems) > 0 {
		p.messages = append(p.messages, text, dr.repair())
		// That this request fails takes nothing from what there is.
		if text, _, err = a.client.complete(ctx, p); err == nil {
			dr.take(text)
		}
	}
	w.draft, w.cut = dr.done(), cut
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
	return newWrapping(string(raw)).mark, nil
}

// wrapTask writes what all domains of a run share.
func wrapTask(w *wrapping, d *shadow.Decomposition, specification string) {
	var requirements []string
	for _, r := range d.Requirements {
		requirements = append(requirements, "- requirement "+r.ID+": "+r.Text)
	}
	w.part("task", d.Task)
	w.part("specification", specification)
	w.part("requirements", strings.Join(requirements, "\n"))
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

// fitted makes the prompt of the files called name, with as much of the
// specification as has room. cut is how many bytes of it have none.
func fitted(name string, d *shadow.Decomposition, write func(specification string) string) (p *prompt, cut int, err error) {
	p = &prompt{system: promptText(name + ".txt"), schema: schemaOf(name)}
	fill := func(specification string) { p.messages = []string{write(specification)} }
	// The repair repeats the first reply.
	const room = maxPrompt * 3 / 4
	fill("")
	fixed := p.size()
	if fixed > room {
		return nil, 0, fmt.Errorf("%w: the decomposition without its specification takes more than %d bytes", errTooLong, room)
	}
	kept := d.Specification
	for fill(kept); p.size() > room; fill(kept) { // with a mark at each line it is longer
		kept = cutAtSentence(kept, len(kept)*(room-fixed)/(p.size()-fixed))
	}
	return p, len(d.Specification) - len(kept), nil
}

// cutAtSentence is the beginning of a text, at most n bytes, up to the end of a
// sentence or a line, or of a word where none ends in the second half.
func cutAtSentence(text string, n int) string {
	if n >= len(text) {
		return text
	}
	text = strings.ToValidUTF8(text[:max(n, 0)], "")
	end := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		end = at[1]
	}
	if end < len(text)/2 {
		end = strings.LastIndexByte(text, ' ') + 1
	}
	if end < len(text)/2 {
		end = len(text)
	}
	return strings.TrimSpace(text[:end])
}

var sentenceEnd = regexp.MustCompile(`[.!?]\s|。|\n`)

const expectsInstruction = "That is all of the material. Say what you expect of each requirement, by the rules that you were given first."

// Expect asks the model, in one request, what it expects of each requirement.
// What it does not say in a form that can be compared is not in the table.
func (a *Author) Expect(ctx context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	within, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	mark, err := markFor(d)
	if err != nil {
		return nil, err
	}
	p, _, err := fitted("author_expects", d, func(specification string) string {
		m := &wrapping{mark: mark}
		wrapTask(m, d, specification)
		return m.b.String() + expectsInstruction
	})
	if err != nil {
		return nil, err
	}
	text, _, err := a.client.complete(within, p)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fmt.Errorf("no reply within %s", a.cfg.Timeout)
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
	value := func(i int) string {
		if i < len(values) {
			return values[i]
		}
		return ""
	}
	switch form {
	case "number":
		e.AtLeast, e.AtMost = value(0), value(0)
	case "at_most":
		e.AtMost = value(0)
	case "at_least":
		e.AtLeast = value(0)
	case "between":
		e.AtLeast, e.AtMost = value(0), value(1)
	case "one_of":
		e.OneOf = values
	case "present", "absent":
		e.OneOf = []string{form}
	}
	return e
}
