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

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/figures"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Function describes a function of the language.
type Function struct {
	Name      string
	Group     string // heading of the documentation that it stands under
	Signature string // as it is written: string.between(open, close) -> list(string)
	Doc       string // one line
	// Example is an expression over the variable text, Text a document, and
	// Want the value of Example on Text as JSON. The tests run them.
	Example, Text, Want string

	args   []*cel.Type // the receiver first
	result *cel.Type
	run    run
}

// Functions lists the functions of text in the order of the documentation.
func Functions() []*Function { return functions }

var (
	str     = cel.StringType
	strList = cel.ListType(cel.StringType)
)

// takes is the receiver, a string, with the arguments.
func takes(more ...*cel.Type) []*cel.Type { return append([]*cel.Type{str}, more...) }

// run implements a function. What it gives is a value that CEL knows the form of.
type run = func(*call) (any, error)

func onAnalysis[T any](f func(*Text) T) run {
	return func(c *call) (any, error) { return f(c.analysis()), nil }
}

func onText[T any](f func(*markdown.Doc) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc), nil }
}

func onTextString[T any](f func(*markdown.Doc, string) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc, c.args[0]), nil }
}

func onString[T any](f func(string) T) run {
	return func(c *call) (any, error) { return f(c.receiver), nil }
}

// functions is the table that the environment, the documentation and the
// tests are made from.
var functions = slices.Concat(
	group("Words and characters",
		&Function{Name: "words", Signature: "string.words() -> list(string)",
			Doc:     "words, of code and tables too: letters and digits with what joins them (don't, well-known, 3.5, snake_case); Chinese and Japanese characters count one each",
			Example: `text.words()`, Text: "It's **3.5** times", Want: `["It's","3.5","times"]`,
			args: takes(), result: strList, run: onAnalysis(func(t *Text) []string { return t.words() })},
		&Function{Name: "sentences", Signature: "string.sentences() -> list(string)",
			Doc:     "sentences of paragraphs and list items, not of headings, tables and code; a marked line break ends one; abbreviations, initials, versions and decimals end none",
			Example: `text.sentences()`, Text: "One. Two!\n\n- Three", Want: `["One.","Two!","Three"]`,
			args: takes(), result: strList, run: onText((*markdown.Doc).Sentences)},
		&Function{Name: "paragraphs", Signature: "string.paragraphs() -> list(string)",
			Doc:     "Markdown paragraphs: blank lines divide them; headings, lists, tables and code are none",
			Example: `text.paragraphs().size()`, Text: "# Title\nOne.\nStill one.\n\nTwo.", Want: `2`,
			args: takes(), result: strList, run: onText((*markdown.Doc).Paragraphs)},
		&Function{Name: "blocks", Signature: "string.blocks() -> list(string)",
			Doc:     "what blank lines divide, as written: paragraphs in the sense of plain text, so headings and lists are blocks too",
			Example: `text.blocks().size()`, Text: "# Title\n\nOne.\nStill one.\n \n- a\n- b", Want: `3`,
			args: takes(), result: strList, run: onText((*markdown.Doc).Blocks)},
		&Function{Name: "occurrences", Signature: "string.occurrences(word) -> int",
			Doc:     "how often a word or phrase stands in the text without its markup, whole words, in any case; its plural is another word, so count both; what has no letter or digit is counted in the source",
			Example: `text.occurrences('key')`, Text: "Keys: the key, a KEY and a monkey.", Want: `2`,
			args: takes(str), result: cel.IntType, run: onTextString((*markdown.Doc).Occurrences)},
		&Function{Name: "mentions", Signature: "string.mentions(words) -> bool",
			Doc:     "whether one of the words stands in the source, whole and in any case; a plural is another word: name both, or put a star at the beginning or end of a word, which stands for more of it",
			Example: `text.mentions(['fail*', 'error'])`, Text: "A **Failed** call is repeated.", Want: `true`,
			args: takes(strList), result: cel.BoolType, run: mentions},
		&Function{Name: "count", Signature: "string.count(part) -> int",
			Doc:     "how often characters stand in the source, inside words too, in any case",
			Example: `text.count('é')`, Text: "Élan, caf\u00e9, cafe\u0301s", Want: `3`,
			args: takes(str), result: cel.IntType, run: onTextString((*markdown.Doc).Count)},
		&Function{Name: "between", Signature: "string.between(open, close) -> list(string)",
			Doc:     "what stands between two marks on one line of the source, without spaces around it; nothing but spaces is left out",
			Example: `text.between('<<', '>>')`, Text: "<<The plan>> and << >>", Want: `["The plan"]`,
			args: takes(str, str), result: strList, run: between},
		&Function{Name: "upper", Signature: "string.upper() -> string",
			Doc:     "the string in capitals, in any script (upperAscii changes A to Z only)",
			Example: `text.upper()`, Text: "Größe και so on", Want: `"GRÖßE ΚΑΙ SO ON"`,
			args: takes(), result: str, run: onString(strings.ToUpper)},
		&Function{Name: "lower", Signature: "string.lower() -> string",
			Doc:     "the string in small letters, in any script",
			Example: `text.lower() == text`, Text: "alles klein, даже это", Want: `true`,
			args: takes(), result: str, run: onString(strings.ToLower)},
		&Function{Name: "plain", Signature: "string.plain() -> string",
			Doc:     "the text without Markdown: one line for each heading, paragraph, item, table row; code as written",
			Example: `text.plain()`, Text: "# A\n**One** [link](u).\nTwo.\n\n1. x", Want: `"A\nOne link. Two.\nx"`,
			args: takes(), result: str, run: onText((*markdown.Doc).Plain)},
	),
	group("Structure",
		&Function{Name: "headings", Signature: "string.headings() -> list(string)",
			Doc:     "headings, and bold text that stands alone as a paragraph",
			Example: `text.headings()`, Text: "# A\ntext\n## B", Want: `["A","B"]`,
			args: takes(), result: strList, run: onText((*markdown.Doc).Headings)},
		&Function{Name: "sections", Signature: "string.sections() -> list({title: string, level: int, text: string})",
			Doc:     "sections: each heading with the text under it, subsections included; level is 1 to 6, 7 for bold text alone",
			Example: `text.sections().filter(s, s.level == 2).map(s, s.title + ': ' + s.text)`, Text: "# A\n## B\nx\n## C\ny", Want: `["B: x","C: y"]`,
			args: takes(), result: listOf[section](), run: onText(sectionsOf)},
		&Function{Name: "section", Signature: "string.section(title) -> string",
			Doc:     "text under the heading, subsections included; '' if there is no such heading",
			Example: `text.section('risks')`, Text: "# 1. Risks\nNone.\n# Next\nx", Want: `"None."`,
			args: takes(str), result: str, run: onTextString((*markdown.Doc).Section)},
		&Function{Name: "has_section", Signature: "string.has_section(title) -> bool",
			Doc:     "whether there is such a heading",
			Example: `text.has_section('Risks')`, Text: "# Risks and mitigations", Want: `true`,
			args: takes(str), result: cel.BoolType, run: onTextString(func(t *markdown.Doc, title string) bool { return t.FindSection(title) > 0 })},
		&Function{Name: "list_items", Signature: "string.list_items() -> list(string)",
			Doc:     "items of all lists, in the order of the text; nested ones are items of their own",
			Example: `text.list_items()`, Text: "- a\n  1. b\n- [x] c", Want: `["a","b","c"]`,
			args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(true, true) })},
		&Function{Name: "bullet_items", Signature: "string.bullet_items() -> list(string)",
			Doc:     "items of bulleted lists (-, *, +, •)",
			Example: `text.bullet_items()`, Text: "- a\n  1. b\n* [x] c", Want: `["a","c"]`,
			args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(false, true) })},
		&Function{Name: "numbered_items", Signature: "string.numbered_items() -> list(string)",
			Doc:     "items of numbered lists (1. or 1))",
			Example: `text.numbered_items()`, Text: "- a\n  1. b\n  2. c", Want: `["b","c"]`,
			args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Items(true, false) })},
		&Function{Name: "tables", Signature: "string.tables() -> list({header: list(string), rows: list(list(string))})",
			Doc:     "tables with their cells",
			Example: `text.tables()[0].rows[0][1]`, Text: "| a | b |\n|---|---|\n| 1 | 2 |", Want: `"2"`,
			args: takes(), result: listOf[table](), run: onText(func(t *markdown.Doc) []table {
				return each(t.Tables, func(tab markdown.Table) table { return table{tab.Header, tab.Rows} })
			})},
		&Function{Name: "code_blocks", Signature: "string.code_blocks() -> list({lang: string, body: string})",
			Doc:     "blocks of code",
			Example: `text.code_blocks().exists(b, b.lang == 'sql' && b.body.contains('CREATE TABLE'))`, Text: "```sql\nCREATE TABLE t (id int);\n```", Want: `true`,
			args: takes(), result: listOf[codeBlock](), run: onText(func(t *markdown.Doc) []codeBlock {
				return each(t.Code, func(b markdown.CodeBlock) codeBlock { return codeBlock{b.Lang, b.Body} })
			})},
		&Function{Name: "links", Signature: "string.links() -> list({text: string, url: string})",
			Doc:     "inline links, images and addresses; links by reference ([a][1]) are text",
			Example: `text.links()[0].url`, Text: "See [the plan](https://example.org/plan).", Want: `"https://example.org/plan"`,
			args: takes(), result: listOf[link](), run: onText(func(t *markdown.Doc) []link {
				return each(t.Links, func(l markdown.Link) link { return link{l.Text, l.URL} })
			})},
		&Function{Name: "highlights", Signature: "string.highlights() -> list(string)",
			Doc:     "what is emphasised with stars or underscores (*x*, **x**, _x_), outside code",
			Example: `text.highlights()`, Text: "*one* and **two**, 3 * 4 * 5, snake_case_name, `*code*`", Want: `["one","two"]`,
			args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return t.Highlights })},
		&Function{Name: "placeholders", Signature: "string.placeholders() -> list(string)",
			Doc:     "what was left to fill in: a line or cell that is a mark (TBD, or TODO: and what is to be done), [Your name] or <insert date> alone or behind a colon, lorem ipsum; at most 100",
			Example: `text.placeholders()`, Text: "Owner: [Your name].\n\nTODO: add the date. See [docs](a.md).", Want: `["[Your name]","TODO: add the date."]`,
			args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string {
				return each(figures.Places(t, false), func(f figures.Finding) string { return f.Text })
			})},
	),
	group("Patterns and data",
		&Function{Name: "matches", Signature: "string.matches(regex) -> bool",
			Doc:     "whether a regular expression (RE2) matches anywhere in the source",
			Example: `text.matches('(?i)\\brs256\\b')`, Text: "Signed with RS256.", Want: `true`,
			args: takes(str), result: cel.BoolType, run: matches},
		&Function{Name: "find_all", Signature: "string.find_all(regex) -> list(string)",
			Doc:     "matches of a regular expression (RE2) in the source, or of its first group if it has one",
			Example: `text.find_all('v(\\d+)')`, Text: "v1, then v20", Want: `["1","20"]`,
			args: takes(str), result: strList, run: findAll},
		&Function{Name: "is_json", Signature: "string.is_json() -> bool",
			Doc:     "whether the text is valid JSON, alone or in one fence",
			Example: `text.is_json()`, Text: "```json\n{\"a\": [1, 2]}\n```", Want: `true`,
			args: takes(), result: cel.BoolType, run: onText(func(t *markdown.Doc) bool { return data(t) != "" })},
		&Function{Name: "json", Signature: "string.json() -> dyn",
			Doc:     "the value of a text that is JSON, alone or in one fence; an error if it is none, so ask is_json first",
			Example: `text.is_json() && text.json().items.size() == 2`, Text: "```json\n{\"items\": [1, 2]}\n```", Want: `true`,
			args: takes(), result: cel.DynType, run: jsonValue},
	),
	group("What a text says",
		&Function{Name: "states", Signature: "string.states(quantity) -> bool",
			Doc: "whether the text states a quantity of the phrase in any usual form: 1 hour is 1h, one hour, 60 minutes or 3600; " +
				"a bound (at most 15 ms) is met by a figure that keeps it",
			Example: `text.states('Tokens expire after 1 hour')`, Text: "The lifetime of a token is `3600` seconds.", Want: `true`,
			args: takes(str), result: cel.BoolType, run: states},
		&Function{Name: "has_quantity", Signature: "string.has_quantity() -> bool",
			Doc:     "whether a phrase has a quantity that states can look for; states of a phrase without one is an error",
			Example: `['30 minutes', 'Sign with RS256'].filter(l, l.has_quantity() && !text.states(l))`, Text: "No figures.", Want: `["30 minutes"]`,
			args: takes(), result: cel.BoolType, run: onString(figures.Has)},
		&Function{Name: "miscalculations", Signature: "string.miscalculations() -> list(string)",
			Doc:     "figures that do not add up: totals of tables, shares such as 8 of 20 (45 %), equations of numbers alone",
			Example: `text.miscalculations().size()`, Text: "There are 3 × 4 = 13 cells.", Want: `1`,
			args: takes(), result: strList, run: onText(miscalculations)},
	),
)

func group(name string, rows ...*Function) []*Function {
	for _, f := range rows {
		f.Group = name
	}
	return rows
}

var byName = func() map[string]*Function {
	all := map[string]*Function{}
	for _, f := range functions {
		all[f.Name] = f
	}
	return all
}()

func between(c *call) (any, error) {
	if c.args[0] == "" || c.args[1] == "" {
		return nil, errors.New("the marks must have at least one character")
	}
	return stretches(c.receiver, c.args[0], c.args[1]), nil
}

// stretches lists what stands between two marks on one line. Where the opening
// mark stands twice before the closing one, the later one counts.
func stretches(s, open, closing string) []string {
	out := []string{}
	for line := range strings.SplitSeq(s, "\n") {
		for {
			i := strings.Index(line, open)
			if i < 0 {
				break
			}
			line = line[i+len(open):]
			j := strings.Index(line, closing)
			if j < 0 {
				break
			}
			inside := line[:j]
			if k := strings.LastIndex(inside, open); k >= 0 {
				inside = inside[k+len(open):]
			}
			if inside = strings.TrimSpace(inside); inside != "" {
				out = append(out, inside)
			}
			line = line[j+len(closing):]
		}
	}
	return out
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

// errNoQuantity is the error of a phrase that states looks in vain for.
func errNoQuantity(phrase string) error {
	return fmt.Errorf("%q has no quantity that states can look for: ask has_quantity first", clip.Line(phrase, maxSide))
}

func states(c *call) (any, error) {
	stated, asked := c.analysis().quantities().States(c.args[0])
	if !asked {
		return nil, errNoQuantity(c.args[0])
	}
	return stated, nil
}

func miscalculations(t *markdown.Doc) []string {
	return each(figures.Numbers(t), figures.Finding.String)
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
	codeBlock struct {
		Lang string `json:"lang"`
		Body string `json:"body"`
	}
	link struct {
		Text string `json:"text"`
		URL  string `json:"url"`
	}
)

var objectTypes = []reflect.Type{reflect.TypeFor[section](), reflect.TypeFor[table](), reflect.TypeFor[codeBlock](), reflect.TypeFor[link]()}

// provider and adapter tell the compiler of the objects, and make values of
// them.
var provider, adapter = func() (types.Provider, types.Adapter) {
	args := []any{types.ParseStructTag("json")}
	for _, t := range objectTypes {
		args = append(args, t)
	}
	r := types.NewEmptyRegistry()
	p, a, err := types.ComposeTypes(r, r, args...)
	if err != nil {
		panic(err) // a mistake in the types above
	}
	return p, a
}()

func listOf[T any]() *cel.Type {
	return cel.ListType(cel.ObjectType(reflect.TypeFor[T]().String()))
}

// fieldsHint lists the fields of the objects that a field may have been meant
// for: the compiler does not say of which one it was asked.
func fieldsHint() string {
	var out []string
	for _, t := range objectTypes {
		var names []string
		for field := range t.Fields() {
			names = append(names, field.Tag.Get("json"))
		}
		out = append(out, "a "+strings.ReplaceAll(t.Name(), "B", " b")+" has "+strings.Join(names, ", "))
	}
	return strings.Join(out, "; ")
}
