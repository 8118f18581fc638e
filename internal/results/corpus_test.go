package results

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus reads the reports of real test runners, and some written by their
// documentation, and holds the counts against those of other parsers.
// counts.tsv has the rule wherever the two differ.
func TestCorpus(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "counts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		cells := strings.Split(sc.Text(), "\t")
		if strings.HasPrefix(cells[0], "#") {
			continue
		}
		name, want := cells[0], cells[1:4]
		if len(cells) == 8 && cells[4] != "" {
			want = cells[4:7]
		}
		seen[name] = true
		data, err := os.ReadFile(filepath.Join("testdata", "reports", name))
		if err != nil {
			t.Fatal(err)
		}
		suite, err := Read(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		by := map[Status]int{}
		for _, test := range suite.Tests {
			by[test.Status]++
		}
		if got := fmt.Sprint(by[Passed], by[Failed]+by[Errored], by[Skipped]); got != strings.Join(want, " ") {
			t.Errorf("%s: passed, failed, skipped %s, want %s (%s)", name, got, want, cells[len(cells)-1])
		}
	}
	files, err := os.ReadDir(filepath.Join("testdata", "reports"))
	if err != nil || len(files) < 60 || len(seen) != len(files) {
		t.Errorf("%d reports, counts of %d: %v", len(files), len(seen), err)
	}
}

// TestDoubts: a file that announces more than it lists is read, and advisory.
func TestDoubts(t *testing.T) {
	for in, want := range map[string]string{
		`<testsuite name="s" tests="2"><testcase name="a"/></testsuite>`:                                                                                                           `testsuite "s" announces 2 tests and lists 1`,
		`<testsuite name="s" tests="1,234"><testcase name="a"/></testsuite>`:                                                                                                       `testsuite "s" announces 1234 tests and lists 1`,
		`<testsuites><testsuite name="s" failures="1"><testcase name="a"/></testsuite></testsuites>`:                                                                               `testsuite "s" announces 1 failures and errors and lists 0`,
		`<testsuite name="s" tests="1" failures="2"><testcase name="a"><failure/><failure/></testcase></testsuite>`:                                                                ``,
		`<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Aborted"/></TestRun>`:                                                  `the outcome of the run is "Aborted"`,
		`<test-run total="2"><test-case name="a" result="Passed"/></test-run>`:                                                                                                     `the run announces 2 tests and lists 1`,
		`<assembly total="2"><test name="a" result="Pass"/></assembly>`:                                                                                                            `the run announces 2 tests and lists 1`,
		`<testsuite name="s" tests="abc"><testcase name="a"/></testsuite>`:                                                                                                         `testsuite "s" announces tests="abc", which is no count`,
		`<testsuite tests="-1" errors="99999999999999999999999"><testcase name="a"/></testsuite>`:                                                                                  `testsuite announces tests="-1", which is no count; testsuite announces errors="99999999999999999999", which is no count`,
		`<test-run total="1" failed="1"><test-case name="a" result="Passed"/></test-run>`:                                                                                          `the run announces 1 failures and errors and lists 0`,
		`<test-results total="1" errors="1"><test-case name="a" result="Success"/></test-results>`:                                                                                 `the run announces 1 failures and errors and lists 0`,
		`<assembly total="1" failed="1"><test name="a" result="Pass"/></assembly>`:                                                                                                 `the run announces 1 failures and errors and lists 0`,
		`<assembly total="1" failed="x"><test name="a" result="Pass"/></assembly>`:                                                                                                 `assembly announces failed="x", which is no count`,
		`<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Completed"><Counters total="1" failed="1"/></ResultSummary></TestRun>`: `the run announces 1 failures and errors and lists 0`,
		`{"results": {"summary": {"tests": 1, "failed": 2}, "tests": [{"name": "a", "status": "passed"}]}}`:                                                                        `the summary announces 2 failures and errors and lists 0`,
		`{"results": {"summary": {"tests": "1", "failed": []}, "tests": [{"name": "a", "status": "passed"}]}}`:                                                                     `the summary announces failed="[]", which is no count`,
		`{"results": {"summary": {"tests": null}, "tests": [{"name": "a", "status": "passed"}]}}`:                                                                                  ``,
		"1..2\nok 1\n":                                  `the plan announces 2 tests, 1 ran`,
		"1..2\n  1..3\n    1..4\n      1..5\n":          `the plan announces 2 tests, 0 ran; the plan announces 3 tests, 0 ran; the plan announces 4 tests, 0 ran; the plan announces 5 tests, 0 ran`,
		"ok 1\n":                                        `there is no plan, so nothing tells whether all tests ran`,
		"1..2\nok 1\nBail out! no disk\nok 2\n":         `the run bailed out: no disk`,
		"ok 1 - outer {\n    1..2\n    ok 1\n}\n1..1\n": `the plan announces 2 tests, 1 ran`,
		`{"results": {"summary": {"tests": 2}, "tests": [{"name": "a", "status": "passed"}]}}`: `the summary announces 2 tests and lists 1`,
	} {
		suite, err := Read("f", []byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := strings.Join(suite.Broken, "; "); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		if advisory := *Score(suite, nil).Report.Advisory; advisory != (want != "") {
			t.Errorf("%s: advisory %v", in, advisory)
		}
	}
}

// TestTODO: by the specifications of TAP 13 and 14 a test with TODO is no
// failure, whichever way it ends. node:test writes the same as JUnit XML.
func TestTODO(t *testing.T) {
	for in, want := range map[string]Status{
		"1..1\nnot ok 1 - a # TODO later\n":                                   Passed,
		"1..1\nok 1 - a # todo\n":                                             Passed,
		"1..1\nnot ok 1 - a \\# TODO later\n":                                 Failed, // no directive: it is escaped
		"1..1\nnot ok 1 - a # TODOS\n":                                        Failed,
		"1..1\nok 1 - a # SKIP no net\n":                                      Skipped,
		"TAP version 14\n    not ok 1 - b # TODO\n    1..1\nok 1 - a\n1..1\n": Passed,
		`<testsuite><testcase name="a"><skipped type="todo" message="later"/><failure/></testcase></testsuite>`: Passed,
		`<testsuite><testcase name="a"><skipped message="later"/></testcase></testsuite>`:                       Skipped,
	} {
		suite, err := Read("f", []byte(in))
		if err != nil || len(suite.Tests) != 1 || suite.Tests[0].Status != want {
			t.Errorf("%q: %v, %+v, want %s", in, err, suite, want)
		}
	}
}

// TestNames: each test has one name, and one that tells.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		`<testsuite><testcase classname="orders adds" name="orders adds"/></testsuite>`: "orders adds", // jest-junit's default
		`<testsuite><testcase classname="pkg.C" name="m"/></testsuite>`:                 "pkg.C.m",
		`<testsuite><testcase name="m"/></testsuite>`:                                   "m",
		"1..1\nok 1 - a \\# b # time=5ms\n":                                             "a # b",
		"1..1\nnot ok\n":                                                                "unknown",
	} {
		suite, err := Read("f", []byte(in))
		if err != nil || len(suite.Tests) != 1 || suite.Tests[0].Name != want {
			t.Errorf("%s: %v, %+v, want %q", in, err, suite, want)
		}
	}
}
