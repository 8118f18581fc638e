package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// How much of an event an error tells.
const (
	maxProblems = 5
	maxQuoted   = 60  // characters of a value or of one name in a pointer
	maxPointer  = 200 // bytes of a pointer
)

// problem is one thing that is wrong with an event's data.
type problem struct {
	path []string // JSON pointer, innermost token first
	text string
}

// under puts the problem below a name or an index.
func (p *problem) under(token string) *problem {
	p.path = append(p.path, token)
	return p
}

// Error is the pointer and the text: `/domains/2/domain: is missing`. In a
// pointer, what is not printable is escaped and what is long is cut.
func (p *problem) Error() string {
	var b strings.Builder
	for _, token := range slices.Backward(p.path) {
		if b.Len() > maxPointer {
			b.WriteString("/…")
			break
		}
		quoted := quote(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.Trim(quoted, `"`), `\"`, `"`))
	}
	if b.Len() == 0 {
		return p.text
	}
	return b.String() + ": " + p.text
}

// explain puts the error of the schema library into words for the author of
// the event. The library walks objects in random order, so the problems are
// sorted: rejections are stored, and two daemons must write the same bytes.
func explain(err error) error {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return err
	}
	problems := explainOne(failed, nil)
	slices.SortFunc(problems, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	problems = slices.Compact(problems)
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(problems, "; "))
}

// explainOne appends the problems of one node of the library's error tree.
func explainOne(e *jsonschema.ValidationError, problems []string) []string {
	at := func(token string, format string, args ...any) {
		p := problem{text: fmt.Sprintf(format, args...)}
		if token != "" {
			p.path = append(p.path, token)
		}
		for _, t := range slices.Backward(e.InstanceLocation) {
			p.path = append(p.path, t)
		}
		problems = append(problems, p.Error())
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, c := range e.Causes {
			problems = explainOne(c, problems)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			at(name, "is missing")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			at(name, "is not a field of this event")
		}
	case *kind.FalseSchema:
		at("", "is not allowed here")
	case *kind.Type:
		at("", "is of type %s, must be %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		at("", "%s is none of %s", show(k.Got), showAll(k.Want))
	case *kind.Const:
		at("", "%s must be %s", show(k.Got), show(k.Want))
	case *kind.Pattern:
		if k.Want == `\S` {
			at("", "is empty")
		} else {
			at("", "%s does not match %s", quote(k.Got), k.Want)
		}
	case *kind.Format:
		at("", "%s is not a %s", show(k.Got), k.Want)
	case *kind.MinLength:
		at("", "has %d characters, at least %d are needed", k.Got, k.Want)
	case *kind.MaxLength:
		at("", "has %d characters, at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		at("", "has %d items, at least %d are needed", k.Got, k.Want)
	case *kind.MaxItems:
		at("", "has %d items, at most %d are allowed", k.Got, k.Want)
	case *kind.MaxProperties:
		at("", "has %d fields, at most %d are allowed", k.Got, k.Want)
	case *kind.UniqueItems:
		at("", "items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum:
		at("", "%s is below the minimum, %s", showRat(k.Got), showRat(k.Want))
	case *kind.Maximum:
		at("", "%s is above the maximum, %s", showRat(k.Got), showRat(k.Want))
	default:
		at("", "breaks the schema (%s)", strings.Join(e.ErrorKind.KeywordPath(), "/"))
	}
	return problems
}

// quote is s in double quotes, escaped and cut short.
func quote(s string) string { return strconv.Quote(cut(s)) }

// cut shortens s to maxQuoted characters.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxQuoted {
		return s
	}
	return string([]rune(s[:min(len(s), (maxQuoted+1)*utf8.UTFMax)])[:maxQuoted]) + "…"
}

func show(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return cut(fmt.Sprint(v))
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
