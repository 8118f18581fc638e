package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readJSON reads the spec's result JSON: {"tests": [{"name", "status",
// "category", "expected", "actual", "message"}]}. Fields that the spec does
// not name are the runner's own and are let be.
func readJSON(data []byte) (*Suite, error) {
	var file struct {
		Tests *[]json.RawMessage `json:"tests"`
	}
	if data[0] == '[' {
		return nil, errors.New(`the file is a list: want {"tests": [...]}`)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&file); err != nil {
		return nil, describe(data, err)
	}
	if _, err := d.Token(); err != io.EOF {
		line, column := position(data, d.InputOffset())
		return nil, fmt.Errorf("line %d, column %d: something follows the results", line, column)
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

// describe adds the place to an error of the JSON decoder.
func describe(data []byte, err error) error {
	offset := int64(len(data))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		line, column := position(data, kind.Offset)
		return fmt.Errorf("line %d, column %d: %s: a JSON %s where a list or object belongs", line, column, cmp.Or(kind.Field, "the results"), kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON is cut short")
	}
	line, column := position(data, offset)
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// position turns an offset into a line and a column in bytes, both 1-based.
func position(data []byte, offset int64) (line, column int) {
	before := data[:min(max(offset, 0), int64(len(data)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}
