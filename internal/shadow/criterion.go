package shadow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
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

// Rule lists the words, for the decoder.
func (Category) Rule() string { return wordRule(Categories()...) }

// PublicCategories lists those that the spec and its public report format know.
// Completeness is ours.
func PublicCategories() []Category {
	return slices.DeleteFunc(Categories(), func(c Category) bool { return c == Completeness })
}

// Criterion is one hidden acceptance criterion, which a bundle meets or does not.
type Criterion struct {
	ID string `json:"id"` // sc-01 and up
	// Material is what it asks of each domain. One with fewer items than others has
	// none in the last criteria.
	Material map[string]Material `json:"material"`
}

// Kind says how a criterion is judged in a domain.
type Kind string

// The kinds of criteria.
const (
	AskItems   Kind = "items"   // every item that it names is delivered; judges read them
	AskFigures Kind = "figures" // figures add up and nothing is left to fill in; a program decides
	AskWritten Kind = "written" // what an author wrote; its check decides, or judges do
)

// Rule lists the words, for the decoder.
func (Kind) Rule() string { return wordRule(AskItems, AskFigures, AskWritten) }

// Material is what a criterion asks of one domain.
type Material struct {
	Kind      Kind     `json:"kind"`
	Category  Category `json:"category"`
	Assertion string   `json:"assertion"`
	Expected  string   `json:"expected"`
	// Items are the names of those that it asks for (AskItems), or rests on (AskWritten).
	Items []string `json:"items,omitempty"`
	// Basis is a sentence of the task, the specification or the brief that it
	// rests on, where it rests on no item.
	Basis  string `json:"basis,omitempty"`
	Check  string `json:"check,omitempty"` // an expression of package check; empty: judges decide
	Author string `json:"author"`
}

// Asked is a criterion as one domain is asked it.
type Asked struct {
	ID string
	*Material
}

// Order is what an author is asked to write for a run.
type Order struct {
	Decomposition *Decomposition
	Count         map[string]int // by domain, how many criteria are wanted at most
	Categories    []Category     // that a criterion may have
}

// Draft is what an author wrote for one domain: its criteria, the most wanted
// first, without kind and author. Refused tells the operator what was of no use.
type Draft struct {
	Criteria []Material
	Refused  []string
}

// Author writes criteria. It sees the decomposition only.
type Author interface {
	Ref() AuthorRef
	// Write returns a draft by domain. Fewer criteria than asked for is no
	// fault. After an error items take the author's share.
	Write(ctx context.Context, o *Order) (map[string]Draft, error)
}

// Reader is an author that says what it expects of each requirement, by id, so
// that several can be compared.
type Reader interface {
	Author
	Expect(ctx context.Context, d *Decomposition) (map[string]Expectation, error)
}

// Usable returns why the material cannot be sealed for a domain, or nil. It
// quotes nothing of it.
func (m *Material) Usable(dom *Domain, items []Item) error {
	if strings.TrimSpace(m.Assertion) == "" || strings.TrimSpace(m.Expected) == "" {
		return errors.New("assertion and expected must both say something")
	}
	if !slices.Contains(Categories(), m.Category) {
		return fmt.Errorf("its category %.40q is not known", m.Category)
	}
	for _, name := range m.Items {
		if findItem(items, name) == nil {
			return fmt.Errorf("it rests on %.80q, which is no item of domain %q", name, dom.Domain)
		}
	}
	return nil
}

// SameAs reports whether two criteria of a domain ask the same: by the same
// check, in the same words, or in nearly the same words.
func (m *Material) SameAs(o *Material) bool {
	if m.Check != "" && spaced(m.Check) == spaced(o.Check) {
		return true
	}
	return SameWords(m.Assertion, o.Assertion) || nearlySame(normalise(m.Assertion), normalise(o.Assertion))
}

// SameWords reports whether two assertions differ in nothing but case, spaces
// and punctuation.
func SameWords(a, b string) bool { return normalise(a) == normalise(b) }

// nearlySame reports whether two normalised sentences share four of five of
// their words and everything that turns a meaning round: figures, negations
// and the words of limits.
func nearlySame(a, b string) bool {
	x, turnX := wordsOf(a)
	y, turnY := wordsOf(b)
	if !maps.Equal(turnX, turnY) || len(x) < 3 || len(y) < 3 {
		return false
	}
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	return 5*shared >= 4*(len(x)+len(y)-shared)
}

var decisiveWords = strings.Fields("not no never without none nothing neither nor cannot except least most more less fewer minimum maximum exactly only before after above below under over one two three four five six seven eight nine ten twelve")

// wordsOf parts the words of a normalised sentence into those it is about and
// those that turn its meaning. A final s is dropped: it is a plural or a verb.
func wordsOf(sentence string) (about, turning map[string]bool) {
	about, turning = map[string]bool{}, map[string]bool{}
	for w := range strings.FieldsSeq(sentence) {
		switch {
		case slices.Contains(decisiveWords, w) || strings.ContainsFunc(w, unicode.IsDigit):
			turning[w] = true
		case !fold.Stop(w):
			about[strings.TrimSuffix(w, "s")] = true
		}
	}
	return about, turning
}

// normalise keeps the words of a text, with one space between them.
func normalise(s string) string { return strings.Join(fold.Words(s), " ") }
