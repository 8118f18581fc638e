package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// word is one word of a text.
type word struct {
	id int32 // index in the vocabulary
	at int32 // offset in the line
	// gap is what stands before it: 0 for space or a hyphen, otherwise the
	// mark that divides most.
	gap    byte
	quoted bool // it stands in quotation marks
	glued  bool // it and the word before are parts of one identifier
}

// The gaps, in the order in which they divide.
const (
	gapNone  byte = iota
	gapComma      // ,
	gapParen      // ( )
	gapBreak      // ; : and dashes
	gapStop       // the end of a sentence inside a line
	gapCell       // the next cell of a table
	gapRow        // two bars: the next row of a table without a header, or an empty cell
)

// splitter cuts a text into words. Identifiers give their parts, contractions
// the words that they are short for, and marks of state the words ☐ and ☑.
type splitter struct {
	emit func(form []byte, w word)
	s    string
	from int // offset of the word that is read
	buf  []byte
	gap  byte
	// quote is the mark that closes an open quotation, 0 if none is open.
	quote rune
}

func split(s string, emit func(form []byte, w word)) {
	p := splitter{emit: emit, s: s, buf: make([]byte, 0, 32), gap: gapStop}
	for at := 0; at < len(s); {
		p.from = at
		c := s[at]
		if isLower(c) || isUpper(c) || isDigit(c) {
			at = p.word(at)
			continue
		}
		if c < utf8.RuneSelf {
			at = p.mark(at)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			at = p.word(at)
			continue
		case isMark(openMarks, r):
			if isMark(boxMarks, r) {
				p.gap = max(p.gap, gapStop)
			}
			p.put("☐")
		case isMark(doneMarks, r):
			p.put("☑")
		case r == '“' || r == '„':
			p.quote = '”'
		case r == '”':
			p.quote = 0
		case r == '–' || r == '—' || r == '→' || r == '⇒' || r == '·' || r == '•':
			p.gap = max(p.gap, gapBreak)
		}
		at += n
	}
}

// put emits a word and begins the next gap.
func (p *splitter) put(form string) { p.send(append(p.buf[:0], form...)) }

func (p *splitter) send(form []byte) {
	if len(form) == 0 { // nothing but a contraction's end or an accent
		return
	}
	if string(form) == "cannot" {
		p.put("can")
		p.put("not")
		return
	}
	glued := p.from > 0 && p.gap == gapNone && (p.s[p.from-1] == '_' || isLower(p.s[p.from-1]))
	p.emit(form, word{at: int32(p.from), gap: p.gap, quoted: p.quote != 0, glued: glued})
	p.gap = gapNone
}

// mark reads a character that is of no word.
func (p *splitter) mark(at int) int {
	switch c := p.s[at]; c {
	case ',':
		p.gap = max(p.gap, gapComma)
	case '(', ')':
		p.gap = max(p.gap, gapParen)
	case ';', ':', '\n', '>':
		p.gap = max(p.gap, gapBreak)
	case '.', '!', '?':
		if c == '.' && at+1 < len(p.s) && (isLower(p.s[at+1]) || isDigit(p.s[at+1])) { // main.tf
			break
		}
		p.gap = max(p.gap, gapStop)
	case '|':
		p.gap, p.quote = min(max(p.gap+1, gapCell), gapRow), 0
	case '-':
		if at > 0 && p.s[at-1] == ' ' && at+1 < len(p.s) && (p.s[at+1] == ' ' || p.s[at+1] == '-') {
			p.gap = max(p.gap, gapBreak)
		}
	case '"':
		if p.quote == 0 {
			p.quote = '"'
		} else {
			p.quote = 0
		}
	case '[':
		if at+2 < len(p.s) && p.s[at+2] == ']' {
			switch p.s[at+1] {
			case ' ', '-', '~':
				p.gap = max(p.gap, gapStop)
				p.put("☐")
				return at + 3
			case 'x', 'X':
				p.gap = max(p.gap, gapStop)
				p.put("☑")
				return at + 3
			}
		}
	}
	return at + 1
}

// word reads the word, or the part of an identifier, that begins at offset at.
func (p *splitter) word(at int) int {
	buf, s := p.buf[:0], p.s
	var before rune
	for at < len(s) {
		r, n := rune(s[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[at:])
		}
		switch {
		case isLower(s[at]):
			buf = append(buf, s[at])
		case isUpper(s[at]):
			if before != 0 && unicode.IsLower(before) || isUpper(byte(min(before, 127))) && at+2 < len(s) && isLower(s[at+1]) && isLower(s[at+2]) {
				p.send(buf)
				return at
			}
			buf = append(buf, s[at]+'a'-'A')
		case isDigit(s[at]) || (s[at] == '.' || s[at] == ',') && unicode.IsDigit(before) && at+1 < len(s) && isDigit(s[at+1]):
			buf = append(buf, s[at])
		case r == '\'' || r == '’':
			return p.contraction(buf, at, n)
		case r >= 0x2E80 && unicode.Is(unicode.Han, r):
			if before == 0 {
				buf, at = utf8.AppendRune(buf, r), at+n
			}
			p.send(buf)
			return at
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			buf = utf8.AppendRune(buf, fold.Plain(r))
		case fold.Accent(r) || r == '\u00ad':
		default:
			p.send(buf)
			return at
		}
		before = r
		at += n
	}
	p.send(buf)
	return at
}

// contraction reads what stands behind an apostrophe of n bytes at offset at
// and emits the words that the whole is short for.
func (p *splitter) contraction(buf []byte, at, n int) int {
	from := at + n
	to := from
	for to < len(p.s) && isLower(p.s[to]|0x20) {
		to++
	}
	tail := strings.ToLower(p.s[from:to])
	full := ""
	switch tail {
	case "t":
		base := strings.TrimSuffix(string(buf), "n")
		if was, ok := shortened[string(buf)]; ok {
			base = was
		}
		p.put(base)
		full = "not"
	case "s":
		if form := string(buf); form != "there" && form != "it" && form != "that" && form != "what" {
			p.send(buf)
			return to
		}
		p.send(buf)
		full = "is"
	case "ve", "re", "ll", "d", "m":
		p.send(buf)
		full = map[string]string{"ve": "have", "re": "are", "ll": "will", "d": "had", "m": "am"}[tail]
	default:
		p.send(buf)
		return from
	}
	p.put(full)
	return to
}

// shortened are the words whose form changes before "n't".
var shortened = map[string]string{"can": "can", "won": "will", "shan": "shall"}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// longestStemmed is the length in bytes above which a word is data.
const longestStemmed = 40

// stem gives the stem of a word in lower case. British and American spellings
// of a word have one stem.
func stem(form string) string {
	if len(form) <= 3 || len(form) > longestStemmed || !inflected(form) || strings.ContainsAny(form, "0123456789") {
		return form
	}
	s := english.Stem(american(form), false)
	if len(s) > 5 { // reconciliation, reconcile
		s = strings.TrimSuffix(s, "i")
	}
	return s
}

// inflected tells whether a word ends as one that the stemmer changes.
// TestInflected holds it against the stemmer.
func inflected(form string) bool {
	before := form[len(form)-2]
	switch form[len(form)-1] {
	case 's', 'y', 'e', 'i', '\'':
		return true
	case 'd':
		return before == 'e'
	case 'g', 't':
		return before == 'n'
	case 'n':
		return before == 'o'
	case 'r':
		return before == 'e' || before == 'o' || before == 'u'
	case 'c':
		return before == 'i'
	case 'm':
		return before == 's'
	case 'l':
		return before == 'a' || before == 'u' || before == 'l'
	}
	return form[len(form)-1] >= utf8.RuneSelf
}

// american respells the British endings that change a stem.
func american(form string) string {
	for _, s := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}, {"yse", "yze"}, {"ysed", "yzed"}, {"our", "or"}, {"ours", "ors"}} {
		if len(form) > len(s[0])+2 && strings.HasSuffix(form, s[0]) {
			return form[:len(form)-len(s[0])] + s[1]
		}
	}
	return form
}
