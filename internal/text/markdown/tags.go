package markdown

import "strings"

// tagAt tells the length of the HTML tag, comment or bracketed address that
// text begins with: 0 if it is none, -1 if nothing closes it.
func tagAt(text string) (n int, isTag bool) {
	if strings.HasPrefix(text, "<!--") {
		if j := strings.Index(text[:min(len(text), maxLinkTarget)], "-->"); j > 0 {
			return j + 3, true
		}
		return -1, false
	}
	end := strings.IndexByte(text[:min(len(text), maxTag)], '>')
	if end < 0 {
		return -1, false
	}
	name := text[1:end]
	if isAddress(name) {
		return end + 1, false
	}
	name = strings.TrimPrefix(name, "/")
	if k := strings.IndexAny(name, " \t\n/"); k >= 0 {
		name = name[:k]
	}
	if htmlTags[strings.ToLower(name)] {
		return end + 1, true
	}
	return 0, false
}

// isAddress tells whether what stands between "<" and ">" is an address of
// the web or of mail.
func isAddress(s string) bool {
	if strings.ContainsAny(s, " \t\n<") {
		return false
	}
	if k := strings.IndexAny(s, ":@"); k > 0 && s[k] == '@' {
		host := s[k+1:]
		return host != "" && strings.Trim(host, "-.") == host && strings.IndexFunc(host, func(r rune) bool {
			return !(isWordRune(r) || r == '-' || r == '.')
		}) < 0
	} else if k > 1 && k <= 32 && !isDigit(s[0]) {
		return strings.IndexFunc(s[:k], func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) && r != '+' && r != '.' && r != '-' }) < 0
	}
	return false
}

// htmlTags are the tags that are markup in Markdown. Others, such as <token>,
// are taken for text.
var htmlTags = wordSet(`a abbr b big blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 h3 h4 h5 h6
	hr i img ins kbd li mark ol p picture pre q s samp small source span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video`)
