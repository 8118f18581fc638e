package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// markdown makes untrusted text plain: no markup, no HTML, no links, no
// mention of a user or an issue.
func markdown(v any) string { return markdownEscapes.Replace(shadow.Printable(fmt.Sprint(v))) }

// A zero-width space behind @ keeps GitHub from notifying whoever is named;
// there is no escape for it.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`,
	`&`, `&amp;`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `!`, `\!`, `$`, `\$`, `://`, `&#58;//`, `www.`, `www\.`, `@`, "@\u200b")

// quoted shows untrusted lines below an item of a list: one line as a code span,
// more as a code block.
func quoted(lines []string) string {
	if len(lines) == 1 {
		return " " + code(lines[0])
	}
	const indent = "\n    "
	fence := indent + strings.Repeat("`", max(3, backticks(strings.Join(lines, "\n"))+1))
	return fence + indent + strings.Join(lines, indent) + fence
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
