package strict

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// How much of a document an error tells.
const (
	maxProblems = 5
	maxQuoted   = 60  // characters of a value or of one name in a pointer
	maxPointer  = 200 // bytes of a pointer
	maxIgnored  = 20  // unknown fields
)

// problem is one thing that is wrong with a document.
type problem struct {
	path []step
	text string
}

// Error is the pointer and the text: `/domains/2/domain: is missing`.
func (p problem) Error() string {
	if len(p.path) == 0 {
		return p.text
	}
	return pointer(p.path, false) + ": " + p.text
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is a JSON pointer, in which what is not printable is escaped and what
// is long is cut. With star it has * for the index in a list.
func pointer(path []step, star bool) string {
	var b strings.Builder
	for _, s := range path {
		if b.Len() > maxPointer {
			b.WriteString("/…")
			break
		}
		b.WriteByte('/')
		switch {
		case s.index < 0:
			quoted := quote(pointerEscapes.Replace(s.name))
			b.WriteString(strings.ReplaceAll(strings.Trim(quoted, `"`), `\"`, `"`))
		case star:
			b.WriteByte('*')
		default:
			b.WriteString(strconv.Itoa(s.index))
		}
	}
	return b.String()
}

// list is the error of all problems with an event, or nil: those that are
// nearest to the root come first.
func list(found []problem) error {
	if len(found) == 0 {
		return nil
	}
	problems := make([]string, len(found))
	for i, p := range found {
		problems[i] = p.Error()
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

// unread are the sentences on fields that nobody reads.
func (d *decoder) unread() []string {
	said := slices.Sorted(maps.Keys(d.unknown))
	if more := len(said) - maxIgnored; more > 0 {
		said = append(said[:maxIgnored], fmt.Sprintf("and %d more unknown fields", more))
	}
	return said
}

// DidYouMean is a hint at the word in known that is nearest to word:
// " (did you mean WORD?)". It is "" if none is near or several are.
func DidYouMean(word string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		switch d := editDistance(loose(word), loose(k)); {
		case d < distance && 3*d < len(k)+3:
			best, distance = k, d
		case d == distance:
			best = ""
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// loose removes what people mix up in keys. Long words are cut: they are near
// to nothing, and the distance takes the product of the lengths.
func loose(s string) string {
	return strings.ReplaceAll(strings.ToLower(s[:min(len(s), 40)]), "-", "_")
}

// editDistance is the Levenshtein distance of two words, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// quote is s in double quotes, escaped and cut short.
func quote(s string) string { return strconv.Quote(short(s)) }

func short(s string) string { return clip.To(s, maxQuoted+1) }

// SyntaxError says where a text stops being JSON, and why, of an error of
// jsontext. It repeats little of the text, and escaped.
func SyntaxError(err error) error {
	at, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("byte %d: %w", at.ByteOffset+1, problem{stepsOf(at.JSONPointer), at.Err.Error()})
}

func stepsOf(p jsontext.Pointer) (path []step) {
	for token := range p.Tokens() {
		path = append(path, step{token, -1})
	}
	return path
}

// End says whether anything stands behind the value that was read.
func End(d *jsontext.Decoder) error {
	behind := d.InputOffset() + 1
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("byte %d: something stands behind the value", behind)
	}
	return nil
}
