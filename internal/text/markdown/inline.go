package markdown

import (
	"html"
	"strings"
)

// Limits of inline markup. What is longer is text; so every search for a
// closing mark is bounded, and stripping stays linear.
const (
	maxLinkTarget = 2048
	maxTag        = 512
	maxTicks      = 8
	maxEntity     = 34
)

// stripper removes inline markup from the text of one paragraph at a time. Line
// breaks stay where they are, so that the text can be cut into its lines again.
type stripper struct {
	refs map[string]string // targets of link definitions, by their names

	text   string // in hand
	out    []byte
	marks  []mark
	links  []Link
	code   []Span
	struck []Span
	strong []string // what is emphasised

	found    []foundLink
	pairs    []pair
	unpaired []int     // emphasis marks that pairUp has not seen
	openers  []int     // of these, what may open emphasis
	opens    []bracket // open brackets
	closed   int       // opens below this one may open no link, for a link holds none
	noTicks  [maxTicks + 1]bool
	noAngle  int // no tag ends before this offset
}

// mark is a run of marks in out of which some may go: stars, underscores,
// tildes, an open bracket or, with no bytes, the end of a link.
type mark struct {
	at, n       int // in out
	left, right int // how many bytes of it go, at either end
	to          int // where it begins when all marks are gone
	char        byte
	open, close bool
}

// rest is how many bytes of a mark stay.
func (m *mark) rest() int { return m.n - m.left - m.right }

// bracket is an open bracket: its index in marks and the offset behind it in
// the text.
type bracket struct {
	mark, at int
	image    bool
}

// foundLink is a link from one mark to another.
type foundLink struct {
	from, to int
	url      string
	image    bool
}

// pair is emphasis from one mark to another.
type pair struct {
	from, to int
	char     byte
}

// strip returns text without inline markup. The code spans, struck parts and
// links of the result are left in s until the next call.
func (s *stripper) strip(text string) string {
	s.code, s.struck, s.strong, s.links, s.pairs = s.code[:0], s.struck[:0], s.strong[:0], s.links[:0], s.pairs[:0]
	i := nextMarkup(text, 0)
	if i == len(text) {
		return text
	}
	s.text, s.out, s.marks, s.opens, s.found = text, append(s.out[:0], text[:i]...), s.marks[:0], s.opens[:0], s.found[:0]
	s.unpaired = s.unpaired[:0]
	s.noTicks, s.noAngle, s.closed = [maxTicks + 1]bool{}, 0, 0
	for i < len(text) {
		n := s.markup(i)
		if n == 0 {
			s.out = append(s.out, text[i])
			n = 1
		}
		i += n
		j := nextMarkup(text, i)
		s.out = append(s.out, text[i:j]...)
		i = j
	}
	if len(s.marks) == 0 {
		return string(s.out)
	}
	s.pairUp(-1)
	s.drop()
	return s.finish()
}

// special are the bytes that markup begins with, and the colon of an address.
var special = func() (set [256]bool) {
	for _, c := range []byte("\\`*_~![]<&:") {
		set[c] = true
	}
	return set
}()

// nextMarkup finds the first byte from offset i on that markup may begin with.
func nextMarkup(text string, i int) int {
	for from := i; ; i++ {
		if i = seek(text, i, &special); i == len(text) || text[i] != ':' {
			return i
		}
		if strings.HasPrefix(text[i:], "://") {
			if scheme := text[from:i]; strings.HasSuffix(scheme, "https") {
				return i - len("https")
			} else if strings.HasSuffix(scheme, "http") {
				return i - len("http")
			}
		}
	}
}

// markup takes the markup that begins at offset i and gives its length, 0 if
// what stands there is text.
func (s *stripper) markup(i int) int {
	text := s.text
	switch c := text[i]; c {
	case '\\':
		if i+1 < len(text) && isPunct(text[i+1]) {
			s.out = append(s.out, text[i+1])
			return 2
		}
		if i+1 < len(text) && text[i+1] == '\n' {
			s.out = append(s.out, '\n')
			return 2
		}
	case '`':
		return s.ticks(i)
	case '*', '_', '~':
		return s.delimiter(i)
	case '!':
		if i+1 < len(text) && text[i+1] == '[' {
			s.bracket(i, 2)
			return 2
		}
	case '[':
		if n := footnote(text, i); n > 0 {
			return n
		}
		s.bracket(i, 1)
		return 1
	case ']':
		return s.link(i)
	case '<':
		return s.angle(i)
	case '&':
		if j := strings.IndexByte(text[i:min(len(text), i+maxEntity)], ';'); j > 1 {
			if r := html.UnescapeString(text[i : i+j+1]); r[len(r)-1] != ';' {
				s.out = append(s.out, strings.ReplaceAll(r, "\n", " ")...) // source lines are counted by their ends
				return j + 1
			}
		}
	case 'h':
		if len(s.opens) == 0 {
			return s.address(i)
		}
	}
	return 0
}

// ticks takes a code span, or the backticks that begin none.
func (s *stripper) ticks(i int) int {
	text := s.text
	n := runLength(text[i:], '`')
	if n <= maxTicks && !s.noTicks[n] {
		if j := closingTicks(text[i+n:], n); j >= 0 {
			code := text[i+n : i+n+j]
			if bare := strings.Trim(code, " "); bare != "" {
				code = bare
			}
			from := len(s.out)
			s.out = append(s.out, code...)
			s.code = append(s.code, Span{from, len(s.out)})
			return n + j + n
		}
		s.noTicks[n] = true
	}
	s.out = append(s.out, text[i:i+n]...)
	return n
}

// angle takes a tag, a comment or an address between "<" and ">".
func (s *stripper) angle(i int) int {
	if i < s.noAngle {
		return 0
	}
	text := s.text[i:]
	n, isTag := tagAt(text)
	switch {
	case n < 0:
		s.noAngle = i + maxTag
		return 0
	case n == 0:
		return 0
	case isTag:
		s.skip(text[:n])
		if n < len(text) && text[n] != ' ' {
			s.space()
		}
	default:
		url := text[1 : n-1]
		s.foundAt(url, url)
	}
	return n
}

// foundAt adds a link whose text is its address.
func (s *stripper) foundAt(text, url string) {
	s.marks = append(s.marks, mark{at: len(s.out)})
	s.out = append(s.out, text...)
	s.marks = append(s.marks, mark{at: len(s.out)})
	s.found = append(s.found, foundLink{from: len(s.marks) - 2, to: len(s.marks) - 1, url: url})
}

// skip leaves markup out, but not its line breaks.
func (s *stripper) skip(markup string) {
	s.out = append(s.out, strings.Repeat("\n", strings.Count(markup, "\n"))...)
}

// space stands in for a removed tag, so that the words around it stay apart.
func (s *stripper) space() {
	if n := len(s.out); n > 0 && s.out[n-1] != ' ' {
		s.out = append(s.out, ' ')
	}
}

// closingTicks finds the next run of exactly n backticks, or -1.
func closingTicks(s string, n int) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			return -1
		}
		i += j
		m := runLength(s[i:], '`')
		if m == n {
			return i
		}
		i += m
	}
}
