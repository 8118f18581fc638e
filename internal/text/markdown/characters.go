package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// isIdeograph tells whether a character counts as a word, as in UAX #29.
func isIdeograph(r rune) bool { return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana) }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// runLength counts how often s has a character at its beginning.
func runLength(s string, c byte) int { return len(s) - len(strings.TrimLeft(s, string(rune(c)))) }

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// isWordRune tells whether a character is a letter or a digit of any script.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// seek gives the first byte of a set in a text, at or behind offset at, or the end.
func seek(text string, at int, set *[256]bool) int {
	i := uint(at) // needs no check of its own for each byte
	for i < uint(len(text)) && !set[text[i]] {
		i++
	}
	return int(i)
}

// isMark tells whether a character is punctuation or a symbol.
func isMark(r rune) bool {
	if r < utf8.RuneSelf {
		return isPunct(byte(r))
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}
