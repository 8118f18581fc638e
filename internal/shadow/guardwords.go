package shadow

import (
	"hash/maphash"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	lookalike "github.com/swarmspeed/shadowd/internal/text/fold"
)

// word is a word of a text as the guard compares it: without case, accents,
// invisible characters, and whatever else looks the same and is other bytes.
type word struct {
	hash uint64
	size int  // in bytes
	slim bool // says too little to tell a text by
}

// wordSeed is drawn for each process, so that nobody can look for words that
// collide.
var wordSeed = maphash.MakeSeed()

// wordsIn reads the words of a text. long is called with each that could hold
// a decoy's token; nil: nobody asks.
func wordsIn(text string, long func(string)) []word {
	words := make([]word, 0, len(text)/6)
	eachWord(text, func(w []byte) {
		words = append(words, word{maphash.Bytes(wordSeed, w), len(w), emptyWords[string(w)]})
		if long != nil && len(w) >= tokenSize {
			long(string(w))
		}
	})
	return words
}

// folded is the first words of a text as the guard reads them, most of them at
// most, with a space around each.
func folded(text string, most int) string {
	b := []byte{' '}
	eachWord(text, func(w []byte) {
		if most > 0 {
			b = append(append(b, w...), ' ')
		}
		most--
	})
	return string(b)
}

// eachWord calls yield with the words of a text. They are valid until it
// returns.
func eachWord(text string, yield func([]byte)) {
	if !lookalike.IsASCII(text) {
		text = norm.NFKD.String(text)
	}
	var buf []byte
	end := func() {
		if len(buf) > 0 {
			yield(buf)
			buf = buf[:0]
		}
	}
	for _, r := range text {
		if r < utf8.RuneSelf {
			switch {
			case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
				buf = append(buf, byte(r))
			case 'A' <= r && r <= 'Z':
				buf = append(buf, byte(r)+'a'-'A')
			default:
				end()
			}
			continue
		}
		if lookalike.Unseen(r) || lookalike.Accent(r) {
			continue
		}
		switch r = lookalike.Rune(r); {
		case unicode.In(r, unspaced...):
			end()
			buf = utf8.AppendRune(buf, r)
			end()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			buf = utf8.AppendRune(buf, r)
		default:
			end()
		}
	}
	end()
}

// unspaced are the scripts that put no space between words: each of their
// characters counts as one.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// A run is long enough to tell a text by with this many words, slim ones not
// counted, and as many bytes.
const (
	runWords = 6
	runBytes = 30
)

// maxWhole is how many words of a text are looked for as a whole.
const maxWhole = 31

// mark stands for a sequence of words.
type mark uint64

// extended is a mark with one word more. Runs start from 1, wholes from 2.
func (m mark) extended(w word) mark { return (m ^ mark(w.hash)) * 0x9e3779b97f4a7c15 }

// runs calls yield with the mark of each shortest run of words that is long
// enough, until yield says no.
func runs(words []word, yield func(mark) bool) {
	full := make([]word, 0, len(words))
	for _, w := range words {
		if !w.slim {
			full = append(full, w)
		}
	}
	for i := range full {
		m, size := mark(1), 0
		for n, w := range full[i:] {
			m, size = m.extended(w), size+w.size
			if n+1 >= runWords && size >= runBytes {
				if !yield(m) {
					return
				}
				break
			}
		}
	}
}

// whole is the mark of all words.
func whole(words []word) mark {
	m := mark(2)
	for _, w := range words {
		m = m.extended(w)
	}
	return m
}

// wholes calls yield with the mark of every sequence of n words for which
// lengths has bit n, until yield says no.
func wholes(words []word, lengths uint32, yield func(mark) bool) {
	for i := range words {
		m := mark(2)
		for n, w := range words[i:min(len(words), i+maxWhole)] {
			m = m.extended(w)
			if rest := lengths >> (n + 1); rest == 0 {
				break
			} else if rest&1 == 1 && !yield(m) {
				return
			}
		}
	}
}
