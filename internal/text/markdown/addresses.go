package markdown

import "strings"

// address takes a bare address, "https://a.example" or "www.a.example", as
// GFM does: it ends at a space or "<", and marks at its end belong to the
// sentence.
func (s *stripper) address(i int) int {
	if i > 0 && strings.IndexByte(" \t\n*_~(", s.text[i-1]) < 0 {
		return 0
	}
	text := s.text[i:min(len(s.text), i+maxLinkTarget)]
	scheme := ""
	if n := schemeOf(text); n > 0 {
		text, scheme = text[n:], text[:n]
	} else if !strings.HasPrefix(text, "www.") {
		return 0
	}
	if j := strings.IndexAny(text, " \t\n<"); j >= 0 {
		text = text[:j]
	}
	text = trimAddress(text)
	host := text
	if j := strings.IndexAny(host, "/?#"); j >= 0 {
		host = host[:j]
	}
	if k := strings.IndexByte(host, '.'); k < 1 || k == len(host)-1 {
		return 0
	}
	if scheme == "" {
		s.foundAt(text, "http://"+text)
	} else {
		s.foundAt(scheme+text, scheme+text)
	}
	return len(scheme) + len(text)
}

// beginsAddress tells whether s begins with what every bare address does.
func beginsAddress(s string) bool { return strings.HasPrefix(s, "www.") || schemeOf(s) > 0 }

// schemeOf gives the length of "http://" or "https://" at the beginning of s.
func schemeOf(s string) int {
	switch {
	case strings.HasPrefix(s, "https://"):
		return len("https://")
	case strings.HasPrefix(s, "http://"):
		return len("http://")
	}
	return 0
}

// trimAddress takes off the end of an address what belongs to the sentence: a
// closing parenthesis that none opens, a character reference, and marks.
func trimAddress(s string) string {
	open := strings.Count(s, "(") - strings.Count(s, ")")
	for s != "" {
		switch c := s[len(s)-1]; {
		case strings.IndexByte("?!.,:*_~'\"", c) >= 0:
		case c == ')' && open < 0:
			open++
		case c == ';':
			k := strings.LastIndexByte(s[max(0, len(s)-maxEntity):], '&')
			if k < 0 {
				return s
			}
			s = s[:max(0, len(s)-maxEntity)+k]
			continue
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}
