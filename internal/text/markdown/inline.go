package markdown

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Limits of inline markup, in bytes. What is longer is text; so every search for
// a closing mark is bounded, and stripping stays linear.
const (
	maxInline = 1024 // of code, the target of a link, a tag or a comment
	maxEntity = 34
)

// stripper removes inline markup from the text of one paragraph at a time.
type stripper struct {
	doc *Doc // gets the links and highlights

	// What the last text had, without its markup.
	code   []Span
	struck []Span // none within another
	lines  []int  // where its source lines begin, but for the first

	text     string // in hand
	out      []byte // what it is without markup, and marks that may be some
	marks    []mark // in the order of out
	parts    []part
	open     []int     // marks of emphasis that wait for their end
	waiting  [4][3]int // how many of open there are, by c>>5 of a mark c and its length
	brackets []int     // open brackets: indices of marks
}

// mark is a place in out. If gone is set, the n bytes there are markup.
type mark struct {
	at, n int
	gone  bool
	to    int // the place when all markup is gone
}

// part is what stands between two marks: code, emphasis, or a link.
type part struct {
	from, to int
	kind     byte   // the mark that it begins with
	url      string // of a link
}

// special are the bytes that markup begins with, and the colon of an address.
var special = [256]bool{'\\': true, '`': true, '*': true, '_': true, '~': true, '!': true, '[': true, ']': true, '<': true, '&': true, ':': true}

// strip returns text without inline markup, on one line. What it had is left in
// s until the next call.
func (s *stripper) strip(text string) string {
	s.code, s.struck, s.lines = s.code[:0], s.struck[:0], s.lines[:0]
	i := seek(text, 0, &special)
	if i == len(text) {
		return s.flat(text)
	}
	s.text, s.out, s.marks, s.parts = text, s.out[:0], s.marks[:0], s.parts[:0]
	s.open, s.waiting, s.brackets = s.open[:0], [4][3]int{}, s.brackets[:0]
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
	return s.finish()
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

// finish takes the marks out that are markup, and notes what stands between them.
func (s *stripper) finish() string {
	written, read := 0, 0
	for i := range s.marks {
		m := &s.marks[i]
		written += copy(s.out[written:], s.out[read:m.at])
		read, m.to = m.at, written
		if m.gone {
			read += m.n
		}
	}
	written += copy(s.out[written:], s.out[read:])
	text := s.flat(string(s.out[:written]))
	last := Span{}
	for _, p := range s.parts {
		in := Span{s.marks[p.from].to, s.marks[p.to].to}
		switch p.kind {
		case '[':
			s.doc.Links = append(s.doc.Links, Link{Text: text[in.From:in.To], URL: p.url})
		case '`':
			s.code = append(s.code, in)
		case '~':
			for n := len(s.struck); n > 0 && s.struck[n-1].From >= in.From; n-- {
				s.struck = s.struck[:n-1]
			}
			s.struck = append(s.struck, in)
		default:
			if in != last && in.From < in.To { // ***x*** is one
				s.doc.Highlights = append(s.doc.Highlights, text[in.From:in.To])
			}
			last = in
		}
	}
	return text
}

// mark notes a place in out before some bytes, and adds them.
func (s *stripper) mark(bytes string) int {
	s.marks = append(s.marks, mark{at: len(s.out), n: len(bytes)})
	s.out = append(s.out, bytes...)
	return len(s.marks) - 1
}

// part notes what stands between a mark and the end of out.
func (s *stripper) part(kind byte, from int, url string) {
	s.parts = append(s.parts, part{from: from, to: s.mark(""), kind: kind, url: url})
}

// skip leaves markup out, but not its line ends.
func (s *stripper) skip(markup string) {
	s.out = append(s.out, strings.Repeat("\n", strings.Count(markup, "\n"))...)
}

// markup takes the markup that begins at offset i and gives its length, 0 if
// what stands there is text.
func (s *stripper) markup(i int) int {
	text := s.text
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
	case '!', '[':
		if c == '[' || strings.HasPrefix(text[i+1:], "[") {
			n := 1 + btoi(c == '!')
			s.brackets = append(s.brackets, s.mark(text[i:i+n]))
			return n
		}
	case ']':
		return s.link(i)
	case '<':
		return s.angle(i)
	case '&':
		if j := strings.IndexByte(text[i:min(len(text), i+maxEntity)], ';'); j > 1 {
			if r := html.UnescapeString(text[i : i+j+1]); r[len(r)-1] != ';' {
				s.out = append(s.out, strings.ReplaceAll(r, "\n", " ")...)
				return j + 1
			}
		}
	case ':':
		if len(s.brackets) == 0 {
			return s.address(i)
		}
	}
	return 0
}

// ticks takes a code span, or the backticks that begin none.
func (s *stripper) ticks(i int) int {
	n := runLength(s.text[i:], '`')
	from := i + n
	at := closingTicks(s.text[from:min(len(s.text), from+maxInline)], n)
	if at < 0 {
		s.out = append(s.out, s.text[i:from]...)
		return n
	}
	code := s.text[from : from+at]
	if bare := strings.Trim(code, " "); bare != "" {
		code = bare
	}
	begin := s.mark("")
	s.out = append(s.out, code...)
	s.part('`', begin, "")
	return n + at + n
}

// closingTicks finds the next run of exactly n backticks, or -1.
func closingTicks(s string, n int) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			return -1
		}
		m := runLength(s[i+j:], '`')
		if i += j + m; m == n {
			return i - n
		}
	}
}

// emphasis takes a run of emphasis marks: one to three stars or underscores, or
// two tildes. It may begin something unless it stands behind a letter, so that
// 2*3*4 and snake_case are text, and may end something unless it stands behind a
// space. A mark ends the nearest that is as long as it; *** ends * and **.
func (s *stripper) emphasis(i int) int {
	c, n := s.text[i], runLength(s.text[i:], s.text[i])
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s.text[:i])
	}
	if i+n < len(s.text) {
		after, _ = utf8.DecodeRuneInString(s.text[i+n:])
	}
	wordBefore, wordAfter, marks := isWordRune(before), isWordRune(after), n == 2 || n < 4 && c != '~'
	opens := marks && !unicode.IsSpace(after) && (!wordBefore || c != '_' && fold.Unspaced(before))
	closes := marks && !unicode.IsSpace(before) && (!wordAfter || wordBefore && c == '*')
	end, waiting := i+n, &s.waiting[c>>5]
	for closes && i < end && (end-i != 2 && waiting[1] > 0 || end-i != 1 && waiting[2] > 0) {
		k := s.pop()
		if m := &s.marks[k]; s.out[m.at] == c && (m.n == end-i || end-i == 3) {
			m.gone = true
			s.part(c, k, "")
			i += m.n
		}
	}
	for opens && i < end {
		size := min(2, end-i)
		s.open = append(s.open, s.mark(s.text[i:i+size]))
		waiting[size]++
		i += size
	}
	s.out = append(s.out, s.text[i:end]...)
	return n
}

// pop takes the last of the emphasis that waits for its end.
func (s *stripper) pop() int {
	k := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	m := &s.marks[k]
	s.waiting[s.out[m.at]>>5][m.n]--
	return k
}

// linkTarget matches the target of a link and its title, "(target "title")", and
// escape a character of it behind a backslash.
var linkTarget, escape = regexp.MustCompile(`^\(\s*(<[^<>\n]*>|(?:[^\s()<\\]|\\\S|\([^\s()]*\))(?:[^\s()\\]|\\\S|\([^\s()]*\))*)?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`),
	regexp.MustCompile(`\\([[:punct:]])`)

// link closes a bracket at offset i. If that ends a link, the result is the length
// of "](target)". A link holds no other, but may hold images.
func (s *stripper) link(i int) int {
	n := len(s.brackets) - 1
	if n < 0 {
		return 0
	}
	from := s.brackets[n]
	s.brackets = s.brackets[:n]
	rest := s.text[i+1 : min(len(s.text), i+1+maxInline)]
	if !strings.HasPrefix(rest, "(") {
		return 0
	}
	m := linkTarget.FindStringSubmatchIndex(rest)
	if m == nil {
		return 0
	}
	if image := s.marks[from].n == 2; !image {
		s.brackets = s.brackets[:0]
	}
	for len(s.open) > 0 && s.open[len(s.open)-1] > from {
		s.pop()
	}
	url := ""
	if m[2] >= 0 {
		url = strings.TrimSuffix(strings.TrimPrefix(rest[m[2]:m[3]], "<"), ">")
		url = html.UnescapeString(escape.ReplaceAllString(url, "$1"))
	}
	s.marks[from].gone = true
	s.part('[', from, url)
	s.skip(rest[:m[1]])
	return 1 + m[1]
}

var bareAddress = regexp.MustCompile(`^https?://[^\s<./]+\.[^\s<]+`)

// address takes a bare address, "https://a.example", at whose first colon it
// stands, as GFM does: it ends at a space or "<", and marks at its end belong to
// the sentence, as does a closing parenthesis that none opens.
func (s *stripper) address(i int) int {
	from := i - len("http")
	if i > 0 && s.text[i-1] == 's' {
		from--
	}
	if from < 0 || !strings.HasPrefix(s.text[i:], "://") || from > 0 && strings.IndexByte(" \t\n*_~(", s.text[from-1]) < 0 {
		return 0
	}
	const marks = "?!.,:;*_~'\""
	url := strings.TrimRight(bareAddress.FindString(s.text[from:]), marks)
	if strings.HasSuffix(url, ")") && strings.Count(url, "(") < strings.Count(url, ")") {
		url = strings.TrimRight(url[:len(url)-1], marks)
	}
	if len(url) <= i-from {
		return 0
	}
	s.out = s.out[:len(s.out)-(i-from)]
	s.shown(url)
	return len(url) - (i - from)
}

// shown adds a link whose text is its address.
func (s *stripper) shown(url string) {
	from := s.mark("")
	s.out = append(s.out, url...)
	s.part('[', from, url)
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
		s.shown(inside)
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
