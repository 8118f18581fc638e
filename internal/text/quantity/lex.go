package quantity

import (
	"math"
	"regexp"
	"strconv"
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
	Kind Kind
	From int // offset in the line
	To   int // of a number: without its unit
	End  int // of a number: with its unit; otherwise To
	// Mark is the character, its variants made one: * for × and ·, - for
	// short dashes and minus signs, / for ÷, ~ for ≈, < and > for ≤ and ≥, → for
	// arrows.
	Mark  rune
	Tight bool // no space stands before a mark and none behind it

	Value    float64 // of a number, with its sign and its scale
	Ulp      float64 // what one more in its last digit is worth
	Decimals int     // digits behind the decimal mark
	Unit     *Unit   // nil if there is none
	Spelled  bool    // it is written in words
	Signed   bool    // a sign stands before it
	Approx   bool
	Bound    Bound
}

// maxDigits is how long a run of digits may be to be a number.
const maxDigits = 15

// commaForm is a number that can only be read with a decimal comma.
var commaForm = regexp.MustCompile(`(?:^|[^\w.,])(?:0,\d+|\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2})(?:[^\w,]|$)`)

type lexer struct {
	s     string
	at    int
	out   []Token
	first int // where the tokens of this line begin in out
	comma bool
}

// Lex cuts a line into tokens, which it adds to buf.
func Lex(line string, buf []Token) []Token {
	l := lexer{s: line, out: buf, first: len(buf)}
	for i := 1; i+1 < len(line) && !l.comma; i++ {
		if line[i] == ',' && isDigit(line[i+1]) && isDigit(line[i-1]) && (l.run(i+1) != i+4 || line[i-1] == '0') {
			l.comma = len(line) < 4096 && commaForm.MatchString(line)
			break
		}
	}
	for l.at < len(line) {
		switch c := line[l.at]; {
		case c == ' ' || c == '\t' || c == '\n':
			l.at++
		case isDigit(c) || c == '.' && isDigit(l.peek(l.at+1)) && !l.nameBefore():
			l.number()
		case isLetter(c):
			l.word()
		default:
			l.mark()
		}
	}
	return l.out
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

func (l *lexer) rune(i int) (rune, int) { return utf8.DecodeRuneInString(l.s[min(i, len(l.s)):]) }

// digitAt tells whether a digit stands at offset i or behind spaces there.
func (l *lexer) digitAt(i int) bool { return isDigit(l.peek(i + spaces(l.s[i:]))) }

// spaces counts up to two spaces that s begins with.
func spaces(s string) int {
	return len(s[:min(2, len(s))]) - len(strings.TrimLeft(s[:min(2, len(s))], " "))
}

// last gives the token before, an empty one if there is none.
func (l *lexer) last() *Token {
	if len(l.out) == l.first {
		return &Token{From: -9, To: -9, End: -9}
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
	for at < len(l.s) {
		c, next := l.s[at], l.peek(at+1)
		switch {
		case isLetter(c) || isDigit(c) || c == '_':
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
	return at
}

// word reads a word, a number word, or the x of 3 x 8.
func (l *lexer) word() {
	p, t := l.last(), Token{From: l.at}
	l.at = l.nameEnd(l.at)
	if p.Kind == Number && l.s[t.From]|0x20 == 'x' && (p.End == t.From && isDigit(l.peek(t.From+1)) || l.at == t.From+1 && l.digitAt(l.at)) {
		l.at = t.From + 1
		t.Kind, t.Mark, t.Tight = Mark, '*', l.tight(t.From)
		l.add(t)
		return
	}
	w := l.s[t.From:l.at]
	m, _ := lookup(meanings, w)
	half := len(w) == 4 && m.value == 0.5
	switch rest := l.s[l.at:]; {
	case strings.HasPrefix(rest, "://"):
		if n := strings.IndexAny(rest, " )"); n > 0 {
			l.at += n
		} else {
			l.at = len(l.s)
		}
	case m.kind == 'n' && m.value >= 1, half && (strings.HasPrefix(rest, " an ") || strings.HasPrefix(rest, " a ")):
		t.Kind, t.Value, t.Ulp, t.Spelled = Number, m.value, 1, true
		if half {
			l.at += strings.IndexByte(rest[1:], ' ') + 1
		} else if e := l.run(l.at + 2); strings.HasPrefix(rest, " (") && e > l.at+2 && l.peek(e) == ')' {
			l.at = e + 1 // sixty (60) days
		}
		l.finish(t)
		return
	}
	l.add(t)
}

var marks = map[rune]rune{'×': '*', '·': '*', '⋅': '*', '∗': '*', '–': '-', '−': '-', '‒': '-', '÷': '/', '≈': '~', '≃': '~', '≥': '>', '≤': '<'}

func (l *lexer) mark() {
	r, n := l.rune(l.at)
	t := Token{From: l.at}
	if unicode.IsLetter(r) {
		l.at = l.nameEnd(l.at)
		l.add(t)
		return
	}
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
	return from > 0 && l.s[from-1] != ' ' && l.at < len(l.s) && l.s[l.at] != ' '
}

// run gives the offset behind the digits at offset at.
func (l *lexer) run(at int) int {
	for at < len(l.s) && isDigit(l.s[at]) {
		at++
	}
	return at
}

// number reads the number at hand with its unit, or the name that begins with
// a digit.
func (l *lexer) number() {
	t := Token{Kind: Number, From: l.at}
	if name := l.nameBefore(); l.digits(&t) && !name && !l.named(&t) {
		l.finish(t)
		return
	}
	l.at = l.nameEnd(max(l.at, t.From+1))
	for l.at < len(l.s) && (isDigit(l.s[l.at]) || strings.IndexByte(".:-/", l.s[l.at]) >= 0 && isDigit(l.peek(l.at+1))) {
		l.at = l.nameEnd(l.at + 1)
	}
	l.add(Token{From: t.From})
}

// group gives the length of what may stand between thousands at offset at,
// with three digits behind it.
func (l *lexer) group(at int) int {
	r, n := l.rune(at)
	if !strings.ContainsRune(",.'_ ’\u00a0\u202f\u2009", r) || l.run(at+n) != at+n+3 {
		return 0
	}
	return n
}

// digits reads the value at hand. A mark that stands once before three digits
// groups them unless it is the line's decimal mark.
func (l *lexer) digits(t *Token) bool {
	decimal, end := byte('.'), l.run(l.at)
	if l.comma {
		decimal = ','
	}
	text := l.s[l.at:end]
	if sep := l.peek(end); len(text) <= 3 && text != "" && text[0] != '0' {
		for n := l.group(end); n > 0 && l.peek(end) == sep && len(text) <= maxDigits; n = l.group(end) {
			if sep == decimal && len(text) <= 3 && l.group(end+n+3) == 0 {
				break
			}
			text, end = text+l.s[end+n:end+n+3], end+n+3
		}
	}
	l.at = end
	if len(text) > maxDigits {
		return false
	}
	if l.peek(end) == decimal && isDigit(l.peek(end+1)) {
		l.at = l.run(end + 1)
		t.Decimals = l.at - end - 1
		text += "." + l.s[end+1:l.at]
	}
	v, err := strconv.ParseFloat(text, 64)
	t.Value, t.Ulp = v, math.Pow10(-t.Decimals)
	return err == nil && t.Decimals <= maxDigits+3
}

// named tells whether what follows the digits makes them a name: 2FA, 10:30,
// 1.2.3, 2024-01-15, 3rd.
func (l *lexer) named(t *Token) bool {
	c, e := l.peek(l.at), l.run(l.at+1)
	again := e > l.at+1
	switch {
	case c == ':' || c == '.' || c == ',' || c == '_':
		return again || c == '_'
	case c == '-' || c == '/':
		return again && l.peek(e) == c && isDigit(l.peek(e+1)) || again && c == '-' && l.s[t.From] == '0' && l.at-t.From > 1 && t.Decimals == 0
	}
	if r, _ := l.rune(l.at); !isLetter(c) && !unicode.IsLetter(r) && !unicode.Is(unicode.No, r) {
		return false
	}
	w := l.s[l.at:l.nameEnd(l.at)]
	if w[0]|0x20 == 'x' && (len(w) == 1 || isDigit(w[1])) {
		return l.s[t.From:l.at] == "0" // 0x1F; otherwise a factor or a product
	}
	_, unit := lookup(units, w)
	m, _ := lookup(meanings, w)
	return !unit && m.kind != 's' && w != "M" && w != "B"
}

// finish reads what belongs to the number that ends at l.at, and adds it.
func (l *lexer) finish(t Token) {
	l.scale(&t)
	t.To = l.at
	l.unit(&t)
	t.End = l.at
	l.sign(&t)
	l.qualify(&t)
	l.out = append(l.out, t)
}

// scale reads k, M, million and the like behind the digits.
func (l *lexer) scale(t *Token) {
	at, p := l.at, l.last()
	if l.peek(at) == ' ' {
		at++
	}
	w := l.s[at:l.nameEnd(at)]
	m, _ := lookup(meanings, w)
	money, _ := lookup(units, l.s[max(0, p.From):max(0, p.To)])
	switch by := m.value; {
	case w == "" || t.Spelled && len(w) < 4:
		return
	case m.kind == 's' && (len(w) > 1 || at == l.at):
	case at == l.at && (w == "M" || (w == "m" || w == "B" || w == "b") && money.IsMoney() && t.From-p.To <= 1):
		if by = 1e6; w[0]|0x20 == 'b' {
			by = 1e9
		}
		m.value = by
	default:
		return
	}
	t.Value, t.Ulp, l.at = t.Value*m.value, t.Ulp*m.value, at+len(w)
}

// unit reads the unit behind a number, which ends at l.at.
func (l *lexer) unit(t *Token) {
	at := l.at
	if p := l.last(); p.To == t.From && strings.ContainsRune("$€£¥", max(' ', p.Mark)) { // a number has one unit
		return
	}
	if r, n := l.rune(at); r == '-' && isLetter(l.peek(at+1)) || unicode.IsSpace(r) {
		at += n
	}
	r, n := l.rune(at)
	e := at + n
	switch {
	case r == '×' && at == l.at:
		if f, _ := l.rune(e + spaces(l.s[e:])); !unicode.IsDigit(f) && !strings.ContainsRune("($€£~", f) {
			t.Unit, l.at = units["x"], e
		}
		return
	case unicode.IsLetter(r):
		e = l.nameEnd(at)
	}
	w := l.s[at:e]
	if w == "per" && strings.HasPrefix(l.s[e:], " cent") {
		w, e = "percent", e+len(" cent")
	}
	if w == "x" && (at > l.at || l.digitAt(e)) {
		return
	}
	if u, ok := lookup(units, w); ok && (at == l.at || len(w) > 1 || strings.ContainsAny(w, "%$smhdgl")) {
		t.Unit, l.at = u, e
	}
}

// sign reads what stands before a number: the sign or code of a currency, and
// a plus or minus that is no operator.
func (l *lexer) sign(t *Token) {
	p := l.last()
	if p.Kind != Number && p.To-p.From <= 3 && t.From-p.To <= 1 && len(l.out) > l.first {
		if u, _ := lookup(units, l.s[p.From:p.To]); u.IsMoney() && (t.Unit == nil || t.Unit == u) && (p.Kind == Mark || p.To-p.From == 3) {
			t.Unit, t.From = u, p.From
			l.out = l.out[:len(l.out)-1]
			p = l.last()
		}
	}
	if p.Mark != '-' && p.Mark != '+' || p.To != t.From {
		return
	}
	if n := len(l.out) - 1; n > l.first {
		b := l.out[n-1]
		if b.Kind == Number || b.Mark == ')' || b.Mark == ']' || b.End == p.From && b.Kind == Word {
			return // a minus or a range
		}
	}
	if p.Mark == '-' {
		t.Value = -t.Value
	}
	t.From, t.Signed = p.From, true
	l.out = l.out[:len(l.out)-1]
}

// light are words that may stand between a number and a word that says about.
var light = map[string]bool{"a": true, "an": true, "the": true, "than": true, "to": true, "of": true, "or": true, "equal": true}

// qualify reads what stands before the number: about, at most, ~, ≥.
func (l *lexer) qualify(t *Token) {
	near := true
	for i := len(l.out) - 1; i >= max(l.first, len(l.out)-7); i-- {
		p := &l.out[i]
		switch {
		case p.Kind == Number:
			return
		case p.Kind == Mark:
			t.Approx = t.Approx || near && p.Mark == '~'
			if near && p.Mark == '>' {
				t.Bound = AtLeast
			} else if near && p.Mark == '<' {
				t.Bound = AtMost
			}
			if !near || p.Mark != '(' && p.Mark != ':' && p.Mark != '"' {
				return
			}
			continue
		}
		w := l.s[p.From:p.To]
		m, ok := lookup(meanings, w)
		if !ok || m.value != 0 || m.kind == 'n' && !near {
			near = near && light[strings.ToLower(w)]
			continue
		}
		t.Bound, t.Approx = m.bound, m.bound == Exact
		for k := i - 1; k >= max(l.first, i-2) && m.bound != Exact; k-- {
			if n := l.s[l.out[k].From:l.out[k].To]; n == "no" || n == "not" || n == "never" || n == "No" {
				t.Bound = AtMost + AtLeast - m.bound
			}
		}
		return
	}
}
