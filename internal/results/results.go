// Package results reads what test runners write, and scores it by the Shadow
// Score Spec: the spec's result JSON, JUnit XML, and the output of go test -json.
// Which of them a file is, its content tells.
//
// A gate must not take for passed what it does not understand. A file that is cut short,
// or a status that is not known, is an error; in JUnit XML such a status is a test that
// broke off. A test that was skipped or broke off, and a failure that is announced and
// not listed, count as failed and make the score advisory. So do tests that are not listed.
package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Status is how a test ended. What is not listed here is an input error.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Errored Status = "error"   // it broke off before it could tell
	Skipped Status = "skipped" // it was not run
)

// Test is the result of one test.
type Test struct {
	Name     string // "unknown" if the file gives none
	Category shadow.Category
	Status   Status

	Expected, Actual, Message string // each may be empty
}

// Suite is the tests of one file, in its order.
type Suite struct {
	Tests []Test
	// Broken says which runs broke off, and where the file announces more than
	// it lists, so that tests which it does not list never ran or are lost.
	Broken []string
}

// Unknown is the category of a test whose file names none, or one that the
// spec does not know.
const Unknown shadow.Category = "unknown"

var errNothing = errors.New("the file is empty: an empty suite is written as {\"tests\": []}")

// Read reads the results in data. Its errors say what makes the file of that name
// unusable, and in which entry, such as test 3 ("login").
func Read(file string, data []byte) (*Suite, error) {
	// What is wrong with a character is replaced, and no error.
	data, _, _ = transform.Bytes(unicode.BOMOverride(encoding.Nop.NewDecoder()), data)
	data = bytes.TrimSpace(data)
	var suite *Suite
	var err error
	switch {
	case len(data) == 0:
		err = errNothing
	case data[0] == '<':
		suite, err = readJUnit(data)
	case isGoTest(data):
		suite, err = readGoTest(data)
	default:
		suite, err = readJSON(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return suite, nil
}

// categoryOf maps a file's word for a category.
func categoryOf(word string) shadow.Category {
	if c := shadow.Category(word); slices.Contains(shadow.Categories(), c) {
		return c
	}
	return Unknown
}

// nameOf is the name to show for a test.
func nameOf(name string) string { return cmp.Or(name, "unknown") }

// Score scores the sealed tests. The open tests, which the implementer could
// see, are compared by category; nil if they are not known.
func Score(sealed, open *Suite) *shadow.ScoreReport {
	score := shadow.Score{Total: len(sealed.Tests)}
	r := &shadow.ScoreReport{SpecVersion: "2.0.0", Failures: []shadow.Failure{}}
	by := map[Status]int{}
	for _, t := range sealed.Tests {
		by[t.Status]++
		if t.Status == Passed {
			continue
		}
		score.Failed++
		r.Failures = append(r.Failures, shadow.Failure{TestName: t.Name, Category: t.Category, Expected: t.Expected, Actual: t.Actual, Message: t.Message})
	}
	var reasons []string
	if len(sealed.Tests) == 0 {
		reasons = append(reasons, "no sealed tests ran")
	}
	if n := by[Errored]; n > 0 {
		reasons = append(reasons, shadow.Count(n, "sealed test")+" broke off and could not be judged")
	}
	if n := by[Skipped]; n > 0 {
		was := " was"
		if n > 1 {
			was = " were"
		}
		reasons = append(reasons, shadow.Count(n, "sealed test")+was+" skipped and could not be judged")
	}
	reasons = append(reasons, sealed.Broken...)
	r.Report = shadow.ReportHead{ShadowScore: score.Percent(), Level: score.Level(), ConformanceLevel: 1}
	advisory := len(reasons) > 0
	r.Report.Advisory, r.Report.AdvisoryReason = &advisory, strings.Join(reasons, "; ")
	r.SealedTests = shadow.SealedTally{Total: score.Total, Passed: score.Total - score.Failed, Failed: score.Failed}
	if open != nil {
		r.OpenTests = &shadow.TestTally{Total: len(open.Tests)}
		for _, t := range open.Tests {
			if t.Status == Passed {
				r.OpenTests.Passed++
			}
		}
		r.OpenTests.Failed = r.OpenTests.Total - r.OpenTests.Passed
		r.Coverage = compareOpen(sealed, open)
	}
	return r
}

// compareOpen counts the tests of both suites by category: those that the public
// format names, and any other that has tests.
func compareOpen(sealed, open *Suite) map[shadow.Category]shadow.Coverage {
	out := map[shadow.Category]shadow.Coverage{}
	for _, c := range shadow.PublicCategories() {
		out[c] = shadow.Coverage{}
	}
	count := func(tests []Test, sealed, open int) {
		for _, t := range tests {
			c := out[t.Category]
			out[t.Category] = shadow.Coverage{Sealed: c.Sealed + sealed, Open: c.Open + open, Delta: c.Delta + sealed - open}
		}
	}
	count(sealed.Tests, 1, 0)
	count(open.Tests, 0, 1)
	return out
}

// readJSON reads the spec's result JSON. Fields that the spec does not name are let be. A
// name that is there twice is refused: a failure could hide behind a pass.
func readJSON(data []byte) (*Suite, error) {
	var file struct {
		Tests *[]jsontext.Value `json:"tests"`
	}
	if err := json.Unmarshal(data, &file, jsontext.AllowInvalidUTF8(true)); err != nil {
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

func readTest(raw jsontext.Value) (Test, error) {
	var t struct {
		Name     text `json:"name"`
		Status   text `json:"status"`
		Category text `json:"category"`
		Expected text `json:"expected"`
		Actual   text `json:"actual"`
		Message  text `json:"message"`
	}
	if raw.Kind() != '{' {
		return Test{}, errors.New("not an object")
	}
	if err := json.Unmarshal(raw, &t, jsontext.AllowInvalidUTF8(true)); err != nil {
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
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, err = syntax.ByteOffset, fmt.Errorf("not JSON at %.80q: %w", syntax.JSONPointer, syntax.Err)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the JSON is cut short")
		}
	} else if kind, ok := errors.AsType[*json.SemanticError](err); ok {
		offset, err = kind.ByteOffset, fmt.Errorf(`%s is of another kind: want {"tests": [...]}`, cmp.Or(string(kind.JSONPointer), "the file"))
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n")), err)
}
