package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// goEvent is a line of go test -json, as cmd/test2json documents it.
type goEvent struct {
	Action  string
	Package string
	Test    string
	Output  string
	// ImportPath is the package of build-output and build-fail.
	ImportPath string
	// FailedBuild names the ImportPath whose build made the package fail.
	FailedBuild string
}

// isGoTest tells whether data begins like the output of go test -json.
func isGoTest(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var e goEvent
	return json.Unmarshal(line, &e) == nil && e.Action != ""
}

// goRun gathers what is known of a test, or of a package (with an empty test).
type goRun struct {
	pkg, test string
	ended     string
	output    []string
	parent    bool // it has subtests, or the package tests
	bad       bool // one of them was neither passed nor skipped
	build     string
	running   bool   // it began, and did not end since
	panicked  string // the line that says so
	closed    bool   // of a package: the test binary came to its last line
}

// maxOutput bounds the lines of output that are kept of a test, from its end,
// where Go's tests say what went wrong.
const maxOutput = 40

// readGoTest reads the output of go test -json. Tests without subtests count,
// each once, and the last run of a test that ran several times, unless an
// earlier one failed. A test with subtests, and a package, count only if they
// were not passed while none of theirs says why.
func readGoTest(data []byte) (*Suite, error) {
	runs := map[[2]string]*goRun{}
	var order []*goRun
	builds := map[string][]string{}
	get := func(pkg, test string) *goRun {
		r := runs[[2]string{pkg, test}]
		if r == nil {
			r = &goRun{pkg: pkg, test: test}
			runs[[2]string{pkg, test}] = r
			order = append(order, r)
		}
		return r
	}
	no := 0
	for line := range bytes.Lines(data) {
		no++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var e goEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", no, notAnEvent(line, err))
		}
		if e.ImportPath != "" && e.Package == "" {
			builds[e.ImportPath] = append(builds[e.ImportPath], e.Output)
			continue
		}
		r := get(e.Package, e.Test)
		switch e.Action {
		case "run":
			r.running = true
		case "start", "pause", "cont", "bench", "attr", "artifacts":
		case "output":
			r.readOutput(e.Output)
			r.output = append(r.output, e.Output)
			if len(r.output) > 2*maxOutput {
				r.output = slices.Clone(r.output[maxOutput:])
			}
		case "pass", "fail", "skip":
			if r.ended != "fail" {
				r.ended = e.Action
			}
			r.build, r.running = e.FailedBuild, false
		default:
			return nil, fmt.Errorf("line %d: action %.60q is not known", no, e.Action)
		}
	}
	relate(runs, order)
	suite := &Suite{Broken: brokenOff(order)}
	for _, r := range order {
		if t, counts := r.result(builds); counts {
			suite.Tests = append(suite.Tests, t)
		}
	}
	return suite, nil
}

// relate ends what has no end of its own, and notes what has parts and which of
// them was neither passed nor skipped.
func relate(runs map[[2]string]*goRun, order []*goRun) {
	for _, r := range order {
		// Benchmarks have no end of their own. What else has none did not end.
		if p := runs[[2]string{r.pkg, ""}]; p != nil && p.whole() && strings.HasPrefix(r.test, "Benchmark") {
			r.ended, r.running = cmp.Or(r.ended, "pass"), false
		}
		if r.test == "" {
			continue
		}
		for name := range around(r.test) {
			if p := runs[[2]string{r.pkg, name}]; p != nil {
				p.parent, p.bad = true, p.bad || r.ended != "pass" && r.ended != "skip"
			}
		}
	}
}

// around are the names of what a Go test is in: the tests around a subtest, the
// nearest first, and the package, which has none. Beyond maxNested of them only
// the package is named, or a long name would take time by its square: a test
// that fails makes the one around it fail, so that each is still told of.
func around(test string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxNested {
			i := strings.LastIndexByte(test, '/')
			if i < 0 {
				break
			}
			if test = test[:i]; !yield(test) {
				return
			}
		}
		yield("")
	}
}

const maxNested = 100

// result is what a run counts as, if it counts.
func (r *goRun) result(builds map[string][]string) (Test, bool) {
	t := Test{Name: nameOf(r.pkg), Category: Unknown, Status: Passed}
	switch {
	case r.test != "" && r.pkg != "":
		t.Name += "." + r.test
	case r.test != "": // test2json was not told the package
		t.Name = r.test
	}
	switch {
	case r.test == "" && (r.ended != "fail" && r.ended != "" || r.bad):
		return t, false
	case r.test == "" && r.ended == "": // output alone, or cut short
		t.Status, t.Message = Errored, "the package did not come to its end"
	case r.test == "":
		t.Status, t.Message = Errored, "the package failed outside its tests"
		if r.build != "" {
			t.Message, r.output = "the package does not build", builds[r.build]
		}
	case r.parent && (r.ended == "pass" || r.bad):
		return t, false
	case r.ended == "fail":
		t.Status, t.Message = Failed, "test failed"
	case r.ended == "skip":
		t.Status, t.Message = Skipped, "skipped"
	case r.ended == "":
		t.Status, t.Message = Errored, "the test did not come to its end"
	}
	if t.Status != Passed {
		t.Actual = r.said()
		if line, _, _ := strings.Cut(t.Actual, "\n"); line != "" && r.test != "" {
			t.Message = strings.TrimSpace(line)
		}
		if r.panicked != "" && r.test != "" {
			t.Message = r.panicked
		}
	}
	return t, true
}

// said is the output without the lines that the test binary frames it with.
func (r *goRun) said() string {
	var out []string
	for _, o := range r.output {
		line := strings.TrimSpace(o)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") || line == "FAIL" || strings.HasPrefix(line, "FAIL\t") {
			continue
		}
		out = append(out, strings.TrimRight(o, "\r\n"))
	}
	return strings.TrimSpace(strings.Join(out[max(0, len(out)-maxOutput):], "\n"))
}
