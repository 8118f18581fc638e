package results

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Each format, told by its content, with every status that it knows.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Test
	}{
		{"json", "\ufeff" + `{"suite": "x", "tests": [{"name": "a", "status": "passed", "category": "edge_case"},
			{"status": "failed", "category": "speed", "expected": 409, "actual": null, "message": "m"}, {"name": "c", "status": "skipped"}]}`,
			[]Test{{"a", shadow.EdgeCase, Passed, "", "", ""}, {"unknown", Unknown, Failed, "409", "", "m"}, {"c", Unknown, Skipped, "", "", ""}}},
		{"no tests", `{"tests": []}`, nil},
		{"junit", `<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite name="s" tests="4" failures="1" errors="1">
			<testcase classname="pkg" name="a"><properties><property name="category" value="security"/></properties></testcase>
			<testcase name="b" category="edge_case"><failure message="want 1" type="T">trace &amp; more</failure></testcase>
			<testcase name="c"><error><![CDATA[boom
at x]]></error></testcase><testcase name="d"><skipped message="no net"/></testcase></testsuite></testsuites>`,
			[]Test{{"pkg.a", shadow.Security, Passed, "", "", ""}, {"b", shadow.EdgeCase, Failed, "", "trace & more", "want 1"},
				{"c", Unknown, Errored, "", "boom\nat x", "boom"}, {"d", Unknown, Skipped, "", "", "skipped: no net"}}},
		{"nested junit", `<testsuite name="o"><testsuite name="i"><testcase name="a"/></testsuite><testsuite name="broken"><error message="no setup"/></testsuite></testsuite>`,
			[]Test{{"a", Unknown, Passed, "", "", ""}, {"broken", Unknown, Errored, "", "", "no setup"}}},
		{"junit, an error that says nothing beside a failure", `<testsuite name="s"><testcase name="a"><failure message="m1">trace</failure><error/></testcase></testsuite>`,
			[]Test{{"a", Unknown, Errored, "", "trace", "m1"}}},
		{"go test", goLines(`run p T`, `output p T "=== RUN T\n"`, `run p T/a`, `output p T/a "    x_test.go:3: want 1\n"`, `fail p T/a`, `fail p T`,
			`run p U`, `pass p U`, `run p V`, `skip p V`, `run p W`, `fail p`),
			[]Test{{"p.T/a", Unknown, Failed, "", "x_test.go:3: want 1", "x_test.go:3: want 1"}, {"p.U", Unknown, Passed, "", "", ""},
				{"p.V", Unknown, Skipped, "", "", "skipped"}, {"p.W", Unknown, Errored, "", "", "the test did not come to its end"}}},
		{"go test, run twice", goLines(`run p T`, `fail p T`, `run p T`, `pass p T`, `fail p`), []Test{{"p.T", Unknown, Failed, "", "", "test failed"}}},
		{"go test, parent alone", goLines(`run p T`, `run p T/a`, `pass p T/a`, `output p T "after\n"`, `fail p T`, `fail p`),
			[]Test{{"p.T", Unknown, Failed, "", "after", "after"}, {"p.T/a", Unknown, Passed, "", "", ""}}},
		{"go test, parent skipped or without end", goLines(`run p T`, `run p T/a`, `pass p T/a`, `output p T "no database\n"`, `skip p T`, `run p U`, `run p U/a`, `pass p U/a`, `fail p`),
			[]Test{{"p.T", Unknown, Skipped, "", "no database", "no database"}, {"p.T/a", Unknown, Passed, "", "", ""},
				{"p.U", Unknown, Errored, "", "", "the test did not come to its end"}, {"p.U/a", Unknown, Passed, "", "", ""}}},
		{"go test, no end in a package that passed", goLines(`run p T`, `run p BenchmarkT`, `output p "PASS\n"`, `pass p`),
			[]Test{{"p.T", Unknown, Errored, "", "", "the test did not come to its end"}, {"p.BenchmarkT", Unknown, Passed, "", "", ""}}},
		{"go test, package alone", goLines(`run p T`, `pass p T`, `output p "exit status 3\n"`, `fail p`),
			[]Test{{"p.T", Unknown, Passed, "", "", ""}, {"p", Unknown, Errored, "", "exit status 3", "the package failed outside its tests"}}},
		{"go test, build", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: undefined: y\n"}` + "\n" +
			`{"ImportPath":"p","Action":"build-fail"}` + "\n" + `{"Action":"start","Package":"p"}` + "\n" + `{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			[]Test{{"p", Unknown, Errored, "", "x.go:1: undefined: y", "the package does not build"}}},
		{"go test, no tests", goLines(`output p "?   p [no test files]\n"`, `skip p`), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite, err := Read("f", []byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, append([]Test(nil), suite.Tests...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A run that a panic, a time limit or an exit broke off says nothing of the
// tests behind: it cannot be taken at its word, whatever it lists.
func TestBrokenOff(t *testing.T) {
	whole := []string{`run p TestA`, `pass p TestA`, `run p TestB`}
	for _, c := range []struct {
		name  string
		lines []string
		want  string // the package whose run broke off
	}{
		{"panic", []string{`output p TestB "--- FAIL: TestB (0.00s)\n"`, `output p TestB "panic: boom [recovered, repanicked]\n"`, `fail p TestB`, `output p "FAIL\tp\t0.005s\n"`, `fail p`}, "p"},
		{"time limit", []string{`output p TestB "panic: test timed out after 3s\n"`, `output p "FAIL\tp\t3.0s\n"`, `fail p`}, "p"},
		{"exit", []string{`output p "exit status 1\n"`, `output p "FAIL\tp\t0.003s\n"`, `fail p`}, "p"},
		{"runtime", []string{`output p TestB "fatal error: concurrent map writes\n"`, `fail p TestB`, `fail p`}, "p"},
		{"before any test", []string{`pass p TestB`, `output p "panic: no data\n"`, `fail p`}, "p"},
		{"cut short", nil, "p"},
		{"a test that prints the end", []string{`output p "PASS\n"`, `output p "ok\n"`, `pass p`}, "p"},
		{"a test that prints a failed end", []string{`output p TestB "panic: x\n"`, `output p "FAIL\n"`, `fail p`}, "p"},
		{"benchmark", []string{`pass p TestB`, `run p BenchmarkA`, `run p BenchmarkB`, `fail p BenchmarkB`, `output p "FAIL\n"`, `fail p`}, ""},
		{"failure", []string{`output p TestB "--- FAIL: TestB (0.00s)\n"`, `fail p TestB`, `output p "FAIL\n"`, `fail p`}, ""},
		{"a test that prints panic", []string{`output p TestB "panic: only a word\n"`, `fail p TestB`, `output p "FAIL\n"`, `fail p`}, ""},
		{"all well", []string{`output p TestB "panic: recovered\n"`, `pass p TestB`, `output p "PASS\n"`, `pass p`}, ""},
		{"second package", []string{`pass p TestB`, `pass p`, `run q TestB`, `output q TestB "panic: x\n"`, `fail q TestB`, `fail q`}, "q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := append(append([]string{`start p`}, whole...), c.lines...)
			suite, err := Read("f", []byte(goLines(lines...)))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if c.want != "" {
				want = []string{"the run of " + c.want + " broke off; tests behind that place did not run"}
			}
			head := Score(suite, nil).Report
			if diff := cmp.Diff(want, suite.Broken); diff != "" || *head.Advisory != (want != nil) || !strings.Contains(head.AdvisoryReason, strings.Join(want, "")) {
				t.Errorf("%s, advisory %v: %q", diff, *head.Advisory, head.AdvisoryReason)
			}
		})
	}
}

// TestLongNames: a name of many slashes takes time by its length, and an error
// quotes the beginning of what is long.
func TestLongNames(t *testing.T) {
	name := "TestA" + strings.Repeat("/b", 1<<18)
	suite, err := Read("f", []byte(goLines("pass p TestA", "pass p TestA/b", "pass p "+name, "pass p")))
	if err != nil {
		t.Fatal(err)
	}
	if len(suite.Tests) != 2 { // what is nested so deeply stands alone
		t.Errorf("%d tests", len(suite.Tests))
	}
	for _, in := range []string{
		`{"tests":[{"name":"` + name + `","status":"` + name + `"}]}`, goLines(name + " p"), "<" + name[:1000] + "/>",
	} {
		if _, err := Read("f", []byte(in)); err == nil || len(err.Error()) > 400 {
			t.Errorf("%.100s: %.500v", in, err)
		}
	}
}

// goLines writes lines of go test -json from "action package [test] [output]".
func goLines(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		l, output, prints := strings.Cut(l, ` "`)
		f := strings.Fields(l)
		b.WriteString(`{"Action":"` + f[0] + `","Package":"` + f[1] + `"`)
		if len(f) > 2 {
			b.WriteString(`,"Test":"` + f[2] + `"`)
		}
		if prints {
			b.WriteString(`,"Output":"` + output)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// What cannot be trusted is an error that says which file and which entry.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", " \n", `f: the file is empty: an empty suite is written as {"tests": []}`},
		{"a name twice", `{"tests": [{"name": "a", "status": "failed", "st\u0061tus": "passed"}]}`, `f: line 1: not JSON at "/tests/0/status": duplicate object member name`},
		{"a list twice", `{"tests": [{"name": "a", "status": "failed"}], "tests": []}`, `f: line 1: not JSON at "/tests": duplicate object member name`},
		{"another case", `{"tests": [{"name": "a", "STATUS": "passed"}]}`, `f: test 1 ("a"): no status: use passed, failed, error or skipped`},
		{"status", `{"tests": [{"name": "a", "status": "passed"}, {"name": "b", "status": "ok"}]}`, `f: test 2 ("b"): status "ok" is not known: use passed, failed, error or skipped`},
		{"no status", `{"tests": [{}]}`, `f: test 1: no status: use passed, failed, error or skipped`},
		{"no object", `{"tests": ["a"]}`, `f: test 1: not an object`},
		{"null tests", `{"tests": null}`, `f: neither test results ({"tests": [...]}), nor JUnit XML, nor the output of go test -json`},
		{"other JSON", `{"other": []}`, `f: neither test results ({"tests": [...]}), nor JUnit XML, nor the output of go test -json`},
		{"tests is no list", "{\n\"tests\": 3}", `f: line 2: /tests is of another kind: want {"tests": [...]}`},
		{"cut", `{"tests": [{"name": "a"`, `f: line 1: the JSON is cut short`},
		{"cut at a bracket too many", `{"tests": []]`, `f: line 1: not JSON at "": invalid character ']' after object value (expecting ',' or '}')`},
		{"two", `{"tests": []} {"tests": []}`, `f: line 1: not JSON at "": invalid character '{' after top-level value`},
		{"no format", `PASS`, `f: line 1: not JSON at "": invalid character 'P' at start of value`},
		{"xml cut", `<testsuite><testcase name="a"/>`, `f: line 1: the XML is cut short`},
		{"xml cut in a tag", `<testsuite><testcase name="a`, `f: line 1: the XML is cut short`},
		{"a list", ` [{"name": "a", "status": "passed"}]`, `f: line 1: the file is of another kind: want {"tests": [...]}`},
		{"go test, cut line", goLines("run p T") + `{"Action":"pass","Pack`, `f: line 2: the line is cut short`},
		{"go test, mixed line", goLines("run p T") + `{"Action":"pass"panic: x`, `f: line 2: not a line of go test -json: leave standard error out of the file`},
		{"html", `<html><body/></html>`, `f: the XML element <html> is no report of tests: want JUnit XML (<testsuites> or <testsuite>)`},
		{"two suites", `<testsuite/><testsuite/>`, `f: line 1: something follows the results`},
		{"encoding", `<?xml version="1.0" encoding="EBCDIC-1"?><testsuite/>`, `f: line 1: xml: opening charset "EBCDIC-1": write the file in UTF-8`},
		{"go test and more", goLines("run p T") + "panic: x\n", `f: line 2: not a line of go test -json: leave standard error out of the file`},
		{"go test action", goLines("run p T", "explode p T"), `f: line 2: action "explode" is not known`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("f", []byte(c.in))
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// The score against an implementation of its own of the spec's formula.
func TestScoreAgainstTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		status := rapid.SampledFrom([]Status{Passed, Failed, Errored, Skipped})
		suite := &Suite{}
		bad, doubtful := 0, false
		for range rapid.IntRange(0, 400).Draw(t, "n") {
			s := status.Draw(t, "status")
			suite.Tests = append(suite.Tests, Test{Name: "t", Category: Unknown, Status: s})
			if s != Passed {
				bad++
			}
			doubtful = doubtful || s == Errored || s == Skipped
		}
		r := Score(suite, nil)
		// One decimal is within half a tenth of the exact score.
		shown, err := r.Report.ShadowScore.Float64()
		if n := len(suite.Tests); err != nil || n > 0 && math.Abs(shown-float64(bad)*100/float64(n)) > 0.05+1e-9 || n == 0 && shown != 0 {
			t.Fatalf("%d of %d is shown as %s", bad, n, r.Report.ShadowScore)
		}
		if want := doubtful || len(suite.Tests) == 0; *r.Report.Advisory != want || (r.Report.AdvisoryReason != "") != want {
			t.Fatalf("advisory %v %q, want %v", *r.Report.Advisory, r.Report.AdvisoryReason, want)
		}
		if len(r.Failures) != bad || r.SealedTests != (shadow.SealedTally{Total: len(suite.Tests), Passed: len(suite.Tests) - bad, Failed: bad}) {
			t.Fatalf("%d failures, tally %v", len(r.Failures), r.SealedTests)
		}
	})
}

func TestCompare(t *testing.T) {
	sealed := &Suite{Tests: []Test{{Category: shadow.EdgeCase}, {Category: shadow.Completeness}}}
	open := &Suite{Tests: []Test{{Category: shadow.EdgeCase}, {Category: shadow.EdgeCase}}}
	want := map[shadow.Category]shadow.Coverage{
		shadow.HappyPath: {}, shadow.EdgeCase: {Sealed: 1, Open: 2, Delta: -1}, shadow.ErrorHandling: {}, shadow.Security: {},
		shadow.Completeness: {Sealed: 1, Delta: 1},
	}
	if diff := cmp.Diff(want, compareOpen(sealed, open)); diff != "" {
		t.Error(diff)
	}
}

// Whatever the file holds, reading ends in a suite of known statuses or in an
// error that names the file.
func FuzzRead(f *testing.F) {
	f.Add(`{"tests": [{"name": "a", "status": "failed", "expected": [1]}]}`)
	f.Add(`<testsuites><testsuite name="s" tests="1"><testcase name="a"><failure/></testcase></testsuite></testsuites>`)
	f.Add(goLines("run p T", "run p T/a", "fail p T/a", "pass p T", "fail p"))
	f.Add(`{"Action":"start","Package":"p"}`)
	f.Add(`{"Action":"fail"}` + "\n" + `{"Action":"pass","Test":"T"}`)
	f.Fuzz(func(t *testing.T, in string) {
		suite, err := Read("f", []byte(in))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f: ") {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, test := range suite.Tests {
			if !strings.Contains("passed failed error skipped", string(test.Status)) || test.Name == "" || test.Category == "" {
				t.Fatalf("test %+v", test)
			}
		}
		Score(suite, suite)
	})
}
