package shadow

import (
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// quotes reports whether a text stands in the bundle, as package passage
// compares.
func (q *Question) quotes(quote string) bool {
	if _, ok := q.content().Find(quote); ok {
		return true
	}
	for _, text := range q.Bundle.Texts()[1:] {
		if _, ok := passage.New(text).Find(quote); ok {
			return true
		}
	}
	return false
}

// content is the content of the bundle, as a judge is shown it.
func (q *Question) content() *passage.Text {
	if q.Content != nil {
		return q.Content
	}
	return passage.New(q.Bundle.Content)
}

// Texts are the parts of a bundle that a commander writes at length, the content
// first.
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
