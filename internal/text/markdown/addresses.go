package markdown

import "strings"

// address takes a bare address, "https://a.example", as GFM does: it ends at a
// space or "<", and marks at its end belong to the sentence, as does a closing
// parenthesis that none opens.
func (s *stripper) address(i int) int {
	if i > 0 && strings.IndexByte(" \t\n*_~(", s.text[i-1]) < 0 {
		return 0
	}
	url := s.text[i:min(len(s.text), i+maxLinkTarget)]
	if j := strings.IndexAny(url, " \t\n<"); j >= 0 {
		url = url[:j]
	}
	open := strings.Count(url, "(") - strings.Count(url, ")")
	for url != "" && (strings.IndexByte("?!.,:;*_~'\"", url[len(url)-1]) >= 0 || open < 0 && url[len(url)-1] == ')') {
		open += btoi(url[len(url)-1] == ')')
		url = url[:len(url)-1]
	}
	host, _, _ := strings.Cut(url[min(schemeOf(url), len(url)):], "/")
	if k := strings.IndexByte(host, '.'); k < 1 || k == len(host)-1 {
		return 0
	}
	s.foundAt(url, url)
	return len(url)
}

// schemeOf gives the length of "http://" or "https://" at the beginning of s,
// 0 if neither stands there.
func schemeOf(s string) int {
	switch {
	case strings.HasPrefix(s, "https://"):
		return len("https://")
	case strings.HasPrefix(s, "http://"):
		return len("http://")
	}
	return 0
}
