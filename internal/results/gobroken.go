package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// readOutput looks in a line of output for how a run ends: the test binary's last
// line is PASS or FAIL alone, unless a panic, an exit or a signal ended it.
func (r *goRun) readOutput(output string) {
	line := strings.TrimRight(output, "\r\n")
	switch {
	case r.test == "" && (line == "FAIL" || line == "PASS"):
		r.closed = true
	case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
		r.panicked = line
	}
}

// whole tells of a package whether its run seems to have come to its end. Tests
// can print what the test binary prints there.
func (r *goRun) whole() bool {
	return r.ended == "pass" || r.ended == "skip" || r.closed || r.build != ""
}

// brokenOff says for each package whose run broke off where it did. The tests
// behind that place are in no line of the output, so that nothing else would
// tell that they are missing.
func brokenOff(order []*goRun) []string {
	panicked, running := map[string]string{}, map[string]string{} // the last test, by package
	for _, r := range order {
		if r.test != "" && r.panicked != "" {
			panicked[r.pkg] = r.test
		}
		if r.test != "" && r.running {
			running[r.pkg] = r.test
		}
	}
	var out []string
	for _, p := range order {
		var where string
		switch {
		case p.test != "":
			continue
		case panicked[p.pkg] != "" && !p.whole():
			where = "in " + panicked[p.pkg]
		case running[p.pkg] != "":
			where = "in " + running[p.pkg]
		case p.panicked != "" && !p.whole():
			where = "outside its tests"
		default:
			continue
		}
		out = append(out, fmt.Sprintf("the run of %s broke off %s; tests behind it did not run", nameOf(p.pkg), where))
	}
	return out
}

// notAnEvent says what is wrong with a line that is no JSON.
func notAnEvent(line []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && line[0] == '{' && syntax.Offset >= int64(len(line)) {
		return errors.New("the line is cut short")
	}
	return errors.New("not a line of go test -json: leave standard error out of the file")
}
