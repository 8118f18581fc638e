package check

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a piece of a line is to arithmetic.
type tokenKind uint8

const (
	tokNumber tokenKind = iota
	tokOp               // + - * / ^, in mark
	tokWord
	tokOpen   // ( or [, in mark
	tokClose  // ) or ], in mark
	tokEquals // =
	tokApprox // ≈
	tokPunct  // everything else, in mark
	tokOpaque // code, versions, dates, addresses, identifiers
)

// token is a piece of a line.
type token struct {
	kind     tokenKind
	mark     rune
	spaced   bool // a space stands before it
	dash     bool // a minus that may as well be a dash
	from, to int  // in the line
	num      number
}

// maxLine bounds the lines that are read for arithmetic, in bytes. Longer
// ones are not prose.
const maxLine = 16 << 10

// lexer splits lines into tokens. Its buffer is reused from line to line.
type lexer struct {
	line string
	toks []token
}

// read tokenizes line, of which code are the parts written as code. It
// returns false for a line without numbers.
func (l *lexer) read(line string, code []span) bool {
	l.line, l.toks = line, l.toks[:0]
	if len(line) > maxLine || !strings.ContainsAny(line, "0123456789") {
		return false
	}
	if l.toks == nil {
		l.toks = (*tokenRoom.Get().(*[]token))[:0]
	}
	spaced := false
	for i := 0; i < len(line); {
		for len(code) > 0 && code[0].to <= i {
			code = code[1:]
		}
		if len(code) > 0 && code[0].from <= i {
			l.add(tokOpaque, 0, i, code[0].to, spaced)
			i, spaced = code[0].to, false
			continue
		}
		if w := spaceAt(line, i); w > 0 {
			i += w
			spaced = true
			continue
		}
		i = l.token(i, spaced)
		spaced = false
	}
	return true
}

// tokenRoom keeps the buffers of lexers for the next text.
var tokenRoom = sync.Pool{New: func() any { t := make([]token, 0, 64); return &t }}

// maxKeptTokens bounds the buffers that are kept.
const maxKeptTokens = 4096

// release gives the buffer back. The tokens are no longer valid then.
func (l *lexer) release() {
	if l.toks != nil && cap(l.toks) <= maxKeptTokens {
		clear(l.toks[:cap(l.toks)])
		toks := l.toks
		tokenRoom.Put(&toks)
	}
	l.toks = nil
}

func (l *lexer) add(kind tokenKind, mark rune, from, to int, spaced bool) *token {
	l.toks = append(l.toks, token{kind: kind, mark: mark, from: from, to: to, spaced: spaced})
	return &l.toks[len(l.toks)-1]
}

// last is the token before the one to be added; a punctuation mark at the
// start of the line.
func (l *lexer) last() *token {
	if len(l.toks) == 0 {
		return &token{kind: tokPunct}
	}
	return &l.toks[len(l.toks)-1]
}

// token adds the token at i and returns where it ends.
func (l *lexer) token(i int, spaced bool) int {
	s, c := l.line, l.line[i]
	if isDigit(c) || c == '.' && isDigit(next(s, i+1)) && (spaced || i == 0 || !isWordAt(s, i-1)) {
		return l.number(i, spaced)
	}
	r, w := utf8.DecodeRuneInString(s[i:])
	if unicode.IsLetter(r) {
		return l.word(i, spaced)
	}
	after := l.last().kind == tokNumber || l.last().kind == tokClose || l.last().kind == tokWord
	switch r {
	case '+':
		if next(s, i+1) == '=' || next(s, i+1) == '+' || next(s, i+1) == '-' {
			l.add(tokOpaque, r, i, i+2, spaced)
			return i + 2
		}
		l.add(tokOp, '+', i, i+1, spaced)
	case '-', '–', '−':
		if n := next(s, i+w); r == '-' && (n == '>' || n == '-' || n == '=') {
			l.add(tokPunct, '→', i, i+2, spaced)
			return i + 2
		}
		t := l.add(tokOp, '-', i, i+w, spaced)
		t.dash = r != '−' && spaced && spaceAt(s, i+w) > 0
	case '×', '·', '⋅', '∙', '∗':
		l.add(tokOp, '*', i, i+w, spaced)
	case '*':
		if next(s, i+1) == '*' {
			l.add(tokOp, '^', i, i+2, spaced)
			return i + 2
		}
		l.add(tokOp, '*', i, i+1, spaced)
	case '÷', '∕', '⁄':
		l.add(tokOp, '/', i, i+w, spaced)
	case '/':
		if !after || l.last().kind == tokWord && isLetterAt(s, i+1) { // a path
			end := identifierEnd(s, i+1)
			l.add(tokOpaque, 0, i, end, spaced)
			return end
		}
		l.add(tokOp, '/', i, i+1, spaced)
	case '^':
		l.add(tokOp, '^', i, i+1, spaced)
	case '²', '³':
		l.add(tokOp, '^', i, i, spaced)
		t := l.add(tokNumber, 0, i, i+w, false)
		t.num.mant = 2
		if r == '³' {
			t.num.mant = 3
		}
	case '=':
		j := i + runLength(s[i:], '=')
		if next(s, j) == '>' || next(s, j) == '~' || j > i+2 {
			l.add(tokPunct, '→', i, j, spaced)
			return j
		}
		l.add(tokEquals, '=', i, j, spaced)
		return j
	case '≈', '≅', '∼', '~':
		if next(s, i+w) == '=' {
			w++
		}
		if after && (r != '~' || w > 1) {
			l.add(tokApprox, r, i, i+w, spaced)
		} else {
			l.add(tokPunct, '~', i, i+w, spaced)
		}
	case '<', '>', '≤', '≥', '≠', '!', ':':
		if next(s, i+w) == '=' && r != '≤' && r != '≥' { // <= != :=
			l.add(tokPunct, '≠', i, i+w+1, spaced)
			return i + w + 1
		}
		l.add(tokPunct, r, i, i+w, spaced)
	case '(', '[':
		l.add(tokOpen, r, i, i+1, spaced)
	case ')', ']':
		l.add(tokClose, r, i, i+1, spaced)
	case '$', '€', '£', '¥':
		l.add(tokPunct, r, i, i+w, spaced)
	case '#', '@', '√', '∑', '∏', '∫', '±', '%', '‰', '{', '}', '\\':
		l.add(tokOpaque, r, i, i+w, spaced)
	default:
		l.add(tokPunct, r, i, i+w, spaced)
	}
	return i + w
}

// number adds the number at i, with the currency sign or code before it.
func (l *lexer) number(i int, spaced bool) int {
	var (
		n   number
		end int
		ok  bool
	)
	if l.line[i] == '.' { // .5
		n, end, ok = numberAt("0"+l.line[i:min(len(l.line), i+2*maxDigits)], 0)
		end += i - 1
	} else {
		n, end, ok = numberAt(l.line, i)
	}
	p := l.last()
	joined := !spaced && i > 0
	if !ok || joined && p.kind == tokOpaque || joined && p.kind == tokPunct && p.mark == '.' {
		l.opaque(i, end, spaced)
		return end
	}
	// 10-12 is a range, 12/05/2024 a date, 555-12-7 an identifier.
	if k := len(l.toks); joined && k >= 2 && p.kind == tokOp && !p.spaced && (p.mark == '-' || p.mark == '/') {
		q := &l.toks[k-2]
		range_ := p.mark == '-' && q.kind == tokNumber && q.num.less(&n)
		date := p.mark == '/' && isDate(l.toks, n)
		dashes := p.mark == '-' && k >= 4 && q.kind == tokNumber && l.toks[k-3].kind == tokOp && l.toks[k-3].mark == '-' && !l.toks[k-3].spaced && !q.spaced
		if range_ || date || dashes || q.kind == tokOpaque {
			l.toks = l.toks[:k-1]
			t := l.last()
			t.kind, t.to = tokOpaque, end
			return end
		}
	}
	if p.kind == tokPunct {
		switch p.mark {
		case '$', '€', '£', '¥':
			n.unit, n.currency = string(p.mark)+n.unit, true
			i, spaced = p.from, p.spaced
			l.toks = l.toks[:len(l.toks)-1]
			if p = l.last(); p.kind == tokWord && p.to == i && isCountryCode(l.line[p.from:p.to]) { // US$
				n.unit = l.line[p.from:p.to] + n.unit
				i, spaced = p.from, p.spaced
				l.toks = l.toks[:len(l.toks)-1]
				p = l.last()
			}
		}
	}
	if p.kind == tokWord && currencyCodes[l.line[p.from:p.to]] { // USD 12
		n.unit, n.currency = l.line[p.from:p.to]+" "+n.unit, true
		i, spaced = p.from, p.spaced
		l.toks = l.toks[:len(l.toks)-1]
		p = l.last()
	}
	if p.kind == tokPunct {
		switch p.mark {
		case '~', '<', '>', '≤', '≥', '±':
			n.hedged = true
		}
	}
	n.text = l.line[i:end]
	l.add(tokNumber, 0, i, end, spaced).num = n
	return end
}

// opaque adds an opaque token, and takes what is joined to it along.
func (l *lexer) opaque(i, end int, spaced bool) {
	l.add(tokOpaque, 0, i, end, spaced)
}

// isDate tells whether toks, which end in "a/b/", and n are a date.
func isDate(toks []token, n number) bool {
	k := len(toks)
	if k < 4 || toks[k-2].kind != tokNumber || toks[k-3].kind != tokOp || toks[k-3].mark != '/' || toks[k-4].kind != tokNumber || toks[k-2].spaced || toks[k-3].spaced {
		return false
	}
	a, b, c := toks[k-4].num.mant, toks[k-2].num.mant, n.mant
	return a <= 31 && b <= 31 && (c >= 10 && c < 100 || c >= 1900 && c < 2200) || a >= 1900 && a < 2200 && b <= 12 && c <= 31
}

func isCountryCode(s string) bool {
	switch s {
	case "US", "CA", "AU", "NZ", "HK", "A", "C":
		return true
	}
	return false
}

// word adds the word at i. Operators and units that are words become part of
// what they belong to.
func (l *lexer) word(i int, spaced bool) int {
	s := l.line
	end := lettersEnd(s, i)
	for end < len(s) { // don't, well-known, e-mail
		if c := s[end]; (c == '-' || c == '\'') && isLetterAt(s, end+1) {
			end = lettersEnd(s, end+1)
			continue
		}
		if strings.HasPrefix(s[end:], "’") && isLetterAt(s, end+len("’")) {
			end = lettersEnd(s, end+len("’"))
			continue
		}
		break
	}
	p := l.last()
	if c := next(s, end); isDigit(c) || c == '_' || (c == '.' || c == '@' || c == ':') && isWordAt(s, end+1) || strings.HasPrefix(s[end:], "://") || c == '-' && isDigit(next(s, end+1)) {
		if (s[i:end] == "x" || s[i:end] == "X") && isDigit(c) && (p.kind == tokNumber || p.kind == tokClose) { // 4 x4
			l.add(tokOp, '*', i, end, spaced)
			return end
		}
		if c == ':' && strings.HasPrefix(s[end:], "://") {
			end += 3
			for end < len(s) && spaceAt(s, end) == 0 && s[end] != ')' && s[end] != '|' {
				end++
			}
		} else {
			end = identifierEnd(s, end)
		}
		l.add(tokOpaque, 0, i, end, spaced)
		return end
	}
	w := s[i:end]
	if k := len(l.toks); (w == "x" || w == "X") && factorFollows(s, end) && (p.kind == tokNumber || p.kind == tokClose || p.kind == tokWord && k > 1 && l.toks[k-2].kind == tokNumber) {
		l.add(tokOp, '*', i, end, spaced)
		return end
	}
	if p.kind == tokNumber || p.kind == tokClose {
		if p.kind == tokNumber && p.num.unit == "" && !p.num.compound {
			if u, ok := units[w]; ok && (u != "x" && w != "em" && w != "W" && w != "V" && w != "G") {
				p.num.unit = u
				p.num.text = l.line[p.from:end]
				p.to = end
				return end
			}
		}
	}
	after := p.kind == tokNumber || p.kind == tokClose || p.kind == tokWord
	if after {
		switch w {
		case "plus":
			if factorFollows(s, end) {
				l.add(tokOp, '+', i, end, spaced)
				return end
			}
		case "minus":
			l.add(tokOp, '-', i, end, spaced)
			return end
		case "times":
			if factorFollows(s, end) && p.kind != tokWord {
				l.add(tokOp, '*', i, end, spaced)
				return end
			}
		case "equals":
			l.add(tokEquals, 'e', i, end, spaced)
			return end
		case "is", "makes", "gives":
			if factorFollows(s, end) {
				l.add(tokEquals, 'i', i, end, spaced)
				return end
			}
		case "by":
			if n := len(l.toks); n >= 2 && p.kind == tokWord {
				switch s[p.from:p.to] {
				case "multiplied", "divided":
					op := rune('*')
					if s[p.from] == 'd' {
						op = '/'
					}
					p.kind, p.mark, p.to = tokOp, op, end
					return end
				}
			}
		}
	}
	l.add(tokWord, 0, i, end, spaced)
	return end
}

// text is the line from token a to token b, both included.
func (l *lexer) text(a, b int) string { return l.line[l.toks[a].from:l.toks[b].to] }

// word is token i in lower case if it is a word, otherwise "".
func (l *lexer) wordAt(i int) string {
	if i < 0 || i >= len(l.toks) || l.toks[i].kind != tokWord {
		return ""
	}
	return strings.ToLower(l.line[l.toks[i].from:l.toks[i].to])
}

func (l *lexer) kindAt(i int) tokenKind {
	if i < 0 || i >= len(l.toks) {
		return tokPunct
	}
	return l.toks[i].kind
}

func (l *lexer) markAt(i int) rune {
	if i < 0 || i >= len(l.toks) {
		return 0
	}
	return l.toks[i].mark
}

// exact tells whether the number at token i is meant to the digit: nothing
// before or behind it says "about" or "at least".
func (l *lexer) exact(i int) bool {
	if !l.toks[i].num.exact() {
		return false
	}
	j := i - 1
	if l.markAt(j) == '.' && l.kindAt(j) == tokPunct {
		j-- // approx. 12
	}
	if w := l.wordAt(j); w != "" {
		if hedgeWords[w] || w == "to" && l.wordAt(j-1) == "up" || w == "some" {
			return false
		}
		if (w == "the" || w == "a") && hedgeWords[l.wordAt(j-1)] {
			return false
		}
	}
	switch w := l.wordAt(i + 1); w {
	case "plus", "odd", "ish":
		return false
	case "or":
		switch l.wordAt(i + 2) {
		case "so", "more", "fewer", "less", "higher", "lower":
			return false
		}
	}
	return true
}
