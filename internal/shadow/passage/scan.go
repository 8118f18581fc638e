package passage

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// token is a word, a figure, or a sign that means something.
type token struct {
	word            string
	from, to, block int32 // of the text, in bytes; blank lines part blocks
	// layout says that quotes may leave it out: marks of lists, boxes, quotations
	// and fences, targets of links, tags, descriptions of images, footnotes.
	layout bool
	glued  bool // it is a part of the word or number before it
	// Its line is a heading, or imitates a token or a delimiter.
	heading, masked bool
}

// scanner makes tokens of lines.
type scanner struct {
	text   string
	masked []span
	tokens []token
	seen   map[string]string // each word once

	at, block int // in the text
	word      []byte
	begin, to int    // of the word
	glue      bool   // the next token is a part of what stands before it
	layout    []span // of the line
}

var (
	// prefix matches the signs that begin a line: of quotations, lists and boxes.
	prefix = regexp.MustCompile(`^(?:[ \t]*(?:>|[-*+] |\[.\] |\d{1,5}[.)] ))+`)
	// markup matches what else a quote may leave out: the description of an image
	// or a footnote, the target of a link, and a tag.
	markup = regexp.MustCompile(`(?i)!\[[^\[\]]*|\[\^[^\[\]]*|\]\([^\[\])]*\)|</?(?:a|b|br|code|del|details|div|em|h[1-6]|i|img|ins|kbd|li|mark|ol|p|s|small|span|strong|su[bp]|summary|t[dhr]|table|tbody|thead|u|ul)(?:[^\w<>][^<>]*)?>`)
)

// line reads a line up to end. All of one that begins or ends code may be left out.
func (s *scanner) line(end int, fence bool) {
	text, from := s.text[s.at:end], s.at
	s.layout = s.layout[:0]
	if n := len(prefix.FindString(text)); fence {
		s.layout = append(s.layout, span{from, end})
	} else if n > 0 {
		s.layout = append(s.layout, span{from, from + n})
	}
	if strings.ContainsAny(text, "[<") {
		for _, m := range markup.FindAllStringIndex(text, -1) {
			s.layout = append(s.layout, span{from + m[0], from + m[1]})
		}
	}
	for s.at < end {
		at := s.at
		r, size := s.next(end)
		s.at += size
		next := rune(0)
		if s.at < end {
			next, _ = glyph(s.text, s.at)
		}
		switch last := s.last(); {
		case r == ' ':
			s.end()
			s.glue = false
		case r == leftOut || r == '*' || r == '`': // does not part a word
		case inWord(r) || r == '_' && last != 0 && inWord(next):
			s.letter(r, at)
		case strings.ContainsRune("'’‘", r) && unicode.IsLetter(last) && unicode.IsLetter(next):
			s.letter('\'', at)
		default:
			s.sign(r, next, at)
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
		if entity, _, ok := strings.Cut(s.text[s.at:min(s.at+10, end)], ";"); ok {
			if u := html.UnescapeString(entity + ";"); utf8.RuneCountInString(u) == 1 {
				r, _ = utf8.DecodeRuneInString(u)
				return r, len(entity) + 1
			}
		}
	}
	if r, size = glyph(s.text, s.at); 0xFF01 <= r && r <= 0xFF5E { // full-width
		r -= 0xFEE0
	}
	return r, size
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

// letter adds a character to the word. Letters and digits part where they meet,
// so that 22ms is 22 ms.
func (s *scanner) letter(r rune, at int) {
	alone, last := fold.Unspaced(r), s.last()
	if alone {
		s.end()
	} else if unicode.IsDigit(last) && unicode.IsLetter(r) || unicode.IsLetter(last) && unicode.IsDigit(r) {
		s.end()
		s.glue = true
	}
	if len(s.word) == 0 {
		s.begin = at
	}
	s.word, s.to = utf8.AppendRune(s.word, r), s.at
	if alone {
		s.end()
	}
}

const dashes = "-‐‑‒–—−"

// sign reads a character that is of no word.
func (s *scanner) sign(r, next rune, at int) {
	last := s.last()
	s.end()
	dash := strings.ContainsRune(dashes, r)
	if last != 0 && inWord(next) {
		figures := unicode.IsDigit(last) && unicode.IsDigit(next)
		s.glue = strings.ContainsRune("-‐‑", r) || figures && (dash || strings.ContainsRune(".,:/'’", r))
	}
	for len(s.masked) > 0 && s.masked[0].to <= at {
		s.masked = s.masked[1:]
	}
	masked := len(s.masked) > 0 && s.masked[0].from <= at
	before, _ := utf8.DecodeLastRuneInString(s.text[:at])
	switch {
	case dash && unicode.IsDigit(next) && !inWord(before) && !strings.ContainsRune(dashes, before): // of a negative number
		s.begin, s.word = at, append(s.word, '-')
	case !masked && means(r, next, before):
		s.begin, s.to, s.word = at, s.at, utf8.AppendRune(s.word, r)
		s.end()
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

// currencies are signs of money by the words that models write for them.
var currencies = map[string]string{"EUR": "€", "Euro": "€", "euro": "€", "euros": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩"}

// end ends the word.
func (s *scanner) end() {
	if len(s.word) == 0 {
		return
	}
	word := currencies[string(s.word)]
	if word == "" {
		written := norm.NFC.Bytes(s.word)
		if word = s.seen[string(written)]; word == "" {
			word = string(written)
			s.seen[word] = word
		}
	}
	for len(s.layout) > 0 && s.layout[0].to <= s.begin {
		s.layout = s.layout[1:]
	}
	t := token{word: word, from: int32(s.begin), to: int32(s.to), block: int32(s.block), glued: s.glue}
	t.layout = len(s.layout) > 0 && s.layout[0].from <= s.begin
	s.tokens, s.word, s.glue = append(s.tokens, t), s.word[:0], false
}
