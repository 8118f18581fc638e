package results

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The lines of the Test Anything Protocol, versions 12 to 14.
var (
	tapTest    = regexp.MustCompile(`^( *)(not )?ok\b *([0-9]+)?(?: *- *| +)?(.*)$`)
	tapPlan    = regexp.MustCompile(`^( *)1\.\.([0-9]+)\s*(?:#\s*(.*))?$`)
	tapVersion = regexp.MustCompile(`(?i)^TAP version [0-9]+\s*$`)
	tapNote    = regexp.MustCompile(`(?i)^((?:[^\\]|\\.)*?) ?# *(skip\S*|todo)\b[: ]*(.*)$`) // "\#" begins none
	tapTime    = regexp.MustCompile(` # time=[0-9.]+ ?m?s$`)
	tapFirst   = regexp.MustCompile(`^(not )?ok( |$)`)
	tapBail    = regexp.MustCompile(`^\s*Bail out!\s*(.*)$`)
)

// isTAP tells whether data begins like TAP: after comments, with its version, a
// plan or a test.
func isTAP(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		return tapVersion.Match(line) || tapPlan.Match(line) || tapFirst.Match(line)
	}
	return false
}

// tapLevel is what is known of the tests at one indent.
type tapLevel struct {
	tests, plan int
	bad         bool
	subtests    bool
}

// buffer is a test whose subtests follow it in braces, as node-tap writes them.
type buffer struct {
	indent int
	match  []string
}

// readTAP reads TAP. A test with subtests, which come before it, counts only if
// it failed while none of them did.
func readTAP(data []byte) (*Suite, error) {
	suite := &Suite{}
	levels := map[int]*tapLevel{}
	at := func(indent int) *tapLevel {
		if levels[indent] == nil {
			levels[indent] = &tapLevel{plan: -1}
		}
		return levels[indent]
	}
	var buffered []buffer
	yaml := false // a block of YAML is open
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(string(raw), "\r\n")
		bare := strings.TrimSpace(line)
		if yaml {
			suite.tapDetail(line)
			yaml = bare != "..."
		} else if bare == "---" && strings.HasPrefix(line, " ") {
			yaml = true
		} else if n := len(buffered); n > 0 && bare == "}" {
			b := buffered[n-1]
			buffered = buffered[:n-1]
			suite.addTAP(b.match, at(b.indent), closeLevels(suite, levels, b.indent))
		} else if m := tapBail.FindStringSubmatch(line); m != nil {
			suite.Broken = append(suite.Broken, strings.TrimSpace("the run bailed out: "+m[1]))
		} else if m := tapPlan.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return nil, fmt.Errorf("the plan %.60q is too long", line)
			}
			at(len(m[1])).plan = n
		} else if m := tapTest.FindStringSubmatch(line); m != nil && strings.HasSuffix(line, " {") {
			m[4] = strings.TrimSuffix(m[4], " {")
			buffered = append(buffered, buffer{len(m[1]), m})
		} else if m != nil {
			suite.addTAP(m, at(len(m[1])), closeLevels(suite, levels, len(m[1])))
		}
	}
	closeLevels(suite, levels, -1)
	return suite, nil
}

// closeLevels ends the subtests deeper than an indent, holds their number against
// their plans, and sums up whether there were any and whether one is bad.
func closeLevels(suite *Suite, levels map[int]*tapLevel, indent int) (sum tapLevel) {
	for _, i := range slices.Sorted(maps.Keys(levels)) {
		l := levels[i]
		if i <= indent {
			continue
		}
		sum.subtests, sum.bad = sum.subtests || l.tests > 0, sum.bad || l.bad
		if l.plan > l.tests || l.plan < 0 && i == 0 && indent < 0 {
			plan := fmt.Sprintf("the plan announces %d tests, %d ran", l.plan, l.tests)
			if l.plan < 0 {
				plan = "there is no plan, so nothing tells whether all tests ran"
			}
			suite.Broken = append(suite.Broken, plan)
		}
		delete(levels, i)
	}
	return sum
}

func (suite *Suite) addTAP(m []string, level *tapLevel, inner tapLevel) {
	level.tests++
	t := Test{Name: tapTime.ReplaceAllString(strings.TrimSpace(m[4]), ""), Category: Unknown, Status: Passed}
	if m[2] != "" {
		t.Status, t.Message = Failed, "not ok"
	}
	if note := tapNote.FindStringSubmatch(t.Name); note != nil {
		t.Name, t.Status, t.Message = strings.TrimSpace(note[1]), Skipped, skippedBecause(note[3])
		if strings.EqualFold(note[2], "todo") { // no failure, by the specification, however it ends
			t.Status, t.Message = Passed, ""
		}
	}
	t.Name = nameOf(strings.ReplaceAll(t.Name, `\#`, "#"))
	level.bad = level.bad || t.Status != Passed || inner.bad
	if inner.subtests && (t.Status != Failed || inner.bad) {
		return
	}
	suite.Tests = append(suite.Tests, t)
}

// tapDetail takes the message of the last test from its YAML block.
func (suite *Suite) tapDetail(line string) {
	if len(suite.Tests) == 0 {
		return
	}
	t := &suite.Tests[len(suite.Tests)-1]
	key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
	value = strings.Trim(strings.TrimSpace(value), `'"`)
	if t.Status != Failed || value == "" || strings.ContainsAny(value[:1], "|>") {
		return
	}
	switch key {
	case "message", "error":
		if t.Message == "not ok" {
			t.Message = value
		}
	case "expected", "wanted":
		t.Expected = value
	case "actual", "found":
		t.Actual = value
	}
}
