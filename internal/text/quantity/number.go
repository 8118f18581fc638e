package quantity

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

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
	l.add(Token{From: t.From, means: &unknown})
}

// group gives the length of what may stand between thousands at offset at,
// with three digits behind it.
func (l *lexer) group(at int) int {
	r, n := l.rune(at)
	if l.run(at+n) != at+n+3 || !strings.ContainsRune(",.'_ ’\u00a0\u202f\u2009", r) {
		return 0
	}
	return n
}

// digits reads the value at hand: 1,200.5 and 1.200,5. A mark before three
// digits groups thousands, but a single point, as in 1.200, is a decimal mark.
func (l *lexer) digits(t *Token) bool {
	end, grouped := l.run(l.at), byte(0)
	text := l.s[l.at:end]
	if mark := l.peek(end); len(text) <= 3 && text != "" && text[0] != '0' {
		for n := l.group(end); n > 0 && l.peek(end) == mark && len(text) <= maxDigits; n = l.group(end) {
			next := end + n + 3
			if mark == '.' && grouped == 0 && l.group(next) == 0 && !(l.peek(next) == ',' && isDigit(l.peek(next+1))) {
				break
			}
			text, end, grouped = text+l.s[end+n:next], next, mark
		}
	}
	l.at = end
	if len(text) > maxDigits {
		return false
	}
	if mark, to := l.peek(end), l.run(end+1); to > end+1 && mark != grouped &&
		(mark == '.' || mark == ',' && l.peek(to) != ',' && (to != end+4 || grouped != 0 || text == "0")) {
		l.at, t.Decimals = to, to-end-1
		text += "." + l.s[end+1:to]
	}
	if t.Decimals == 0 {
		n, err := strconv.ParseInt(text, 10, 64)
		t.Value, t.Ulp = float64(n), 1
		return err == nil
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
		date := l.peek(e) == c && isDigit(l.peek(e+1))
		telephone := c == '-' && l.s[t.From] == '0' && l.at-t.From > 1 && t.Decimals == 0 // 0621-555
		return again && (date || telephone)
	}
	if r, _ := l.rune(l.at); !isLetter(c) && (!unicode.IsLetter(r) || fold.Unspaced(r)) && !unicode.Is(unicode.No, r) {
		return false
	}
	w := l.s[l.at:l.nameEnd(l.at)]
	if w[0]|0x20 == 'x' && (len(w) == 1 || isDigit(w[1])) {
		return l.s[t.From:l.at] == "0" // 0x1F; otherwise a factor or a product
	}
	m := find(w)
	return m.unit == nil && m.scale == 0 && w != "M" && w != "B"
}

// finish reads what belongs to the number that ends at l.at, and adds it. In a cell of a
// table it often stands alone.
func (l *lexer) finish(t Token) {
	t.To, t.End = l.at, l.at
	if l.at < len(l.s) {
		l.scale(&t)
		t.To = l.at
		l.unit(&t)
		t.End = l.at
	}
	if len(l.out) > l.first {
		l.sign(&t)
		l.qualify(&t)
	}
	l.out = append(l.out, t)
}

// scale reads k, M, million and the like behind the digits.
func (l *lexer) scale(t *Token) {
	at := l.at
	if l.peek(at) == ' ' {
		at++
	}
	w := l.s[at:l.nameEnd(at)]
	if w == "" || t.Spelled && len(w) < 4 {
		return
	}
	by := find(w).scale
	switch {
	case by > 0 && (len(w) > 1 || at == l.at):
	case at == l.at && (w == "M" || (w == "m" || w == "B" || w == "b") && l.currency(t) != nil):
		by = 1e6
		if w[0]|0x20 == 'b' {
			by = 1e9
		}
	default:
		return
	}
	t.Value, t.Ulp, l.at = t.Value*by, t.Ulp*by, at+len(w)
}

// currency gives the currency whose sign or name stands before a number, nil if
// none does.
func (l *lexer) currency(t *Token) *Unit {
	p := l.last()
	if u := find(l.s[max(0, p.From):max(0, p.To)]).unit; u.IsMoney() && t.From-p.To <= 1 {
		return u
	}
	return nil
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
			t.Unit, l.at = words["x"].unit, e
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
	if u := find(w).unit; u != nil && (at == l.at || len(w) > 1 || strings.ContainsAny(w, "%$smhdgl")) {
		t.Unit, l.at = u, e
	}
}

// sign reads what stands before a number: the sign or code of a currency, and
// a plus or minus that is no operator.
func (l *lexer) sign(t *Token) {
	p := l.last()
	if p.Kind == Mark || p.To-p.From == len("EUR") {
		if u := l.currency(t); u != nil && (t.Unit == nil || t.Unit == u) {
			t.Unit, t.From = u, p.From
			l.out = l.out[:len(l.out)-1]
			p = l.last()
		}
	}
	if p.Mark != '-' && p.Mark != '+' || p.To != t.From {
		return
	}
	if n := len(l.out) - 1; n > l.first {
		before := &l.out[n-1]
		if before.Kind == Number || before.Mark == ')' || before.Mark == ']' || before.Kind == Word && before.End == p.From {
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
	near := true
	for i := len(l.out) - 1; i >= max(l.first, len(l.out)-7); i-- {
		p := &l.out[i]
		switch {
		case p.Kind == Number, p.Kind == Mark && !near:
			return
		case p.Kind == Mark:
			switch p.Mark {
			case '(', ':', '"':
				continue
			case '~':
				t.Approx = true
			case '>':
				t.Bound = AtLeast
			case '<':
				t.Bound = AtMost
			}
			return
		}
		m := p.means
		if !m.far && !(m.near && near) {
			near = near && m.light
			continue
		}
		t.Bound, t.Approx = m.bound, m.bound == Exact
		for k := i - 1; k >= max(l.first, i-2) && m.bound != Exact; k-- {
			if n := l.out[k].text(l.s); n == "no" || n == "not" || n == "never" || n == "No" {
				t.Bound = AtMost + AtLeast - m.bound // no more than is at most
			}
		}
		return
	}
}
