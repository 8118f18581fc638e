package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Markdown writes what one pastes into a pull request: a table of the
// subjects, and of each where its score comes from, how the tests compare,
// what failed, and what hardening changed. It is read as GitHub reads it.
func Markdown(w io.Writer, d *Document) error {
	var b strings.Builder
	b.WriteString("## Shadow Score\n")
	if d.Run != nil {
		markdownRun(&b, d)
	}
	if len(d.Subjects) > 1 {
		markdownDoubts(&b, d.Subjects)
		markdownTable(&b, d.Subjects)
	}
	for i := range d.Subjects {
		markdownSubject(&b, &d.Subjects[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownRun(b *strings.Builder, d *Document) {
	r := d.Run
	if r.Scored == nil {
		fmt.Fprintf(b, "\nRun **%s**\n\n> [!IMPORTANT]\n> **Not final.** %s\n", markdown(r.ID), r.notScored())
	} else {
		fmt.Fprintf(b, "\nRun **%s**: %s %s\n", markdown(r.ID), d.runIcon(), d.median())
	}
	if why := r.doubt(); why != "" {
		fmt.Fprintf(b, "\n> [!WARNING]\n> **ADVISORY: this median is not authoritative.** %s\n", sentence(markdown(capital(why))))
	}
	if m := r.missing(); m != "" {
		fmt.Fprintf(b, "\nThere is %s.\n", markdown(m))
	}
	if why := r.suspect(); why != "" {
		fmt.Fprintf(b, "\n> [!NOTE]\n> **Suspect:** %s.\n", markdown(why))
	}
}

// markdownDoubts says above the table which of its scores are advisory.
func markdownDoubts(b *strings.Builder, subjects []Subject) {
	var names []string
	for i := range subjects {
		if subjects[i].Advisory() != "" {
			names = append(names, markdown(subjects[i].Name))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\n> [!WARNING]\n> **ADVISORY: %d of %d scores are not authoritative:** %s.\n", len(names), len(subjects), strings.Join(names, ", "))
	}
}

func markdownTable(b *strings.Builder, subjects []Subject) {
	b.WriteString("\n| | subject | score | level | read | gate |\n|---|---|---:|---|---|---|\n")
	for i := range subjects {
		s := &subjects[i]
		gate := markdown(s.gate())
		if s.Advisory() != "" {
			gate = strings.TrimPrefix(gate+" **ADVISORY**", " ")
		}
		h := &s.Score.Report
		fmt.Fprintf(b, "| %s | %s | %s %% | %s | %s | %s |\n", s.icon(), markdown(s.Name), h.ShadowScore, markdown(s.level()), s.share(), gate)
	}
}

func markdownSubject(b *strings.Builder, s *Subject) {
	fmt.Fprintf(b, "\n### %s %s: %s\n\n", s.icon(), markdown(s.Name), markdown(s.score()))
	if why := s.Advisory(); why != "" {
		text := strings.TrimSpace(sentence(capital(markdown(why))) + " " + sentence(capital(s.todo())))
		fmt.Fprintf(b, "> [!WARNING]\n> **ADVISORY: this score is not authoritative.** %s\n\n", text)
	}
	if s.Pending() {
		b.WriteString("> [!IMPORTANT]\n> **Not final:** a fix is awaited, so this is not the last word.\n\n")
	}
	if s.Observed() {
		b.WriteString("> [!NOTE]\n> **Observe mode:** gates are not enforced, so every bundle proceeds whatever its score.\n\n")
	}
	t := s.Score.SealedTests
	fmt.Fprintf(b, "**%d of %d** sealed tests passed, %d not.", t.Passed, t.Total, t.Failed)
	if o := s.Score.OpenTests; o != nil {
		fmt.Fprintf(b, " Of the open tests, %d of %d passed%s.", o.Passed, o.Total, markdown(s.stated()))
	}
	if read := s.read(); read != "" {
		fmt.Fprintf(b, " **%s.**", read)
	}
	if ids := s.spared(); ids != "" {
		fmt.Fprintf(b, " %s", sentence(markdown(ids)))
	}
	if s.Swarm != nil {
		fmt.Fprintf(b, " Gate: **%s**. %s", markdown(action(s)), sentence(capital(markdown(s.Swarm.Gate.Reason))))
	}
	b.WriteString("\n")
	markdownItems(b, s)
	markdownFailures(b, s)
	if t := s.tampering(); t != "" {
		fmt.Fprintf(b, "\n#### Tampering\n\n%s\n", sentence(capital(markdown(t))))
	}
	markdownBallots(b, s)
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
		fmt.Fprintf(b, "- **%s** (%s): %s\n", markdown(f.TestName), markdown(string(f.Category)), markdown(text))
		if f.Expected != "" {
			fmt.Fprintf(b, "  - expected: %s\n", code(f.Expected))
		}
		switch lines := found(&f); len(lines) {
		case 0:
		case 1:
			fmt.Fprintf(b, "  - found: %s\n", code(lines[0]))
		default:
			b.WriteString("  - found:\n" + block(lines, "    "))
		}
	}
}

func markdownItems(b *strings.Builder, s *Subject) {
	list, others := s.items()
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n#### Assignment: %s\n\n", s.read())
	for _, it := range list {
		fmt.Fprintf(b, "- **%s** %s\n", it.Verdict, markdown(it.String()))
	}
	if others != "" {
		fmt.Fprintf(b, "- **unread** %s\n", markdown(others))
	}
}

func markdownBallots(b *strings.Builder, s *Subject) {
	ballots := s.ballots()
	if len(ballots) == 0 {
		return
	}
	fmt.Fprintf(b, "\n#### Judges\n\n%s.\n\n", markdown(s.judgesTitle()))
	for _, ballot := range ballots {
		fmt.Fprintf(b, "- %s\n", markdown(ballot.Head))
		for _, vote := range ballot.Votes {
			fmt.Fprintf(b, "  - %s\n", markdown(vote))
		}
	}
}

func markdownHardening(b *strings.Builder, s *Subject) {
	h := s.Score.Hardening
	if !s.hardened() {
		return
	}
	b.WriteString("\n#### Hardening\n\n")
	fmt.Fprintf(b, "Cycle %s.\n", markdown(cycleText(s)))
	if h.CyclesCompleted == 0 {
		return
	}
	b.WriteString("\n| cycle | not passed | score | |\n|---:|---:|---:|---|\n")
	for _, c := range s.Swarm.Cycles {
		fmt.Fprintf(b, "| %d | %d of %d | %s %% | %s |\n", c.Cycle, c.Score.Failed, c.Score.Total, c.Score.Percent(), keptText(s.Swarm, c))
	}
	fmt.Fprintf(b, "\n%s\n", sentence(capital(hardenedText(h))))
}

// hardenedText says what the fixes brought. Spec version 1.0.0 has no velocity.
func hardenedText(h *shadow.Hardening) string {
	text := fmt.Sprintf("from %s %% to %s %% in %d of %d cycles", h.InitialShadowScore, h.FinalShadowScore, h.CyclesCompleted, h.MaxCycles)
	if h.HardeningVelocity != "" {
		text += fmt.Sprintf(", velocity %s points a cycle", h.HardeningVelocity)
	}
	return text
}

// keptText says what became of a cycle's bundle.
func keptText(s *shadow.Swarm, c shadow.Cycle) string {
	switch {
	case !c.Kept:
		return "worse, not kept"
	case c.Cycle == s.AcceptedCycle:
		return "stands"
	}
	return "replaced"
}

func markdownCoverage(b *strings.Builder, s *Subject) {
	if len(s.Score.Coverage) == 0 {
		return
	}
	fmt.Fprintf(b, "\n#### Coverage\n\n| category | sealed | open%s | delta |\n|---|---:|---:|---:|\n", markdown(s.stated()))
	for _, c := range Categories(s.Score.Coverage) {
		k := s.Score.Coverage[c]
		fmt.Fprintf(b, "| %s | %d | %d | %+d |\n", markdown(string(c)), k.Sealed, k.Open, k.Delta)
	}
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

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
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

// block makes untrusted lines a code block, indented as an item's part.
func block(lines []string, indent string) string {
	fence := indent + strings.Repeat("`", max(3, backticks(strings.Join(lines, "\n"))+1)) + "\n"
	return fence + indent + strings.Join(lines, "\n"+indent) + "\n" + fence
}

// backticks is the length of the longest run of backticks.
func backticks(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// code makes untrusted text a code span.
func code(s string) string {
	s = shadow.Printable(s)
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
