package shadow

import "strings"

// Printable makes untrusted text fit for a log line or a terminal: one line,
// valid UTF-8, no control characters, nothing that turns the direction of
// writing, at most 1000 bytes.
func Printable(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029:
			return ' '
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0xfeff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	const most = 1000
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
