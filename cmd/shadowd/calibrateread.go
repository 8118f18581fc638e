package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// example is a line of labelled examples.
type example struct {
	id        string
	criterion *shadow.Criterion // nil: it is about the item
	item      *shadow.Item
	check     *check.Check // nil: the criterion has none
	bundle    *shadow.Bundle
	task      string
	passes    bool // its label
}

// category is that of the criterion, or the kind of the item.
func (e *example) category() shadow.Category {
	if e.item != nil {
		return shadow.Category(e.item.Kind)
	}
	return e.criterion.Category
}

// noCategory stands for that of examples that name none.
const noCategory = shadow.Category("none")

// readExamples reads a file of examples. Its error names every line that is
// wrong, up to maxBadLines.
func readExamples(file string, stdin io.Reader) ([]example, error) {
	text, err := readUTF8(file, stdin)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	var examples []example
	var errs []error
	no := 0
	for line := range bytes.Lines(text) {
		no++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		e, err := parseExample(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, no, err))
			if len(errs) == maxBadLines {
				errs = append(errs, errors.New("and so on: is this a file of examples?"))
				break
			}
			continue
		}
		if e.id = shadow.CriterionID(len(examples)); e.criterion != nil {
			e.criterion.ID = e.id
		}
		examples = append(examples, e)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, hint.Usage(err, "docs/judging.md says how to write examples")
	}
	if len(examples) == 0 {
		return nil, hint.Usage(fmt.Errorf("%s holds no examples", file), "docs/judging.md says how to write examples")
	}
	return examples, nil
}

// maxBadLines is how many wrong lines are named.
const maxBadLines = 20

func parseExample(line []byte) (e example, err error) {
	var raw struct {
		Criterion json.RawMessage `json:"criterion"`
		Item      json.RawMessage `json:"item"`
		Bundle    json.RawMessage `json:"bundle"`
		Task      string          `json:"task"`
		Label     string          `json:"label"`
	}
	if err := strictly(line, &raw); err != nil {
		return e, err
	}
	switch raw.Label {
	case "pass", "fail":
		e.passes = raw.Label == "pass"
	default:
		return e, fmt.Errorf("label: %.40q is none: use pass or fail", raw.Label)
	}
	switch e.task = raw.Task; {
	case len(raw.Criterion) > 0 && len(raw.Item) > 0:
		return e, errors.New("criterion and item are both there: use one of them")
	case len(raw.Item) > 0:
		if e.item, err = itemOf(raw.Item); err != nil {
			return e, fmt.Errorf("item: %w", err)
		}
	default:
		c, err := criterionOf(raw.Criterion)
		if err != nil {
			return e, fmt.Errorf("criterion: %w", err)
		}
		if e.criterion = &c; c.Check != "" {
			if e.check, err = check.Compile(c.Check); err != nil {
				return e, fmt.Errorf("criterion.check: %w", err)
			}
		}
	}
	if e.bundle, err = exampleBundle(raw.Bundle); err != nil {
		return e, fmt.Errorf("bundle: %w", err)
	}
	return e, nil
}

// itemOf reads an item, or the text of a sub-task.
func itemOf(data json.RawMessage) (*shadow.Item, error) {
	var raw struct {
		Kind shadow.ItemKind
		Text string
	}
	raw.Kind = shadow.SubTask
	err := error(nil)
	if data[0] == '"' {
		err = json.Unmarshal(data, &raw.Text)
	} else {
		err = strictly(data, &raw)
	}
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(raw.Text) == "":
		return nil, errors.New("it has no text")
	case !slices.Contains(itemKinds, raw.Kind):
		return nil, fmt.Errorf("kind: %.40q is none: use one of sub_task, deliverable, constraint, requirement", raw.Kind)
	}
	return &shadow.Item{ItemRef: shadow.ItemRef{Kind: raw.Kind}, Text: raw.Text}, nil
}

var itemKinds = []shadow.ItemKind{shadow.SubTask, shadow.Deliverable, shadow.Constraint, shadow.RequirementItem}

// criterionOf reads a criterion, or the assertion of one.
func criterionOf(data json.RawMessage) (shadow.Criterion, error) {
	c := shadow.Criterion{Category: noCategory, Material: map[string]shadow.Material{}}
	if len(data) > 0 && data[0] == '"' {
		err := json.Unmarshal(data, &c.Assertion)
		return c, errors.Join(err, asserts(&c))
	}
	var raw struct {
		Assertion, Expected, Check string
		Category                   shadow.Category
	}
	if len(data) == 0 {
		return c, errors.New("there is none: use an object with an assertion, or a text")
	}
	if err := strictly(data, &raw); err != nil {
		return c, err
	}
	c.Assertion, c.Expected, c.Check = raw.Assertion, raw.Expected, raw.Check
	if raw.Category != "" {
		if !slices.Contains(shadow.Categories(), raw.Category) {
			return c, fmt.Errorf("category: %.40q is none: use one of happy_path, edge_case, error_handling, completeness, security", raw.Category)
		}
		c.Category = raw.Category
	}
	return c, asserts(&c)
}

func asserts(c *shadow.Criterion) error {
	if strings.TrimSpace(c.Assertion) == "" {
		return errors.New("it asserts nothing")
	}
	return nil
}

// exampleBundle reads a bundle, in any form that events have it in, or its text.
func exampleBundle(data json.RawMessage) (*shadow.Bundle, error) {
	b := &shadow.Bundle{Status: "success"}
	var err error
	switch {
	case len(data) == 0:
		return nil, errors.New("there is none: use a bundle or a text")
	case data[0] == '"':
		err = json.Unmarshal(data, &b.Content)
	default:
		b, err = bundleOf(data)
	}
	if err == nil && strings.TrimSpace(b.Content) == "" {
		err = errors.New("it is empty")
	}
	return b, err
}

// question is what a judge is asked about an example. The names that a bundle
// of a swarm has are made up where it lacks them.
func (e *example) question() shadow.Question {
	b := *e.bundle
	if b.Domain == "" {
		b.Domain = "example"
	}
	if b.BundleID == "" {
		b.BundleID = e.id
	}
	q := shadow.Question{RunID: "calibration", Bundle: &b, BundleDigest: shadow.Digest([]byte(b.Content)), Item: e.item}
	if e.task != "" {
		q.Domain = &shadow.Domain{Domain: b.Domain, TaskBrief: e.task}
	}
	if e.criterion == nil {
		return q
	}
	c := *e.criterion
	if c.Category == noCategory {
		c.Category = shadow.Completeness
	}
	if c.Expected == "" {
		c.Expected = c.Assertion
	}
	q.Criterion = &c
	return q
}

// checkedVotes are what the checks say: no vote where a criterion has none, or
// where it could not tell.
func checkedVotes(examples []example) []shadow.Vote {
	votes := make([]shadow.Vote, len(examples))
	for i := range examples {
		e := &examples[i]
		if e.check == nil {
			votes[i] = shadow.NoVote(config.BuiltIn, "there is no check")
			continue
		}
		in := shadow.CheckInput(e.bundle, nil, nil)
		in.Text = check.Analyse(e.bundle.Content)
		r, err := e.check.Eval(in)
		switch {
		case err != nil:
			votes[i] = shadow.NoVote(config.BuiltIn, "the check could not be evaluated")
		case r.Passed:
			votes[i] = shadow.Vote{Judge: config.BuiltIn, Outcome: shadow.Passed}
		default:
			votes[i] = shadow.Vote{Judge: config.BuiltIn, Outcome: shadow.Failed}
		}
	}
	return votes
}
