package llm

import (
	"crypto/rand"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// wrapping writes the parts of a prompt that others wrote. Each stands between
// two delimiters, and each of its lines begins with a mark that is drawn for
// this prompt: so no text can close its own part or pass for what stands
// outside it, and a model sees at every line that it reads material.
type wrapping struct {
	mark string
	b    strings.Builder
}

// newWrapping draws a mark that stands in none of the texts.
func newWrapping(texts ...string) *wrapping {
	for {
		mark := strings.ToLower(rand.Text()[:6])
		if !containsMark(mark, texts) {
			return &wrapping{mark: mark}
		}
	}
}

func containsMark(mark string, texts []string) bool {
	return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), mark)
}

// part writes a part, unless it is blank.
func (w *wrapping) part(name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	w.b.WriteString("<<<BEGIN " + name + " " + w.mark + ">>>\n")
	for line := range strings.SplitSeq(passage.New(text).Shown(), "\n") {
		w.b.WriteString(w.mark + "| " + line + "\n")
	}
	w.b.WriteString("<<<END " + name + " " + w.mark + ">>>\n\n")
}

// unmarked takes the marks out of what a model quotes over several lines.
func (w *wrapping) unmarked(quote string) string {
	for _, mark := range []string{w.mark + "| ", w.mark + "|"} {
		quote = strings.ReplaceAll(quote, mark, " ")
	}
	return quote
}

// unseen are characters that a reader of one line does not see, and that can
// carry words to a model or part the words that a filter looks for.
func unseen(r rune) bool { return fold.Unseen(r) || strings.ContainsRune("\n\t\r", r) }
