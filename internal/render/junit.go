package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Body    string `xml:",chardata"`
	}
)

// JUnit writes the subjects as JUnit XML, a suite each: a sealed test that was
// not passed is a failure, one that could not be judged an error. An advisory
// score is an error of its own, since a tool that reads JUnit XML shows no
// properties.
func JUnit(w io.Writer, subjects []Subject) error {
	all := junitSuites{Name: "shadow score"}
	for i := range subjects {
		suite := junitSuiteOf(&subjects[i])
		all.Tests, all.Failures, all.Errors = all.Tests+suite.Tests, all.Failures+suite.Failures, all.Errors+suite.Errors
		all.Suites = append(all.Suites, suite)
	}
	out, err := xml.MarshalIndent(&all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

func junitSuiteOf(s *Subject) junitSuite {
	class := strings.ReplaceAll(s.Name, "/", ".")
	head := &s.Score.Report
	suite := junitSuite{Name: s.Name, Properties: []junitProperty{
		{"shadow_score", head.ShadowScore.String()}, {"level", string(head.Level)}, {"sealed_hash", head.SealedHash},
	}}
	if !head.Timestamp.IsZero() {
		suite.Timestamp = head.Timestamp.UTC().Format("2006-01-02T15:04:05")
	}
	if g := s.gate(); g != "" {
		suite.Properties = append(suite.Properties, junitProperty{"gate", g})
	}
	for _, f := range s.Score.Failures {
		out := &junitOutcome{Message: shadow.Printable(f.Message), Type: string(f.Category)}
		out.Body = fmt.Sprintf("expected: %s\nactual: %s", clean(f.Expected), clean(f.Actual))
		c := junitCase{Class: class, Name: f.TestName, Failure: out}
		if s.undecided(f.TestName) {
			c.Failure, c.Error = nil, out
			suite.Errors++
		} else {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, name := range s.Passed {
		suite.Cases = append(suite.Cases, junitCase{Class: class, Name: name})
	}
	if why := s.Advisory(); why != "" {
		suite.Properties = append(suite.Properties, junitProperty{"advisory", why})
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{Class: class, Name: "advisory", Error: &junitOutcome{
			Message: "ADVISORY: " + why, Type: "advisory", Body: "This score is not authoritative."}})
	}
	suite.Tests = len(suite.Cases)
	return suite
}

// clean drops from untrusted text what XML and terminals must not see. Line
// breaks stay.
func clean(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(shadow.Printable(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}
