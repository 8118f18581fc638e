// Package fold says which texts look the same: without case, without accents,
// with letters of other alphabets as the Latin ones that they pass for. All functions
// are pure, and take time linear in their input.
package fold

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Case gives a text in small letters and in Unicode's composed form (NFC), so
// that texts which differ in case, or in how an accent is encoded, are equal.
func Case(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.ToLower(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Rune gives the character that r passes for: a small letter without accent, the Latin
// one of a letter, the ASCII one of a sign. Others give themselves, in lower case.
func Rune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	for _, table := range []map[rune]rune{lookalikes, plains} {
		if c, ok := table[r]; ok {
			return c
		}
	}
	return unicode.ToLower(r)
}

// Unseen tells whether a reader does not see a character inside a word.
func Unseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Accent tells whether a character is an accent that stands apart from its
// letter, as in a text in Unicode's decomposed form.
func Accent(r rune) bool { return r >= utf8.RuneSelf && unicode.In(r, unicode.Mn, unicode.Me) }

// plains are letters and digits in another form of the same alphabet, and the
// full-width and small forms of ASCII signs.
var plains = func() map[rune]rune {
	m := map[rune]rune{'ß': 's'}
	for _, span := range [][2]rune{{0xC0, 0x24F}, {0x386, 0x3CE}, {0x400, 0x45F}, {0x1E00, 0x1EFF}, {0x2460, 0x24E9}, {0xFE50, 0xFE6B}, {0xFF01, 0xFF5E}, {0x1D400, 0x1D7FF}} {
		for r := span[0]; r <= span[1]; r++ {
			plain, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
			if plain = unicode.ToLower(plain); plain != r && (unicode.IsLetter(plain) || unicode.IsDigit(plain) || r > 0xFE00 && plain < utf8.RuneSelf) {
				m[r] = plain
			}
		}
	}
	return m
}()

// lookalikes are characters that pass for ASCII ones, each before the one that
// it passes for. Case matters: В is read as B and ν as v.
var lookalikes = func() map[rune]rune {
	const pairs = `аa вb еe ԍg һh іi јj кk ӏl мm нh оo рp ԛq сc тt уy ѵv ԝw хx ѕs ԁd гr пn ьb
		АA ВB ЕE ІI ЈJ КK МM НH ОO РP ԚQ СC ТT УY ѴV ԜW ХX ЅS ԀD ҮY
		αa βb εe ιi κk νv οo ρp τt υu χx ωw ηn γy σo ϲc ϳj
		ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ
		օo սu ոn հh ցg քp գq
		ıi ȷj ɑa ɡg øo đd łl ħh ŧt ɩi ØO ĐD ŁL ĦH ŦT
		ʀr ʏy ɴn ʜh ʟl ʙb ɢg ɪi ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ꜱs ᴛt ᴜu ᴠv ᴡw ꞓc
		‹< ›> 〈< 〉> ⟨< ⟩> ❮< ❯> ˂< ˃> ᐸ< ᐳ> ǀ| ∣| │| ┃| ❘| ¦| ⟦[ ⟧] 【[ 】] 〔[ 〕]`
	m := map[rune]rune{}
	for p := range strings.FieldsSeq(pairs) {
		r, n := utf8.DecodeRuneInString(p)
		as, _ := utf8.DecodeRuneInString(p[n:])
		m[r] = unicode.ToLower(as)
	}
	return m
}()

// Words gives the words of a text as a reader sees them: runs of letters and digits as
// [Rune] folds them, without accents. An [Unspaced] character is a word.
func Words(text string) []string {
	words := make([]string, 0, 2+len(text)/6)
	if isASCII(text) { // with no string of its own for each
		return slices.AppendSeq(words, strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }))
	}
	text = norm.NFKD.String(text)
	var word []byte
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	for _, r := range text {
		switch r = Rune(r); {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			word = append(word, byte(r))
		case r < utf8.RuneSelf:
			end()
		case Unseen(r) || Accent(r):
		case Unspaced(r):
			end()
			word = utf8.AppendRune(word, r)
			end()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = utf8.AppendRune(word, r)
		default:
			end()
		}
	}
	end()
	return words
}

// Unspaced tells whether a character is of a script that puts no space between
// words.
func Unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Beginning gives the first n characters of a word, so that its endings do not count.
func Beginning(word string, n int) string {
	for end := range word {
		if n--; n < 0 {
			return word[:end]
		}
	}
	return word
}

// Stop tells whether a word, as [Words] gives it, is one that texts on any
// matter have.
func Stop(word string) bool { return stop[word] }

var stop = WordSet(`a an the this that these those it its they them their there he she we you who which what
	and or not nor but than then as so if when while of to in on at by for with from into onto about per
	is are be was were been being has have had do does did can could may might must shall should will would
	each every all any some both only also no`)

// WordSet is the set of the words of a list, with spaces between.
func WordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
