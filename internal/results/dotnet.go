package results

import (
	"fmt"
	"strings"
)

// addTRX adds the tests of Visual Studio's <TestRun>, as dotnet test --logger trx
// writes it. Rows of a data-driven test count instead of the test.
func (suite *Suite) addTRX(run *node) {
	before := len(suite.Tests)
	for _, results := range run.all("Results") {
		for _, r := range results.children {
			suite.addTRXResult(r)
		}
	}
	summary := run.at("ResultSummary")
	counters := summary.at("Counters")
	suite.compare("the run", before, suite.sum(counters, "total"), suite.sum(counters, "failed", "error", "timeout", "aborted"))
	// Passed, Completed and Failed are what its tests say; the others are news.
	if o := summary.attrs["outcome"]; o != "" && !strings.Contains(" Passed Completed Failed Warning ", " "+o+" ") {
		suite.Broken = append(suite.Broken, fmt.Sprintf("the outcome of the run is %q", o))
	}
}

func (suite *Suite) addTRXResult(r *node) {
	if inner := r.at("InnerResults").children; len(inner) > 0 {
		for _, row := range inner {
			suite.addTRXResult(row)
		}
		return
	}
	info := r.at("Output", "ErrorInfo")
	t := Test{Name: nameOf(r.attrs["testName"]), Category: Unknown, Message: info.at("Message").trimmed(), Actual: info.at("StackTrace").trimmed()}
	switch outcome := r.attrs["outcome"]; outcome {
	case "Passed":
		t.Status = Passed
	case "Failed", "": // the schema's default
		t.Status = Failed
	case "NotExecuted", "NotRunnable", "Inconclusive", "Pending":
		t.Status, t.Message = Skipped, skippedBecause(t.Message)
	default: // Error, Timeout, Aborted, Disconnected, PassedButRunAborted and others
		t.Status = Errored
		if t.Message == "" {
			t.Message = "outcome " + outcome
		}
	}
	suite.Tests = append(suite.Tests, t)
}

// addNUnit adds the tests of NUnit's <test-run> (version 3) or <test-results>
// (version 2).
func (suite *Suite) addNUnit(run *node) {
	before := len(suite.Tests)
	run.walk(func(n *node) {
		if n.name == "test-case" {
			suite.Tests = append(suite.Tests, nunitTest(n))
		}
		// A suite whose set-up failed is told by no test of its own.
		if n.name == "test-suite" && n.attrs["site"] == "SetUp" || n.name == "test-suite" && n.attrs["site"] == "TearDown" {
			suite.Broken = append(suite.Broken, fmt.Sprintf("%s of %s failed", n.attrs["site"], nameOf(n.attrs["fullname"])))
		}
	})
	suite.compare("the run", before, max(suite.sum(run, "total"), suite.sum(run, "testcasecount")), suite.sum(run, "failed", "failures", "errors"))
}

func nunitTest(n *node) Test {
	name := n.attrs["fullname"]
	if name == "" {
		name = n.attrs["name"]
	}
	failure := n.at("failure")
	t := Test{Name: nameOf(name), Category: Unknown, Message: failure.at("message").trimmed(), Actual: failure.at("stack-trace").trimmed()}
	for _, p := range n.at("properties").all("property") {
		if p.attrs["name"] == "Category" && categoryOf(p.attrs["value"]) != Unknown {
			t.Category = categoryOf(p.attrs["value"])
		}
	}
	switch n.attrs["result"] {
	case "Passed", "Success", "Warning":
		t.Status = Passed
	case "Failed", "Failure":
		t.Status = Failed
		if label := n.attrs["label"]; label != "" {
			t.Status = Errored
		}
	case "Skipped", "Ignored", "NotRunnable", "Inconclusive":
		t.Status, t.Message = Skipped, skippedBecause(n.at("reason", "message").trimmed())
	default:
		t.Status = Errored
	}
	return t
}

// addXUnit adds the tests of xUnit.net's <assemblies>, and what broke off outside
// of them.
func (suite *Suite) addXUnit(root *node) {
	total, bad, before := 0, 0, len(suite.Tests)
	root.walk(func(n *node) {
		switch n.name {
		case "assembly":
			total += suite.sum(n, "total")
			bad += suite.sum(n, "failed")
		case "test":
			suite.Tests = append(suite.Tests, xunitTest(n))
		}
	})
	suite.compare("the run", before, total, bad)
	root.walk(func(n *node) {
		if n.name == "error" {
			suite.Tests = append(suite.Tests, Test{Name: nameOf(n.attrs["name"]), Category: Unknown, Status: Errored, Message: n.at("failure", "message").trimmed()})
		}
	})
}

func xunitTest(n *node) Test {
	failure := n.at("failure")
	t := Test{Name: nameOf(n.attrs["name"]), Category: Unknown, Status: Errored, Message: failure.at("message").trimmed(), Actual: failure.at("stack-trace").trimmed()}
	for _, trait := range n.at("traits").all("trait") {
		if strings.EqualFold(trait.attrs["name"], "category") && categoryOf(trait.attrs["value"]) != Unknown {
			t.Category = categoryOf(trait.attrs["value"])
		}
	}
	switch n.attrs["result"] {
	case "Pass":
		t.Status = Passed
	case "Fail":
		t.Status = Failed
	case "Skip", "NotRun":
		t.Status, t.Message = Skipped, skippedBecause(n.at("reason").trimmed())
	}
	return t
}
