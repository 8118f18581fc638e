package check

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// stem gives the stem of a lower-case word.
//
// Stemming takes most of the time of indexing a text, and the documents of a
// swarm share their words, so results are remembered in a table of fixed size
// that later words overwrite. It holds nothing but values of a pure function:
// what is in it never changes an answer.
func stem(word string) string {
	if len(word) <= 3 || len(word) > 40 {
		return word
	}
	for i := range len(word) {
		if isDigit(word[i]) {
			return word
		}
	}
	slot := &stems[maphash.String(stemSeed, word)%uint64(len(stems))]
	if known := slot.Load(); known != nil && known.word == word {
		return known.stem
	}
	known := &stemmed{strings.Clone(word), ""}
	known.stem = english.Stem(american(word), false)
	if end := known.stem; strings.HasSuffix(end, "abil") || strings.HasSuffix(end, "ibil") { // stability, stable
		known.stem = end[:len(end)-2] + "l"
	}
	slot.Store(known)
	return known.stem
}

type stemmed struct{ word, stem string }

var (
	stems    [1 << 13]atomic.Pointer[stemmed]
	stemSeed = maphash.MakeSeed()
)

// american respells the British endings that change a stem.
func american(w string) string {
	for _, s := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}, {"iser", "izer"}} {
		if len(w) > len(s[0])+3 && strings.HasSuffix(w, s[0]) {
			return w[:len(w)-len(s[0])] + s[1]
		}
	}
	if i := strings.Index(w, "our"); i > 2 && len(w) > 5 && !strings.HasPrefix(w[i:], "ourc") {
		return w[:i] + "or" + w[i+3:]
	}
	return w
}

// lexeme is a word of a line for reading: lower case, with the parts of an
// identifier as tokens of their own.
type lexeme struct {
	word string
	// joined marks the whole of an identifier or compound, which shares the
	// position of its last part.
	joined bool
}

// tokenise calls emit for the words of s. Identifiers (camelCase, snake_case,
// kebab-case) give their parts and then themselves without marks; numbers are
// cut from their unitWords (24h: 24, hour); addresses are left out.
func tokenise(s string, emit func(lexeme)) {
	prev, low := "", ""
	for at := 0; at < len(s); {
		c := s[at]
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
			prev = ""
			continue
		}
		from, plain := at, true
		for at < len(s) {
			c := s[at]
			if 'a' <= c && c <= 'z' {
				at++
				continue
			}
			if c < utf8.RuneSelf {
				if isAlnum(c) || (c == '_' || c == '-') && at > from && at+1 < len(s) && (isAlnum(s[at+1]) || s[at+1] >= utf8.RuneSelf) {
					plain = false
					at++
					continue
				}
				break
			}
			r, n := utf8.DecodeRuneInString(s[at:])
			if !isWordRune(r) && !unicode.Is(unicode.M, r) {
				break
			}
			plain = false
			at += n
		}
		if at == from { // a symbol beyond ASCII
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
			continue
		}
		word := s[from:at]
		if len(word) >= 3 && strings.EqualFold(word[:3], "end") {
			if word = endToEnd(s[from:], word); word == "e2e" {
				plain = true
				at = from + len("end-to-end")
			}
		}
		if plain {
			emit(lexeme{word: word})
			if joined := compound(prev, word); joined != "" {
				emit(lexeme{word: joined, joined: true})
			}
			prev = word
			continue
		}
		if low == "" {
			low = lowerASCII(s)
		}
		prev = splitWord(word, low[from:from+len(word)], emit)
	}
}

// compound gives the one word that two words in a row are a spelling of, as
// in "rolled back", or "".
func compound(a, b string) string {
	if a == "" || len(a)+len(b) > 14 {
		return ""
	}
	switch b {
	case "in", "out", "back", "up", "over", "down", "off":
		a = stem(a)
	}
	if compounds[a+b] {
		return a + b
	}
	return ""
}

// endToEnd gives "e2e" if s begins with end-to-end in any spelling, and
// otherwise word.
func endToEnd(s, word string) string {
	const n = len("end-to-end")
	if len(s) >= n && (strings.EqualFold(s[:n], "end-to-end") || strings.EqualFold(s[:n], "end to end")) && (len(s) == n || !isAlnum(s[n])) {
		return "e2e"
	}
	return word
}

// maxParts is how many parts of one word are taken; longer words are data.
const maxParts = 32

// splitWord emits the parts of a word that is not plain lower case, and
// returns it if it is one part. low is the word with A to Z in lower case.
func splitWord(word, low string, emit func(lexeme)) string {
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
		emit(lexeme{word: p})
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	if len(parts) <= 6 {
		emit(lexeme{word: strings.Join(parts, ""), joined: true})
	}
	return ""
}

// unitWords are the unitWords that stand right behind a number.
var unitWords = map[string]string{"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "w": "week",
	"ms": "millisecond", "kb": "kb", "KB": "kb", "mb": "mb", "MB": "mb", "gb": "gb", "GB": "gb"}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
