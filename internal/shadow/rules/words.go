package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// lexicon stems the words of one decomposition. Words come back often, so
// their stems are kept.
type lexicon map[string]string

func (l lexicon) stem(word string) string {
	if s, ok := l[word]; ok {
		return s
	}
	s := word
	if len(word) > 3 {
		s = english.Stem(word, false)
	}
	l[word] = s
	return s
}

// content returns the distinct stems of those words that say what a phrase is
// about.
func (l lexicon) content(words []string) []string {
	out := make([]string, 0, len(words))
next:
	for _, w := range words {
		if len(w) < 2 || emptyWords[w] {
			continue
		}
		s := l.stem(w)
		for _, have := range out {
			if have == s {
				continue next
			}
		}
		if len(out) == maxContent {
			break
		}
		out = append(out, s)
	}
	return out
}

// maxContent bounds the words by which a phrase is compared with others.
const maxContent = 40

// wordsOf returns the runs of letters and digits of a text, in lower case.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// emptyWords say nothing of what a phrase is about: function words, and verbs
// and nouns that fit every task.
var emptyWords = set(functionWordsOfAll + `a an the of to in on at by for from with without into onto over under and or nor but if then than that this these those which
	who whom whose what when where why how is are was were be been being do does did has have had it its they their them there as so such not no
	can could may might must shall should will would we our you your i he she all any each every both either one same other another per via
	between across after before during while until about against also only just more most less least very up out off through
	write add implement define document describe specify design plan create provide give set show explain state list build develop update
	include cover prepare produce draft outline introduce ensure check handle support make need use used using new existing current
	strategy policy guide once happen happens part parts bring people work works section specification spec overview details`)

// functionWordsOfAll are the function words of other languages.
const functionWordsOfAll = `und oder der die das den dem des ein eine einen einer nicht nur für mit ist sind werden wird auf von zum zur wenn dass muss müssen
	soll darf dürfen sich aus bei nach über el los las una para que por como del les une pour avec dans est sur aux gli della per che con nel sono
	uma não dos pelo het een voor niet met zijn worden `

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// clip shortens a text to n runes, at the end of a word.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := string([]rune(s)[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " …"
}
