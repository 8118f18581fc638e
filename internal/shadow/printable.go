package shadow

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Printable is a [Line] of at most 1000 characters.
func Printable(s string) string { return clip.To(Line(s), 1000) }

// Line makes untrusted text fit for a log or a terminal: one line, valid UTF-8, no
// control characters, nothing that turns the direction of writing or hides in it,
// and no [LogCommand]. Joiners stay: Persian and emoji are not spelt without them.
func Line(s string) string {
	return LogCommand.ReplaceAllString(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029:
			return ' '
		case r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�")), "# #$1")
}

// LogCommand is what runners of pipelines obey wherever it stands in a line of a
// log: ##[add-mask] on GitHub, ##vso[task.setvariable] on Azure, ##teamcity[.
var LogCommand = regexp.MustCompile(`##(\w*\[)`)
