package quantity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota // a word or a name, with the digits, hyphens and the like inside it
	Number             // digits or a number word, with its unit
	Mark               // any other character but spaces
)

// Token is a piece of a line.
type Token struct {
	Kind Kind
	From int // offset in the line
	To   int // of a number: without its unit
	End  int // of a number: with its unit; otherwise To
	// Mark is the character, its variants made one: * for × and ·, - for all
	// dashes and minus signs, / for ÷, ~ for ≈ and >, < for ≥, ≤, > for an
	// arrow is written '→'.
	Mark rune
	// Tight: no space stands before a mark and none behind it.
	Tight bool

	Value    float64 // of a number, with its sign and its scale
	Ulp      float64 // what one more in its last digit is worth
	Decimals int     // digits behind the decimal mark
	Unit     *Unit   // nil if there is none
	Spelled  bool    // it is written in words
	Signed   bool    // a sign stands before it
	Approx   bool
	Bound    Bound
	Half     bool // "half an hour"

	other *Unit // of "5 m", which is read in two ways
}

// maxDigits is how long a run of digits may be to be a number.
const maxDigits = 15

// Lex cuts a line into tokens, which it adds to buf. comma says that the line
// writes decimals with a comma; see [Comma].
func Lex(line string, buf []Token, comma bool) []Token {
	l := lexer{s: line, out: buf, first: len(buf), comma: comma}
	for l.at < len(line) {
		c := line[l.at]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			l.at++
		case isDigit(c) || c == '.' && l.at+1 < len(line) && isDigit(line[l.at+1]) && !l.nameBefore():
			l.number()
		case isLetter(c):
			l.word()
		default:
			l.mark()
		}
	}
	return l.out
}

// Comma tells whether a line writes decimals with a comma: it has a number
// that can be read in no other way.
func Comma(line string) bool {
	for i := 1; i < len(line)-1; i++ {
		if line[i] != ',' || !isDigit(line[i-1]) || !isDigit(line[i+1]) {
			continue
		}
		from, to := i, i+1
		for from > 0 && isDigit(line[from-1]) {
			from--
		}
		for to < len(line) && isDigit(line[to]) {
			to++
		}
		if to < len(line) && (isLetter(line[to]) || line[to] == ',' || line[to] == '.' && to+1 < len(line) && isDigit(line[to+1])) ||
			from > 0 && (line[from-1] == ',' || isLetter(line[from-1])) {
			continue
		}
		if to-i == 3 || i-from == 1 && line[from] == '0' || from > 3 && line[from-1] == '.' && isDigit(line[from-2]) {
			return true
		}
	}
	return false
}

type lexer struct {
	s     string
	at    int
	out   []Token
	first int
	comma bool
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// peek gives the byte at offset i, 0 behind the end.
func (l *lexer) peek(i int) byte {
	if i < len(l.s) {
		return l.s[i]
	}
	return 0
}

// nameBefore tells whether what stands just before makes digits part of a name.
func (l *lexer) nameBefore() bool {
	if l.at == 0 {
		return false
	}
	c := l.s[l.at-1]
	return isDigit(c) || c == '_' && l.at > 1 && l.s[l.at-2] != ' ' || c == '#' || c == '@' || c == '\\' || c == '.' && l.at > 1 && l.s[l.at-2] != ' ' && l.s[l.at-2] != '.'
}

// word reads a word or a name.
func (l *lexer) word() {
	from := l.at
	l.at = l.nameEnd(l.at)
	if p := l.last(); p != nil && p.Kind == Number && p.End == from && l.s[from]|0x20 == 'x' && isDigit(l.peek(from+1)) {
		l.at = from + 1 // 3x8
	}
	w := l.s[from:l.at]
	if strings.HasPrefix(l.s[l.at:], "://") {
		for l.at < len(l.s) && l.s[l.at] != ' ' && l.s[l.at] != ')' {
			l.at++
		}
		l.out = append(l.out, Token{From: from, To: l.at, End: l.at})
		return
	}
	if m, ok := lookup(meanings, w); ok && m.kind == 'n' && m.value > 0 {
		l.spelled(from, m.value)
		return
	}
	if (w == "x" || w == "X") && len(l.out) > l.first && (isDigit(l.peek(l.at)) || l.peek(l.at) == ' ' && isDigit(l.peek(l.at+1))) {
		l.out = append(l.out, Token{Kind: Mark, From: from, To: l.at, End: l.at, Mark: '*', Tight: l.tight(from, l.at)})
		return
	}
	t := Token{From: from, To: l.at, End: l.at}
	if n := l.at; (w == "half" || w == "Half") && (strings.HasPrefix(l.s[n:], " an ") || strings.HasPrefix(l.s[n:], " a ")) {
		t.Kind, t.Half, t.Value, t.Spelled = Number, true, 0.5, true
		l.at += strings.IndexByte(l.s[n+1:], ' ') + 1
		l.unit(&t)
		if t.Unit == nil {
			t, l.at = Token{From: from, To: n, End: n}, n
		}
	}
	l.out = append(l.out, t)
}

// nameEnd gives the offset behind the word or name that goes on at offset at.
func (l *lexer) nameEnd(at int) int {
	for at < len(l.s) {
		c := l.s[at]
		if isLetter(c) || isDigit(c) || c == '_' {
			at++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(l.s[at:])
			if !unicode.IsLetter(r) && !(r == '’' && isLetter(l.peek(at+n))) && !unicode.Is(unicode.No, r) {
				break
			}
			at += n
			continue
		}
		next := l.peek(at + 1)
		if (c == '-' || c == '\'') && isLetter(next) || (c == '-' || c == '.') && isDigit(next) && !isDigit(l.s[at-1]) || c == '.' && isLetter(next) {
			at++
			continue
		}
		break
	}
	return at
}

// spelled reads what follows a number word.
func (l *lexer) spelled(from int, v float64) {
	t := Token{Kind: Number, From: from, To: l.at, Value: v, Ulp: 1, Spelled: true}
	if strings.HasPrefix(l.s[l.at:], " (") { // sixty (60) days
		if e := l.run(l.at + 2); e > l.at+2 && l.peek(e) == ')' {
			l.at, t.To = e+1, e+1
		}
	}
	l.unit(&t)
	l.qualify(&t)
	l.out = append(l.out, t)
}

func (l *lexer) mark() {
	r, n := utf8.DecodeRuneInString(l.s[l.at:])
	from := l.at
	if unicode.IsLetter(r) {
		l.at = max(l.nameEnd(l.at), l.at+n)
		l.out = append(l.out, Token{From: from, To: l.at, End: l.at})
		return
	}
	l.at += n
	switch r {
	case '×', '·', '⋅', '∗':
		r = '*'
	case '–', '—', '−', '‒':
		r = '-'
	case '÷':
		r = '/'
	case '≈', '≃':
		r = '~'
	case '≥', '⩾':
		r = '>'
	case '≤', '⩽':
		r = '<'
	case '\u00a0', '\u202f', '\u2009', '\ufe0f', '\u200b':
		return
	case '-':
		if l.peek(l.at) == '>' {
			l.at, r = l.at+1, '→'
		}
	case '=':
		switch {
		case l.peek(l.at) == '>':
			l.at, r = l.at+1, '→'
		case l.peek(l.at) == '=' || from > 0 && l.s[from-1] == '!':
			l.at, r = l.at+1, '≠'
		}
	case '>', '<':
		if l.peek(l.at) == '=' {
			l.at++
		}
	}
	l.out = append(l.out, Token{Kind: Mark, From: from, To: l.at, End: l.at, Mark: r, Tight: l.tight(from, l.at)})
}

// tight tells whether no space stands around s[from:to].
func (l *lexer) tight(from, to int) bool {
	return from > 0 && l.s[from-1] != ' ' && to < len(l.s) && l.s[to] != ' '
}

// last gives the token before, nil if there is none.
func (l *lexer) last() *Token {
	if len(l.out) == l.first {
		return nil
	}
	return &l.out[len(l.out)-1]
}
