package calibrate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// Example is a labelled example: a criterion or an item, and a bundle. A person has
// labelled it, in a file or in a review.
type Example struct {
	Criterion *shadow.Asked // nil: it is about the item
	Item      *shadow.Item
	Bundle    *shadow.Bundle
	Task      string
	Passes    bool // its label

	id     string
	judges []shadow.JudgeRef // of the run of a review
	ballot *shadow.Ballot    // of that run; nil: nobody was asked
}

// category is that of the criterion, or the kind of the item.
func (e *Example) category() shadow.Category {
	if e.Item != nil {
		return shadow.Category(e.Item.Kind)
	}
	return e.Criterion.Category
}

// noCategory is the category of examples that name none.
const noCategory = shadow.Category("none")

// Read reads the lines of a file of examples. Its error names every line that
// is wrong.
func Read(file string, text []byte) ([]Example, error) {
	var examples []Example
	var errs []error
	for no, line := range input.Lines(text) {
		e, err := parseExample(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", input.Name(file), no, err))
			continue
		}
		if e.id = shadow.CriterionID(len(examples)); e.Criterion != nil {
			e.Criterion.ID = e.id
		}
		examples = append(examples, e)
	}
	if len(errs) == 0 && len(examples) == 0 {
		return nil, fmt.Errorf("%s holds no examples", input.Name(file))
	}
	return examples, errors.Join(errs...)
}

func parseExample(line []byte) (e Example, err error) {
	var raw struct {
		Criterion *json.RawMessage `json:"criterion"` // null: there is none
		Item      *json.RawMessage `json:"item"`
		Bundle    json.RawMessage  `json:"bundle"`
		Task      string           `json:"task"`
		Label     string           `json:"label"`
	}
	if err := input.Strict(line, &raw); err != nil {
		return e, err
	}
	e.Passes, e.Task = raw.Label == "pass", raw.Task
	var what string
	switch {
	case raw.Label != "pass" && raw.Label != "fail":
		return e, fmt.Errorf("label: %.40q is none: use pass or fail", raw.Label)
	case raw.Criterion != nil && raw.Item != nil:
		return e, errors.New("criterion and item are both there: use one of them")
	case raw.Criterion == nil && raw.Item == nil:
		return e, errors.New("criterion: there is none: use an object with an assertion, or a text")
	case raw.Item != nil:
		what = "item"
		e.Item, err = itemOf(*raw.Item)
	default:
		what = "criterion"
		e.Criterion, err = criterionOf(*raw.Criterion)
	}
	if err == nil {
		what = "bundle"
		e.Bundle, err = bundleOf(raw.Bundle)
	}
	if err != nil {
		return e, fmt.Errorf("%s: %w", what, err)
	}
	return e, nil
}

var itemKinds = []shadow.ItemKind{shadow.SubTask, shadow.Deliverable, shadow.Constraint, shadow.RequirementItem}

// itemOf reads an item, or the text of a sub-task.
func itemOf(data json.RawMessage) (*shadow.Item, error) {
	var raw struct {
		Kind shadow.ItemKind
		Text string
	}
	raw.Kind = shadow.SubTask
	if err := textOr(data, &raw.Text, &raw); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(raw.Text) == "":
		return nil, errors.New("it has no text")
	case !slices.Contains(itemKinds, raw.Kind):
		return nil, fmt.Errorf("kind: %.40q is none: use one of sub-task, deliverable, constraint, requirement", raw.Kind)
	}
	return &shadow.Item{Name: string(raw.Kind), Kind: raw.Kind, Text: raw.Text}, nil
}

// criterionOf reads a criterion, or the assertion of one.
func criterionOf(data json.RawMessage) (*shadow.Asked, error) {
	var raw struct {
		Assertion, Expected string
		Category            shadow.Category
	}
	if err := textOr(data, &raw.Assertion, &raw); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(raw.Assertion) == "":
		return nil, errors.New("it asserts nothing")
	case raw.Category == "":
		raw.Category = noCategory
	case !slices.Contains(shadow.Categories(), raw.Category):
		return nil, fmt.Errorf("category: %.40q is none: use one of %v", raw.Category, shadow.Categories())
	}
	return &shadow.Asked{Material: &shadow.Material{Kind: shadow.AskWritten, Category: raw.Category, Assertion: raw.Assertion, Expected: raw.Expected}}, nil
}

// textOr decodes a JSON string into text, and anything else into object.
func textOr(data json.RawMessage, text *string, object any) error {
	if data[0] == '"' {
		return json.Unmarshal(data, text)
	}
	return input.Strict(data, object)
}

// bundleOf reads a bundle, in any form that events have it in, or its text.
func bundleOf(data json.RawMessage) (*shadow.Bundle, error) {
	b := &shadow.Bundle{Status: "success"}
	var err error
	switch {
	case len(data) == 0:
		return nil, errors.New("there is none: use a bundle or a text")
	case data[0] == '"':
		err = json.Unmarshal(data, &b.Content)
	default:
		b, err = input.Bundle(data)
	}
	if err == nil && strings.TrimSpace(b.Content) == "" {
		err = errors.New("it is empty")
	}
	return b, err
}

// question is what a judge is asked about an example. The names that a bundle
// of a swarm has are made up where it lacks them.
func (e *Example) question() shadow.Question {
	raw, _ := json.Marshal(append(e.Bundle.Texts(), e.Task)) // it cannot fail on strings
	b := *e.Bundle
	b.Domain, b.BundleID = cmp.Or(b.Domain, "example"), cmp.Or(b.BundleID, e.id)
	q := shadow.Question{RunID: "calibration", Bundle: &b, BundleDigest: shadow.Digest(raw), Content: passage.New(b.Content), Item: e.Item, Brief: e.Task}
	if e.Criterion == nil {
		q.Listed = []shadow.Item{*e.Item}
		return q
	}
	c := *e.Criterion.Material
	if c.Category == noCategory {
		c.Category = shadow.Completeness
	}
	c.Expected = cmp.Or(c.Expected, c.Assertion)
	q.Criterion = &shadow.Asked{ID: e.id, Material: &c}
	return q
}
