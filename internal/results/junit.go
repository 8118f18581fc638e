package results

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// JUnit XML has no schema of its own; what is read here is what Ant, Maven,
// pytest, Jest, gotestsum and their like agree on.
type (
	junitSuite struct {
		XMLName  xml.Name
		Name     string       `xml:"name,attr"`
		Tests    *int         `xml:"tests,attr"`
		Failures *int         `xml:"failures,attr"`
		Errors   *int         `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
		Cases    []junitCase  `xml:"testcase"`
		// A suite that broke off outside its tests.
		Broken []junitOutcome `xml:"error"`
	}
	junitCase struct {
		Name       string          `xml:"name,attr"`
		Class      string          `xml:"classname,attr"`
		Category   string          `xml:"category,attr"`
		Status     string          `xml:"status,attr"`
		Failure    []junitOutcome  `xml:"failure"`
		Error      []junitOutcome  `xml:"error"`
		Skipped    *junitOutcome   `xml:"skipped"`
		Properties []junitProperty `xml:"properties>property"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Body    string `xml:",chardata"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
		Text  string `xml:",chardata"`
	}
)

// readJUnit reads JUnit XML. The category of a test is its property or
// attribute "category".
func readJUnit(data []byte) (*Suite, error) {
	var root junitSuite
	d := xml.NewDecoder(bytes.NewReader(data))
	// Runners declare UTF-8 or one of its subsets; anything else would have to
	// be converted first.
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if c := strings.ToLower(charset); c == "us-ascii" || c == "ascii" {
			return in, nil
		}
		return nil, fmt.Errorf("the encoding is %s: write the file in UTF-8", charset)
	}
	if err := d.Decode(&root); err != nil {
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			err = errors.New("there is no XML element")
		}
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) && d.InputOffset() >= int64(len(data)) && strings.Contains(syntax.Msg, "unexpected EOF") {
			return nil, fmt.Errorf("line %d: the XML is cut short", syntax.Line)
		}
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
		}
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if _, element := token.(xml.StartElement); err != nil || element {
			line, _ := d.InputPos()
			return nil, fmt.Errorf("line %d: something follows the results", line)
		}
	}
	if n := root.XMLName.Local; n != "testsuites" && n != "testsuite" {
		return nil, fmt.Errorf("the XML element <%s> is not a JUnit report: want <testsuites> or <testsuite>", n)
	}
	suite := &Suite{}
	if _, err := suite.add(&root); err != nil {
		return nil, err
	}
	return suite, nil
}

// add appends the tests of s and what it holds. It returns how many there
// were, and how many of them were not passed, to hold against what s says.
func (suite *Suite) add(s *junitSuite) (n counts, err error) {
	for i := range s.Cases {
		t := s.Cases[i].test()
		suite.Tests = append(suite.Tests, t)
		n.count(t.Status)
	}
	for i := range s.Suites {
		more, err := suite.add(&s.Suites[i])
		if err != nil {
			return n, err
		}
		n.tests, n.bad = n.tests+more.tests, n.bad+more.bad
	}
	for i := range s.Broken {
		t := Test{Name: nameOf(s.Name), Category: Unknown, Status: Errored, Message: s.Broken[i].message()}
		suite.Tests = append(suite.Tests, t)
		n.count(t.Status)
	}
	// A report that announces more failures than it lists has lost some.
	said := counts{}
	if s.Tests != nil {
		said.tests = *s.Tests
	}
	for _, c := range []*int{s.Failures, s.Errors} {
		if c != nil {
			said.bad += *c
		}
	}
	entry := fmt.Sprintf("%s %q", s.XMLName.Local, s.Name)
	if said.tests > n.tests {
		return n, &entryError{entry, fmt.Errorf("it announces %d tests and lists %d", said.tests, n.tests)}
	}
	if said.bad > n.bad {
		return n, &entryError{entry, fmt.Errorf("it announces %d failures and errors and lists %d", said.bad, n.bad)}
	}
	return n, nil
}

type counts struct{ tests, bad int }

func (n *counts) count(s Status) {
	n.tests++
	if s == Failed || s == Errored {
		n.bad++
	}
}

func (c *junitCase) test() Test {
	t := Test{Name: nameOf(c.Name), Category: categoryOf(c.category()), Status: Passed}
	if c.Class != "" && c.Name != "" {
		t.Name = c.Class + "." + c.Name
	}
	switch {
	case len(c.Error) > 0:
		t.Status, t.Message, t.Actual = Errored, c.Error[0].message(), c.Error[0].detail()
	case len(c.Failure) > 0:
		t.Status, t.Message, t.Actual = Failed, c.Failure[0].message(), c.Failure[0].detail()
	case c.Skipped != nil || notRun[strings.ToLower(c.Status)]:
		t.Status, t.Message = Skipped, "skipped"
		if c.Skipped != nil && c.Skipped.message() != "" {
			t.Message = "skipped: " + c.Skipped.message()
		}
	}
	return t
}

// notRun are statuses by which runners such as GoogleTest say that a test did
// not run.
var notRun = map[string]bool{"notrun": true, "skipped": true, "disabled": true, "ignored": true, "pending": true}

func (c *junitCase) category() string {
	for _, p := range c.Properties {
		if p.Name == "category" {
			if p.Value != "" {
				return p.Value
			}
			return strings.TrimSpace(p.Text)
		}
	}
	return c.Category
}

func (o *junitOutcome) message() string {
	if o.Message != "" {
		return o.Message
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(o.Body), "\n"); line != "" {
		return line
	}
	return o.Type
}

func (o *junitOutcome) detail() string { return strings.TrimSpace(o.Body) }
