package shadow

import (
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Printable makes untrusted text fit for a log line or a terminal: one line,
// valid UTF-8, no control characters, nothing that turns the direction of
// writing or hides in it, at most 1000 characters. Joiners stay: Persian and emoji
// are not spelt without them.
func Printable(s string) string {
	return clip.To(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029:
			return ' '
		case r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�")), 1000)
}
