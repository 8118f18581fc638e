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
	// manyInvisible characters in a row are a message of their own.
	manyInvisible = 8
	// minSpelled single letters in a row may spell words, of at most
	// maxSpelled letters.
	minSpelled = 8
	maxSpelled = 13
)

// encodedByte are the characters of base64, both alphabets, and of hex.
func encodedByte(b byte) bool {
	return b < utf8.RuneSelf && charOf[b] == letter || b == '+' || b == '/' || b == '=' || b == '-' || b == '_'
}

// encoded reads a word that may be an encoded text. What it holds is looked at
// like a text. It returns where the word ends, or 0 if it is none.
func (s *scanner) encoded(start int) int {
	if start < s.plainTo {
		return 0 // a part of what has been tried
	}
	end := start
	for end < len(s.text) && encodedByte(s.text[end]) {
		end++
	}
	s.plainTo = end
	if end-start < minEncoded {
		return 0
	}
	plain, ok := decode(strings.TrimRight(s.text[start:min(end, start+2*maxDecoded)], "="))
	if !ok {
		return 0
	}
	if len(find(plain, true)) > 0 {
		s.report(Encoded, s.line, start)
	}
	s.push(0, start)
	return end
}

func decode(word string) (string, bool) {
	if b, err := hex.DecodeString(word); err == nil && readable(b) {
		return string(b), true
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(word[:len(word)-len(word)%4]); err == nil && readable(b) {
			return string(b), true
		}
	}
	return "", false
}

// readable: text, not the bytes of a key or a picture.
func readable(b []byte) bool {
	if len(b) < 12 || !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// tags reads a run of tag characters. Flags of regions are the one use that
// honest text makes of them.
func (s *scanner) tags(i int) int {
	start := i
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !tagged(r) {
			break
		}
		i += size
	}
	n := (i - start) / 4
	flag := strings.HasSuffix(s.text[:start], "\U0001F3F4") && n <= 7
	// A variant of a Chinese character has one selector.
	if r, _ := utf8.DecodeRuneInString(s.text[start:]); !flag && (n > 1 || r < 0xE0100) {
		s.report(Hidden, s.line, start)
	}
	return i
}

// unseen reads an invisible character between words.
func (s *scanner) unseen(r rune, i, size int) int {
	if s.invisibles++; s.invisibles == manyInvisible || turned(r) {
		s.report(Hidden, s.line, i)
	}
	return i + size
}

// spelled reads a run of single letters, "i g n o r e", as the words that they
// spell. It returns where the run ends, or 0 if it is none.
func (s *scanner) spelled(start int) int {
	t := s.text
	end, n := start, 0
	var run [200]byte
	for i := start; i < len(t) && n < len(run); {
		if t[i] >= utf8.RuneSelf || charOf[t[i]] != letter || i+1 < len(t) && t[i+1] < utf8.RuneSelf && charOf[t[i+1]] == letter {
			break
		}
		b := t[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		run[n] = b
		n++
		i++
		end = i
		for skip := 0; skip < 4 && i < len(t) && t[i] < utf8.RuneSelf && charOf[t[i]] != letter && t[i] != '\n' && t[i] != '|'; skip++ {
			i++
		}
	}
	if n < minSpelled {
		return 0
	}
	for i := 0; i < n; {
		size, is := 1, mask(0)
		for k := min(maxSpelled, n-i); k > 2 && is == 0; k-- {
			size, is = k, lexicon[string(run[i:i+k])]
		}
		if is == 0 {
			size = 1
		} else {
			s.push(is, start)
			s.sentence[s.n-1].veiled = true
		}
		i += size
	}
	return end
}
