package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// goEvent is a line of go test -json, as cmd/test2json documents it.
type goEvent struct {
	Action, Package, Test, Output string
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
	ended     string // pass, fail or skip; fail stays
	output    []string
	parent    bool // it has subtests, or the package tests
	bad       bool // one of them was neither passed nor skipped
	build     string
	running   bool   // it began, and did not end since
	panicked  string // the line that says so
	closed    bool   // of a package: the test binary came to its last line
}

// goLog is the output of go test -json, in the order in which runs began.
type goLog struct {
	runs   map[[2]string]*goRun
	order  []*goRun
	builds map[string][]string // what a build printed
}

// readGoTest reads the output of go test -json. Of a test that ran several times the last
// run counts, unless an earlier one failed. A test with subtests, and a package, count
// only if they were not passed while none of theirs says why.
func readGoTest(data []byte) (*Suite, error) {
	l := &goLog{runs: map[[2]string]*goRun{}, builds: map[string][]string{}}
	no := 0
	for line := range bytes.Lines(data) {
		no++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := l.read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", no, err)
		}
	}
	suite := &Suite{Broken: l.relate()}
	for _, r := range l.order {
		if t, counts := r.result(l.builds); counts {
			suite.Tests = append(suite.Tests, t)
		}
	}
	return suite, nil
}

// maxOutput bounds the lines of output that are kept of a test, from its end,
// where Go's tests say what went wrong.
const maxOutput = 40

func (l *goLog) read(line []byte) error {
	var e goEvent
	if err := json.Unmarshal(line, &e); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && line[0] == '{' {
			return errors.New("the line is cut short")
		}
		return errors.New("not a line of go test -json: leave standard error out of the file")
	}
	if e.ImportPath != "" && e.Package == "" {
		l.builds[e.ImportPath] = append(l.builds[e.ImportPath], strings.TrimRight(e.Output, "\r\n"))
		return nil
	}
	r := l.runs[[2]string{e.Package, e.Test}]
	if r == nil {
		r = &goRun{pkg: e.Package, test: e.Test}
		l.runs[[2]string{e.Package, e.Test}] = r
		l.order = append(l.order, r)
	}
	switch e.Action {
	case "run":
		r.running = true
	case "start", "pause", "cont", "bench", "attr", "artifacts":
	case "output":
		r.print(e.Output)
	case "pass", "fail", "skip":
		if r.ended != "fail" {
			r.ended = e.Action
		}
		r.build, r.running = e.FailedBuild, false
	default:
		return fmt.Errorf("action %.60q is not known", e.Action)
	}
	return nil
}

// print keeps a line of output, unless the test binary frames it with the line, and
// looks in it for how a run ends: the test binary's last line is PASS or FAIL alone,
// unless a panic, an exit or a signal ended it.
func (r *goRun) print(output string) {
	line := strings.TrimRight(output, "\r\n")
	switch {
	case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
		r.panicked = line
	case line == "FAIL" || line == "PASS":
		r.closed = r.closed || r.test == ""
		return
	case framing.MatchString(line):
		return
	}
	if r.output = append(r.output, line); len(r.output) > 2*maxOutput {
		r.output = slices.Clone(r.output[maxOutput:])
	}
}

var framing = regexp.MustCompile(`^\s*($|=== |--- )|^FAIL\t`)

// maxNested bounds how far out of a subtest the test around it is looked for, or
// a long name would take time by its square.
const maxNested = 100

// relate ends what has no end of its own, and notes what has parts and which of them was
// neither passed nor skipped. A test that fails makes the one around it fail, so the
// nearest and the package need to know. It returns the packages whose run broke off: the
// tests behind that place are in no line of the output.
func (l *goLog) relate() (broken []string) {
	cut := map[string]bool{}
	for _, r := range l.order {
		p := l.runs[[2]string{r.pkg, ""}]
		// Benchmarks have no end of their own. What else has none did not end.
		if p != nil && p.whole() && strings.HasPrefix(r.test, "Benchmark") {
			r.ended, r.running = cmp.Or(r.ended, "pass"), false
		}
		cut[r.pkg] = cut[r.pkg] || r.running || p != nil && !p.whole()
		around, name := []*goRun{p}, r.test
		for range maxNested {
			i := max(strings.LastIndexByte(name, '/'), 0)
			if name = name[:i]; name == "" || len(around) > 1 {
				break
			}
			if outer := l.runs[[2]string{r.pkg, name}]; outer != nil {
				around = append(around, outer)
			}
		}
		for _, p := range around {
			if p != nil && p != r {
				p.parent, p.bad = true, p.bad || r.ended != "pass" && r.ended != "skip"
			}
		}
	}
	for _, r := range l.order {
		if cut[r.pkg] {
			broken = append(broken, fmt.Sprintf("the run of %s broke off; tests behind that place did not run", nameOf(r.pkg)))
			cut[r.pkg] = false
		}
	}
	return broken
}

// whole tells of a package whether its run seems to have come to its end. Tests
// can print what the test binary prints there.
func (r *goRun) whole() bool {
	return r.ended == "pass" || r.ended == "skip" || r.closed || r.build != ""
}

// result is what a run counts as, if it counts.
func (r *goRun) result(builds map[string][]string) (Test, bool) {
	t := Test{Name: nameOf(strings.Trim(r.pkg+"."+r.test, ".")), Category: Unknown, Status: Passed}
	switch {
	case r.test == "" && (r.ended != "fail" && r.ended != "" || r.bad), r.test != "" && r.parent && (r.ended == "pass" || r.bad):
		return t, false
	case r.test == "" && r.ended == "": // output alone, or cut short
		t.Status, t.Message = Errored, "the package did not come to its end"
	case r.test == "" && r.build != "":
		t.Status, t.Message, r.output = Errored, "the package does not build", builds[r.build]
	case r.test == "":
		t.Status, t.Message = Errored, "the package failed outside its tests"
	case r.ended == "fail":
		t.Status, t.Message = Failed, "test failed"
	case r.ended == "skip":
		t.Status, t.Message = Skipped, "skipped"
	case r.ended == "":
		t.Status, t.Message = Errored, "the test did not come to its end"
	}
	if t.Status != Passed {
		t.Actual = strings.TrimSpace(strings.Join(r.output[max(0, len(r.output)-maxOutput):], "\n"))
		if line, _, _ := strings.Cut(t.Actual, "\n"); line != "" && r.test != "" {
			t.Message = strings.TrimSpace(line)
		}
		if r.panicked != "" && r.test != "" {
			t.Message = r.panicked
		}
	}
	return t, true
}
