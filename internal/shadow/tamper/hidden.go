package tamper

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minEncoded is how long a word is that may be an encoded text, and
	// maxDecoded how much of it is read, in bytes.
	minEncoded = 24
	maxDecoded = 4096
	// manyUnseen characters in a row are a message of their own.
	manyUnseen = 8
)

// encoded reads at offset i a text that is encoded. It gives where it ends, or i
// if there is none.
func (s *scanner) encoded(i int) int {
	if s.decoded || i < s.tried {
		return i
	}
	rest := s.text[i:min(len(s.text), i+maxDecoded)]
	if strings.IndexByte(rest[:min(len(rest), minEncoded)], ' ') >= 0 {
		return i
	}
	n := 0
	for n < len(rest) && (isLetter(rest[n]) || '0' <= rest[n] && rest[n] <= '9' || strings.IndexByte("+/=-_", rest[n]) >= 0) {
		n++
	}
	word := rest[:n]
	s.tried = i + len(word)
	if len(word) < minEncoded {
		return i
	}
	text := decode(strings.TrimRight(word, "="))
	if text == "" {
		return i
	}
	if len(find(text, true)) > 0 {
		s.report(Encoded)
	}
	return s.tried
}

// decode gives the text that a word stands for, "" if it is none but bytes of a
// key or a picture.
func decode(word string) string {
	unreadable := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r) }
	for _, decoded := range []func(string) ([]byte, error){hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString} {
		b, err := decoded(word[:len(word)-len(word)%4])
		if err == nil && !strings.ContainsFunc(string(b), unreadable) {
			return string(b)
		}
	}
	return ""
}

// invisible sees a character that nobody sees. Tags and selectors of variants
// can carry a whole text; flags of regions are the one use that honest text
// makes of tags. What overrides the direction hides too: honest text in two
// directions uses isolates.
func (s *scanner) invisible(r rune, i int) {
	s.unseen++
	flag := r >= 0xE0000 && strings.Contains(s.text[max(0, i-32):i], "\U0001F3F4")
	if r == 0x202D || r == 0x202E || s.unseen == manyUnseen && !flag {
		s.report(Hidden)
	}
}
