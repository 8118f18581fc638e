package check

import (
	"slices"
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
	tokOpaque // code, versions, dates, addresses, identifiers; ranges with mark 'r'
)

// token is a piece of a line.
type token struct {
	kind     tokenKind
	mark     rune
	spaced   bool   // a space stands before it
	dash     bool   // a minus that may as well be a dash
	from, to int    // in the line
	low      string // of a word, in lower case, once asked for
	num      number // of a range, its upper bound
	lower    int    // of a range, its lower bound in lexer.lows, counted from 1
}

// maxLine bounds the lines that are read for arithmetic, in bytes. Longer
// ones are not prose.
const maxLine = 16 << 10

// lexer splits lines into tokens. Its buffer is reused from line to line.
type lexer struct {
	line string
	toks []token
	lows []number // lower bounds of ranges
	cues cue      // what kinds of claim the line may make
	call int      // depth of the parentheses of a function, 0 outside one
}

// read tokenizes line, of which code are the parts written as code. It
// returns false for a line without numbers: one in digits or two in words.
// Digits that only end names, as in RS256, make no number.
func (l *lexer) read(line string, code []span) bool {
	l.line, l.toks, l.lows, l.cues, l.call = line, l.toks[:0], l.lows[:0], 0, 0
	if len(line) > maxLine || !mayHaveNumbers(line) {
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
			l.add(tokOpaque, 'c', i, code[0].to, spaced)
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

// mayHaveNumbers tells whether read has something to look for in s.
func mayHaveNumbers(s string) bool {
	if !hasDigit(s) {
		return hasNumberWords(s)
	}
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) && (i == 0 || !nameBytes[s[i-1]]) {
			return true
		}
	}
	words := 0
	forWords(s, func(from, to int) {
		if numberWord(s[from:to]) > 0 {
			words++
		}
	})
	return words > 0
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
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
	n := len(l.toks)
	if n == cap(l.toks) {
		l.toks = slices.Grow(l.toks, 1)
	}
	l.toks = l.toks[:n+1]
	t := &l.toks[n]
	*t = token{}
	t.kind, t.mark, t.from, t.to, t.spaced = kind, mark, from, to, spaced
	return t
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
	r, w := rune(c), 1
	if c >= utf8.RuneSelf {
		r, w = utf8.DecodeRuneInString(s[i:])
	}
	if isASCIILetter(c) || c >= utf8.RuneSelf && (unicode.IsLetter(r) || r == '°') {
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
			l.cues |= cueChange
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
	case '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻':
		return l.superscript(i, spaced)
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
		if r == ':' {
			l.cues |= cueLabel
		}
	case '(', '[':
		if l.call > 0 || !spaced && r == '(' && l.last().kind == tokWord && calls[l.line[l.last().from:l.last().to]] != 0 {
			l.call++
		}
		l.add(tokOpen, r, i, i+1, spaced)
	case ')', ']':
		l.call = max(l.call-1, 0)
		l.add(tokClose, r, i, i+1, spaced)
	case '$', '€', '£', '¥':
		l.add(tokPunct, r, i, i+w, spaced)
	case '#', '@', '√', '∑', '∏', '∫', '±', '%', '‰', '{', '}', '\\':
		l.add(tokOpaque, r, i, i+w, spaced)
	case '⌈', '⌊':
		l.add(tokOpen, r, i, i+w, spaced)
	case '⌉', '⌋':
		l.add(tokClose, r, i, i+w, spaced)
	case '→':
		l.add(tokPunct, r, i, i+w, spaced)
		l.cues |= cueChange
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
		n, end, ok = numberAt(l.line[:l.argumentEnd(i)], i)
		n.unclear = n.unclear && !l.inCall() || l.inCall() && next(l.line, end) == ',' && groupAt(l.line, end) > 0 // max(1,200, 3)
	}
	p := l.last()
	joined := !spaced && i > 0
	if !ok || joined && p.kind == tokOpaque || joined && p.kind == tokPunct && p.mark == '.' {
		l.add(tokOpaque, 0, i, end, spaced)
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
			if range_ && !q.num.percent() && q.num.exact() {
				l.lows = append(l.lows, q.num)
				n.text = l.line[i:end]
				t.mark, t.lower, t.num = 'r', len(l.lows), n
			}
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

// inCall tells whether the last token is inside the parentheses of a function:
// then a comma separates.
func (l *lexer) inCall() bool { return l.call > 0 }

// argumentEnd is how far the number at i may be read.
func (l *lexer) argumentEnd(i int) int {
	if !l.inCall() {
		return len(l.line)
	}
	if j := digitsEnd(l.line, i); next(l.line, j) == ',' {
		return j
	}
	return len(l.line)
}

// text is the line from token a to token b, both included.
func (l *lexer) text(a, b int) string { return l.line[l.toks[a].from:l.toks[b].to] }

// word is token i in lower case if it is a word, otherwise "".
func (l *lexer) wordAt(i int) string {
	if i < 0 || i >= len(l.toks) || l.toks[i].kind != tokWord {
		return ""
	}
	t := &l.toks[i]
	if t.low == "" {
		t.low = strings.ToLower(l.line[t.from:t.to])
	}
	return t.low
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
		if hedgeWords[w] || w == "to" && l.wordAt(j-1) == "up" && !addsUp[l.wordAt(j-2)] || w == "some" {
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
