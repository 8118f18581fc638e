package markdown

import (
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

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
	if bracketed.MatchString(name) {
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

// bracketed matches what stands between "<" and ">" if it is an address of the
// web or of mail, as CommonMark has it.
var bracketed = regexp.MustCompile("^(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^ \t\n<]*|[\\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*)$")

// htmlTags are the tags that are markup in Markdown. Others, such as <token>,
// are taken for text.
var htmlTags = fold.WordSet(`a abbr b big blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 h3 h4 h5 h6
	hr i img ins kbd li mark ol p picture pre q s samp small source span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video`)
