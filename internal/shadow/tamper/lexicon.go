package tamper

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// mask is a set of classes of words.
type mask uint64

//go:embed words.txt
var wordsFile string

// classes gives each class its bit.
var classes = map[string]mask{"foreign": foreign, "doing": doing, "whole": whole, "figure": figure, "one": one, "option": option, "abroad": abroad}

// The classes that are none of words.txt: words of other languages than
// English, words in -ing, and numbers.
const (
	foreign mask = 1 << iota
	doing
	whole  // a full score: 10, 5/5
	figure // a number that is a good verdict
	one    // 1 and 1.0
	option // a single capital letter, as in Response B
	abroad // a sentence has two words of other languages
)

// lexicon holds the classes of each word, folded. longest is how many
// characters the longest word has that begins with a character of a script
// that puts no space between words.
var lexicon, longest = func() (map[string]mask, map[rune]int) {
	words, longest := map[string]mask{}, map[rune]int{}
	for line := range strings.Lines(wordsFile) {
		class, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || class[0] == '#' {
			continue
		}
		name := strings.TrimLeft(class, "~=")
		if classes[name] == 0 {
			classes[name] = 1 << len(classes)
		}
		is := classes[name]
		if name != class {
			is |= classes["foreign"]
		}
		for w := range strings.FieldsSeq(list) {
			if class[0] == '=' {
				r, _ := utf8.DecodeRuneInString(w)
				longest[r] = max(longest[r], utf8.RuneCountInString(w))
			} else {
				w = plain(w)
			}
			if old := words[w]; old == 0 || old&1 != 0 || name == class {
				words[w] |= is // an English word is none of another language
			}
		}
	}
	return words, longest
}()

// The classes that the code asks for.
var (
	judge, you, say, drop, obey = classes["judge"], classes["you"], classes["say"], classes["drop"], classes["obey"]
	lead, never, no, to, urge   = classes["lead"], classes["never"], classes["no"], classes["to"], classes["urge"]
	modal, plea, cond, bad, all = classes["modal"], classes["plea"], classes["cond"], classes["bad"], classes["all"]
	top, high, about, show      = classes["top"], classes["high"], classes["about"], classes["show"]
)

// plain is a word in small letters, without accents and unseen characters.
func plain(word string) string {
	if fold.IsASCII(word) {
		return strings.ToLower(word)
	}
	return strings.Map(func(r rune) rune {
		if fold.Unseen(r) || fold.Accent(r) && r < 0x500 {
			return -1
		}
		return fold.Plain(r)
	}, word)
}

// digitLetter are digits and signs that stand for letters: 1gn0re.
var digitLetter = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's', '!': 'i'}

// undisguised is a plain word as a reader's eye takes it: letters of other
// alphabets and digits as the Latin letters that they look like.
func undisguised(word string) string {
	if fold.IsASCII(word) && !strings.ContainsAny(word, "013457@$!") {
		return word
	}
	return strings.Map(func(r rune) rune {
		if l, ok := digitLetter[r]; ok {
			return l
		}
		return fold.Rune(r)
	}, word)
}
