package guard

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// joined are the words of texts with a space around each.
func joined(texts ...string) string {
	var b []byte
	for _, s := range texts {
		b = append(slices.Grow(b, len(s)+2), ' ')
		for _, w := range fold.Words(s) {
			b = append(append(b, w...), ' ')
		}
	}
	return string(b)
}

// stemSize is how many letters of a word count, so that its endings do not.
const stemSize = 6

// stems are the beginnings of joined words, without words that every text has.
func stems(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		if !fold.Stop(w) {
			set[fold.Beginning(w, stemSize)] = true
		}
	}
	return set
}

// asks are the stems of some texts.
type asks struct {
	with map[string][]int // the texts that have a stem
	size []int            // how many stems each text has
	of   []int            // and the criterion that it is of
}

// add adds the stems of a text of a criterion, without those that are common.
func (a *asks) add(criterion int, stems, common map[string]bool) {
	text := len(a.of)
	a.of, a.size = append(a.of, criterion), append(a.size, 0)
	for w := range stems {
		if common[w] {
			continue
		}
		a.with[w] = append(a.with[w], text)
		a.size[text]++
	}
}

// A text tells of a sealed one by this many of the words that nothing else has,
// or by three fifths of them.
const (
	enoughWords = 6
	minWords    = 3
)

// share tells whether joined words, those that are known apart, tell of one of
// the texts.
func (a *asks) share(words string, known map[string]bool, of func(text int) bool) bool {
	var said []string
	n := make([]int, len(a.of))
	for w := range strings.FieldsSeq(words) {
		stem := fold.Beginning(w, stemSize)
		texts := a.with[stem]
		if len(texts) == 0 || fold.Stop(w) || known[stem] || slices.Contains(said, stem) {
			continue
		}
		said = append(said, stem)
		for _, t := range texts {
			n[t]++
		}
	}
	for t, n := range n {
		if (n >= enoughWords || n >= minWords && 5*n >= 3*a.size[t]) && of(t) {
			return true
		}
	}
	return false
}

// decoded is a text with the text behind it that it holds in base64 or
// hexadecimal, if there is any.
func decoded(text string) string {
	var b strings.Builder
	for start, i := 0, 0; i <= len(text); i++ {
		if i < len(text) && (letter[text[i]] != 0 || strings.IndexByte("+/-_", text[i]) >= 0) {
			continue
		}
		s := text[start:i]
		if start = i + 1; len(s) < minSecret {
			continue
		}
		for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString} {
			if plain, err := decode(s); err == nil && utf8.Valid(plain) {
				if b.Len() == 0 {
					b.WriteString(text)
				}
				b.WriteByte('\n')
				b.Write(plain)
			}
		}
	}
	if b.Len() == 0 {
		return text
	}
	return b.String()
}

// JSONContainsToken tells whether one of the names and texts of a JSON value holds a token
// of small letters and digits, in any case and with anything between its
// characters that is neither. Who knows this can hide a token from it.
func JSONContainsToken(raw []byte, token string) bool {
	seen, inText := make([]byte, 0, len(raw)), false
	for i := 0; i < len(raw); i++ {
		c := letter[raw[i]]
		switch {
		case c != 0: // most bytes
		case raw[i] == '"':
			inText = !inText
			seen = append(seen, '"') // no token goes on in the next text
		case raw[i] == '\\' && i+5 < len(raw) && raw[i+1] == 'u':
			r, _ := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
			c, i = letter[min(r, utf8.RuneSelf)], i+5
		case raw[i] == '\\':
			i++
		}
		if c != 0 && inText {
			seen = append(seen, c)
		}
	}
	return bytes.Contains(seen, []byte(token))
}

// letters are the ASCII letters and digits of a text, in small letters.
func letters(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if c := letter[text[i]]; c != 0 {
			out = append(out, c)
		}
	}
	return string(out)
}

// letter gives an ASCII letter or digit as a small letter, 0 for any other byte.
var letter = func() (t [256]byte) {
	for c := byte(0); c < utf8.RuneSelf; c++ {
		switch {
		case 'A' <= c && c <= 'Z':
			t[c] = c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			t[c] = c
		}
	}
	return t
}()
