package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readJSON reads the spec's result JSON: {"tests": [{"name", "status",
// "category", "expected", "actual", "message"}]}. Fields that the spec does
// not name are the runner's own and are let be.
func readJSON(data []byte) (*Suite, error) {
	var file struct {
		Tests *[]json.RawMessage `json:"tests"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, describe(data, err)
	}
	if file.Tests == nil {
		return nil, errors.New(`neither test results ({"tests": [...]}), nor JUnit XML, nor the output of go test -json`)
	}
	suite := &Suite{}
	for i, raw := range *file.Tests {
		t, err := readTest(raw)
		if err != nil {
			entry := fmt.Sprintf("test %d", i+1)
			if t.Name != "unknown" && t.Name != "" {
				entry += fmt.Sprintf(" (%.60q)", t.Name)
			}
			return nil, fmt.Errorf("%s: %w", entry, err)
		}
		suite.Tests = append(suite.Tests, t)
	}
	return suite, nil
}

func readTest(raw json.RawMessage) (Test, error) {
	var t struct {
		Name, Status, Category, Expected, Actual, Message text
	}
	if len(raw) == 0 || raw[0] != '{' {
		return Test{}, errors.New("not an object")
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return Test{}, err
	}
	test := Test{
		Name: nameOf(string(t.Name)), Category: categoryOf(string(t.Category)), Status: Status(t.Status),
		Expected: string(t.Expected), Actual: string(t.Actual), Message: string(t.Message),
	}
	switch test.Status {
	case Passed, Failed, Errored, Skipped:
		return test, nil
	case "":
		return test, errors.New("no status: use passed, failed, error or skipped")
	}
	return test, fmt.Errorf("status %.60q is not known: use passed, failed, error or skipped", string(t.Status))
}

// text is a string; numbers and the like, which runners write for what was
// expected and what came, are taken as they are written, and null is nothing.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil {
		s = string(data)
	}
	*t = text(s)
	return nil
}

// describe adds the line to an error of the JSON decoder.
func describe(data []byte, err error) error {
	offset := int64(len(data))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if offset = syntax.Offset; syntax.Error() == "unexpected end of JSON input" {
			err = errors.New("the JSON is cut short")
		}
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
		err = fmt.Errorf(`%s is a JSON %s: want {"tests": [...]}`, cmp.Or(kind.Field, "the file"), kind.Value)
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n")), err)
}
