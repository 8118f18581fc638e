package tamper

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// token is a word of a sentence.
type token struct {
	is             mask
	line           int
	before, behind rune // the signs around it, 0 for a space
	quoted         bool // in quotation marks or code
	hidden         bool // where a reader does not see it, or disguised
}

// wordRune tells whether a character is part of a word, of a script that puts
// spaces between words.
func wordRune(r rune) bool {
	if r >= utf8.RuneSelf {
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return !unspaced(r) && !fold.Unseen(r)
		}
		r = fold.Rune(r)
	}
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func unspaced(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

const (
	// joiners are the signs that join what stands around them to one word, as
	// in well-known, file.go, a_b, 10/10 and addresses.
	joiners = "'’-_.:/\\@$!%+#~&^"
	// maxLetters is how many letters a word of the lexicon has at most.
	maxLetters = 24
)

// apart are the ASCII characters that end a word and an encoded text.
var apart = func() (set [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		set[c] = !wordRune(rune(c)) && strings.IndexByte(joiners+"=", c) < 0
	}
	return set
}()

// word reads the word or the encoded text that begins at offset i and gives
// where it ends. A word with joiners is not in the lexicon, whatever its parts
// are: judge.py addresses nobody.
func (s *scanner) word(i int) int {
	letters, n := spell(s.text[i:])
	end := i + n
	if n == 0 || end == len(s.text) || !apart[s.text[end]] {
		if to := s.encoded(i); to > i {
			return to
		}
		end = s.endOfWord(end)
	}
	var is mask
	var hidden bool
	switch {
	case end == i+n:
		is = letters.classes()
	case end-i <= 4*maxLetters:
		is, hidden = s.classesOf(s.text[i:end])
	}
	if n == 1 && end == i+1 && 'A' <= s.text[i] && s.text[i] <= 'D' {
		if article := s.text[i] == 'A' && end+1 < len(s.text) && s.text[end] == ' ' && s.text[end+1] >= 'A'; !article {
			is |= option
		}
	}
	s.push(i, is, hidden)
	return end
}

// endOfWord gives where the word ends that offset end lies in.
func (s *scanner) endOfWord(end int) int {
	for end < len(s.text) && s.text[end] != ' ' {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if !wordRune(r) && (r < utf8.RuneSelf || !fold.Unseen(r)) {
			next, _ := utf8.DecodeRuneInString(s.text[end+size:])
			if !wordRune(next) && next != '/' || !strings.ContainsRune(joiners, r) {
				break
			}
		}
		end += size
	}
	return end
}

// classesOf gives the classes of any other word or number, and whether it hides
// what it says.
func (s *scanner) classesOf(word string) (is mask, hidden bool) {
	w := word
	if n, ok := integer(w); ok {
		is = s.number(float64(n), false, false)
	} else {
		w = plain(word)
		is = s.classesOfPlain(w)
	}
	if is != 0 {
		return is, strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && fold.Unseen(r) })
	}
	if len(w) > 2 && !strings.ContainsAny(w, "-_./\\%+#~&^") {
		if seen := undisguised(w); seen != w {
			is = lexicon[seen]
		}
	}
	return is, is != 0
}

// classesOfPlain gives the classes of a plain word or number.
func (s *scanner) classesOfPlain(w string) mask {
	if is, ok := lexicon[w]; ok {
		return is
	}
	if at := strings.LastIndexByte(w, '-'); at > 0 {
		return lexicon[w[at+1:]] & about // prompt-injection
	}
	if _, last, ok := strings.Cut(strings.Replace(w, "’", "'", 1), "'"); ok && lexicon[last]&foreign != 0 {
		return lexicon[last] // l'évaluateur
	}
	if strings.HasSuffix(w, "ing") {
		return doing
	}
	if w == "" || w[0] < '0' || w[0] > '9' {
		return 0
	}
	a, b, of := strings.Cut(strings.TrimSuffix(w, "%"), "/")
	n, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return 0
	}
	return s.number(n, of, a == b)
}

// integer gives the value of a word of few digits.
func integer(w string) (n int, ok bool) {
	if len(w) > 9 {
		return 0, false
	}
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			return 0, false
		}
		n = 10*n + int(w[i]-'0')
	}
	return n, w != ""
}

// number gives the classes of a number. A high one on one of the usual scales
// is a good verdict: 10, 5/5, 100. It may be one of another number, and that the
// same.
func (s *scanner) number(n float64, of, same bool) mask {
	s.ranged = s.ranged || of && !same || s.scale != 0 && s.scale != n
	s.scale = n
	switch {
	case of && same && n >= 5, (n == 10 || n == 100) && !of:
		return top | high | figure | whole
	case n == 1:
		return one
	case n == 5, 8 <= n && n <= 10, 90 <= n && n <= 100:
		return top | high | figure
	}
	return 0
}

// unspacedWord reads at offset i a word of a script that puts no space between
// words: the longest one of the lexicon. It gives where it ends, or where the
// next character begins if there is none.
func (s *scanner) unspacedWord(i int, first rune) int {
	end, best, is := i, i+utf8.RuneLen(first), mask(0)
	for n := 0; n < longest[first] && end < len(s.text); n++ {
		_, size := utf8.DecodeRuneInString(s.text[end:])
		end += size
		if found := lexicon[s.text[i:end]]; found != 0 {
			best, is = end, found
		}
	}
	if is != 0 {
		s.push(i, is, false)
	}
	return best
}
