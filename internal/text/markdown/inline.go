package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of inline markup. What is longer is text; so every search for a
// closing mark is bounded, and stripping stays linear.
const (
	maxLinkTarget = 2048
	maxTag        = 512
	maxTicks      = 8
)

// stripper removes inline markup from one source line at a time.
type stripper struct {
	out    []byte
	code   []Span
	struck []Span
	links  []Link
	delims []delim
	opens  []int // open brackets, as positions in out
}

// delim is a run of emphasis marks in out that is still to be paired.
type delim struct {
	at, n          int
	mark           byte
	canOpen, close bool
	drop           bool
}

// strip returns line without inline markup. The result's code spans and links
// are left in s until the next call.
func (s *stripper) strip(line string) string {
	s.code, s.struck, s.links = nil, nil, nil
	if !strings.ContainsAny(line, "*_`[]<\\&~") {
		return line
	}
	s.out, s.delims, s.opens = s.out[:0], s.delims[:0], s.opens[:0]
	noTicks := [maxTicks + 1]bool{}
	noParen, noAngle := 0, 0 // no closing mark before this position
	for i := 0; i < len(line); {
		c := line[i]
		switch c {
		case '\\':
			if i+1 < len(line) && isPunct(line[i+1]) {
				s.out = append(s.out, line[i+1])
				i += 2
				continue
			}
		case '`':
			n := runLength(line[i:], '`')
			if n <= maxTicks && !noTicks[n] {
				if j := closingTicks(line[i+n:], n); j >= 0 {
					from := len(s.out)
					s.out = append(s.out, strings.Trim(line[i+n:i+n+j], " ")...)
					s.code = append(s.code, Span{from, len(s.out)})
					i += n + j + n
					continue
				}
				noTicks[n] = true
			}
			s.out = append(s.out, line[i:i+n]...)
			i += n
			continue
		case '*', '_', '~':
			n := runLength(line[i:], c)
			s.delimiter(line, i, n)
			i += n
			continue
		case '!':
			if i+1 < len(line) && line[i+1] == '[' {
				s.opens = append(s.opens, -len(s.out)-1)
				s.out = append(s.out, '[')
				i += 2
				continue
			}
		case '[':
			if strings.HasPrefix(line[i:], "[^") { // a footnote mark
				if j := strings.IndexByte(line[i:min(len(line), i+40)], ']'); j > 0 {
					i += j + 1
					continue
				}
			}
			s.opens = append(s.opens, len(s.out))
		case ']':
			if n := s.link(line, i, &noParen); n > 0 {
				i += n
				continue
			}
		case '<':
			if i >= noAngle {
				n, isTag := tagAt(line[i:])
				if n > 0 {
					if isTag {
						if i+n < len(line) && line[i+n] != ' ' {
							s.space()
						}
					} else { // <https://…>
						url := line[i+1 : i+n-1]
						s.links = append(s.links, Link{Text: url, URL: url})
						s.out = append(s.out, url...)
					}
					i += n
					continue
				}
				if n < 0 {
					noAngle = i + maxTag
				}
			}
		}
		s.out = append(s.out, c)
		i++
	}
	s.drop()
	text := string(s.out)
	if strings.IndexByte(text, '&') >= 0 && s.code == nil {
		text = html.UnescapeString(text)
	}
	return text
}

// space stands in for a removed tag, so that the words around it stay apart.
func (s *stripper) space() {
	if n := len(s.out); n > 0 && s.out[n-1] != ' ' {
		s.out = append(s.out, ' ')
	}
}

// delimiter takes a run of emphasis marks. A mark between two letters or
// digits (snake_case, 2**3) or between two spaces (3 * 4) is text.
func (s *stripper) delimiter(line string, i, n int) {
	mark := line[i]
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i+n:])
	spaceBefore := i == 0 || unicode.IsSpace(before)
	spaceAfter := i+n == len(line) || unicode.IsSpace(after)
	wordBefore, wordAfter := i > 0 && isWordRune(before), i+n < len(line) && isWordRune(after)
	at := len(s.out)
	s.out = append(s.out, line[i:i+n]...)
	if n > 3 || mark == '~' && n != 2 || wordBefore && wordAfter {
		return
	}
	d := delim{at: at, n: n, mark: mark, canOpen: !spaceAfter && !wordBefore, close: !spaceBefore && !wordAfter}
	if d.close {
		// Only the last few openers count: nobody nests deeper, and it bounds
		// the search.
		for k := len(s.delims) - 1; k >= 0 && k >= len(s.delims)-8; k-- {
			o := &s.delims[k]
			if o.canOpen && !o.drop && o.mark == mark && o.n == n {
				o.drop, o.canOpen = true, false
				d.drop, d.canOpen = true, false
				break
			}
		}
	}
	s.delims = append(s.delims, d)
}

// drop removes the paired emphasis marks from out and moves the code spans
// along.
func (s *stripper) drop() {
	if len(s.delims) == 0 {
		return
	}
	w, k, c := 0, 0, 0
	for r := 0; r < len(s.out); {
		for c < 2*len(s.code) {
			sp := &s.code[c/2]
			if c%2 == 0 && sp.From == r {
				sp.From = w
			} else if c%2 == 1 && sp.To == r {
				sp.To = w
			} else {
				break
			}
			c++
		}
		for k < len(s.delims) && (s.delims[k].at < r || !s.delims[k].drop) {
			k++
		}
		if k < len(s.delims) && s.delims[k].at == r {
			if s.delims[k].mark == '~' {
				s.strike(w)
			}
			r += s.delims[k].n
			k++
			continue
		}
		s.out[w] = s.out[r]
		w++
		r++
	}
	for ; c < 2*len(s.code); c++ {
		if c%2 == 0 {
			s.code[c/2].From = w
		} else {
			s.code[c/2].To = w
		}
	}
	s.out = s.out[:w]
}

// strike begins or ends a part that is struck through.
func (s *stripper) strike(at int) {
	if n := len(s.struck); n > 0 && s.struck[n-1].To < 0 {
		s.struck[n-1].To = at
		return
	}
	s.struck = append(s.struck, Span{at, -1})
}

// link closes a bracket at line[i]. If a target follows, the brackets are
// taken out and the length of "](target)" or "][name]" is returned.
func (s *stripper) link(line string, i int, noParen *int) int {
	if len(s.opens) == 0 {
		return 0
	}
	open := s.opens[len(s.opens)-1]
	s.opens = s.opens[:len(s.opens)-1]
	if i+1 >= len(line) {
		return 0
	}
	n, url := 0, ""
	switch line[i+1] {
	case '(':
		if i < *noParen {
			return 0
		}
		end := min(len(line), i+maxLinkTarget)
		j := closingParen(line[i+2 : end])
		if j < 0 {
			*noParen = end
			return 0
		}
		url = strings.TrimSpace(line[i+2 : i+2+j])
		if k := strings.IndexByte(url, ' '); k >= 0 { // a title
			url = url[:k]
		}
		n = j + 3
	case '[':
		j := strings.IndexByte(line[i+2:min(len(line), i+80)], ']')
		if j < 0 {
			return 0
		}
		n = j + 3
	default:
		return 0
	}
	image := open < 0
	if image {
		open = -open - 1
	}
	if open >= len(s.out) { // the bracket was inside something that is gone
		return 0
	}
	s.removeAt(open)
	if url != "" {
		s.links = append(s.links, Link{Text: string(s.out[open:]), URL: strings.Trim(url, "<>"), Image: image})
	}
	return n
}

// removeAt takes one byte out of out. It moves at most the text of one link,
// which only nested brackets make long; those are bounded by maxLinkTarget.
func (s *stripper) removeAt(at int) {
	if len(s.out)-at > maxLinkTarget {
		s.out[at] = ' '
		return
	}
	s.out = append(s.out[:at], s.out[at+1:]...)
	for k := len(s.code) - 1; k >= 0 && s.code[k].From > at; k-- {
		s.code[k].From--
		s.code[k].To--
	}
	for k := len(s.delims) - 1; k >= 0 && s.delims[k].at > at; k-- {
		s.delims[k].at--
	}
}

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
	name := strings.TrimPrefix(text[1:end], "/")
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return end + 1, false
	}
	if k := strings.IndexAny(name, " \t/"); k >= 0 {
		name = name[:k]
	}
	if htmlTags[strings.ToLower(name)] {
		return end + 1, true
	}
	return 0, false
}

// htmlTags are the tags that are markup in Markdown. Others, such as <token>,
// are taken for text.
var htmlTags = wordSet(`a abbr b big blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 h3 h4 h5 h6
	hr i img ins kbd li mark ol p picture pre q s samp small source span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
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

// closingParen finds the parenthesis that closes one opened before s, or -1.
func closingParen(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
}

// isWordRune tells whether a character is a letter or a digit of any script.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
