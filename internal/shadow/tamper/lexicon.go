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

// spelling is a word of at most maxShort ASCII letters in any case, five bits
// for each. Most words are such, and cost less to look up so than as a text.
type spelling uint64

const (
	maxShort = 12
	ing      = spelling('i'&31<<10 | 'n'&31<<5 | 'g'&31)
)

// spell gives the letters that a text begins with, and how many they are.
func spell(text string) (w spelling, n int) {
	text = text[:min(len(text), maxShort)]
	for n < len(text) && isLetter(text[n]) {
		w = w<<5 | spelling(text[n]&31)
		n++
	}
	return w, n
}

// short are the words of the lexicon that can be spelt.
var short = func() map[spelling]mask {
	words := map[spelling]mask{}
	for text, is := range lexicon {
		if w, n := spell(text); n == len(text) {
			words[w] = is
		}
	}
	return words
}()

// classes gives the classes of a word.
func (w spelling) classes() mask {
	is := short[w]
	if is == 0 && w&(1<<15-1) == ing {
		return doing
	}
	return is
}

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

// digitLetter puts letters in the place of digits and signs that stand for them:
// 1gn0re.
var digitLetter = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// undisguised is a plain word as a reader's eye takes it: letters of other
// alphabets and digits as the Latin letters that they look like.
func undisguised(word string) string { return strings.Map(fold.Rune, digitLetter.Replace(word)) }
