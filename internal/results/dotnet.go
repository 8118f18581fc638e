package results

import (
	"cmp"
	"fmt"
	"strings"
)

// addTRX adds the tests of Visual Studio's <TestRun>, as dotnet test --logger trx
// writes it. Rows of a data-driven test count instead of the test.
func (suite *Suite) addTRX(run *node) {
	before := len(suite.Tests)
	for _, results := range run.all("Results") {
		for _, r := range results.Children {
			suite.addTRXResult(r)
		}
	}
	summary := run.at("ResultSummary")
	counters := summary.at("Counters")
	suite.compare("the run", tally{suite.sum(counters, "total"), suite.sum(counters, "failed", "error", "timeout", "aborted")}, suite.listed(before))
	// Passed, Completed and Failed are what its tests say; the others are news.
	if o := summary.attr("outcome"); o != "" && !strings.Contains(" Passed Completed Failed Warning ", " "+o+" ") {
		suite.Broken = append(suite.Broken, fmt.Sprintf("the outcome of the run is %.60q", o))
	}
}

func (suite *Suite) addTRXResult(r *node) {
	if inner := r.at("InnerResults").Children; len(inner) > 0 {
		for _, row := range inner {
			suite.addTRXResult(row)
		}
		return
	}
	info := r.at("Output", "ErrorInfo")
	outcome := cmp.Or(r.attr("outcome"), "Failed") // the schema's default
	suite.Tests = append(suite.Tests, dotnetTest(r.attr("testName"), outcome, info.at("Message"), info.at("StackTrace"), info.at("Message")))
}

// addNUnit adds the tests of NUnit's <test-run> (version 3) or <test-results>
// (version 2).
func (suite *Suite) addNUnit(run *node) {
	before := len(suite.Tests)
	run.walk(func(n *node) {
		if n.XMLName.Local == "test-case" {
			suite.Tests = append(suite.Tests, nunitTest(n))
		}
		// A suite whose set-up failed is told by no test of its own.
		if site := n.attr("site"); n.XMLName.Local == "test-suite" && (site == "SetUp" || site == "TearDown") {
			suite.Broken = append(suite.Broken, fmt.Sprintf("%s of %s failed", site, nameOf(n.attr("fullname"))))
		}
	})
	announced := tally{max(suite.sum(run, "total"), suite.sum(run, "testcasecount")), suite.sum(run, "failed", "failures", "errors")}
	suite.compare("the run", announced, suite.listed(before))
}

func nunitTest(n *node) Test {
	outcome := n.attr("result")
	switch {
	case outcome == "Warning":
		outcome = "Passed"
	case n.attr("label") != "" && dotnet[outcome] == Failed:
		outcome = n.attr("label") // Error, Cancelled or Invalid: it broke off
	}
	failure := n.at("failure")
	t := dotnetTest(cmp.Or(n.attr("fullname"), n.attr("name")), outcome, failure.at("message"), failure.at("stack-trace"), n.at("reason", "message"))
	t.Category = n.category(n.at("properties").all("property"))
	return t
}

// addXUnit adds the tests of xUnit.net's <assemblies>, and what broke off outside
// of them.
func (suite *Suite) addXUnit(root *node) {
	announced, before := tally{}, len(suite.Tests)
	root.walk(func(n *node) {
		switch n.XMLName.Local {
		case "assembly":
			announced.tests += suite.sum(n, "total")
			announced.bad += suite.sum(n, "failed")
		case "test":
			suite.Tests = append(suite.Tests, xunitTest(n))
		}
	})
	suite.compare("the run", announced, suite.listed(before))
	root.walk(func(n *node) {
		if n.XMLName.Local == "error" {
			suite.Tests = append(suite.Tests, Test{Name: nameOf(n.attr("name")), Category: Unknown, Status: Errored, Message: n.at("failure", "message").trimmed()})
		}
	})
}

func xunitTest(n *node) Test {
	failure := n.at("failure")
	t := dotnetTest(n.attr("name"), n.attr("result"), failure.at("message"), failure.at("stack-trace"), n.at("reason"))
	t.Category = n.category(n.at("traits").all("trait"))
	return t
}

// dotnet are the outcomes of the three. All others, such as Timeout, say that the
// test broke off.
var dotnet = map[string]Status{
	"Pass": Passed, "Passed": Passed, "Success": Passed,
	"Fail": Failed, "Failed": Failed, "Failure": Failed,
	"Skip": Skipped, "Skipped": Skipped, "NotRun": Skipped, "NotExecuted": Skipped, "NotRunnable": Skipped, "Ignored": Skipped, "Inconclusive": Skipped, "Pending": Skipped,
}

// dotnetTest is a test with its outcome, and the elements that say what failed,
// where, and why it was skipped.
func dotnetTest(name, outcome string, message, trace, reason *node) Test {
	t := Test{Name: nameOf(name), Category: Unknown, Status: cmp.Or(dotnet[outcome], Errored), Message: message.trimmed(), Actual: trace.trimmed()}
	switch t.Status {
	case Errored:
		t.Message = cmp.Or(t.Message, "outcome "+outcome)
	case Skipped:
		t.Message = skippedBecause(reason.trimmed())
	}
	return t
}
