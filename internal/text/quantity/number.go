package quantity

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads the number at hand with its unit, or the name that begins with
// a digit.
func (l *lexer) number() {
	t := Token{Kind: Number, From: l.at}
	name := l.nameBefore()
	if !l.digits(&t) || name || l.named(&t) {
		l.at = l.nameEnd(max(l.at, t.From+1))
		for l.at < len(l.s) && (isDigit(l.s[l.at]) || strings.IndexByte(".:-/", l.s[l.at]) >= 0 && isDigit(l.peek(l.at+1))) {
			l.at = l.nameEnd(l.at + 1)
		}
		l.out = append(l.out, Token{From: t.From, To: l.at, End: l.at})
		return
	}
	l.scale(&t)
	t.To = l.at
	l.unit(&t)
	l.sign(&t)
	l.qualify(&t)
	l.out = append(l.out, t)
}

// run gives the offset behind the digits at offset at.
func (l *lexer) run(at int) int {
	for at < len(l.s) && isDigit(l.s[at]) {
		at++
	}
	return at
}

// group gives the length of what may stand between thousands at offset at,
// with three digits behind it.
func (l *lexer) group(at int) int {
	n := 0
	switch c := l.peek(at); c {
	case ',', '.', '\'', '_', ' ':
		n = 1
	default:
		if c >= utf8.RuneSelf {
			switch r, size := utf8.DecodeRuneInString(l.s[at:]); r {
			case '’', '\u00a0', '\u202f', '\u2009':
				n = size
			}
		}
	}
	if n == 0 || l.run(at+n) != at+n+3 {
		return 0
	}
	return n
}

// digits reads the value at hand, in false if it is none. A mark that stands
// once before three digits groups them if it is the line's mark for that; a
// mark that stands several times always does.
func (l *lexer) digits(t *Token) bool {
	from := l.at
	end := l.run(from)
	whole := l.s[from:end]
	decimal, thousand := byte('.'), byte(',')
	if l.comma {
		decimal, thousand = ',', '.'
	}
	if mark := l.peek(end); len(whole) <= 3 && len(whole) > 0 && whole != "0" && !(whole[0] == '0' && len(whole) > 1) {
		again := 0
		for n := l.group(end); n > 0 && l.peek(end) == mark && again < 4; n = l.group(end) {
			if mark == decimal && l.group(end+n+3) == 0 && again == 0 || mark == ' ' && isDigit(l.peek(end+n+3)) {
				break
			}
			whole, end, again = whole+l.s[end+n:end+n+3], end+n+3, again+1
		}
		if again > 0 && mark == thousand && l.peek(end) == thousand && isDigit(l.peek(end+1)) {
			l.at = end
			return false // 1,234,5
		}
	}
	if len(whole) > maxDigits {
		l.at = end
		return false
	}
	dec := ""
	if l.peek(end) == decimal && isDigit(l.peek(end+1)) {
		e := l.run(end + 1)
		dec, end = l.s[end+1:e], e
	}
	l.at = end
	if len(dec) > maxDigits+3 {
		return false
	}
	text := whole
	if dec != "" {
		text = whole + "." + dec
	}
	v, err := strconv.ParseFloat(text, 64)
	t.Value, t.Ulp, t.Decimals = v, math.Pow10(-len(dec)), len(dec)
	return err == nil
}

// named tells whether what follows the digits makes them a name: 2FA, 10:30,
// 1.2.3, 2024-01-15, 3rd.
func (l *lexer) named(t *Token) bool {
	c, next := l.peek(l.at), l.peek(l.at+1)
	switch {
	case c == ':' || c == '.' || c == ',':
		return isDigit(next)
	case c == '_':
		return true
	case c == '-' && isDigit(next):
		e := l.run(l.at + 1)
		return l.peek(e) == '-' && isDigit(l.peek(e+1)) || l.s[t.From] == '0' && l.at-t.From > 1 && t.Ulp == 1
	case c == '/' && isDigit(next):
		e := l.run(l.at + 1)
		return l.peek(e) == '/' && isDigit(l.peek(e+1))
	case isLetter(c) || c >= utf8.RuneSelf && strings.ContainsRune("µμ²³⁰¹⁴⁵⁶⁷⁸⁹", runeAt(l.s, l.at)):
		e := l.nameEnd(l.at)
		w := l.s[l.at:e]
		if w == "x" || w == "X" || (w[0] == 'x' || w[0] == 'X') && len(w) > 1 && isDigit(w[1]) {
			return l.s[t.From:l.at] == "0" // 0x1F, and otherwise a factor or a product
		}
		if _, ok := lookup(units, w); ok {
			return false
		}
		m, ok := lookup(meanings, w)
		return !(ok && m.kind == 's') && w != "M" && w != "B" && w != "m" && w != "bn"
	}
	return false
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

// scale reads k, M, million and the like behind the digits.
func (l *lexer) scale(t *Token) {
	at := l.at
	if l.peek(at) == ' ' {
		at++
	}
	if !isLetter(l.peek(at)) {
		return
	}
	e := l.nameEnd(at)
	w, by := l.s[at:e], 0.0
	m, ok := lookup(meanings, w)
	p, money := l.last(), false
	if p != nil && p.To-p.From <= 3 && t.From-p.To <= 1 {
		u, _ := lookup(units, l.s[p.From:p.To])
		money = u != nil && len(u.Of) == 3
	}
	switch {
	case ok && m.kind == 's' && (len(w) > 1 || at == l.at):
		by = m.value
	case at == l.at && (w == "M" || w == "m" && money):
		by = 1e6
	case at == l.at && (w == "B" || w == "b") && money:
		by = 1e9
	default:
		return
	}
	t.Value, t.Ulp, l.at = t.Value*by, t.Ulp*by, e
}

// unit reads the unit behind a number, which ends at l.at.
func (l *lexer) unit(t *Token) {
	if t.To == 0 {
		t.To = l.at
	}
	t.End = l.at
	at := l.at
	switch c := l.peek(at); {
	case c == ' ' || c == '-' && isLetter(l.peek(at+1)):
		at++
	case c >= utf8.RuneSelf && runeAt(l.s, at) == '\u00a0':
		at += 2
	case c >= utf8.RuneSelf && runeAt(l.s, at) == '\u202f':
		at += 3
	}
	e := at
	switch c := l.peek(at); {
	case c == '%' || c == '$':
		e = at + 1
	case c >= utf8.RuneSelf || isLetter(c):
		r, n := utf8.DecodeRuneInString(l.s[at:])
		if r == '×' && at == l.at {
			if next := strings.TrimLeft(l.s[at+n:], " "); next == "" || !isDigit(next[0]) && !strings.ContainsRune("($€£~", runeAt(next, 0)) {
				t.Unit, e = units["x"], at+n
			}
		} else if r == '€' || r == '£' || r == '¥' || r == '¢' {
			e = at + n
		} else {
			e = l.nameEnd(at)
			if strings.HasPrefix(l.s[at:e], "per") && l.s[at:e] == "per" && strings.HasPrefix(l.s[e:], " cent") {
				e += len(" cent")
				t.Unit = units["%"]
			}
		}
	}
	if e == at {
		return
	}
	if t.Unit == nil {
		w := l.s[at:e]
		if (w[0] == 'x' || w[0] == 'X') && len(w) == 1 && (at > l.at || isDigit(l.peek(e)) || l.peek(e) == ' ' && isDigit(l.peek(e+1))) {
			return // a sign of multiplication
		}
		u, ok := lookup(units, w)
		if !ok || at > l.at && len(w) == 1 && w != "$" && w != "%" && !strings.ContainsAny(w, "smhdgl") {
			return
		}
		t.Unit = u
		if w == "m" {
			t.other = units["min"]
		}
	}
	t.End, l.at = e, e
}

// sign reads what stands before a number: a sign, and the sign or the code of
// a currency.
func (l *lexer) sign(t *Token) {
	p := l.last()
	if p != nil && p.Kind != Number && p.To-p.From <= 3 {
		if u, _ := lookup(units, l.s[p.From:p.To]); u != nil && (t.Unit == nil || t.Unit == u) && (p.Kind == Mark || p.To-p.From == 3) && len(u.Of) == 3 && t.From-p.To <= 1 {
			t.Unit, t.From = u, p.From
			l.out = l.out[:len(l.out)-1]
			p = l.last()
		}
	}
	if p == nil || p.Kind != Mark || p.Mark != '-' && p.Mark != '+' || p.To != t.From {
		return
	}
	if n := len(l.out) - 1; n > l.first {
		before := l.out[n-1]
		if before.Kind == Number || before.Kind == Mark && (before.Mark == ')' || before.Mark == ']') || before.End == p.From && before.Kind == Word {
			return // a minus or a range
		}
	}
	if p.Mark == '-' {
		t.Value = -t.Value
	}
	t.From, t.Signed = p.From, true
	l.out = l.out[:len(l.out)-1]
}

// qualify reads what stands before the number: about, at most, ~, ≥.
func (l *lexer) qualify(t *Token) {
	flip := false
	for i := len(l.out) - 1; i >= max(l.first, len(l.out)-7); i-- {
		p := &l.out[i]
		back := len(l.out) - 1 - i
		if p.Kind == Number || p.Kind == Mark && back > 0 {
			return
		}
		if p.Kind == Mark {
			switch {
			case p.Mark == '~':
				t.Approx = true
			case p.Mark == '>':
				t.Bound = AtLeast
			case p.Mark == '<':
				t.Bound = AtMost
			case p.Mark != '(' && p.Mark != ':' && p.Mark != '"':
				return
			}
			if p.Mark == '~' || p.Mark == '>' || p.Mark == '<' {
				return
			}
			continue
		}
		w := l.s[p.From:p.To]
		m, ok := lookup(meanings, w)
		if !ok || m.kind == 'n' && m.value == 0 && back > 0 && !l.light(i+1) {
			continue
		}
		if m.value != 0 || m.kind == 's' {
			return
		}
		if t.Bound = m.bound; m.bound == Exact {
			t.Approx = true
			return
		}
		for k := i - 1; k >= max(l.first, i-2) && !flip; k-- {
			n := l.s[l.out[k].From:l.out[k].To]
			flip = strings.EqualFold(n, "no") || strings.EqualFold(n, "not") || strings.EqualFold(n, "never")
		}
		if flip {
			t.Bound = AtMost + AtLeast - t.Bound
		}
		return
	}
}

// light tells whether only light words stand between token i and the end.
func (l *lexer) light(i int) bool {
	for ; i < len(l.out); i++ {
		switch strings.ToLower(l.s[l.out[i].From:l.out[i].To]) {
		case "a", "an", "the", "than", "to", "of", "or", "equal":
		default:
			return false
		}
	}
	return true
}
