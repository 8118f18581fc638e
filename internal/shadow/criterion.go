package shadow

import (
	"context"
	"errors"
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
	// Material holds, by domain, what the check asks that domain for.
	Material map[string]Material `json:"material"`
	// Requirements are the ids of the decomposition's requirements that it is
	// about. They link what different authors make of the same requirement.
	Requirements []string `json:"requirements,omitempty"`
	// Expects is what it expects of them in a form that can be compared.
	Expects *Expectation `json:"expects,omitempty"`
	// Basis is the sentence of the task or the specification that it rests on,
	// where one sentence binds all domains.
	Basis string `json:"basis,omitempty"`
	// Author is the name of the author that wrote it.
	Author string `json:"author,omitempty"`
}

// Material is what a criterion's author sealed for one domain. Checks see
// Data as the variable material.
type Material struct {
	// Message is what the commander is told when its bundle fails the
	// criterion. It names what to fix and never repeats the criterion.
	Message string `json:"message"`
	// Messages, by the item that a problem is about, replaces Message where
	// the check names the items that are wrong: a problem that reads
	// "ITEM: what is wrong" is told as Messages[ITEM].
	Messages map[string]string `json:"messages,omitempty"`
	// Data is the material that the check reads: strings, numbers, bools,
	// lists and maps of them.
	Data map[string]any `json:"data,omitempty"`
	// Items are those of the domain's assignment that the criterion rests on.
	Items []ItemRef `json:"items,omitempty"`
}

// ErrUnavailable: an author cannot write now, and may be able to later.
var ErrUnavailable = errors.New("the author cannot be reached")

// ErrSpecificationCut: an author could not read the whole specification. It
// comes with the criteria that were written from a part of it, and the reports
// of their run are advisory.
var ErrSpecificationCut = errors.New("the specification was cut to fit")

// Author writes the criteria of an envelope.
type Author interface {
	// Name identifies the author in the configuration and in reports.
	Name() string
	// Model names the author's model and family. Rules written by hand are
	// of the family "rules".
	Model() Model
	// Write returns quota[c] criteria of each category c, or fewer if it has
	// no more to ask, without ids, each with material for every domain of d.
	// It sees the decomposition only. An error that wraps ErrUnavailable asks
	// to be tried again later. One that wraps ErrSpecificationCut is no failure.
	Write(ctx context.Context, d *Decomposition, quota map[Category]int) ([]Criterion, error)
}

// SameAs reports whether two criteria ask the same: by the same check of the
// same material, or in the same or nearly the same words.
func (c *Criterion) SameAs(o *Criterion) bool { return sameQuestion(c, o) }

// Prompted is an author that puts a model to work with a prompt, of which
// Prompt is the Digest.
type Prompted interface{ Prompt() string }

// Noter is an author that has something to tell the operator about the
// criteria it wrote for an envelope, say that the decomposition left it little
// to ask for. A note quotes no criterion; an empty one is none.
type Noter interface {
	Note(criteria []Criterion) string
}
