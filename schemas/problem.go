package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// How much of an event an error tells.
const (
	maxProblems = 5
	maxQuoted   = 60  // characters of a value or of one name in a pointer
	maxPointer  = 200 // bytes of a pointer
)

// problem is one thing that is wrong with a document.
type problem struct {
	path []string // the tokens of its JSON pointer
	text string
	kind jsonschema.ErrorKind // nil where no schema found it
}

// under puts the problem below a name or an index.
func (p *problem) under(token string) *problem {
	p.path = slices.Insert(p.path, 0, token)
	return p
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Error is the pointer and the text: `/domains/2/domain: is missing`. In a
// pointer, what is not printable is escaped and what is long is cut.
func (p *problem) Error() string {
	var b strings.Builder
	for _, token := range p.path {
		if b.Len() > maxPointer {
			b.WriteString("/…")
			break
		}
		quoted := quote(pointerEscapes.Replace(token))
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.Trim(quoted, `"`), `\"`, `"`))
	}
	if b.Len() == 0 {
		return p.text
	}
	return b.String() + ": " + p.text
}

// list is the error of all problems with an event, or nil. The schema library
// walks objects in random order, so the problems are sorted: rejections are
// stored, and two daemons must write the same bytes.
func list(found []*problem) error {
	if len(found) == 0 {
		return nil
	}
	var problems []string
	for _, p := range found {
		problems = append(problems, p.Error())
	}
	slices.SortFunc(problems, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	problems = slices.Compact(problems)
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(problems, "; "))
}

// check lists what a schema finds wrong with a value.
func check(s *jsonschema.Schema, v any) []*problem {
	if failed, ok := errors.AsType[*jsonschema.ValidationError](s.Validate(v)); ok {
		return explain(s, failed, nil)
	}
	return nil
}

// explain appends the problems of one node of the schema library's error tree,
// in words for the author of the document.
func explain(s *jsonschema.Schema, e *jsonschema.ValidationError, problems []*problem) []*problem {
	at := func(token string, format string, args ...any) {
		p := &problem{path: slices.Clone(e.InstanceLocation), text: fmt.Sprintf(format, args...), kind: e.ErrorKind}
		if token != "" {
			p.path = append(p.path, token)
		}
		problems = append(problems, p)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, c := range e.Causes {
			problems = explain(s, c, problems)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			must := ""
			if of := below(s, append(slices.Clone(e.InstanceLocation), name)); of != nil && of.Title != "" {
				must = ", must be " + of.Title
			}
			at(name, "is missing%s", must)
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			at(name, "%s", unknown(s, e.InstanceLocation, name))
		}
	case *kind.FalseSchema:
		at("", "is not allowed here")
	case *kind.Type:
		want := strings.Join(k.Want, " or ")
		if of := below(s, e.InstanceLocation); of != nil && of.Title != "" && len(e.InstanceLocation) > 0 {
			want = of.Title
		}
		at("", "is of type %s, must be %s", k.Got, want)
	case *kind.Enum:
		at("", "%s is none of %s%s", show(k.Got), showAll(k.Want), meant(k.Got, k.Want))
	case *kind.Const:
		at("", "%s must be %s", show(k.Got), show(k.Want))
	case *kind.Pattern:
		at("", "%s", mismatch(k, below(s, e.InstanceLocation)))
	case *kind.Format:
		at("", "%s is not a %s", show(k.Got), k.Want)
	default:
		at("", "%s", outOfBounds(e.ErrorKind))
	}
	return problems
}

// mismatch says what a text is not. A schema may have a title for what its
// pattern describes.
func mismatch(k *kind.Pattern, s *jsonschema.Schema) string {
	switch {
	case k.Want == `\S`:
		return "is empty"
	case s != nil && s.Title != "":
		return quote(k.Got) + " is not " + s.Title
	}
	return quote(k.Got) + " does not match " + k.Want
}

// outOfBounds says what is too much or too little.
func outOfBounds(e jsonschema.ErrorKind) string {
	switch k := e.(type) {
	case *kind.MinLength:
		if k.Got == 0 {
			return "is empty"
		}
		return fmt.Sprintf("has %d characters, at least %d are needed", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters, at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d items, at least %d are needed", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items, at most %d are allowed", k.Got, k.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("has %d fields, at least %d are needed", k.Got, k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum:
		return showRat(k.Got) + " is below the minimum, " + showRat(k.Want)
	case *kind.Maximum:
		return showRat(k.Got) + " is above the maximum, " + showRat(k.Want)
	}
	return "breaks the schema (" + strings.Join(e.KeywordPath(), "/") + ")"
}

// quote is s in double quotes, escaped and cut short.
func quote(s string) string { return strconv.Quote(clip.To(s, maxQuoted+1)) }

func show(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return clip.To(fmt.Sprint(v), maxQuoted+1)
}

func showAll(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = show(v)
	}
	return strings.Join(words, ", ")
}

func showRat(r *big.Rat) string {
	if r.IsInt() && r.Num().BitLen() < 64 {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
