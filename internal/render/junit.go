package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// junitSuite is a suite as the template sees it.
type junitSuite struct {
	Name  string
	Cases junitCases
	// Subject is nil in the run's own suite.
	Subject *Subject
}

// Class is the name of the suite as the class of its cases, so that a viewer groups by run.
func (s junitSuite) Class() string { return strings.ReplaceAll(s.Name, "/", ".") }

// Timestamp is when the score was made; empty where that is not known.
func (s junitSuite) Timestamp() string {
	if s.Subject == nil || s.Subject.Score.Report.Timestamp.IsZero() {
		return ""
	}
	return s.Subject.Score.Report.Timestamp.UTC().Format("2006-01-02T15:04:05")
}

// junitCase is a test: passed, unless it has the outcome failure, error or skipped.
type junitCase struct{ Name, Outcome, Message, Type, Body string }

type junitCases []junitCase

// Count is how many cases have an outcome.
func (all junitCases) Count(outcome string) (n int) {
	for _, c := range all {
		if c.Outcome == outcome {
			n++
		}
	}
	return n
}

// writeJUnit writes a document as JUnit XML, a suite each. Nobody judged it: skipped; could not be judged: error. What makes
// a score less than the last word is a property of its suite, so that the counts are those of the score.
func writeJUnit(w io.Writer, d *Document) error {
	view := struct {
		*Document
		Suites []junitSuite
		All    junitCases
	}{Document: d}
	for _, s := range d.Subjects {
		view.Suites = append(view.Suites, junitSuite{shadow.Printable(s.Name), junitCasesOf(s), s})
	}
	if d.Run != nil {
		view.Suites = append(view.Suites, junitSuite{shadow.Printable(d.Run.ID), junitCasesOfRun(d.Run), nil})
	}
	for _, s := range view.Suites {
		view.All = append(view.All, s.Cases...)
	}
	return execute(w, "junit.tmpl", view)
}

// junitSaid is a property, as long as it is; nothing if value is empty.
func junitSaid(name string, value any) string {
	text := shadow.Line(fmt.Sprint(value))
	if text == "" {
		return ""
	}
	return fmt.Sprintf("      <property name=%q value=\"%s\"></property>\n", name, escapeXML(text))
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}

// junitCasesOfRun are an error for each domain without a bundle, once none can come.
func junitCasesOfRun(r *Run) (cases junitCases) {
	for _, domain := range r.Missing() {
		c := junitCase{Name: "bundle of " + shadow.Printable(domain), Outcome: "skipped", Body: "no bundle yet"}
		if r.Scored != nil {
			c = junitCase{Name: c.Name, Outcome: "error", Message: "no bundle came", Type: c.Name}
		}
		cases = append(cases, c)
	}
	return cases
}

func junitCasesOf(s *Subject) (cases junitCases) {
	if s.Swarm != nil && s.Swarm.SealBroken != "" {
		return junitCases{{Name: "the seal", Outcome: "error", Message: "the seal is broken: " + shadow.Printable(s.Swarm.SealBroken), Type: "seal_broken"}}
	}
	for i := range s.Score.Failures {
		f, o := &s.Score.Failures[i], s.outcome(i)
		if s.FailedAs(*f) == shadow.Undecided {
			o = results.Errored
		}
		cases = append(cases, junitCaseOf(f, o))
	}
	for _, name := range s.Passed {
		cases = append(cases, junitCase{Name: shadow.Printable(name)})
	}
	for _, c := range s.Criteria() {
		if c.Outcome == shadow.Unread {
			cases = append(cases, junitCase{Name: shadow.Printable(c.ID), Outcome: "skipped", Body: "unread, nobody judged it: " + c.String()})
		}
	}
	return cases
}

// junitCaseOf is the case of a test that was not passed.
func junitCaseOf(f *shadow.Failure, o results.Status) junitCase {
	c := junitCase{Name: shadow.Printable(f.TestName), Outcome: "failure", Message: shadow.Printable(f.Message), Type: shadow.Printable(string(f.Category))}
	var body []string
	for _, part := range [][2]string{{"expected: ", clean(f.Expected)}, {"actual: ", clean(f.Actual)}} {
		if strings.TrimSpace(part[1]) != "" {
			body = append(body, part[0]+part[1])
		}
	}
	c.Body = strings.Join(body, "\n")
	switch o {
	case results.Errored:
		c.Outcome = "error"
	case results.Skipped: // <skipped> has no attributes
		return junitCase{Name: c.Name, Outcome: "skipped", Body: strings.TrimSpace(c.Message + "\n" + c.Body)}
	}
	return c
}
