package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Markdown writes what one pastes into a pull request: a table of the
// subjects, and of each where its score comes from, how the tests compare,
// what failed, and what hardening changed. It is read as GitHub reads it.
func Markdown(w io.Writer, subjects []Subject) error {
	var b strings.Builder
	b.WriteString("## Shadow Score\n")
	if len(subjects) > 1 {
		b.WriteString("\n| | subject | score | level | gate |\n|---|---|---:|---|---|\n")
		for i := range subjects {
			s := &subjects[i]
			gate := s.gate()
			if s.Advisory() != "" {
				gate = strings.TrimPrefix(gate+" **(advisory)**", " ")
			}
			fmt.Fprintf(&b, "| %s | %s | %s %% | %s | %s |\n", Icon(s.Score.Report.Level), markdown(s.Name), s.Score.Report.ShadowScore, s.Score.Report.Level, gate)
		}
	}
	for i := range subjects {
		markdownSubject(&b, &subjects[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownSubject(b *strings.Builder, s *Subject) {
	h := &s.Score.Report
	fmt.Fprintf(b, "\n### %s %s: %s %% %s\n\n", Icon(h.Level), markdown(s.Name), h.ShadowScore, h.Level)
	if why := s.Advisory(); why != "" {
		fmt.Fprintf(b, "> [!WARNING]\n> **ADVISORY: this score is not authoritative.** %s\n\n", sentence(markdown(why)))
	}
	if s.Observed() {
		b.WriteString("> [!NOTE]\n> **Observe mode:** gates are not enforced, so every bundle proceeds whatever its score.\n\n")
	}
	t := s.Score.SealedTests
	fmt.Fprintf(b, "**%d of %d** sealed tests passed, %d not.", t.Passed, t.Total, t.Failed)
	if o := s.Score.OpenTests; o != nil {
		fmt.Fprintf(b, " Of the open tests, %d of %d passed.", o.Passed, o.Total)
	}
	if s.Swarm != nil {
		fmt.Fprintf(b, " Gate: **%s**. %s", s.Swarm.Gate.Action, sentence(markdown(s.Swarm.Gate.Reason)))
	}
	b.WriteString("\n")
	markdownFailures(b, s)
	markdownHardening(b, s)
	markdownCoverage(b, s)
	markdownProvenance(b, s)
}

func markdownFailures(b *strings.Builder, s *Subject) {
	if len(s.Score.Failures) == 0 {
		return
	}
	b.WriteString("\n#### What failed\n\n")
	for _, f := range s.Score.Failures {
		text := f.Message
		if text == "" {
			text = "no message"
		}
		if s.undecided(f.TestName) {
			text = "could not be judged: " + text
		}
		fmt.Fprintf(b, "- **%s** (%s): %s\n", markdown(f.TestName), f.Category, markdown(text))
		if f.Expected != "" {
			fmt.Fprintf(b, "  - expected: %s\n", code(f.Expected))
		}
		if f.Actual != "" {
			fmt.Fprintf(b, "  - found: %s\n", code(f.Actual))
		}
	}
}

func markdownHardening(b *strings.Builder, s *Subject) {
	h := s.Score.Hardening
	if h == nil || s.Swarm == nil {
		return
	}
	b.WriteString("\n#### Hardening\n\n")
	fmt.Fprintf(b, "Cycle %s.\n", markdown(cycleText(s)))
	if h.CyclesCompleted == 0 {
		return
	}
	b.WriteString("\n| cycle | not passed | score | |\n|---:|---:|---:|---|\n")
	for _, c := range s.Swarm.Cycles {
		kept := "stands"
		switch {
		case !c.Kept:
			kept = "worse, not kept"
		case c.Cycle != s.Swarm.AcceptedCycle:
			kept = ""
		}
		fmt.Fprintf(b, "| %d | %d of %d | %s %% | %s |\n", c.Cycle, c.Score.Failed, c.Score.Total, c.Score.Percent(), kept)
	}
	fmt.Fprintf(b, "\nFrom %s %% to %s %% in %d of %d cycles: velocity **%s** points a cycle.\n",
		h.InitialShadowScore, h.FinalShadowScore, h.CyclesCompleted, h.MaxCycles, h.HardeningVelocity)
}

func markdownCoverage(b *strings.Builder, s *Subject) {
	if len(s.Score.Coverage) == 0 {
		return
	}
	b.WriteString("\n#### Coverage\n\n| category | sealed | open | delta |\n|---|---:|---:|---:|\n")
	for _, c := range Categories(s.Score.Coverage) {
		k := s.Score.Coverage[c]
		fmt.Fprintf(b, "| %s | %d | %d | %+d |\n", markdown(string(c)), k.Sealed, k.Open, k.Delta)
	}
}

// Fact is a line of where a score comes from.
type Fact struct{ Name, Value string }

// Provenance says where a score comes from. Values are untrusted.
func Provenance(s *Subject) []Fact {
	h := &s.Score.Report
	facts := []Fact{
		{"spec version", s.Score.SpecVersion}, {"conformance level", fmt.Sprintf("L%d", h.ConformanceLevel)},
		{"specification", h.Specification}, {"sealed hash", h.SealedHash}, {"independence", h.Independence},
		{"seal author families", strings.Join(h.SealAuthorFamilies, ", ")}, {"implementer family", h.ImplementerFamily},
		{"workspace isolation", h.WorkspaceIsolation},
	}
	if h.SealBroken != nil && *h.SealBroken {
		facts = append(facts, Fact{"seal", "BROKEN"})
	}
	if s.Swarm != nil {
		w := s.Swarm
		judges := make([]string, len(w.Judges))
		for i, j := range w.Judges {
			judges[i] = j.Name
		}
		facts = append(facts, Fact{"bundle", w.BundleID + " of " + w.CommanderID}, Fact{"bundle digest", w.BundleDigest},
			Fact{"judged by", strings.Join(judges, ", ")}, Fact{"checker", w.CheckerVersion},
			Fact{"received", fmt.Sprintf("%s, sequence %d", w.In.Time.UTC().Format("2006-01-02 15:04:05 UTC"), w.In.Sequence)})
	}
	out := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			out = append(out, Fact{f.Name, shadow.Printable(f.Value)})
		}
	}
	return out
}

func markdownProvenance(b *strings.Builder, s *Subject) {
	b.WriteString("\n<details><summary>Provenance</summary>\n\n| | |\n|---|---|\n")
	for _, f := range Provenance(s) {
		fmt.Fprintf(b, "| %s | %s |\n", f.Name, markdown(f.Value))
	}
	b.WriteString("\n</details>\n")
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// markdown makes untrusted text plain: no markup, no HTML, no links, no
// mention of a user or an issue.
func markdown(s string) string {
	return markdownEscapes.Replace(shadow.Printable(s))
}

// A zero-width space behind @ keeps GitHub from notifying whoever is named;
// there is no escape for it.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`,
	`&`, `&amp;`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `!`, `\!`, `$`, `\$`, `://`, `&#58;//`, `www.`, `www\.`, `@`, "@\u200b")

// code makes untrusted text a code span.
func code(s string) string {
	s = shadow.Printable(s)
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
