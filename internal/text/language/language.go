// Package language tells the language of a Markdown document.
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

const (
	// languageBytes is the length of a piece of text whose language is told,
	// and languagePieces how many are looked at, spread over the text: so the
	// time does not depend on the text's length.
	languageBytes  = 600
	languagePieces = 4
	// leastLetters is how many letters an alphabet of several languages takes
	// before its trigrams say anything; a script of one language takes fewer.
	leastLetters = 60
	leastSigns   = 8
	// The confidence of whatlanggo's that is believed, and for few letters.
	leastConfidence = 0.5
	fewLetters      = 200
	fewConfidence   = 0.9
)

// Of gives the ISO 639-1 code of the language that the text is written
// in, "" if the text is too short to tell, mixes languages or is in none that
// has such a code. Code, inline code, addresses and names with digits or
// marks in them do not count.
func Of(t *markdown.Doc) string {
	// Each piece is asked for, since the distances that whatlanggo measures say
	// little of texts that are much longer, and the pieces vote.
	votes, all := map[string]int{}, 0
	for _, p := range piecesOf(t) {
		n := utf8.RuneCountInString(p)
		votes[detect(p)] += n
		all += n
	}
	for code, n := range votes {
		if code != "" && 5*(all-n-votes[""]) <= all && 2*n > all {
			return code
		}
	}
	return ""
}

// piecesOf gives the words of some stretches of the text.
func piecesOf(t *markdown.Doc) []string {
	var all []string
	var b strings.Builder
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Kind == markdown.Code {
			continue
		}
		at := 0
		for _, c := range l.InlineCode {
			plainWords(&b, l.Text[at:c.From])
			at = c.To
		}
		plainWords(&b, l.Text[at:])
		if b.Len() >= languageBytes {
			all = append(all, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		all = append(all, b.String())
	}
	if n := len(all); n > languagePieces {
		for i := range languagePieces {
			all[i] = all[i*(n-1)/(languagePieces-1)]
		}
		all = all[:languagePieces]
	}
	for i, p := range all {
		all[i] = p[:min(len(p), languageBytes)]
	}
	return all
}

// plainWords adds the words of s that are nothing but letters.
func plainWords(b *strings.Builder, s string) {
	for len(s) > 0 && b.Len() < 2*languageBytes {
		s = strings.TrimLeft(s, " \t\n")
		n := strings.IndexAny(s, " \t\n")
		if n < 0 {
			n = len(s)
		}
		word := s[:min(n, languageBytes)]
		s = s[n:]
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) })
		if bare != "" && !strings.ContainsAny(bare, "0123456789_/\\@=<>{}[]()#$%&*+~^|:.") {
			b.WriteString(bare)
			b.WriteByte(' ')
		}
	}
}

// detect tells the language of a piece of text, "" if it is not sure.
func detect(s string) string {
	letters, kana, han := 0, 0, 0
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			continue
		case r < 0x2E80:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		}
		letters++
	}
	if letters < leastSigns {
		return ""
	}
	if 2*(kana+han) > letters { // Japanese is Chinese characters with kana between them
		if 10*kana > kana+han {
			return "ja"
		}
		return "zh"
	}
	info := whatlanggo.DetectWithOptions(s, whatlanggo.Options{Blacklist: overshadowed})
	least := leastConfidence
	if letters < fewLetters {
		least = fewConfidence
	}
	if info.Confidence < least || letters < leastLetters && !oneLanguage[info.Lang] {
		return ""
	}
	return info.Lang.Iso6391()
}

// overshadowed are languages without a code of ISO 639-1 whose profiles make
// texts in Hindi and Urdu, which have far more readers, look unsure.
var overshadowed = map[whatlanggo.Lang]bool{whatlanggo.Bho: true, whatlanggo.Mai: true, whatlanggo.Skr: true}

// oneLanguage are languages that have a script to themselves.
var oneLanguage = map[whatlanggo.Lang]bool{
	whatlanggo.Ben: true, whatlanggo.Ell: true, whatlanggo.Guj: true, whatlanggo.Kan: true, whatlanggo.Kat: true, whatlanggo.Khm: true,
	whatlanggo.Kor: true, whatlanggo.Mal: true, whatlanggo.Mya: true, whatlanggo.Ori: true, whatlanggo.Pan: true, whatlanggo.Sin: true,
	whatlanggo.Tam: true, whatlanggo.Tel: true, whatlanggo.Tha: true,
}
