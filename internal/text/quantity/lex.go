package quantity

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota // a word or a name, with the digits and hyphens inside it
	Number             // digits or a number word, with its unit
	Mark               // any other character but spaces
)

// Token is a piece of a line.
type Token struct {
	Kind  Kind
	Tight bool // no space stands before a mark and none behind it
	// Mark is the character, its variants made one: * for × and ·, - for
	// short dashes and minus signs, / for ÷, ~ for ≈, < and > for ≤ and ≥, → for
	// arrows.
	Mark  rune
	From  int   // offset in the line
	To    int   // of a number: without its unit
	End   int   // of a number: with its unit; otherwise To
	means *word // of a word: what it means beside a number

	Value    float64 // of a number, with its sign and its scale
	Ulp      float64 // what one more in its last digit is worth
	Decimals int     // digits behind the decimal mark
	Unit     *Unit   // nil if there is none
	Spelled  bool    // it is written in words
	Signed   bool    // a sign stands before it
	Approx   bool
	Bound    Bound
}

// text gives a token as it is written, of a number without its unit.
func (t *Token) text(line string) string { return line[t.From:t.To] }

// maxDigits is how long a run of digits may be to be a number.
const maxDigits = 15

type lexer struct {
	s     string
	at    int
	out   []Token
	first int // where the tokens of this line begin in out
}

// Lex cuts a line into tokens, which it adds to buf.
func Lex(line string, buf []Token) []Token {
	if buf == nil {
		buf = make([]Token, 0, 2+len(line)/4) // more than most lines have
	}
	l := lexer{s: line, out: buf, first: len(buf)}
	for l.at < len(line) {
		switch c := line[l.at]; {
		case c == ' ' || c == '\t' || c == '\n':
			l.at++
		case isDigit(c) || c == '.' && isDigit(l.peek(l.at+1)) && !l.nameBefore():
			l.number()
		case isLetter(c) || c >= utf8.RuneSelf && l.letterAt(l.at):
			l.word()
		default:
			l.mark()
		}
	}
	return l.out
}

// maxPart is how many bytes of a line are lexed together.
const maxPart = 4096

// Parts cuts a line at spaces into parts that are short enough to be lexed. Most
// lines are one.
func Parts(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(line) > maxPart {
			end := 1 + max(strings.LastIndexByte(line[:maxPart], ' '), maxPart/2)
			if !yield(line[:end]) {
				return
			}
			line = line[end:]
		}
		yield(line)
	}
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// inWord tells of a byte whether it is an ASCII character that may stand in a word or
// name.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '_'
	}
	return in
}()

// HasDigit tells whether a digit stands in a text.
func HasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// peek gives the byte at offset i, 0 behind the end.
func (l *lexer) peek(i int) byte {
	if i < len(l.s) {
		return l.s[i]
	}
	return 0
}

func (l *lexer) rune(i int) (rune, int) { return utf8.DecodeRuneInString(l.s[min(i, len(l.s)):]) }

func (l *lexer) letterAt(i int) bool {
	r, _ := l.rune(i)
	return unicode.IsLetter(r)
}

// digitAt tells whether a digit stands at offset i or behind spaces there.
func (l *lexer) digitAt(i int) bool { return isDigit(l.peek(i + spaces(l.s[i:]))) }

// spaces counts up to two spaces that s begins with.
func spaces(s string) int {
	return len(s[:min(2, len(s))]) - len(strings.TrimLeft(s[:min(2, len(s))], " "))
}

var none = Token{From: -9, To: -9, End: -9}

// last gives the token before, an empty one if there is none.
func (l *lexer) last() *Token {
	if len(l.out) == l.first {
		return &none
	}
	return &l.out[len(l.out)-1]
}

func (l *lexer) add(t Token) {
	t.To, t.End = l.at, l.at
	l.out = append(l.out, t)
}

// nameBefore tells whether what stands just before makes digits part of a name.
func (l *lexer) nameBefore() bool {
	if l.at == 0 {
		return false
	}
	c, spaced := l.s[l.at-1], l.at < 2 || l.s[l.at-2] == ' '
	return isDigit(c) || c == '#' || c == '@' || c == '\\' || !spaced && (c == '_' || c == '.' && l.s[l.at-2] != '.')
}

// nameEnd gives the offset behind the word or name that goes on at offset at.
func (l *lexer) nameEnd(at int) int {
	s := l.s
	for {
		for at < len(s) && inWord[s[at]] {
			at++
		}
		if at == len(s) {
			return at
		}
		switch c, next := s[at], l.peek(at+1); {
		case c >= utf8.RuneSelf:
			r, n := l.rune(at)
			if !unicode.IsLetter(r) && !(r == '’' && isLetter(l.peek(at+n))) && !unicode.Is(unicode.No, r) {
				return at
			}
			at += n - 1
		case (c == '-' || c == '\'' || c == '.') && isLetter(next):
		case (c == '-' || c == '.') && isDigit(next) && at > 0 && !isDigit(l.s[at-1]):
		default:
			return at
		}
		at++
	}
}

// word reads a word, a number word, or the x of 3 x 8.
func (l *lexer) word() {
	t := Token{From: l.at}
	l.at = l.nameEnd(l.at)
	if next := t.From + 1; l.s[t.From]|0x20 == 'x' && l.last().Kind == Number && (l.at == next && (l.digitAt(next) || strings.HasPrefix(l.s[next:], " $")) || l.last().End == t.From && isDigit(l.peek(next))) {
		l.at = next
		t.Kind, t.Mark, t.Tight = Mark, '*', l.tight(t.From)
		l.add(t)
		return
	}
	w := l.s[t.From:l.at]
	m := find(w)
	half := m.number == 0.5
	switch rest := l.s[l.at:]; {
	case strings.HasPrefix(rest, "://"):
		m = &unknown
		address, _, _ := strings.Cut(rest, " ")
		l.at += len(strings.TrimRight(address, ")"))
	case m.number >= 1, half && (strings.HasPrefix(rest, " an ") || strings.HasPrefix(rest, " a ")):
		t.Kind, t.Value, t.Ulp, t.Spelled = Number, m.number, 1, true
		if half {
			l.at += strings.IndexByte(rest[1:], ' ') + 1
		} else if e := l.run(l.at + 2); strings.HasPrefix(rest, " (") && e > l.at+2 && l.peek(e) == ')' {
			l.at = e + 1 // sixty (60) days
		}
		l.finish(t)
		return
	}
	t.means = m
	l.add(t)
}

var marks = map[rune]rune{'×': '*', '·': '*', '⋅': '*', '∗': '*', '–': '-', '−': '-', '‒': '-', '÷': '/', '≈': '~', '≃': '~', '≥': '>', '≤': '<', '（': '(', '）': ')', '：': ':', '，': ','}

func (l *lexer) mark() {
	r, n := l.rune(l.at)
	t := Token{From: l.at}
	l.at += n
	next := l.peek(l.at)
	switch {
	case n > 1 && (unicode.IsSpace(r) || r == '\ufe0f' || r == '\u200b'):
		return
	case n > 1 && marks[r] != 0:
		r = marks[r]
	case (r == '-' || r == '=') && next == '>':
		l.at, r = l.at+1, '→'
	case r == '=' && (next == '=' || t.From > 0 && l.s[t.From-1] == '!'):
		l.at, r = l.at+1, '≠'
	case (r == '>' || r == '<') && next == '=':
		l.at++
	}
	l.at = min(l.at, len(l.s))
	t.Kind, t.Mark, t.Tight = Mark, r, l.tight(t.From)
	l.add(t)
}

// tight tells whether no space stands around s[from:l.at].
func (l *lexer) tight(from int) bool {
	before, _ := utf8.DecodeLastRuneInString(l.s[:from])
	behind, _ := utf8.DecodeRuneInString(l.s[l.at:])
	return from > 0 && l.at < len(l.s) && !unicode.IsSpace(before) && !unicode.IsSpace(behind)
}

// run gives the offset behind the digits at offset at.
func (l *lexer) run(at int) int {
	for at < len(l.s) && isDigit(l.s[at]) {
		at++
	}
	return at
}
