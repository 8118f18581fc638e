package markdown

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Limits of inline markup, in bytes. What is longer is text; so every search for
// a closing mark is bounded, and stripping stays linear.
const (
	maxInline = 1024 // of code, emphasis, the text or the target of a link, a tag or a comment
	maxEntity = 34
)

// stripper removes inline markup from the text of one paragraph at a time.
type stripper struct {
	doc *Doc // gets the links and highlights

	// What the last text had, without its markup.
	code   []Span
	struck bool  // something is struck through
	lines  []int // where its source lines begin, but for the first

	text string // in hand
	out  []byte // what it is without markup
	open []part // what the place in hand stands in, outermost first
}

// part is emphasis, or the text of a link.
type part struct {
	kind      byte // the mark that it begins with
	from      int  // where it begins in out
	end, next int  // where the mark at its end begins in text, and ends
	url       string
}

// special are the bytes that markup begins with.
var special = [256]bool{'\\': true, '`': true, '*': true, '_': true, '~': true, '!': true, '[': true, ']': true, '<': true, '&': true}

// strip returns text without inline markup, on one line. What it had is left in
// s until the next call.
func (s *stripper) strip(text string) string {
	s.code, s.struck, s.lines = s.code[:0], false, s.lines[:0]
	i := seek(text, 0, &special)
	if i == len(text) {
		return s.flat(text)
	}
	s.text, s.out, s.open = text, s.out[:0], s.open[:0]
	for from := 0; ; i = seek(text, from, &special) {
		s.out = append(s.out, text[from:i]...)
		if i == len(text) {
			break
		}
		n := s.markup(i)
		if n == 0 {
			s.out = append(s.out, text[i])
			n = 1
		}
		from = i + n
	}
	return s.flat(string(s.out))
}

// flat gives a text on one line, and notes where its lines begin.
func (s *stripper) flat(text string) string {
	for at := 0; ; {
		j := strings.IndexByte(text[at:], '\n')
		if j < 0 {
			return strings.ReplaceAll(text, "\n", " ")
		}
		at += j + 1
		s.lines = append(s.lines, at)
	}
}

// begin takes a mark of n bytes at offset i, whose part ends with the mark between
// two other offsets.
func (s *stripper) begin(i, n, end, next int, url string) int {
	s.open = append(s.open, part{s.text[i], len(s.out), end, next, url})
	return n
}

// close ends the innermost part, and gives the length of the mark that does.
func (s *stripper) close() int {
	p := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	text := strings.ReplaceAll(string(s.out[p.from:]), "\n", " ")
	switch p.kind {
	case '[', '!':
		s.doc.Links = append(s.doc.Links, Link{Text: text, URL: p.url})
		s.skip(s.text[p.end:p.next])
	case '~':
		s.struck = true
	default:
		s.doc.Highlights = append(s.doc.Highlights, text)
	}
	return p.next - p.end
}

// limit is where the search for the end of a part that begins at offset i ends.
func (s *stripper) limit(i int) int {
	end := min(len(s.text), i+maxInline)
	if n := len(s.open); n > 0 {
		return min(end, s.open[n-1].end)
	}
	return end
}

// skip leaves markup out, but not its line ends.
func (s *stripper) skip(markup string) {
	s.out = append(s.out, strings.Repeat("\n", strings.Count(markup, "\n"))...)
}

// markup takes the markup that begins at offset i and gives its length, 0 if
// what stands there is text.
func (s *stripper) markup(i int) int {
	text := s.text
	for n := len(s.open); n > 0 && s.open[n-1].end <= i; n-- {
		if s.open[n-1].end == i {
			return s.close()
		}
		s.close() // its end is no text
	}
	switch c := text[i]; c {
	case '\\':
		if i+1 < len(text) && (isPunct(text[i+1]) || text[i+1] == '\n') {
			s.out = append(s.out, text[i+1])
			return 2
		}
	case '`':
		return s.ticks(i)
	case '*', '_', '~':
		return s.emphasis(i)
	case '!':
		if strings.HasPrefix(text[i+1:], "[") {
			return s.link(i, 2)
		}
	case '[':
		return s.link(i, 1)
	case '<':
		return s.angle(i)
	case '&':
		if j := strings.IndexByte(text[i:min(len(text), i+maxEntity)], ';'); j > 1 {
			if r := html.UnescapeString(text[i : i+j+1]); r[len(r)-1] != ';' {
				s.out = append(s.out, strings.ReplaceAll(r, "\n", " ")...)
				return j + 1
			}
		}
	}
	return 0
}

// ticks takes a code span, or the backticks that begin none.
func (s *stripper) ticks(i int) int {
	n, length := codeAt(s.text[i:])
	code := s.text[i+n : i+max(n, length-n)]
	if length == 0 {
		s.out = append(s.out, s.text[i:i+n]...)
		return n
	}
	if bare := strings.Trim(code, " "); bare != "" {
		code = bare
	}
	s.out = append(s.out, code...)
	s.code = append(s.code, Span{len(s.out) - len(code), len(s.out)})
	return length
}

// codeAt gives the number of backticks at the beginning of a text, and the length of the
// code up to the next run of as many, 0 if there is none.
func codeAt(s string) (n, length int) {
	n = runLength(s, '`')
	s = s[:min(len(s), n+maxInline)]
	for i := n; ; {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			return n, 0
		}
		m := runLength(s[i+j:], '`')
		if i += j + m; m == n {
			return n, i
		}
	}
}

// emphasis takes a run of emphasis marks: one to three stars or underscores, or two
// tildes. It ends at the next run of as many, or at the last marks of three.
func (s *stripper) emphasis(i int) int {
	c, all := s.text[i], runLength(s.text[i:], s.text[i])
	if opens, _ := s.flanks(i, all); !opens || all > 3 || c == '~' && all != 2 {
		s.out = append(s.out, s.text[i:i+all]...)
		return all
	}
	for n := all; n > 0; n-- {
		if end := s.emphasisEnd(i+all, c, n); end > 0 {
			return s.begin(i, n, end, end+n, "")
		}
	}
	s.out = append(s.out, s.text[i:i+all]...)
	return all
}

// emphasisEnd finds the n marks that end emphasis whose text begins at offset i; 0 if
// there are none.
func (s *stripper) emphasisEnd(i int, c byte, n int) int {
	limit := s.limit(i)
	for i = seek(s.text, i, &special); i < limit; i = seek(s.text, i, &special) {
		if s.text[i] != c {
			i += s.passed(i)
			continue
		}
		run := runLength(s.text[i:limit], c)
		if _, closes := s.flanks(i, run); closes && (run == n || run == 3) {
			return i + run - n
		}
		i += run
	}
	return 0
}

// flanks tells whether a run of marks may begin or end something: beside letters and
// spaces it may not, so that 2 * 3 and snake_case are text.
func (s *stripper) flanks(i, n int) (opens, closes bool) {
	before, after := ' ', ' '
	if i > 0 {
		before = lastRune(s.text[:i])
	}
	if i+n < len(s.text) {
		after = firstRune(s.text[i+n:])
	}
	wordBefore := isWordRune(before)
	opens = !unicode.IsSpace(after) && (!wordBefore || s.text[i] != '_' && fold.Unspaced(before))
	return opens, !unicode.IsSpace(before) && (!isWordRune(after) || wordBefore && s.text[i] == '*')
}

// passed gives the length of what the search for the end of a part passes over at
// offset i: code, or a character behind a backslash.
func (s *stripper) passed(i int) int {
	switch s.text[i] {
	case '\\':
		return 2
	case '`':
		n, length := codeAt(s.text[i:])
		return max(n, length)
	}
	return 1
}

// linkTarget matches the target of a link and its title, "(target "title")", and
// escape a character of it behind a backslash.
var linkTarget, escape = regexp.MustCompile(`^\(\s*(<[^<>\n]*>|(?:[^\s()<\\]|\\\S|\([^\s()]*\))(?:[^\s()\\]|\\\S|\([^\s()]*\))*)?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`),
	regexp.MustCompile(`\\([[:punct:]])`)

// link takes a link or an image that begins with n marks at offset i.
func (s *stripper) link(i, n int) int {
	limit, depth := s.limit(i), 1
	end := i + n
	for ; end < limit; end += s.passed(end) {
		if end = seek(s.text, end, &special); end >= limit {
			return 0
		}
		if depth += btoi(s.text[end] == '[') - btoi(s.text[end] == ']'); depth == 0 {
			break
		}
	}
	if end >= limit {
		return 0
	}
	m, inside := linkTarget.FindStringSubmatch(s.text[end+1:min(len(s.text), end+1+maxInline)]), s.text[i+n:end]
	if m == nil || n == 1 && strings.Contains(inside, "](") && !strings.Contains(inside, "![") { // it holds another one
		return 0
	}
	url := strings.TrimSuffix(strings.TrimPrefix(m[1], "<"), ">")
	return s.begin(i, n, end, end+1+len(m[0]), html.UnescapeString(escape.ReplaceAllString(url, "$1")))
}

// bracketed matches what stands between "<" and ">" if it is an address of the
// web or of mail, as CommonMark has it.
var bracketed = regexp.MustCompile("^(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^ \t\n<]*|[\\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*)$")

// htmlTag matches what stands there if it is a tag that is markup in Markdown.
// Others, such as <token>, are taken for text.
var htmlTag = regexp.MustCompile(`(?is)^/?(?:` + strings.Join(strings.Fields(`a abbr b big blockquote br center code dd del details div dl dt em figcaption figure font h1 h2
	h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q s samp small source span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video`), "|") + `)(?:[\s/].*)?$`)

// angle takes a tag, a comment or an address between "<" and ">". A tag parts
// the words around it.
func (s *stripper) angle(i int) int {
	text := s.text[i:min(len(s.text), i+maxInline)]
	comment := strings.HasPrefix(text, "<!--")
	end := strings.IndexByte(text, '>')
	if comment {
		end = strings.Index(text, "-->") + len("--")
	}
	if end < len("<a") {
		return 0
	}
	inside := text[1:end]
	if bracketed.MatchString(inside) {
		s.doc.Links = append(s.doc.Links, Link{inside, inside})
		s.out = append(s.out, inside...)
		return end + 1
	}
	if !comment && !htmlTag.MatchString(inside) {
		return 0
	}
	s.skip(inside)
	if n := len(s.out); n > 0 && s.out[n-1] != ' ' && !strings.HasPrefix(text[end+1:], " ") {
		s.out = append(s.out, ' ')
	}
	return end + 1
}

// seek gives the first byte of a set in a text, at or behind offset at, or the end.
func seek(text string, at int, set *[256]bool) int {
	i := uint(at) // needs no check of its own for each byte
	for i < uint(len(text)) && !set[text[i]] {
		i++
	}
	return int(i)
}

// runLength counts how often s has a character at its beginning.
func runLength(s string, c byte) int { return len(s) - len(strings.TrimLeft(s, string(rune(c)))) }

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }
