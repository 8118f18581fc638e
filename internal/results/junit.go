package results

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// node is an XML element, read without regard to namespaces, with names in
// lower case.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []*node    `xml:",any"`
	Text     string     `xml:",chardata"`
}

// controls are what runners print for a terminal. XML allows no control characters,
// and none is worth a report.
var controls = regexp.MustCompile(`[\x00-\x08\x0B\x0C\x0E-\x1F]|&#(0*([0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*([0-8BbCcEeFf]|1[0-9A-Fa-f]));`)

// readJUnit reads JUnit XML, which has no schema of its own. Nothing in it says
// "passed" but that nothing says otherwise, so an element or a status that is not
// known, and a count that does not fit, count against it.
func readJUnit(data []byte) (*Suite, error) {
	d := xml.NewDecoder(bytes.NewReader(controls.ReplaceAll(data, nil)))
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(charset), "utf-16") {
			return in, nil // decoded already
		}
		return nil, errors.New("write the file in UTF-8")
	}
	var root, more node
	if err := d.Decode(&root); err != nil {
		return nil, describeXML(d, err)
	}
	if err := d.Decode(&more); err == nil {
		err = errors.New("something follows the results")
		return nil, describeXML(d, err)
	} else if !errors.Is(err, io.EOF) {
		return nil, describeXML(d, err)
	}
	root.lower()
	if name := root.XMLName.Local; name != "testsuites" && name != "testsuite" {
		return nil, fmt.Errorf("the XML element <%.60s> is no report of tests: want JUnit XML (<testsuites> or <testsuite>)", name)
	}
	suite := &Suite{}
	suite.add(&root)
	return suite, nil
}

// describeXML adds the line to an error of the decoder.
func describeXML(d *xml.Decoder, err error) error {
	line, _ := d.InputPos()
	syntax, ok := errors.AsType[*xml.SyntaxError](err)
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("there is no XML element")
	case ok && strings.Contains(syntax.Msg, "unexpected EOF"):
		err = errors.New("the XML is cut short")
	case ok:
		err = errors.New(syntax.Msg)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// tally counts tests, failures and skips, as listed or announced.
type tally struct{ tests, bad, skipped int }

func (n *tally) add(m tally) { *n = tally{n.tests + m.tests, n.bad + m.bad, n.skipped + m.skipped} }

// add adds the tests in a <testsuites>, <testsuite> or whatever else holds some,
// and returns what is listed there.
func (suite *Suite) add(s *node) tally {
	var n tally
	for _, c := range s.Children {
		switch status := c.mark(); {
		case c.XMLName.Local == "testcase":
			n.add(suite.testcase(c))
		case status == Skipped:
			n.skipped++
			suite.outside(s, Skipped, skippedBecause(c.message()), "")
		case status != Passed:
			n.bad++
			suite.outside(s, Errored, c.message(), c.trimmed())
		default:
			n.add(suite.add(c))
		}
	}
	if status, says := s.status(); status != Passed && n.bad+n.skipped == 0 {
		n.bad++
		suite.outside(s, Errored, says, "")
	}
	return suite.compare(s, n)
}

// outside adds a test for what is said of a suite or a run, and of no test.
func (suite *Suite) outside(s *node, status Status, message, actual string) {
	suite.Tests = append(suite.Tests, Test{Name: nameOf(s.attr("name")), Category: Unknown, Status: status, Message: message, Actual: actual})
}

// maxLost bounds the tests that are made of what one element announces.
const maxLost = 100

// compare compares what an element announces with what it lists. Failures that are not
// listed are tests that broke off; tests and skips that are not listed make the score
// advisory. What it returns is the larger of both, so that elements around it do not
// say it once more.
func (suite *Suite) compare(s *node, n tally) tally {
	title := fmt.Sprintf("%.60s", s.XMLName.Local)
	if name := s.attr("name"); name != "" {
		title += fmt.Sprintf(" %.60q", name)
	}
	sum := func(attrs ...string) (total int) {
		for _, name := range attrs {
			total += suite.count(title, name, s.attr(name))
		}
		return total
	}
	most := tally{
		tests:   max(n.tests, sum("tests")),
		bad:     max(n.bad, sum("failures", "errors", "warnings"), sum("failed")),
		skipped: max(n.skipped, sum("skipped", "disabled", "skip", "ignored")),
	}
	const says = "%s announces %d %s and lists %d"
	for range min(most.bad-n.bad, maxLost) {
		suite.outside(s, Errored, fmt.Sprintf(says, title, most.bad, "failures, errors and warnings,", n.bad), "")
	}
	if most.tests > n.tests {
		suite.Broken = append(suite.Broken, fmt.Sprintf(says, title, most.tests, "tests", n.tests))
	}
	if most.skipped > n.skipped {
		suite.Broken = append(suite.Broken, fmt.Sprintf(says, title, most.skipped, "skipped tests", n.skipped))
	}
	return most
}

// count reads a number that a file announces, as "1,234"; none is 0. A value that is no
// number is noted; one that is too large is the largest.
func (suite *Suite) count(title, name, text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.NewReplacer(",", "", " ", "", "_", "").Replace(text), 10, 31)
	if err != nil {
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %s=%.20q, which is no count", title, name, text))
	}
	return int(n)
}

// marks are the beginnings of the names of elements that say how a test ended. The
// warning of PHPUnit stands in one that could not be run.
var marks = []struct {
	prefix string
	status Status
}{{"fail", Failed}, {"rerun", Failed}, {"err", Errored}, {"warning", Errored}, {"abort", Errored}, {"timeout", Errored},
	{"skip", Skipped}, {"disabled", Skipped}, {"ignored", Skipped}, {"pending", Skipped}, {"notrun", Skipped}, {"todo", Skipped}}

// mark is what an element says of the one around it; Passed if nothing.
func (n *node) mark() Status {
	for _, m := range marks {
		if strings.HasPrefix(n.XMLName.Local, m.prefix) {
			return m.status
		}
	}
	return Passed
}

// statuses are the words of GoogleTest, CTest and others for how a test ended,
// beside those that begin like a mark. "run" and "completed" say that it did.
var statuses = map[string]Status{"": Passed, "run": Passed, "completed": Passed, "pass": Passed, "passed": Passed, "ok": Passed, "success": Passed,
	"successful": Passed, "succeeded": Passed, "executed": Passed, "true": Passed, "false": Failed, "suppressed": Skipped, "not run": Skipped, "not_run": Skipped}

// status is the worst that attributes of an element say, and the words for it.
func (n *node) status() (worst Status, says string) {
	worst = Passed
	for _, name := range []string{"status", "result", "outcome", "success"} {
		word := strings.ToLower(strings.TrimSpace(n.attr(name)))
		status, known := statuses[word]
		if !known {
			if status = (&node{XMLName: xml.Name{Local: word}}).mark(); status == Passed {
				status = Errored // nobody knows what it says
			}
		}
		if worse(status, worst) {
			worst, says = status, fmt.Sprintf("%s %.60q", name, n.attr(name))
		}
	}
	return worst, says
}

// order has the worst status last.
var order = []Status{Passed, Skipped, Failed, Errored}

func worse(a, b Status) bool { return slices.Index(order, a) > slices.Index(order, b) }

// testcase adds a test: it ended as the worst of what its elements and attributes
// say. The category is its property or attribute of that name.
func (suite *Suite) testcase(n *node) tally {
	class, name := n.attr("classname"), n.attr("name")
	if class != "" && name != "" && !strings.HasPrefix(name, class) {
		name = class + "." + name
	}
	t := Test{Name: nameOf(name), Category: categoryOf(n.attr("category"))}
	count := tally{tests: 1}
	var marked []*node
	t.Status, t.Message = n.status()
	n.walk(func(c *node) {
		if category := categoryOf(cmp.Or(c.attr("value"), c.trimmed())); c.XMLName.Local == "property" && strings.EqualFold(c.attr("name"), "category") && category != Unknown {
			t.Category = category
		}
		switch c.mark() {
		case Passed:
			return
		case Skipped:
			count.skipped++
		default:
			if !strings.HasPrefix(c.XMLName.Local, "rerun") { // it counts in the first run
				count.bad++
			}
		}
		marked = append(marked, c)
		if worse(c.mark(), t.Status) {
			t.Status = c.mark()
		}
	})
	switch t.Status {
	case Failed, Errored:
		count.bad = max(count.bad, 1)
	case Skipped:
		count.skipped = max(count.skipped, 1)
	}
	for _, c := range marked { // no failures, as node:test and pytest say
		if kind := c.attr("type"); c.mark() == Skipped && (kind == "todo" || kind == "pytest.xfail" && count.bad == 0) {
			t.Status = Passed
		}
	}
	slices.SortStableFunc(marked, func(a, b *node) int { return cmp.Compare(slices.Index(order, b.mark()), slices.Index(order, a.mark())) })
	if i := slices.IndexFunc(marked, func(c *node) bool { return c.message() != "" }); i >= 0 { // the worst that says something
		t.Message, t.Actual = marked[i].message(), marked[i].trimmed()
	}
	switch t.Status {
	case Passed:
		t.Message, t.Actual = "", ""
	case Skipped:
		t.Message, t.Actual = skippedBecause(t.Message), ""
	}
	suite.Tests = append(suite.Tests, t)
	return count
}

func skippedBecause(why string) string { return strings.TrimSuffix("skipped: "+why, ": ") }

func (n *node) lower() {
	n.XMLName.Local = strings.ToLower(n.XMLName.Local)
	for i := range n.Attrs {
		n.Attrs[i].Name.Local = strings.ToLower(n.Attrs[i].Name.Local)
	}
	for _, c := range n.Children {
		c.lower()
	}
}

// attr is an attribute; empty where there is none.
func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walk calls f for everything in n, outer elements first. What a flaky test did
// before it passed is left out.
func (n *node) walk(f func(*node)) {
	for _, c := range n.Children {
		if !strings.HasPrefix(c.XMLName.Local, "flaky") {
			f(c)
			c.walk(f)
		}
	}
}

// message is what an element says: an attribute, or the first line of its text.
func (n *node) message() string {
	line, _, _ := strings.Cut(n.trimmed(), "\n")
	return cmp.Or(n.attr("message"), strings.TrimSpace(line), n.attr("type"))
}

func (n *node) trimmed() string { return strings.TrimSpace(n.Text) }
