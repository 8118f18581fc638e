package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/swarmspeed/shadowd/internal/text/figures"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// function is one of the functions of text. docs/checks.md describes each, with an
// example that the tests run.
type function struct {
	args   []*cel.Type // the receiver first
	result *cel.Type
	run    run
}

var (
	str     = cel.StringType
	strList = cel.ListType(cel.StringType)
)

// takes is the receiver, a string, with the arguments.
func takes(more ...*cel.Type) []*cel.Type { return append([]*cel.Type{str}, more...) }

// run implements a function: it gives a value that CEL knows the form of.
type run = func(*call) (any, error)

func onText[T any](f func(*markdown.Doc) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc), nil }
}

func onTextString[T any](f func(*markdown.Doc, string) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc, c.args[0]), nil }
}

func onString[T any](f func(string) T) run {
	return func(c *call) (any, error) { return f(c.receiver), nil }
}

// functions are those of the language, by their names.
var functions = map[string]*function{
	"words":          {takes(), strList, func(c *call) (any, error) { return c.analysis().words(), nil }},
	"sentences":      {takes(), strList, onText((*markdown.Doc).Sentences)},
	"paragraphs":     {takes(), strList, onText((*markdown.Doc).Paragraphs)},
	"blocks":         {takes(), strList, onText((*markdown.Doc).Blocks)},
	"occurrences":    {takes(str), cel.IntType, onTextString((*markdown.Doc).Occurrences)},
	"mentions":       {takes(strList), cel.BoolType, mentions},
	"count":          {takes(str), cel.IntType, onTextString((*markdown.Doc).Count)},
	"upper":          {takes(), str, onString(strings.ToUpper)},
	"lower":          {takes(), str, onString(strings.ToLower)},
	"plain":          {takes(), str, onText((*markdown.Doc).Plain)},
	"headings":       {takes(), strList, onText((*markdown.Doc).Headings)},
	"sections":       {takes(), listOf[section](), onText(sectionsOf)},
	"section":        {takes(str), str, onTextString((*markdown.Doc).Section)},
	"has_section":    {takes(str), cel.BoolType, onTextString(func(t *markdown.Doc, title string) bool { return t.FindSection(title) > 0 })},
	"list_items":     {takes(), strList, onText(func(t *markdown.Doc) []string { return t.Items(true, true) })},
	"bullet_items":   {takes(), strList, onText(func(t *markdown.Doc) []string { return t.Items(false, true) })},
	"numbered_items": {takes(), strList, onText(func(t *markdown.Doc) []string { return t.Items(true, false) })},
	"tables": {takes(), listOf[table](), onText(func(t *markdown.Doc) []table {
		return each(t.Tables, func(tab markdown.Table) table { return table{tab.Header, tab.Rows} })
	})},
	"code_blocks": {takes(), listOf[markdown.CodeBlock](), onText(func(t *markdown.Doc) []markdown.CodeBlock { return t.Code })},
	"links":       {takes(), listOf[markdown.Link](), onText(func(t *markdown.Doc) []markdown.Link { return t.Links })},
	"highlights":  {takes(), strList, onText(func(t *markdown.Doc) []string { return t.Highlights })},
	"placeholders": {takes(), strList, onText(func(t *markdown.Doc) []string {
		return each(figures.Places(t, false), func(f figures.Finding) string { return f.Text })
	})},
	"matches":         {takes(str), cel.BoolType, matches},
	"find_all":        {takes(str), strList, findAll},
	"is_json":         {takes(), cel.BoolType, onText(func(t *markdown.Doc) bool { return data(t) != "" })},
	"json":            {takes(), cel.DynType, jsonValue},
	"miscalculations": {takes(), strList, onText(func(t *markdown.Doc) []string { return each(figures.Numbers(t), figures.Finding.String) })},
}

// maxWords bounds the words of one call of mentions: each is looked for in all of
// the text, before the call has a price.
const maxWords = 500

func mentions(c *call) (any, error) {
	if len(c.list) > maxWords {
		return nil, fmt.Errorf("%w: %d words, at most %d are accepted in one call", ErrLimit, len(c.list), maxWords)
	}
	return c.analysis().Doc.Mentions(c.list...), nil
}

// data gives the JSON that a text is, as a whole or in one fence that nothing
// stands beside; "" if it is none.
func data(t *markdown.Doc) string {
	if json.Valid([]byte(t.Source)) {
		return t.Source
	}
	if len(t.Code) != 1 || slices.ContainsFunc(t.Lines, func(l markdown.Line) bool { return l.Kind != markdown.Code }) {
		return ""
	}
	if body := strings.TrimSpace(t.Code[0].Body); json.Valid([]byte(body)) {
		return body
	}
	return ""
}

func jsonValue(c *call) (v any, err error) {
	source := data(c.analysis().Doc)
	if source == "" {
		return nil, errors.New("the text is not JSON")
	}
	err = json.Unmarshal([]byte(source), &v)
	return v, err
}

func sectionsOf(t *markdown.Doc) []section {
	out := make([]section, len(t.Sections)-1)
	for i, s := range t.Sections[1:] {
		out[i] = section{s.Title, s.Level, t.Under(i + 1)}
	}
	return out
}

// each makes a list of another one.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// The objects that functions give. The compiler knows their fields, so that a
// misspelt one is an error when a check is written.
type (
	section struct {
		Title string `json:"title"`
		Level int    `json:"level"`
		Text  string `json:"text"`
	}
	table struct {
		Header []string   `json:"header"`
		Rows   [][]string `json:"rows"`
	}
)

// provider and adapter tell the compiler of the objects, and make values of
// them.
var provider, adapter = func() (types.Provider, types.Adapter) {
	r := types.NewEmptyRegistry()
	p, a, err := types.ComposeTypes(r, r, types.ParseStructTag("json"), reflect.TypeFor[section](), reflect.TypeFor[table](),
		reflect.TypeFor[markdown.CodeBlock](), reflect.TypeFor[markdown.Link]())
	if err != nil {
		panic(err) // a mistake in the types above
	}
	return p, a
}()

func listOf[T any]() *cel.Type {
	return cel.ListType(cel.ObjectType(reflect.TypeFor[T]().String()))
}
