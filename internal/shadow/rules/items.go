package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// kind is where an item stands in the decomposition.
type kind uint8

const (
	subTask kind = iota
	deliverable
	constraint
	requirement
)

// item is one thing that a domain was asked for.
type item struct {
	kind   kind
	phrase string // one line, valid UTF-8; what the bundle is searched for
	id     string // of a requirement
	// limit says that the item is asked for its figure and not for its words.
	limit bool
	words []string // lexicon.content of the phrase
}

const (
	// plainPhrase is the length in bytes up to which a text of one sentence
	// is taken as it is.
	plainPhrase = 400
	// maxPhrase bounds a single phrase in bytes.
	maxPhrase = check.MaxPhrase / 2
)

// phrasesOf breaks a text of the decomposition into the phrases that a bundle
// can be asked for. A line is one phrase. Of prose, the first sentence says
// what is wanted; of the others those that demand something are taken, since
// the rest explains.
func phrasesOf(text string) []string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= plainPhrase && !strings.ContainsAny(strings.TrimSpace(text), "\n\r") && !strings.Contains(text, ". ") {
		return appendPhrase(nil, text)
	}
	var out []string
	t := check.Analyse(text)
	for i := range t.Lines {
		switch l := &t.Lines[i]; l.Kind {
		case check.Sentence, check.Item, check.Heading:
			ownItem := l.Kind == check.Item && l.Level == 0 && (i == 0 || t.Lines[i-1].Block != l.Block)
			if len(out) == 0 || ownItem || demands(l.Text) {
				out = appendPhrase(out, l.Text)
			}
		}
	}
	return out
}

// appendPhrase puts a phrase on one line and appends it, if it says anything.
func appendPhrase(list []string, s string) []string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)), " ")
	s = strings.TrimRight(s, ".:;, ")
	if len(s) > maxPhrase {
		s = strings.ToValidUTF8(s[:maxPhrase], "")
		if i := strings.LastIndexByte(s, ' '); i > maxPhrase/2 {
			s = s[:i]
		}
	}
	if strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return list
	}
	return append(list, s)
}

// demands tells whether a sentence asks for something.
func demands(sentence string) bool {
	for _, w := range wordsOf(sentence) {
		if w == "must" || w == "shall" || w == "should" {
			return true
		}
	}
	return false
}

// requirementsOf lists the requirements of a run: the numbered ones, and the
// sentences of the specification that demand something and that no numbered
// one repeats.
func requirementsOf(d *shadow.Decomposition, lex lexicon) []item {
	var out []item
	for _, r := range d.Requirements {
		for _, p := range phrasesOf(r.Text) {
			out = append(out, item{kind: requirement, phrase: p, id: strings.ToValidUTF8(r.ID, ""), words: lex.content(wordsOf(p))})
		}
	}
	if d.Specification == "" {
		return out
	}
	numbered := newFinder(maxAlike)
	for i := range out {
		numbered.add(i, out[i].words)
	}
	t := check.Analyse(strings.ToValidUTF8(d.Specification, ""))
	for i := range t.Lines {
		l := &t.Lines[i]
		if (l.Kind != check.Sentence && l.Kind != check.Item) || len(l.Text) > plainPhrase || !demands(l.Text) {
			continue
		}
		for _, p := range appendPhrase(nil, l.Text) {
			words := lex.content(wordsOf(p))
			if _, share, n := numbered.best(words); n >= 2 && share >= alike {
				continue
			}
			out = append(out, item{kind: requirement, phrase: p, words: words})
		}
	}
	return out
}

// named tells whether a phrase names a thing: an identifier, a file, an
// acronym, a name inside the sentence. Only such a thing must turn up in a
// bundle in the same words.
func named(phrase string) bool {
	words := strings.Fields(phrase)
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, `.,;:()"'`)
		if strings.ContainsAny(w, "_/`") || strings.Contains(strings.Trim(w, "."), ".") && !isNumber(w) {
			return true
		}
		upper := 0
		for i, r := range w {
			if unicode.IsUpper(r) && i > 0 {
				upper++
			}
		}
		return upper > 0 || strings.ContainsFunc(w, unicode.IsDigit) && strings.ContainsFunc(w, unicode.IsLetter)
	})
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.,%") == ""
}
