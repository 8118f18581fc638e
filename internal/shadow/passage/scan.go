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

// token is a word, a figure, or a sign that means something. The rest is layout.
type token struct {
	word     int32 // where it ends among the words of its scanner
	from, to int32 // of the text, in bytes
	kind     kind
	glued    bool // it is a part of the word or number before it
}

// kind is the last view of a text that has a token. Quotes may leave out marks of
// lists, boxes, quotations and fences, targets of links and tags; and beside them
// descriptions of images and footnotes.
type kind uint8

const (
	layoutKind kind = iota
	imageKind
	textKind
	views = int(textKind) + 1
)

// scanner makes tokens of lines.
type scanner struct {
	text   string
	masked []span
	tokens []token
	words  []byte // of all tokens, without anything between them

	at        int // in the text
	word      []byte
	begin, to int  // of the word
	glue      bool // the next token is a part of what stands before it
	parts     []part
}

// part is a part of a line whose tokens a quote may leave out.
type part struct {
	span
	kind kind
}

// view gives the words of the tokens that a view has.
func (s *scanner) view(least kind, blocks []int) (v view) {
	words := make([]byte, 1, len(s.words)+len(s.tokens)+1)
	words[0] = ' '
	begin := int32(0)
	for i := range s.tokens {
		t := &s.tokens[i]
		for len(blocks) > 0 && blocks[0] <= i {
			v.blocks, blocks = append(v.blocks, len(words)-1), blocks[1:]
		}
		if t.kind >= least {
			v.from, v.token = append(v.from, int32(len(words)-1)), append(v.token, int32(i))
			words = append(append(words, s.words[begin:t.word]...), ' ')
		}
		begin = t.word
	}
	v.words, v.blocks = string(words), append(v.blocks, len(words)-1)
	return v
}

var (
	// prefix matches the signs that begin a line: of quotations, lists and boxes.
	prefix = regexp.MustCompile(`^(?:[ \t]*(?:>|[-*+] |\[.\] |\d{1,5}[.)] ))+`)
	// layout matches what else a quote may leave out: the description of an image
	// or a footnote, and the target of a link or a tag.
	layout = regexp.MustCompile(`(?i)(!\[[^\[\]]*|\[\^[^\[\]]*)|\]\([^\[\])]*\)|</?(?:a|b|br|code|del|details|div|em|h[1-6]|i|img|ins|kbd|li|mark|ol|p|s|small|span|strong|su[bp]|summary|t[dhr]|table|tbody|thead|u|ul)(?:[^\w<>][^<>]*)?>`)
)

// line reads a line up to end. All of one that begins or ends code may be left out.
func (s *scanner) line(end int, fence bool) {
	text, from := s.text[s.at:end], s.at
	s.parts = s.parts[:0]
	if n := len(prefix.FindString(text)); fence {
		s.parts = append(s.parts, part{span{from, end}, layoutKind})
	} else if n > 0 {
		s.parts = append(s.parts, part{span{from, from + n}, layoutKind})
	}
	if strings.ContainsAny(text, "[<") {
		for _, m := range layout.FindAllStringSubmatchIndex(text, -1) {
			p := part{span{from + m[0], from + m[1]}, layoutKind}
			if m[2] >= 0 {
				p.kind = imageKind
			}
			s.parts = append(s.parts, p)
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

// spelt are signs as they are written without them; of -> the dash is layout.
var spelt = map[rune]string{'≤': "<=", '≥': ">=", '≠': "!=", '→': ">", '⇒': "=>"}

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
		text := spelt[r]
		if text == "" {
			text = string(r)
		}
		for _, c := range text {
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

// currencies are signs of money by the words that models write for them.
var currencies = map[string]string{"EUR": "€", "Euro": "€", "euro": "€", "euros": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩"}

// end ends the word.
func (s *scanner) end() {
	if len(s.word) == 0 {
		return
	}
	if sign, ok := currencies[string(s.word)]; ok {
		s.words = append(s.words, sign...)
	} else {
		s.words = append(s.words, norm.NFC.Bytes(s.word)...)
	}
	t := token{word: int32(len(s.words)), from: int32(s.begin), to: int32(s.to), kind: textKind, glued: s.glue}
	for len(s.parts) > 0 && s.parts[0].to <= s.begin {
		s.parts = s.parts[1:]
	}
	if len(s.parts) > 0 && s.parts[0].from <= s.begin {
		t.kind = s.parts[0].kind
	}
	s.tokens, s.word, s.glue = append(s.tokens, t), s.word[:0], false
}
