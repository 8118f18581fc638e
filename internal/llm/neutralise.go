package llm

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// neutral is a text as a model is shown it, with the places of the original
// that its characters come from.
type neutral []glyph

type glyph struct {
	r        rune
	from, to int  // of the original, in bytes
	masked   bool // part of what looked like a token or delimiter
}

// neutralise makes a text harmless and leaves ordinary text as it is: lines of
// any kind end in a newline, characters that nobody sees are taken out, and
// what servers or models could take for a token of a chat template, or for
// a delimiter of ours, gets other brackets.
func neutralise(text string) neutral {
	n := make(neutral, 0, len(text))
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		from := at
		at += size
		switch {
		case r >= ' ' && r < 0x7f: // nearly all
		case r == '\r' && strings.HasPrefix(text[at:], "\n"):
			continue
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			r = '\n'
		case r != '\t' && unseen(r):
			continue
		}
		n = append(n, glyph{r: r, from: from, to: at})
	}
	n.mask()
	return n
}

// unseen are characters that a reader of one line does not see, and that can
// carry words to a model or part the words that a filter looks for.
func unseen(r rune) bool { return fold.Unseen(r) || strings.ContainsRune("\n\t\r", r) }

func (n neutral) text() string {
	var b strings.Builder
	b.Grow(len(n))
	for _, g := range n {
		b.WriteRune(g.r)
	}
	return b.String()
}

// tokens match, at a bracket in a folded text, what chat templates are made of and what
// resembles the delimiters of wrapping. Servers make control tokens of the
// former wherever they stand, whatever role the text has.
var tokens = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`<\|[ \t]*[a-z0-9_/\x{2581} .:-]{1,40}[ \t]*\|>`,
	`\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|gmask|smask|img|prefix|suffix|middle)\]`,
	`<</?sys>>`,
	`</?(?:s|bos|eos|pad|unk|mask|sop|eop|cls|sep|start_of_turn|end_of_turn|start_of_image|start_of_role|end_of_role|end_of_text)>`,
	`</?(?:system|user|assistant|human|model|developer|think|thinking|tools?|tool_calls?|tool_response|function|function_calls?|function_results|instructions?|important)>`,
	`<{2,}[ \t]*/?(?:begin|end|start|stop)\b[^\n]{0,80}?>{2,}`,
	`<{3,}[ \t]*/?(?:begin|end|start|stop)`,
}, "|") + `)`)

// maxToken is how far a token is looked for from its bracket on, in bytes.
const maxToken = 200

// mask changes the brackets and bars of tokens.
func (n neutral) mask() {
	folded, at := n.folded()
	for from := 0; ; {
		next := strings.IndexAny(folded[from:], "<[")
		if next < 0 {
			return
		}
		from += next
		span := tokens.FindStringIndex(folded[from:min(from+maxToken, len(folded))])
		if span == nil {
			// In a long run of brackets only the last ones can begin a token.
			run := len(folded[from:]) - len(strings.TrimLeft(folded[from:], "<"))
			from += max(run-3, 1)
			continue
		}
		for i := at[from]; i <= at[from+span[1]-1]; i++ {
			n[i].masked = true
			if harmless, ok := brackets[fold.Rune(n[i].r)]; ok {
				n[i].r = harmless
			}
		}
		from += span[1]
	}
}

var brackets = map[rune]rune{'<': '‹', '>': '›', '|': '¦', '[': '⟦', ']': '⟧'}

// folded is the text in small letters with look-alikes as the characters that
// they pass for, and for each of its bytes the index of its glyph.
func (n neutral) folded() (string, []int) {
	var b strings.Builder
	b.Grow(len(n))
	at := make([]int, 0, len(n))
	for i, g := range n {
		size, _ := b.WriteRune(fold.Rune(g.r))
		for range size {
			at = append(at, i)
		}
	}
	return b.String(), at
}
