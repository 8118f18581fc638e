package passage

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// scanner makes tokens of lines.
type scanner struct {
	text   string
	masked []span
	id     func(word []byte) uint32
	tokens []token

	at        int // in the text
	word      []byte
	begin, to int  // of the word
	glue      bool // the next token is a part of what stands before it
	kind      kind // of the tokens that begin before until
	until     int
	drop      int // where a bracket closes that is layout
}

// line reads a line from at to end. All of one that begins or ends code may be
// left out.
func (s *scanner) line(at, end int, fence bool) {
	s.at, s.kind, s.until = at, marker, at+prefix(s.text[at:end])
	if fence {
		s.until = end
	}
	for s.at < end {
		at := s.at
		r, size := s.next(end)
		s.at += size
		next := s.peek(end)
		switch {
		case r == ' ':
			s.end()
			s.glue = false
		case r == leftOut || r == '*' || r == '`': // does not part a word
		case inWord(r):
			s.letter(r, at)
		case r == '_' && len(s.word) > 0 && inWord(next):
			s.letter(r, at)
		case strings.ContainsRune("'’‘", r) && unicode.IsLetter(s.last()) && unicode.IsLetter(next):
			s.letter('\'', at)
		default:
			s.sign(r, next, at, end)
		}
	}
	s.end()
	s.glue = false
}

// next is the character at s.at, without its escape, and its size in bytes.
func (s *scanner) next(end int) (r rune, size int) {
	switch c := s.text[s.at]; {
	case c == '\\' && s.at+1 < end && unicode.In(rune(s.text[s.at+1]), unicode.P, unicode.S):
		return rune(s.text[s.at+1]), 2
	case c == '&':
		entity, _, ok := strings.Cut(s.text[s.at:min(s.at+10, end)], ";")
		if !ok {
			break
		}
		if u := html.UnescapeString(entity + ";"); utf8.RuneCountInString(u) == 1 {
			r, _ = utf8.DecodeRuneInString(u)
			return r, len(entity) + 1
		}
	}
	if r, size = glyph(s.text, s.at); 0xFF01 <= r && r <= 0xFF5E { // full-width
		r -= 0xFEE0
	}
	return r, size
}

// peek is the character at s.at, 0 at the end of the line.
func (s *scanner) peek(end int) rune {
	if s.at >= end {
		return 0
	}
	r, _ := glyph(s.text, s.at)
	return r
}

// last is the last character of the word, 0 where there is none.
func (s *scanner) last() rune {
	if len(s.word) == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRune(s.word)
	return r
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return ideograph(r) || unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc)
}

func isDash(r rune) bool { return strings.ContainsRune("-‐‑‒–—−", r) }

// letter adds a character to the word.
func (s *scanner) letter(r rune, at int) {
	alone := fold.Unspaced(r)
	if alone {
		s.end()
	}
	if len(s.word) == 0 {
		s.begin = at
	}
	s.word, s.to = utf8.AppendRune(s.word, r), s.at
	if alone {
		s.end()
	}
}

// sign reads a character that is of no word.
func (s *scanner) sign(r, next rune, at, end int) {
	last := s.last()
	s.end()
	if last != 0 && inWord(next) {
		figures := unicode.IsDigit(last) && unicode.IsDigit(next)
		s.glue = strings.ContainsRune("-‐‑", r) || figures && (isDash(r) || strings.ContainsRune(".,:/'’", r))
	}
	for len(s.masked) > 0 && s.masked[0].to <= at {
		s.masked = s.masked[1:]
	}
	masked := len(s.masked) > 0 && s.masked[0].from <= at
	before, _ := utf8.DecodeLastRuneInString(s.text[:at])
	switch {
	case unicode.IsDigit(next) && isDash(r) && !inWord(before) && !isDash(before): // of a negative number
		s.begin, s.word = at, append(s.word, '-')
	case r == '!' && next == '[':
		s.span(image, at+2, end, ']')
	case r == '[' && next == '^':
		s.span(image, at+1, end, ']')
	case r == ']' && next == '(':
		s.span(target, at+2, end, ')')
	case masked || at == s.drop && at > 0 || s.text[at] == '<' && s.tag(at, end):
	case means(r, next, before):
		for _, c := range spelt(r) {
			s.begin, s.to, s.word = at, s.at, utf8.AppendRune(s.word, c)
			s.end()
		}
	}
}

// means tells whether a sign is more than layout.
func means(r, next, before rune) bool {
	switch r {
	case '|', '^', '`', '´', '¨', '\n', utf8.RuneError:
		return false
	case '~':
		return next != '~' && before != '~'
	case '!':
		return next == '='
	case '%', '&', '@':
		return true
	}
	return unicode.In(r, unicode.Sm, unicode.Sc, unicode.So)
}

// spelt is a sign as it is written without it.
func spelt(r rune) string {
	switch r {
	case '≤':
		return "<="
	case '≥':
		return ">="
	case '≠':
		return "!="
	case '→':
		return ">" // of ->, whose dash is layout
	case '⇒':
		return "=>"
	}
	return string(r)
}

// tag reads a tag of HTML, or the brackets around an address.
func (s *scanner) tag(at, end int) bool {
	body := s.text[at+1 : end]
	n := strings.IndexAny(body, "<>")
	if n <= 0 || body[n] != '>' {
		return false
	}
	name, rest := strings.TrimPrefix(body[:n], "/"), ""
	if i := strings.IndexFunc(name, func(r rune) bool { return !inWord(r) }); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	switch {
	case strings.HasPrefix(rest, "://"):
		s.drop = at + 1 + n
	case tags[strings.ToLower(name)]:
		s.kind, s.until = target, at+1+n+1
	default:
		return false
	}
	return true
}

var tags = fold.WordSet("a b br code del details div em i img ins kbd li mark ol p s small span strong sub summary sup table tbody td th thead tr u ul h1 h2 h3 h4 h5 h6")

// span makes of a kind what stands from a place on up to a closing sign. Another
// bracket before it ends the search, so that reading stays linear.
func (s *scanner) span(k kind, from, end int, closing byte) {
	n := strings.IndexAny(s.text[min(from, end):end], "[]"+string(rune(closing)))
	if n >= 0 && s.text[from+n] == closing {
		s.kind, s.until = k, from+n
	}
}

// end ends the word.
func (s *scanner) end() {
	if len(s.word) == 0 {
		return
	}
	word := s.word
	if !fold.IsASCII(string(word)) {
		word = norm.NFC.Bytes(word)
	}
	before, word, behind := currency(word)
	for _, part := range [][]byte{before, word, behind} {
		if len(part) == 0 {
			continue
		}
		t := token{word: s.id(part), from: int32(s.begin), to: int32(s.to)}
		if s.begin < s.until {
			t.kind = s.kind
		}
		if s.glue {
			t.kind |= glued
			s.glue = false
		}
		s.tokens = append(s.tokens, t)
	}
	s.word = s.word[:0]
}

// currencies are signs of money by the words that models write for them.
var currencies = map[string][]byte{
	"EUR": []byte("€"), "Euro": []byte("€"), "euro": []byte("€"), "euros": []byte("€"), "USD": []byte("$"), "GBP": []byte("£"),
	"JPY": []byte("¥"), "CNY": []byte("¥"), "INR": []byte("₹"), "KRW": []byte("₩"),
}

// currency takes the code of a currency from a word that is one, or that has one
// beside a figure, as its sign.
func currency(word []byte) (before, rest, behind []byte) {
	if len(word) < 3 {
		return nil, word, nil
	}
	if c, ok := currencies[string(word)]; ok {
		return c, nil, nil
	}
	if n := len(word); n > 3 {
		if c, ok := currencies[string(word[:3])]; ok && unicode.IsDigit(rune(word[3])) {
			return c, word[3:], nil
		}
		if c, ok := currencies[string(word[n-3:])]; ok && unicode.IsDigit(rune(word[n-4])) {
			return nil, word[:n-3], c
		}
	}
	return nil, word, nil
}

// prefix is how long the signs are that begin a line: of quotations, lists and
// boxes.
func prefix(line string) int {
	for at := 0; ; {
		rest := strings.TrimLeft(line[at:], " \t")
		figures := len(rest[:min(len(rest), 5)]) - len(strings.TrimLeft(rest[:min(len(rest), 5)], "0123456789"))
		var n int
		switch {
		case strings.HasPrefix(rest, ">"):
			n = 1
		case len(rest) > 1 && strings.ContainsRune("-*+", rune(rest[0])) && rest[1] == ' ':
			n = 2
		case len(rest) > 3 && rest[0] == '[' && rest[2] == ']' && rest[3] == ' ':
			n = 4
		case figures > 0 && len(rest) > figures+1 && strings.ContainsRune(".)", rune(rest[figures])) && rest[figures+1] == ' ':
			n = figures + 2
		default:
			return at
		}
		at = len(line) - len(rest) + n
	}
}
