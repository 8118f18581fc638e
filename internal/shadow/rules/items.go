package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// kind is where an item stands in the decomposition.
type kind uint8

const (
	subTask kind = iota
	deliverable
	constraint
	requirement
	name // a name that the brief or the specification mentions
)

// item is one thing that a domain was asked for.
type item struct {
	kind   kind
	phrase string // one line, valid UTF-8; what the bundle is searched for
	id     string // of a requirement; of a name, where it stands
	// also are other words for the same that the decomposition itself gives.
	also []string
	// traces are pieces of words. Where there are any, the item is missing
	// only from a text that has none of them.
	traces []string
	// doubted says that the decomposition does not say outright that the domain
	// must deal with it. It is missing only if it is declined, or if most of its
	// words stand nowhere in the text.
	doubted bool
	// condition says that it tells what holds in some case: "if the store fails".
	condition bool
	// limit says that the item is asked for its figure and not for its words.
	limit bool
	words []string // lexicon.content of the phrase
	heads []string // the same of the headings that a requirement stands under
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

// rank is how specific an item is, and so how decisive it is that it is there:
// a figure and a name stand in a text or don't, a demand of the specification
// outranks a step of the plan, and a trace proves least.
func (it *item) rank() int {
	switch {
	case it.limit, it.kind == name:
		return 4
	case it.traces != nil:
		return 0
	case it.kind == requirement:
		return 3
	case it.kind == deliverable, named(it.phrase):
		return 2
	}
	return 1
}

// stems are the words of an item as Text.Mentions takes them.
func (it *item) stems() []string {
	out := make([]string, 0, len(it.words))
	for _, w := range it.words {
		if len(w) < 100 {
			out = append(out, "*"+strings.TrimRight(w, "eiy")+"*")
		}
	}
	return out
}
