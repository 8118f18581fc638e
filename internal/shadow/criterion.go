package shadow

import (
	"context"
	"errors"
	"slices"
)

// Category is one of the kinds of criteria that an envelope is spread over.
type Category string

// The categories of the protocol. The first four are the default.
const (
	HappyPath     Category = "happy_path"
	EdgeCase      Category = "edge_case"
	ErrorHandling Category = "error_handling"
	Completeness  Category = "completeness"
	Security      Category = "security"
)

// Categories lists all categories.
func Categories() []Category {
	return []Category{HappyPath, EdgeCase, ErrorHandling, Completeness, Security}
}

// PublicCategories lists those that the spec and its public report format know.
// Completeness is ours.
func PublicCategories() []Category {
	return slices.DeleteFunc(Categories(), func(c Category) bool { return c == Completeness })
}

// Criterion is one hidden acceptance criterion. It is binary: a bundle meets
// it or does not.
type Criterion struct {
	// ID is given when the envelope is sealed, after a secret shuffle.
	ID        string   `json:"id"`
	Category  Category `json:"category"`
	Assertion string   `json:"assertion"`
	Expected  string   `json:"expected"`
	// Check is an expression of package check; empty means that the
	// criterion is natural language, for judges that read.
	Check string `json:"check,omitempty"`
	// Delivery: it asks that the items it rests on are delivered, and nothing
	// else. It has no check: the rules of reading decide, and the panel where
	// they are not sure.
	Delivery bool `json:"delivery,omitempty"`
	// Basis is a sentence of the task or the specification that it rests on and
	// that binds all domains; empty where it rests on items.
	Basis string `json:"basis,omitempty"`
	// Material holds, by domain, what the criterion asks that domain for. In a
	// domain that it has none for the criterion is not applicable.
	Material map[string]Material `json:"material"`
	// Requirements are the ids of the decomposition's requirements that it is
	// about. They link what different authors make of the same requirement.
	Requirements []string `json:"requirements,omitempty"`
	// Expects is what it expects of them in a form that can be compared.
	Expects *Expectation `json:"expects,omitempty"`
	// Author is the name of the author that wrote it.
	Author string `json:"author,omitempty"`
}

// Material is what a criterion's author sealed for one domain. Checks see
// Data as the variable material.
type Material struct {
	// Items are the items of the domain's assignment that the criterion rests
	// on.
	Items []ItemRef `json:"items,omitempty"`
	// Message is what the commander is told when its bundle fails the
	// criterion: the matter and what is missing, in the words of the
	// assignment. Empty for a criterion of delivery, of which each failed item
	// is told.
	Message string `json:"message,omitempty"`
	// Data is the material that the check reads: strings, numbers, bools,
	// lists and maps of them.
	Data map[string]any `json:"data,omitempty"`
}

// ErrUnavailable: an author cannot write now, and may be able to later.
var ErrUnavailable = errors.New("the author cannot be reached")

// ErrSpecificationCut: an author could not read the whole specification. It
// comes with the criteria that were written from a part of it, and the reports
// of their run are advisory.
var ErrSpecificationCut = errors.New("the specification was cut to fit")

// Author writes the criteria of an envelope.
type Author interface {
	// Ref names the author as the configuration and reports do, its model, and the
	// prompt that it puts to it. Rules written by hand are of the family "rules".
	Ref() AuthorRef
	// Write returns quota[c] criteria of each category c, or fewer if it has
	// no more to ask, without ids, each with material for the domains that it is asked of.
	// It sees the decomposition only. An error that wraps ErrUnavailable asks
	// to be tried again later. One that wraps ErrSpecificationCut is no failure.
	Write(ctx context.Context, d *Decomposition, quota map[Category]int) ([]Criterion, error)
}

// Adviser is an author that tells the publisher of a decomposition, once it has
// written criteria, what the decomposition gave it too little to ask for. Advice
// follows from the decomposition and from which categories were asked for, and
// quotes no criterion: the publisher could find it out without them.
type Adviser interface {
	Advise(d *Decomposition, criteria []Criterion) []string
}
