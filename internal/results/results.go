// Package results reads what test runners write, and scores it by the Shadow
// Score Spec: the spec's result JSON, JUnit XML, TRX, the XML of NUnit and
// xUnit.net, TAP, CTRF, and the output of go test -json. Which of them a file is,
// its content tells.
//
// A gate must not take for passed what it does not understand. A status that is
// not known, or a file that is cut short, is an error and not a score. A test
// that was skipped or broke off counts as failed and makes the score advisory,
// and so does a file that announces more tests or failures than it lists.
package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Status is how a test ended.
type Status string

// The statuses. What is not listed here is an input error.
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
	// What the test wanted, what it got, and what to tell about it; each may
	// be empty.
	Expected, Actual, Message string
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
	data = bytes.TrimSpace(toUTF8(data))
	var suite *Suite
	var err error
	switch {
	case len(data) == 0:
		err = errNothing
	case data[0] == '<':
		suite, err = readXML(data)
	case isGoTest(data):
		suite, err = readGoTest(data)
	case isTAP(data):
		suite, err = readTAP(data)
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
