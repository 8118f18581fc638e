package check

import (
	"encoding/json"
	"errors"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Function describes a function of the language.
type Function struct {
	Name      string
	Signature string // as it is written: string.near(a, b, n) -> bool
	Doc       string // one line
	// Example is an expression over the variable text, Text a document, and
	// Want the value of Example on Text as JSON. The tests run them.
	Example, Text, Want string
}

// function is a row of the table with what the environment needs.
type function struct {
	Function
	args   []*cel.Type // the receiver first
	result *cel.Type
	call   func(e *evaluation, args []ref.Val) (ref.Val, error)
}

// overload is the function's overload id. There is one for each function.
func (f *function) overload() string { return "text_" + f.Name }

// Functions lists the functions of text in the order of the documentation.
func Functions() []Function {
	out := make([]Function, len(functions))
	for i, f := range functions {
		out[i] = f.Function
	}
	return out
}

// Types of the signatures.
var (
	str     = cel.StringType
	strList = cel.ListType(cel.StringType)
	objects = cel.ListType(cel.MapType(cel.StringType, cel.DynType))
)

// takes is the receiver, a string, with the arguments.
func takes(more ...*cel.Type) []*cel.Type { return append([]*cel.Type{str}, more...) }

// Wrappers from Go values to CEL values.

func onText[T any](f func(*Text) T) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t)), nil
	}
}

func onTextString[T any](f func(*Text, string) T) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		s, ok := args[1].(types.String)
		if !ok {
			return nil, errors.New("the argument is not a string")
		}
		if len(s) > MaxText {
			return nil, errTextSize(len(s))
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t, string(s))), nil
	}
}

// functions is the table that the environment, the documentation and the
// tests are made from.
var functions = []*function{
	{Function{"words", "string.words() -> list(string)",
		"words of the text: letters and digits with what joins them (don't, well-known, 3.5, snake_case)",
		`text.words()`, "It's **3.5** times", `["It's","3.5","times"]`},
		takes(), strList, onText((*Text).Words)},
	{Function{"sentences", "string.sentences() -> list(string)",
		"sentences of paragraphs and list items",
		`text.sentences()`, "One. Two!\n\n- Three", `["One.","Two!","Three"]`},
		takes(), strList, onText((*Text).Sentences)},
	{Function{"paragraphs", "string.paragraphs() -> list(string)",
		"paragraphs outside lists, tables and code",
		`text.paragraphs().size()`, "# Title\nOne.\nStill one.\n\nTwo.", `2`},
		takes(), strList, onText((*Text).Paragraphs)},
	{Function{"headings", "string.headings() -> list(string)",
		"headings, and bold text that stands alone",
		`text.headings()`, "# A\ntext\n## B", `["A","B"]`},
		takes(), strList, onText((*Text).Headings)},
	{Function{"section", "string.section(title) -> string",
		"text under the heading, subsections included; '' if there is no such heading",
		`text.section('risks')`, "# 1. Risks\nNone.\n# Next\nx", `"None."`},
		takes(str), str, onTextString((*Text).Section)},
	{Function{"has_section", "string.has_section(title) -> bool",
		"whether there is such a heading",
		`text.has_section('Risks')`, "# Risks and mitigations", `true`},
		takes(str), cel.BoolType, onTextString(func(t *Text, title string) bool { return t.section(title) > 0 })},
	{Function{"list_items", "string.list_items() -> list(string)",
		"items of bulleted and numbered lists",
		`text.list_items()`, "- a\n  1. b\n- [x] c", `["a","b","c"]`},
		takes(), strList, onText((*Text).ListItems)},
	{Function{"tables", "string.tables() -> list({header: list(string), rows: list(list(string))})",
		"tables with their cells",
		`text.tables()[0].rows[0][1]`, "| a | b |\n|---|---|\n| 1 | 2 |", `"2"`},
		takes(), objects, onText(func(t *Text) []map[string]any {
			out := make([]map[string]any, len(t.Tables))
			for i, tab := range t.Tables {
				out[i] = map[string]any{"header": tab.Header, "rows": tab.Rows}
			}
			return out
		})},
	{Function{"code_blocks", "string.code_blocks() -> list({lang: string, body: string})",
		"blocks of code",
		`text.code_blocks().exists(b, b.lang == 'sql' && b.body.contains('CREATE TABLE'))`, "```sql\nCREATE TABLE t (id int);\n```", `true`},
		takes(), objects, onText(func(t *Text) []map[string]any {
			out := make([]map[string]any, len(t.Code))
			for i, b := range t.Code {
				out[i] = map[string]any{"lang": b.Lang, "body": b.Body}
			}
			return out
		})},
	{Function{"links", "string.links() -> list({text: string, url: string})",
		"links and images",
		`text.links()[0].url`, "See [the plan](https://example.org/plan).", `"https://example.org/plan"`},
		takes(), objects, onText(func(t *Text) []map[string]any {
			out := make([]map[string]any, len(t.Links))
			for i, l := range t.Links {
				out[i] = map[string]any{"text": l.Text, "url": l.URL}
			}
			return out
		})},
	{Function{"placeholders", "string.placeholders() -> list(string)",
		"what was left to fill in: [Your name], <insert date>, TBD, TODO, XXX, lorem ipsum",
		`text.placeholders()`, "Owner: [Your name]. Date: TBD. See [docs](a.md).", `["[Your name]","TBD"]`},
		takes(), strList, onText((*Text).Placeholders)},
	{Function{"occurrences", "string.occurrences(word) -> int",
		"how often a word or phrase stands in the text, whole words, in any case; marks such as ',' are counted as such",
		`text.occurrences('key')`, "Keys: the key, a KEY and a monkey.", `2`},
		takes(str), cel.IntType, onTextString((*Text).Occurrences)},
	{Function{"mentions", "string.mentions(words) -> bool",
		"whether one of the words stands in the text, in any case; a star at the beginning or end of a word stands for more of it",
		`text.mentions(['fail*', 'error'])`, "A **Failed** call is repeated.", `true`},
		takes(strList), cel.BoolType, (*evaluation).mentions},
	{Function{"matches", "string.matches(regex) -> bool",
		"whether a regular expression (RE2) matches anywhere in the text",
		`text.matches('(?i)\\brs256\\b')`, "Signed with RS256.", `true`},
		takes(str), cel.BoolType, (*evaluation).matches},
	{Function{"states", "string.states(quantity) -> bool",
		"whether the text states a quantity of the phrase in any usual form: 1 hour is 1h, one hour, 60 minutes or 3600; " +
			"a bound (at most 15 ms) is met by any figure of its kind",
		`text.states('Tokens expire after 1 hour')`, "The lifetime of a token is `3600` seconds.", `true`},
		takes(str), cel.BoolType, (*evaluation).states},
	{Function{"find_all", "string.find_all(regex) -> list(string)",
		"matches of a regular expression (RE2), or of its first group if it has one",
		`text.find_all('v(\\d+)')`, "v1, then v20", `["1","20"]`},
		takes(str), strList, (*evaluation).findAll},
	{Function{"is_json", "string.is_json() -> bool",
		"whether the text is valid JSON, alone or in one fence",
		`text.is_json()`, "```json\n{\"a\": [1, 2]}\n```", `true`},
		takes(), cel.BoolType, onText((*Text).IsJSON)},
	{Function{"near", "string.near(a, b, n) -> bool",
		"whether two words stand within n words of each other, in any form of theirs",
		`text.near('rollback', 'minutes', 5)`, "We can roll back within ten minutes.", `true`},
		takes(str, str, cel.IntType), cel.BoolType, (*evaluation).near},
	{Function{"reads", "string.reads(phrase) -> string",
		"what the text says of the matter of a phrase: 'found', 'not_found', 'declined' or 'unclear'",
		`text.reads('Define the session lifetime')`, "# Out of scope\n- The lifetime of sessions", `"declined"`},
		takes(str), str, (*evaluation).reads},
	{Function{"addresses", "string.addresses(phrase) -> bool",
		"whether the text has a passage about the matter of a phrase: it reads as 'found'",
		`text.addresses('Write the rollback procedure for the schema migration')`, "The schema migration is rolled back with `migrate down`.", `true`},
		takes(str), cel.BoolType, (*evaluation).addresses},
	{Function{"missing", "string.missing(phrases) -> list(string)",
		"the phrases that the text does not address or declines, with the evidence; those that are unclear are left out. " +
			"A phrase is a string, or {phrase: string, also: list(string)} with other words for the same",
		`text.missing(['Encrypt the backups at rest', 'Rotate the signing keys'])`, "Signing keys are rotated monthly.",
		`["Encrypt the backups at rest: no passage found about encrypt, backups, rest"]`},
		takes(cel.ListType(cel.DynType)), strList, (*evaluation).missing},
	{Function{"miscalculations", "string.miscalculations() -> list(string)",
		"stated sums, products, shares, percentages and table totals that do not add up",
		`text.miscalculations().size()`, "There are 3 × 4 = 13 cells.", `1`},
		takes(), strList, onText(func(t *Text) []string { return messages(Miscalculations(t)) })},
	{Function{"unbacked_numbers", "string.unbacked_numbers(summary) -> list(string)",
		"numbers that a summary states and the text does not have",
		`text.unbacked_numbers('All 17 tests passed.').size()`, "We ran 12 tests.", `1`},
		takes(str), strList, onTextString(func(t *Text, summary string) []string { return messages(UnbackedNumbers(t, summary)) })},
}

// byName finds a function, and takesPattern tells which of them take a
// regular expression.
var (
	byName       = map[string]*function{}
	takesPattern = map[string]bool{"matches": true, "find_all": true}
)

func init() {
	for _, f := range functions {
		byName[f.Name] = f
	}
}

func messages(findings []Finding) []string {
	out := make([]string, len(findings))
	for i, f := range findings {
		out[i] = f.Message()
	}
	return out
}

// IsJSON tells whether the text is JSON, as a whole or in one fence that
// nothing stands beside.
func (t *Text) IsJSON() bool {
	if json.Valid([]byte(t.Source)) {
		return true
	}
	if len(t.Code) != 1 {
		return false
	}
	for i := range t.Lines {
		if t.Lines[i].Kind != Code {
			return false
		}
	}
	return json.Valid([]byte(strings.TrimSpace(t.Code[0].Body)))
}
