// Package language tells which language a text is written in.
//
// A script that one language has to itself decides alone. Otherwise the text's
// trigrams and words are compared with profiles.txt, which has the commonest
// ones of each language: the commoner one is there, the more it counts for that
// language (a naive Bayes classifier that takes frequency to fall with rank, as
// Zipf's law has it). The best language is believed if it is ahead of the
// second by a margin. So a short text is told if its words are telling, and a
// text in a close pair such as Malay and Indonesian often is not.
//
// Of is pure, and looks at a bounded part of the text.
package language

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

const (
	// pieceBytes is the length of a piece of text whose language is told, and
	// pieces how many are looked at, spread over the text.
	pieceBytes = 600
	pieces     = 4
	// leastSigns is how many letters a script of one language takes.
	leastSigns = 4
	// margin is how much likelier the best language is than the second, as a
	// natural logarithm, and cover which share of the text's trigrams its
	// profile has.
	margin = 5
	cover  = 0.2
	// widely is how much likelier a text is in one of the widely written
	// languages before it is read, as a natural logarithm.
	widely = 3
)

// Of gives the ISO 639-1 code of the language that a text is written in, "" if
// the text is too short to tell, mixes languages or is in none that is known.
// Code, inline code, addresses and names with digits or marks in them do not
// count.
func Of(doc *markdown.Doc) string {
	votes, all := map[string]int{}, 0
	for _, p := range piecesOf(doc) {
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
func piecesOf(doc *markdown.Doc) []string {
	var all []string
	var b strings.Builder
	for i := range doc.Lines {
		l := &doc.Lines[i]
		if l.Kind == markdown.Code {
			continue
		}
		at := 0
		for _, c := range l.InlineCode {
			plainWords(&b, l.Text[at:c.From])
			at = c.To
		}
		plainWords(&b, l.Text[at:])
		if b.Len() >= pieceBytes {
			all = append(all, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		all = append(all, b.String())
	}
	if n := len(all); n > pieces {
		for i := range pieces {
			all[i] = all[i*(n-1)/(pieces-1)]
		}
		all = all[:pieces]
	}
	return all
}

// plainWords adds the words of s that are nothing but letters.
func plainWords(b *strings.Builder, s string) {
	for len(s) > 0 && b.Len() < 2*pieceBytes {
		s = strings.TrimLeft(s, " \t\n")
		n := strings.IndexAny(s, " \t\n")
		if n < 0 {
			n = len(s)
		}
		word := s[:min(n, pieceBytes)]
		s = s[n:]
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) })
		if bare != "" && !strings.ContainsAny(bare, "0123456789_/\\@=<>{}[]()#$%&*+~^|:.") {
			b.WriteString(bare)
			b.WriteByte(' ')
		}
	}
}

// detect gives the language of a piece of text, "" if it is not sure.
func detect(s string) string {
	signs, letters := [len(scripts)]int{}, 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < firstScript {
			continue
		}
		for i := range scripts {
			if unicode.Is(scripts[i].table, r) {
				signs[i]++
			}
		}
	}
	// Japanese is Chinese characters with kana between them.
	if han, kana := signs[0], signs[1]; 10*kana > han {
		signs[1] += han
	}
	for i := len(scripts) - 1; i >= 0; i-- {
		if 2*signs[i] > letters {
			if signs[i] < leastSigns {
				return ""
			}
			return scripts[i].code
		}
	}
	return likeliest(s)
}

// likeliest gives the language whose trigrams and words a text has, "" if it is
// not sure.
func likeliest(s string) string {
	p := profiles()
	scores := make([]float64, len(p.codes))
	for i := range p.widely {
		scores[i] = widely
	}
	n, known := 0, make([]int, len(p.codes))
	features(s, func(f string) {
		n++
		for _, e := range p.entries[f] {
			scores[e.language] += e.gain
			known[e.language]++
		}
	})
	highest := slices.Max(scores)
	best := slices.Index(scores, highest)
	scores[best] = 0
	if highest < slices.Max(scores)+margin || float64(known[best]) < cover*float64(n) {
		return ""
	}
	return p.codes[best]
}

// features calls yield with each trigram of a text's words, and with each word
// of more than a letter. A space stands before and behind a word.
func features(s string, yield func(string)) {
	notWord := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) }
	for w := range strings.FieldsFuncSeq(fold.Case(s), notWord) {
		w = " " + w + " "
		second := 1 // where the second character begins
		for first := 0; ; {
			_, size := utf8.DecodeRuneInString(w[second:])
			third := second + size
			_, size = utf8.DecodeRuneInString(w[third:])
			yield(w[first : third+size])
			if third+size == len(w) {
				if first > 0 {
					yield(w)
				}
				break
			}
			first, second = second, third
		}
	}
}

//go:embed profiles.txt
var profilesFile string

// table holds the profiles by feature.
type table struct {
	codes   []string // the widely written languages first
	widely  int      // how many these are
	entries map[string][]entry
}

// entry says by how much a feature makes a language likelier, as a natural
// logarithm.
type entry struct {
	language int
	gain     float64
}

// profiles reads profiles.txt, which says what it holds.
var profiles = sync.OnceValue(func() *table {
	p := &table{entries: map[string][]entry{}}
	for line := range strings.Lines(profilesFile) {
		code, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || code[0] == '#' {
			continue
		}
		trigrams, words := zipf{early: 10, absent: 1200}, zipf{early: 5, absent: 400}
		for f := range strings.FieldsSeq(list) {
			kind := &trigrams
			if utf8.RuneCountInString(f) > 3 {
				kind = &words
			}
			f = strings.ReplaceAll(f, "_", " ")
			p.entries[f] = append(p.entries[f], entry{len(p.codes), kind.next()})
		}
		if p.codes = append(p.codes, strings.TrimPrefix(code, "*")); code[0] == '*' {
			p.widely = len(p.codes)
		}
	}
	return p
})

// zipf gives the gains of a list by frequency: the feature of rank r is as
// likely as 1/(early+r), one that is not listed as 1/(early+absent).
type zipf struct{ rank, early, absent float64 }

func (z *zipf) next() float64 {
	z.rank++
	return math.Log((z.early + z.absent) / (z.early + z.rank - 1))
}
