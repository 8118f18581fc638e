package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Wrap breaks text that stands in column indent at spaces, so that a terminal
// of the given width need not break it within a word. A width of 0 is no
// terminal: the text stays as it is.
func Wrap(text string, indent, width int) string {
	room := width - indent
	if room < 20 {
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && column+1+n > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// mostLines is how many lines of what a test found are shown.
const mostLines = 20

// found is what a failure found, line by line and fit to be shown. A test
// runner's message is often the first line of it, and not said twice.
func found(f *shadow.Failure) []string {
	lines := strings.Split(strings.TrimSpace(clean(f.Actual)), "\n")
	if len(lines) > 0 && strings.TrimSpace(lines[0]) == strings.TrimSpace(shadow.Printable(f.Message)) {
		lines = lines[1:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines:mostLines], fmt.Sprintf("… and %s", Count(more, "more line")))
	}
	return lines
}

// clean drops from untrusted text what XML and terminals must not see. Line
// breaks stay.
func clean(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = inert(strings.TrimRight(shadow.Printable(lines[i]), " "))
	}
	return strings.Join(lines, "\n")
}

// inert keeps a line from being a workflow command: a runner reads the log of
// a step for lines that begin with "::", however far they are indented. A
// zero-width space in front ends that and shows nothing.
func inert(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		return "\u200b" + line
	}
	return line
}

// stated says whose word the numbers of open tests are, to stand behind them. It is
// empty where they were read from results.
func (s *Subject) stated() string {
	if s.Swarm == nil || s.Swarm.OpenTestsBy == "" {
		return ""
	}
	return ", as stated by " + shadow.Printable(s.Swarm.OpenTestsBy)
}

// Categories lists those of a comparison in the order of the protocol.
func Categories(coverage map[shadow.Category]shadow.Coverage) []shadow.Category {
	order := shadow.Categories()
	var out, others []shadow.Category
	for _, c := range order {
		if _, ok := coverage[c]; ok {
			out = append(out, c)
		}
	}
	for c := range coverage {
		if !slices.Contains(order, c) {
			others = append(others, c)
		}
	}
	slices.Sort(others)
	return append(out, others...)
}
