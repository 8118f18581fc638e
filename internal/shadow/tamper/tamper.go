package tamper

import (
	"html"
	"slices"
	"strings"
)

// The kinds of findings.
const (
	// Instruction: it tells whoever judges the text what to decide, or hails
	// the judge.
	Instruction = "instruction"
	// Override: it says to ignore instructions that were given before.
	Override = "override"
	// Verdict: it imitates a verdict, as JSON or as a line.
	Verdict = "verdict"
	// Delimiter: it imitates the marks around the text.
	Delimiter = "delimiter"
	// Template: it holds a control token of a chat template.
	Template = "template"
	// Role: it speaks as the system, the judge or a model.
	Role = "role"
	// Pressure: it flatters, threatens or bribes whoever judges.
	Pressure = "pressure"
	// Hidden: one of the above where a reader does not see it, or characters
	// that nobody sees.
	Hidden = "hidden"
	// Encoded: one of the above, encoded.
	Encoded = "encoded"

	// address is the kind of the rules that tell who is spoken to.
	address = "address"
)

// Limits. MaxText is the length of a text in bytes that is looked at,
// MaxFindings how many findings there are at most.
const (
	MaxText     = 1 << 20
	MaxFindings = 20
)

// Finding is a place where a text addresses its judge.
type Finding struct {
	Line int // from 1
	Kind string
}

// Find lists where a text, Markdown for the most part, addresses its judge or
// imitates the judge's machinery: in the order of the text, each kind once a
// line, at most MaxFindings.
// Character references are read as what they show.
func Find(text string) []Finding {
	text = text[:min(len(text), MaxText)]
	if !strings.Contains(text, "&") {
		return find(text, false)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.Contains(l, "&") {
			lines[i] = strings.ReplaceAll(html.UnescapeString(l), "\n", " ")
		}
	}
	return find(strings.Join(lines, "\n"), false)
}

// find looks at a text, and with decoded at one that was encoded inside
// another, in which nothing is decoded again.
func find(text string, decoded bool) []Finding {
	s := scanner{text: text[:min(len(text), MaxText)], line: 1, decoded: decoded, sentence: make([]token, 0, maxSentence)}
	s.run()
	slices.SortStableFunc(s.found, func(a, b Finding) int { return a.Line - b.Line })
	return s.found
}

// report notes a finding in the current line.
func (s *scanner) report(kind string) { s.add(Finding{s.line, kind}) }

func (s *scanner) add(f Finding) {
	if len(s.found) < MaxFindings && !slices.Contains(s.found, f) {
		s.found = append(s.found, f)
	}
}
