package results

import (
	"fmt"
	"strings"
	"testing"
)

const passedCase = `<testcase classname="C" name="ok"/>`

// TestNeverPassed: what runners write for a test, a suite or a run that was not
// passed is never read as passed. Each entry is a small file in the words of one
// runner, or of its bug reports, with how many passed, failed, broke off and were
// skipped.
func TestNeverPassed(t *testing.T) {
	suite := func(attrs, inner string) string { return "<testsuite name='s' " + attrs + ">" + inner + "</testsuite>" }
	const passed = passedCase
	for _, c := range []struct {
		name, in string
		want     [4]int
	}{
		{"gtest 1.10, skipped", `<testsuites tests="2" failures="0" disabled="0" errors="0" name="AllTests"><testsuite name="Net" tests="2" failures="0" disabled="0" errors="0">
			<testcase name="Connects" status="run" result="completed" classname="Net"/><testcase name="Cut" status="run" result="skipped" classname="Net"/></testsuite></testsuites>`, [4]int{1, 0, 0, 1}},
		{"ctest", suite(`tests="5" failures="1" disabled="1" skipped="1"`, `<testcase name="a" status="run"/><testcase name="b" status="fail"><failure message=""/></testcase>
			<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase><testcase name="d" status="disabled"><disabled message="Disabled"/></testcase>
			<testcase name="e" status="fail"/>`), [4]int{1, 2, 0, 2}},
		{"phpunit 9, warning", suite(`tests="2" errors="0" warnings="1" failures="0" skipped="0"`, passed+
			`<testcase name="Warning" class="PHPUnit\Framework\WarningTestCase"><warning type="PHPUnit\Framework\Warning">No tests found in class "U".</warning></testcase>`), [4]int{1, 0, 1, 0}},
		{"phpunit 9, warning not listed", suite(`tests="1" warnings="1"`, passed), [4]int{1, 0, 1, 0}},
		{"pytest, failure and error of the teardown", suite(`tests="1" failures="1" errors="1"`, `<testcase name="a"><failure message="m">t</failure><error message="e">t</error></testcase>`), [4]int{0, 0, 1, 0}},
		{"jest-junit, error not listed", `<testsuites name="jest tests" tests="1" failures="0" errors="1">` + suite(`tests="1" errors="1"`, passed) + `</testsuites>`, [4]int{1, 0, 1, 0}},
		{"surefire, rerun alone", suite(``, `<testcase name="b"><rerunError message="n"/></testcase>`), [4]int{0, 1, 0, 0}},
		{"surefire, fork died", suite(`tests="1" errors="1"`, ``), [4]int{0, 0, 1, 0}},
		{"cargo nextest", `<testsuites name="nextest-run" tests="3" failures="1" errors="1">` + suite(`tests="3" disabled="0" errors="1" failures="1"`,
			`<testcase name="a"><flakyFailure type="test failure"><system-out>x</system-out></flakyFailure></testcase><testcase name="b"><failure type="test failure">m</failure><rerunFailure type="test failure"/></testcase>
			<testcase name="c"><error type="execution failure"/></testcase>`) + `</testsuites>`, [4]int{1, 1, 1, 0}},
		{"rspec, error outside of examples", suite(`tests="0" skipped="0" failures="0" errors="1"`, ``), [4]int{0, 0, 1, 0}},
		{"ex_unit, <failed>", suite(`tests="1" failures="1"`, `<testcase name="a"><failed message="error: Doctest failed">lib/x.ex:14</failed></testcase>`), [4]int{0, 1, 0, 0}},
		{"gradle, ignored", suite(`tests="1" ignored="1"`, `<testcase name="a"><ignored/></testcase>`), [4]int{0, 0, 0, 1}},
		{"statuses", suite(``, `<testcase status="FAILED"/><testcase status="error"/><testcase result="fail"/><testcase outcome="Timeout"/><testcase status="skipped"/><testcase success="false"/>
			<testcase status="passed"/><testcase status=""/><testcase status="PENDING"/><testcase status="wobbly"/>`), [4]int{2, 3, 3, 2}},
		{"status against element", suite(``, `<testcase status="passed"><failure message="m"/></testcase><testcase status="failed"><skipped/></testcase>`), [4]int{0, 2, 0, 0}},
		{"elements", suite(``, `<testcase><Failure/></testcase><testcase><aborted/></testcase><testcase><result><failure/></result></testcase><testcase><system-err>error</system-err><properties><property name="p" value="failure"/></properties></testcase>`), [4]int{1, 2, 1, 0}},
		{"status of a suite", suite(`status="failed"`, passed), [4]int{1, 0, 1, 0}},
		{"status of a suite, told by a test", suite(`status="failed"`, passed+`<testcase name="a"><failure/></testcase>`), [4]int{1, 1, 0, 0}},
		{"failure of the run", `<testsuites><testsuite name="s">` + passed + `</testsuite><error message="out of memory"/></testsuites>`, [4]int{1, 0, 1, 0}},
		{"failures not listed", suite(`tests="3" failures="2"`, passed+passed+passed), [4]int{3, 0, 2, 0}},
		{"failures not listed, said twice", `<testsuites failures="2">` + suite(`failures="2"`, passed+passed) + `</testsuites>`, [4]int{2, 0, 2, 0}},
		{"many failures not listed", suite(`failures="2000000000"`, passed+passed), [4]int{2, 0, maxLost, 0}},
		{"a failure too many to count", suite(`failures="99999999999999999999"`, passed), [4]int{1, 0, maxLost, 0}},
		{"skipped suite", suite(``, passed+`<skipped message="no net"/>`), [4]int{1, 0, 0, 1}},
		{"failed", suite(`failed="1"`, passed), [4]int{1, 0, 1, 0}},
		{"within something else", suite(`tests="1"`, `<group><testcase name="a"><failure/></testcase></group>`), [4]int{0, 1, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, score := tallyOf(t, c.in)
			if got != c.want {
				t.Errorf("passed, failed, broke off, skipped: %v, want %v", got, c.want)
			}
			if passes := score == "0.0"; passes != (got[1]+got[2]+got[3] == 0) {
				t.Errorf("the score is %s", score)
			}
		})
	}
}

func tallyOf(t *testing.T, in string) (n [4]int, score string) {
	t.Helper()
	suite, err := Read("f", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range suite.Tests {
		for i, s := range []Status{Passed, Failed, Errored, Skipped} {
			if test.Status == s {
				n[i]++
			}
		}
		if test.Status != Passed && test.Message == "" && !strings.Contains(in, "<failure/>") && !strings.Contains(in, `<failure message=""/>`) {
			t.Errorf("nothing says why %s was not passed", test.Name)
		}
	}
	return n, Score(suite, nil).Report.ShadowScore.String()
}

// TestDoubts: a file that announces more tests or skips than it lists is read,
// and advisory. The same is said once.
func TestDoubts(t *testing.T) {
	for in, want := range map[string]string{
		`<testsuite name="s" tests="2"><testcase name="a"/></testsuite>`:                                                      `testsuite "s" announces 2 tests and lists 1`,
		`<testsuite name="s" tests="1,234"><testcase name="a"/></testsuite>`:                                                  `testsuite "s" announces 1234 tests and lists 1`,
		`<testsuites tests="2"><testsuite name="s" tests="2"><testcase name="a"/></testsuite></testsuites>`:                   `testsuite "s" announces 2 tests and lists 1`,
		`<testsuite name="s" skipped="1"><testcase name="a"/></testsuite>`:                                                    `testsuite "s" announces 1 skipped tests and lists 0`,
		`<testsuite name="s" disabled="2"><testcase name="a" status="notrun"/></testsuite>`:                                   `testsuite "s" announces 2 skipped tests and lists 1`,
		`<testsuite name="s" tests="1" failures="2"><testcase name="a"><failure/><failure/></testcase></testsuite>`:           ``,
		`<testsuite name="s" tests="abc"><testcase name="a"/></testsuite>`:                                                    `testsuite "s" announces tests="abc", which is no count`,
		`<testsuite tests="-1" errors="99999999999999999999999"><testcase name="a"/></testsuite>`:                             `testsuite announces tests="-1", which is no count; testsuite announces errors="99999999999999999999", which is no count`,
		`<testsuite name="s" tests="1" skipped="0" warnings="0" failures=""><testcase name="a" status="passed"/></testsuite>`: ``,
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

// TestFewAreLost: however much suites around suites announce, each makes few tests of it.
func TestFewAreLost(t *testing.T) {
	in := strings.Repeat(passedCase, 100)
	for i := range 40 {
		in = fmt.Sprintf("<testsuite tests='2000000000' failures='%d'>%s</testsuite>", 1<<min(i+1, 30), in)
	}
	if n, _ := tallyOf(t, in); n[0] != 100 || n[2] < 100 || n[2] > 40*maxLost {
		t.Errorf("passed, failed, broke off, skipped: %v", n)
	}
}

// TestNames: each test has one name, and one that tells.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		`<testsuite><testcase classname="orders adds" name="orders adds"/></testsuite>`: "orders adds", // jest-junit's default
		`<testsuite><testcase classname="pkg.C" name="m"/></testsuite>`:                 "pkg.C.m",
		`<testsuite><testcase name="m"/></testsuite>`:                                   "m",
		`<testsuite><testcase/></testsuite>`:                                            "unknown",
	} {
		suite, err := Read("f", []byte(in))
		if err != nil || len(suite.Tests) != 1 || suite.Tests[0].Name != want {
			t.Errorf("%s: %v, %+v, want %q", in, err, suite, want)
		}
	}
}
