package tamper

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is what letters outside ASCII are read as: lower case, without
// accents, in their plain form where they are full-width or mathematical.
var folded = func() map[rune]rune {
	m := map[rune]rune{}
	for _, span := range [][2]rune{{0xC0, 0x24F}, {0x386, 0x3CE}, {0x400, 0x45F}, {0x1E00, 0x1EFF}, {0x2460, 0x24E9}, {0xFF10, 0xFF5A}, {0x1D400, 0x1D7FF}} {
		for r := span[0]; r <= span[1]; r++ {
			plain, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
			if plain = unicode.ToLower(plain); plain != r && (unicode.IsLetter(plain) || unicode.IsDigit(plain)) {
				m[r] = plain
			}
		}
	}
	m['ß'] = 's'
	return m
}()

// lookalike are letters of other scripts by the Latin letters that they pass
// for.
var lookalike = func() map[rune]byte {
	m := map[rune]byte{}
	for _, pair := range []string{
		"аa", "еe", "оo", "рp", "сc", "хx", "уy", "іi", "јj", "ѕs", "кk", "мm", "тt", "вb", "нh", "гr", "ԁd", "ӏl", "һh", "ԛq", "ԝw", "пn", "ьb", "ѵv",
		"οo", "αa", "εe", "ιi", "κk", "νv", "ρp", "τt", "υu", "χx", "ηn", "ωw", "γy", "σo", "ϲc", "ɡg", "ıi", "ɑa", "ʀr", "ɴn", "ᴀa", "ᴄc", "ᴅd", "ᴇe", "ᴏo", "ᴘp", "ѕs", "ꜱs", "ᴛt", "ʟl", "ɪi", "ɢg", "ᴜu", "ᴍm", "ᴊj", "ᴋk", "ᴠv", "ᴡw", "ʏy", "ʜh", "ʙb", "ꞓc",
	} {
		r, size := utf8.DecodeRuneInString(pair)
		m[r] = pair[size]
	}
	return m
}()

// digitLetter are digits and signs that stand for letters: 1gn0re.
var digitLetter = map[byte]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if f, ok := folded[r]; ok {
		return f
	}
	return unicode.ToLower(r)
}

// foldWord appends a word as the lexicon has it.
func foldWord(to []byte, s string) []byte {
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) && r < 0x500 {
			continue
		}
		to = utf8.AppendRune(to, foldRune(r))
	}
	return to
}

// disguised reads a folded word as a reader's eye would: letters of other
// scripts and digits as the Latin letters that they look like. ok is false for
// a word in which there are none, or something else besides.
func disguised(to []byte, word []byte) (_ []byte, ok bool) {
	for i := 0; i < len(word); {
		if b := word[i]; b < utf8.RuneSelf {
			i++
			if l, is := digitLetter[b]; is {
				b, ok = l, true
			} else if b < 'a' || b > 'z' {
				return to, false
			}
			to = append(to, b)
			continue
		}
		r, size := utf8.DecodeRune(word[i:])
		i += size
		l, is := lookalike[r]
		if !is {
			return to, false
		}
		to, ok = append(to, l), true
	}
	return to, ok
}

// invisible reports runes that show nothing: zero-width characters, soft
// hyphens, and marks of direction.
func invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x180E, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x2069, r == 0xFEFF, r == 0x3164:
		return true
	}
	return false
}

// overrides direction: honest text in two directions uses isolates.
func turned(r rune) bool { return r == 0x202D || r == 0x202E }

// tagged reports characters that can carry a text invisibly: the tags, which
// repeat ASCII, and the selectors of variants.
func tagged(r rune) bool { return 0xE0000 <= r && r <= 0xE007F || 0xE0100 <= r && r <= 0xE01EF }
