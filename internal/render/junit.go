package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
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
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out,omitempty"`
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
		Skipped *junitOutcome `xml:"skipped"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr,omitempty"` // <skipped> has none
		Type    string `xml:"type,attr,omitempty"`
		Body    string `xml:",chardata"`
	}
)

// writeJUnit writes a document as JUnit XML, a suite each: a sealed test that was
// not passed is a failure, one that broke off or could not be judged an error,
// and one that was not run, is unread or does not apply is skipped. What makes a score less
// than the last word is a property of its suite, so that the counts are those of
// the score: advisory, unread_items, pending, observe_mode. The output of the
// suite says what is advisory, too.
func writeJUnit(w io.Writer, d *Document) error {
	all := junitSuites{Name: "shadow score"}
	for i := range d.Subjects {
		all.Suites = append(all.Suites, junitSuiteOf(&d.Subjects[i]))
	}
	if d.Run != nil {
		all.Suites = append(all.Suites, junitSuiteOfRun(d))
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.count()
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	out, err := xml.MarshalIndent(&all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

// count counts the cases, and names the suite as their class, so that a viewer
// groups by run.
func (s *junitSuite) count() {
	s.Tests = len(s.Cases)
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Class = strings.ReplaceAll(s.Name, "/", ".")
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

// say states a property; nothing if text is empty.
func (s *junitSuite) say(name, text string) {
	if text != "" {
		s.Properties = append(s.Properties, junitProperty{name, text})
	}
}

func skipped(name, why string) junitCase {
	return junitCase{Name: name, Skipped: &junitOutcome{Body: why}}
}

// junitSuiteOfRun is the run's own suite: its median, and an error for each
// domain without a bundle.
func junitSuiteOfRun(d *Document) junitSuite {
	r := d.Run
	s := junitSuite{Name: shadow.Printable(r.ID), Out: r.NotScored() + d.Median()}
	s.say("run", shadow.Printable(r.ID))
	if why := r.Suspect(); why != "" {
		s.Out += "\n" + why
		s.say("suspect_criteria", why)
	}
	if why := r.Doubt(); why != "" {
		s.say("advisory", why)
		s.Out += "\nADVISORY: " + why
	}
	for _, domain := range r.Missing() {
		c := skipped("bundle of "+shadow.Printable(domain), "no bundle yet")
		if r.Scored != nil {
			c.Skipped, c.Error = nil, &junitOutcome{Message: "no bundle came", Type: c.Name}
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

func junitSuiteOf(s *Subject) junitSuite {
	head := &s.Score.Report
	suite := junitSuite{Name: shadow.Printable(s.Name), Out: "shadow score " + s.headline()}
	suite.say("shadow_score", head.ShadowScore.String())
	suite.say("level", shadow.Printable(string(head.Level)))
	suite.say("sealed_hash", shadow.Printable(head.SealedHash))
	if !head.Timestamp.IsZero() {
		suite.Timestamp = head.Timestamp.UTC().Format("2006-01-02T15:04:05")
	}
	if g := s.GateText(); g != "" {
		suite.say("gate", g)
		suite.Out += ", gate: " + g
	}
	suite.items(s)
	if ballots := s.Ballots(); len(ballots) > 0 {
		suite.Out += "\n" + s.JudgesTitle() + ":"
		for _, b := range ballots {
			suite.Out += "\n" + b.Head + "\n  " + strings.Join(b.Votes, "\n  ")
		}
	}
	for i := range s.Score.Failures {
		suite.Cases = append(suite.Cases, junitCaseOf(&s.Score.Failures[i], s.outcome(i)))
	}
	for _, name := range s.Passed {
		suite.Cases = append(suite.Cases, junitCase{Name: shadow.Printable(name)})
	}
	for _, id := range s.swarm().UnreadCriteria {
		suite.Cases = append(suite.Cases, skipped(shadow.Printable(id), s.unreadOf(id)+": nobody says that it is met, and it counts as passed"))
	}
	for _, id := range s.swarm().NotApplicable {
		suite.Cases = append(suite.Cases, skipped(shadow.Printable(id), "it does not apply to this domain, and counts as passed"))
	}
	if why := s.Advisory(); why != "" {
		suite.say("advisory", why)
		suite.Out += "\nADVISORY: this score is not authoritative: " + why
		if todo := s.Todo(); todo != "" {
			suite.Out += "; " + todo
		}
	}
	if s.Pending() {
		suite.say("pending", "a fix is awaited: this is not the last word")
	}
	if s.Observed() {
		suite.say("observe_mode", "gates are not enforced: whatever the score, the bundle proceeds")
	}
	return suite
}

// items adds how much was read, and what was not found.
func (s *junitSuite) items(of *Subject) {
	if of.Read() == "" {
		return
	}
	s.say("items_read", of.Swarm.Read.String())
	for _, it := range of.Items() {
		s.Out += "\n" + string(it.Verdict) + " " + it.String()
	}
	if left := of.Swarm.Read.Items - of.Swarm.Read.Read; left > 0 {
		s.say("unread_items", fmt.Sprintf("%s: nobody says whether the other %d are delivered", of.Read(), left))
	}
}

// junitCaseOf is the case of a test that was not passed.
func junitCaseOf(f *shadow.Failure, o results.Status) junitCase {
	out := &junitOutcome{Message: shadow.Printable(f.Message), Type: shadow.Printable(string(f.Category))}
	var body []string
	for _, part := range [][2]string{{"expected: ", clean(f.Expected)}, {"actual: ", clean(f.Actual)}} {
		if strings.TrimSpace(part[1]) != "" {
			body = append(body, part[0]+part[1])
		}
	}
	out.Body = strings.Join(body, "\n")
	c := junitCase{Name: shadow.Printable(f.TestName)}
	switch o {
	case results.Errored:
		c.Error = out
	case results.Skipped:
		return skipped(c.Name, strings.TrimSpace(out.Message+"\n"+out.Body))
	default:
		c.Failure = out
	}
	return c
}
