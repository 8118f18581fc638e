package check

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// superscripts are the digits that are set as exponents.
var superscripts = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-")

// superscript adds the exponent at i, with its operator.
func (l *lexer) superscript(i int, spaced bool) int {
	end := i
	for end < len(l.line) {
		r, w := utf8.DecodeRuneInString(l.line[end:])
		if !strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", r) {
			break
		}
		end += w
	}
	digits := superscripts.Replace(l.line[i:end])
	v, err := strconv.Atoi(digits)
	if err != nil || v < 0 || l.last().kind != tokNumber && l.last().kind != tokClose {
		l.add(tokOpaque, 0, i, end, spaced)
		return end
	}
	l.add(tokOp, '^', i, i, spaced)
	l.add(tokNumber, 0, i, end, false).num.mant = int64(v)
	return end
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
	if v := spelled(w); v > 0 && !(v == 1 && l.pronounBefore()) {
		t := l.add(tokNumber, 0, i, end, spaced)
		t.num = number{mant: int64(v), word: true, text: w}
		return end
	}
	if k := len(l.toks); (w == "x" || w == "X") && factorFollows(s, end) && (p.kind == tokNumber || p.kind == tokClose || p.kind == tokWord && k > 1 && l.toks[k-2].kind == tokNumber) {
		l.add(tokOp, '*', i, end, spaced)
		return end
	}
	if p.kind == tokNumber || p.kind == tokClose || p.mark == 'r' {
		if (p.kind == tokNumber || p.mark == 'r' && p.kind == tokOpaque) && p.num.unit == "" && !p.num.compound {
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
		case "is", "makes", "gives", "yields", "to":
			if w == "to" && !amounts[l.wordAt(len(l.toks)-1)] {
				break
			}
			if factorFollows(s, end) {
				l.add(tokEquals, 'i', i, end, spaced)
				l.cues |= cueStated
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
	l.cues |= claimCues[w]
	return end
}

// amounts before "to" make it an equals sign: "12 × 320 comes to 3,840".
var amounts = wordSet(`comes amounts adds`)

// pronounBefore tells whether "one" is a pronoun after the last token.
func (l *lexer) pronounBefore() bool {
	switch l.wordAt(len(l.toks) - 1) {
	case "this", "that", "each", "every", "no", "any", "which", "the", "another", "last", "next", "new", "old", "a", "such", "same", "other":
		return true
	}
	return false
}

// spelled is the value of a number that is written as a word, forty-two
// included; 0 for other words.
func spelled(w string) int {
	if tens, ones, ok := strings.Cut(w, "-"); ok {
		a, b := numberWord(tens), numberWord(ones)
		if a < 20 || b == 0 || b > 9 {
			return 0
		}
		return a + b
	}
	return numberWord(w)
}

// hasNumberWords tells whether two words of line are numbers.
func hasNumberWords(line string) bool {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] | 0x20 {
		case 'o', 't', 'f', 's', 'e', 'n':
			from := i
			for i < len(line) && line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z' {
				i++
			}
			if numberWord(line[from:i]) > 0 {
				if n++; n == 2 {
					return true
				}
			}
		default:
			for i < len(line) && (line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z' || isDigit(line[i])) {
				i++
			}
		}
	}
	return false
}
