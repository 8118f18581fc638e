package shadow

import (
	"regexp"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// minQuote is how short the quote of a pass or of a claim may be, in letters and
// digits: a word that any text has proves nothing.
const minQuote = 8

// noProof says why a quote does not show that something is in a content, or
// returns nothing. What shows it is a passage of the content: not the summary, no
// heading, not the words of the question, no line that imitates a prompt. texts
// are those of the question; item is the kind of the item that it is about, or
// empty.
func noProof(quote string, content *passage.Text, item ItemKind, texts ...string) (passage.Place, string) {
	if passage.Letters(quote) < minQuote {
		return passage.Place{}, "it is too short to show anything"
	}
	p, ok := content.Find(quote)
	switch {
	case !ok:
		return p, "it does not stand in the content"
	case p.Masked:
		return p, "it stands on a line that imitates a prompt"
	case p.Heading:
		return p, "it is a heading alone"
	case slices.ContainsFunc(texts, func(text string) bool { return repeats(quote, text, item.work()) }):
		return p, "it repeats the question"
	}
	return p, ""
}

// Words that a list of what was to be done adds to the words of an item.
var listed = fold.WordSet("sub task subtask deliverable item constraint requirement done completed complete delivered finished yes ok x")

// quoted is a passage that a question asks for in its own words.
var quoted = regexp.MustCompile(`["“«„「][^"“”»「」]{12,}["”»“」]`)

// repeats tells whether a quote says no more than a question does: all that is
// asked, or most of an item of work that its commander was given in these words.
// What the question itself quotes may be quoted for it.
func repeats(quote, question string, work bool) bool {
	said, asked := sayingWords(quote), sayingWords(quoted.ReplaceAllString(question, "."))
	part := work && 2*len(said) > len(asked)
	return len(said) == 0 || slices.Equal(said, asked) ||
		part && strings.Contains(" "+strings.Join(asked, " ")+" ", " "+strings.Join(said, " ")+" ")
}

// target is where a link leads, which says nothing of the work.
var target = regexp.MustCompile(`\]\([^)\s]*\)|\]:\s*\S+|\bhttps?://[^\s)>\]]+`)

func sayingWords(text string) []string {
	return slices.DeleteFunc(fold.Words(target.ReplaceAllString(text, " ")), func(w string) bool { return listed[w] || len(w) < 2 })
}
