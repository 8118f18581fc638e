package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// word is one word of a text.
type word struct {
	id     int32 // index in the vocabulary
	at     int32 // offset in the line
	gap    byte  // what stands before it, the mark that divides most
	quoted bool  // it stands in quotation marks
	caps   int8  // how many capital letters it has, at most two
}

// The gaps, in the order in which they divide.
const (
	gapNone  byte = iota // space or a hyphen
	gapComma             // ,
	gapParen             // ( )
	gapBreak             // ; : and dashes
	gapStop              // the end of a sentence inside a line
	gapCell              // the next cell of a table
	gapRow               // two bars: the next row of a table without a header
)

// token is a word with its form: in lower case, without accents.
type token struct {
	form string
	word
}

// splitter cuts texts into words. Identifiers give their parts, contractions
// the words that they are short for, and marks of state the words ☐ and ☑.
type splitter struct {
	tokens []token
	s      string
	from   int             // offset of the word that is read
	forms  strings.Builder // the forms that differ from what stands in the texts, with nothing between
	gap    byte
	quoted bool
	caps   int8 // capital letters of the word that is read
	leads  bool // the text begins with a mark of state
}

func newSplitter() *splitter {
	p := &splitter{tokens: make([]token, 0, 32)}
	p.forms.Grow(256)
	return p
}

// split gives the words of a text, until it is called again.
func (p *splitter) split(s string) []token {
	p.tokens, p.s, p.gap, p.quoted, p.caps, p.leads = p.tokens[:0], s, gapStop, false, 0, false
	for at := 0; at < len(s); {
		p.from = at
		switch c := s[at]; {
		case c == ' ':
			at++
		case isLower(c):
			end := at + small(s[at:])
			if end == len(s) || s[end] < utf8.RuneSelf && !isUpper(s[end]) && !isDigit(s[end]) && s[end] != '\'' { // most words
				p.put(s[at:end])
			} else {
				end = p.word(at, end)
			}
			at = end
		case isUpper(c), isDigit(c):
			at = p.word(at, at)
		case c < utf8.RuneSelf:
			at += p.punctuation(at)
		default:
			r, n := utf8.DecodeRuneInString(s[at:])
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				at = p.word(at, at)
				continue
			}
			p.symbol(r)
			at += n
		}
	}
	return p.tokens
}

// put adds a word and begins the next gap.
func (p *splitter) put(form string) {
	if form == "" { // nothing but an accent or the end of a contraction
		return
	}
	if form == "cannot" {
		p.put("can")
		form = "not"
	}
	p.tokens = append(p.tokens, token{form, word{at: int32(p.from), gap: p.gap, quoted: p.quoted, caps: p.caps}})
	p.gap, p.caps = gapNone, 0
}

// symbol reads a character beyond ASCII that is of no word.
func (p *splitter) symbol(r rune) {
	switch {
	case strings.ContainsRune("–—→⇒·•➖", r):
		p.gap = max(p.gap, gapBreak)
	case r == '“' || r == '„' || r == '”':
		p.quoted = r != '”'
	case r < '⌀', r == utf8.RuneError: // no mark of state
	case strings.ContainsRune(boxMarks, r):
		p.leads = p.leads || p.from == 0
		p.gap = max(p.gap, gapStop)
		p.put("☐")
	case strings.ContainsRune(openMarks, r):
		p.mark(r, "☐")
	case strings.ContainsRune(doneMarks, r):
		p.mark(r, "☑")
	}
}

// mark adds a mark of state. Where a text begins with one, each begins a sentence,
// but for one at its end.
func (p *splitter) mark(r rune, form string) {
	if p.leads = p.leads || p.from == 0; p.leads && strings.TrimLeft(p.s[p.from+len(string(r)):], "\ufe0f ") != "" {
		p.gap = max(p.gap, gapStop)
	}
	p.put(form)
}

// punctuation reads an ASCII character that is of no word, or a box, and gives
// its length.
func (p *splitter) punctuation(at int) int {
	rest := p.s[at:]
	switch rest[0] {
	case ',':
		p.gap = max(p.gap, gapComma)
	case '(', ')':
		p.gap = max(p.gap, gapParen)
	case ';', ':', '\n', '>':
		p.gap = max(p.gap, gapBreak)
	case '.', '!', '?':
		if len(rest) == 1 || !isLower(rest[1]) && !isDigit(rest[1]) { // not main.tf
			p.gap = max(p.gap, gapStop)
		}
	case '|':
		p.gap, p.quoted = min(max(p.gap+1, gapCell), gapRow), false
	case '-':
		if at > 0 && p.s[at-1] == ' ' && len(rest) > 1 && (rest[1] == ' ' || rest[1] == '-') {
			p.gap = max(p.gap, gapBreak)
		}
	case '"':
		p.quoted = !p.quoted
	case '[':
		if len(rest) > 2 && rest[2] == ']' && strings.IndexByte(" -~/>!?xX", rest[1]) >= 0 {
			p.gap = max(p.gap, gapStop)
			if rest[1]|0x20 == 'x' {
				p.put("☑")
			} else {
				p.put("☐")
			}
			return 3
		}
	}
	return 1
}

// word reads the word, or the part of an identifier, that begins at offset at
// with small letters up to end, and gives the offset behind it.
func (p *splitter) word(at, end int) int {
	s, start := p.s, p.forms.Len()
	p.forms.WriteString(s[at:end])
	var before rune
	if end > at {
		at, before = end, rune(s[end-1])
	}
	for at < len(s) {
		c := s[at]
		r, n := rune(c), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[at:])
		}
		switch {
		case isLower(c):
			n = small(s[at:])
			p.forms.WriteString(s[at : at+n])
		case isDigit(c), (c == '.' || c == ',') && unicode.IsDigit(before) && at+1 < len(s) && isDigit(s[at+1]):
			p.forms.WriteByte(c)
		case isUpper(c):
			if unicode.IsLower(before) || unicode.IsUpper(before) && at+2 < len(s) && isLower(s[at+1]) && isLower(s[at+2]) {
				p.put(p.forms.String()[start:])
				return at
			}
			p.forms.WriteByte(c | 0x20)
			p.caps = min(p.caps+1, 2)
		case r == '\'' || r == '’':
			return p.contraction(p.forms.String()[start:], at+n)
		case r >= 0x2E80 && unicode.Is(unicode.Han, r): // a word of its own
			if before == 0 {
				p.forms.WriteRune(r)
				at += n
			}
			p.put(p.forms.String()[start:])
			return at
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			p.forms.WriteRune(fold.Plain(r))
		case !fold.Accent(r) && r != '\u00ad':
			p.put(p.forms.String()[start:])
			return at
		}
		before = r
		at += n
	}
	p.put(p.forms.String()[start:])
	return at
}

// shortForms are what stands behind the apostrophe of a contraction, with the
// word that it is short for, and the words whose form changes before n't.
var shortForms = map[string]string{"t": "not", "ve": "have", "re": "are", "ll": "will", "d": "had", "m": "am", "can": "can", "won": "will", "shan": "shall",
	"it": "is", "that": "is", "there": "is", "what": "is"}

// contraction reads what stands behind an apostrophe, from offset at on, and
// adds the words that the whole is short for.
func (p *splitter) contraction(form string, at int) int {
	to := at
	for to < len(p.s) && isLower(p.s[to]|0x20) {
		to++
	}
	tail := strings.ToLower(p.s[at:to])
	full := shortForms[tail]
	switch {
	case tail == "s": // it's, but not "the team's"
		full = shortForms[form]
	case len(tail) > 2 || full == "":
		p.put(form)
		return at
	case tail == "t" && shortForms[form] != "":
		form = shortForms[form]
	case tail == "t":
		form = strings.TrimSuffix(form, "n")
	}
	p.put(form)
	p.put(full)
	return to
}

// small counts the small letters that a text begins with.
func small(s string) int {
	for i := range len(s) {
		if !isLower(s[i]) {
			return i
		}
	}
	return len(s)
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
