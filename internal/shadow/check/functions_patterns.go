package check

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var patternFunctions = []*Function{
	{Name: "matches", Signature: "string.matches(regex) -> bool",
		Doc:     "whether a regular expression (RE2) matches anywhere in the source",
		Example: `text.matches('(?i)\\brs256\\b')`, Text: "Signed with RS256.", Want: `true`,
		args: takes(str), result: cel.BoolType, run: matches},
	{Name: "find_all", Signature: "string.find_all(regex) -> list(string)",
		Doc:     "matches of a regular expression (RE2) in the source, or of its first group if it has one",
		Example: `text.find_all('v(\\d+)')`, Text: "v1, then v20", Want: `["1","20"]`,
		args: takes(str), result: strList, run: findAll},
	{Name: "is_json", Signature: "string.is_json() -> bool",
		Doc:     "whether the text is valid JSON, alone or in one fence",
		Example: `text.is_json()`, Text: "```json\n{\"a\": [1, 2]}\n```", Want: `true`,
		args: takes(), result: cel.BoolType, run: onText(func(t *markdown.Doc) bool { return data(t) != "" })},
	{Name: "json", Signature: "string.json() -> dyn",
		Doc:     "the value of a text that is JSON, alone or in one fence; an error if it is none, so ask is_json first",
		Example: `text.is_json() && text.json().items.size() == 2`, Text: "```json\n{\"items\": [1, 2]}\n```", Want: `true`,
		args: takes(), result: cel.DynType, run: jsonValue},
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
