package shadow

import (
	"sort"
	"strings"
	"unicode"
)

// lineOf gives the line, from 1, on which a quote begins in a text, 0 if it
// does not stand there. Spaces and line breaks do not matter.
func lineOf(text, quote string) int {
	if quote = spaced(quote); quote == "" {
		return 0
	}
	var b strings.Builder
	var starts, lines []int // of each word, where it begins in b, and its line
	for no, line := range strings.Split(text, "\n") {
		for w := range strings.FieldsSeq(line) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			starts, lines = append(starts, b.Len()), append(lines, no+1)
			b.WriteString(w)
		}
	}
	at := strings.Index(b.String(), quote)
	if at < 0 {
		return 0
	}
	return lines[sort.SearchInts(starts, at+1)-1]
}

// quotes reports whether a text stands in the bundle, verbatim but for how it
// is spaced and broken into lines.
func (q *Question) quotes(quote string) bool {
	if quote = spaced(quote); quote == "" {
		return false
	}
	for _, text := range q.Bundle.Texts() {
		if strings.Contains(spaced(text), quote) {
			return true
		}
	}
	return false
}

// Texts are the parts of a bundle that a commander writes at length, and that a
// judge may quote.
func (b *Bundle) Texts() []string {
	texts := []string{b.Content, b.Summary}
	for _, c := range b.Conflicts {
		texts = append(texts, c.Description, c.Resolution)
	}
	return texts
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
