package results

import (
	"regexp"
	"slices"
	"strings"
)

// addJUnit adds the tests of a <testsuites> or <testsuite>. JUnit XML has no
// schema of its own; what is read here is what Ant, Maven, pytest, Jest,
// gotestsum and their like agree on. The category of a test is its property or
// attribute "category". It returns how many tests and failures it saw, where a
// test may have several failures and a parent of Go tests counts, and whether an
// element inside announces more than that.
func (suite *Suite) addJUnit(s *node) (n tally, announcesMore bool) {
	cases := s.all("testcase")
	parents := goParents(cases)
	for _, c := range cases {
		n.tests++
		n.bad += len(c.all("failure", "error"))
		t := junitTest(c)
		// A parent counts where none of its own says why it was not passed.
		if children := parents[c]; children == nil || t.Status != Passed && !slices.ContainsFunc(children, isBad) {
			suite.Tests = append(suite.Tests, t)
		}
	}
	for _, inner := range s.all("testsuite") {
		more, incomplete := suite.addJUnit(inner)
		n, announcesMore = tally{n.tests + more.tests, n.bad + more.bad}, announcesMore || incomplete
	}
	for _, broken := range s.all("error", "failure") {
		n.bad++
		suite.Tests = append(suite.Tests, Test{Name: nameOf(s.attr("name")), Category: Unknown, Status: Errored, Message: broken.message(), Actual: broken.trimmed()})
	}
	announced := tally{suite.sum(s, "tests"), suite.sum(s, "failures", "errors")}
	return n, announcesMore || suite.compare(s.title(), announced, n) // it is said once
}

// goName is a test of Go. Its subtests are listed beside it.
var goName = regexp.MustCompile(`^(Test|Example|Benchmark|Fuzz)[^ /]*(/[^ ]*)?$`)

// goParents are the Go tests that have subtests, each with those.
func goParents(cases []*node) map[*node][]*node {
	parents, byName := map[*node][]*node{}, map[string]*node{}
	for _, c := range cases {
		byName[c.attr("classname")+" "+c.attr("name")] = c
	}
	for _, c := range cases {
		if !goName.MatchString(c.attr("name")) {
			continue
		}
		for name := range around(c.attr("name")) {
			if p := byName[c.attr("classname")+" "+name]; p != nil && name != "" {
				parents[p] = append(parents[p], c)
			}
		}
	}
	return parents
}

// isBad tells a failure, for which a skipped subtest is no reason.
func isBad(c *node) bool {
	status := junitTest(c).Status
	return status == Failed || status == Errored
}

func junitTest(c *node) Test {
	t := Test{Name: junitName(c), Category: c.category(c.at("properties").all("property")), Status: Passed}
	failures, errs, skipped := c.all("failure"), c.all("error"), c.all("skipped", "disabled")
	switch {
	case len(skipped) > 0 && skipped[0].attr("type") == "todo": // of node:test: no failure, as in TAP
	case len(errs) > 0:
		told := errs[0]
		if told.message() == "" && told.trimmed() == "" && len(failures) > 0 {
			told = failures[0]
		}
		t.Status, t.Message, t.Actual = Errored, told.message(), told.trimmed()
	case len(failures) > 0:
		t.Status, t.Message, t.Actual = Failed, failures[0].message(), failures[0].trimmed()
	case len(skipped) > 0 && skipped[0].attr("type") == "pytest.xfail": // it failed, as it should
	case len(skipped) > 0:
		t.Status, t.Message = Skipped, skippedBecause(skipped[0].message())
	case notRun[strings.ToLower(c.attr("status"))]:
		t.Status, t.Message = Skipped, "skipped"
	}
	return t
}

func skippedBecause(why string) string {
	if why == "" {
		return "skipped"
	}
	return "skipped: " + why
}

// junitName joins class and name, unless the name begins with the class already.
func junitName(c *node) string {
	class, name := c.attr("classname"), c.attr("name")
	if class == "" || name == "" || strings.HasPrefix(name, class) {
		return nameOf(name)
	}
	return class + "." + name
}

// notRun are statuses by which runners such as GoogleTest say that a test did
// not run.
var notRun = map[string]bool{"notrun": true, "skipped": true, "disabled": true, "ignored": true, "pending": true}
