package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a word of a line for reading: lower case, with the parts of an
// identifier as tokens of their own.
type lexeme struct {
	word string
	// joined marks the whole of an identifier, which shares the position of
	// its last part.
	joined bool
	// part marks a part of an identifier, which makes no compound with its
	// neighbours.
	part bool
}

// tokenise calls emit for the words of s; low is s with A to Z in lower case.
// Identifiers (camelCase, snake_case, kebab-case) give their parts and then
// themselves without marks; numbers are cut from their units (24h: 24, hour);
// addresses are left out.
func tokenise(s, low string, emit func(lexeme)) {
	for at := 0; at < len(s); {
		c := low[at]
		if c < utf8.RuneSelf && !isAlnum(c) {
			at++
			continue
		}
		if c == 'h' && (strings.HasPrefix(s[at:], "http://") || strings.HasPrefix(s[at:], "https://")) {
			n := strings.IndexAny(s[at:], " \t\n)>]\"'|")
			if n < 0 {
				return
			}
			at += n
			continue
		}
		if c == 'e' && isEndToEnd(low[at:]) {
			emit(lexeme{word: "e2e"})
			at += len("end-to-end")
			continue
		}
		from, plain := at, true // plain: nothing but letters, a capital at most in front
		for at < len(s) {
			c := s[at]
			if 'a' <= c && c <= 'z' {
				at++
				continue
			}
			if c < utf8.RuneSelf {
				if !isAlnum(c) && (c != '_' && c != '-' || at == from || at+1 == len(s) || !isAlnum(s[at+1]) && s[at+1] < utf8.RuneSelf) {
					break
				}
				plain = plain && at == from && isUpper(c)
				at++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[at:])
			if !isWordRune(r) && !unicode.Is(unicode.M, r) {
				break
			}
			plain = false
			at += n
		}
		switch {
		case at == from: // a symbol beyond ASCII
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		case plain:
			emit(lexeme{word: low[from:at]})
		default:
			splitWord(s[from:at], low[from:at], emit)
		}
	}
}

// isEndToEnd tells whether s begins with end-to-end.
func isEndToEnd(s string) bool {
	const n = len("end-to-end")
	return (strings.HasPrefix(s, "end-to-end") || strings.HasPrefix(s, "end to end")) && (len(s) == n || !isAlnum(s[n]))
}

// maxParts is how many parts of one word are taken; longer words are data.
const maxParts = 32

// splitWord emits the parts of a word that is not plain. low is the word with
// A to Z in lower case.
func splitWord(word, low string, emit func(lexeme)) {
	var room [8]string
	parts, start := room[:0], 0
	cut := func(end int) {
		if end > start && len(parts) < maxParts {
			part := low[start:end]
			if !isASCII(part) {
				part = strings.ToLower(word[start:end])
			}
			parts = append(parts, part)
		}
		start = end
	}
	var before rune
	if n := len(word); n > 2 && word[n-1] == 's' && isUpper(word[n-2]) && isUpper(word[n-3]) { // PIDs, APIs
		word, low = word[:n-1], low[:n-1]
	}
	for i, r := range word {
		switch {
		case r == '_' || r == '-':
			cut(i)
			start = i + 1
		case unicode.IsUpper(r) && unicode.IsLower(before):
			cut(i)
		case unicode.IsUpper(r) && unicode.IsUpper(before): // HTTPServer: HTTP, Server
			if next, _ := utf8.DecodeRuneInString(word[i+utf8.RuneLen(r):]); unicode.IsLower(next) && i-start > 1 {
				cut(i)
			}
		case unicode.IsLetter(r) && unicode.IsDigit(before) && start+4 >= i:
			if unit, ok := unitWords[word[i:]]; ok && isNumber(word[start:i]) {
				cut(i)
				parts = append(parts, unit)
				start = len(word)
			}
		}
		before = r
		if start == len(word) {
			break
		}
	}
	cut(len(word))
	for _, p := range parts {
		emit(lexeme{word: p, part: len(parts) > 1})
	}
	if len(parts) > 1 && len(parts) <= 6 {
		emit(lexeme{word: strings.Join(parts, ""), joined: true})
	}
}

// unitWords are the unitWords that stand right behind a number.
var unitWords = map[string]string{"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "w": "week",
	"ms": "millisecond", "kb": "kb", "KB": "kb", "mb": "mb", "MB": "mb", "gb": "gb", "GB": "gb"}
