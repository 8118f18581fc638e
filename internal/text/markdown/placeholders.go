package markdown

import (
	"regexp"
	"strings"
)

// maxPlaceholder is how long a placeholder may be, in bytes.
const maxPlaceholder = 62

// placeholder matches what is to be filled in: marks, and in brackets words that
// ask for it, in square ones also what forms ask for.
var placeholder = func() *regexp.Regexp {
	asks := func(other string) string {
		return `(?:(?:your|tbd|tba|todo|fixme|xxx|placeholder)(?:[^\pL]` + other + `*)?|(?:insert|enter|fill|specify|replace|provide|choose|select|add) ` + other + `*|` + other + `* here)`
	}
	const form = `(?:(?:company|project|product|team|author|client|customer|recipient|sender|first|last|full|user|due|start|end|contact|phone|email|job) (?:\pL+ )?)?(?:` +
		`name|date|address|title|email|company|number|topic|city|country|phone|signature|url|link|role|position|time|year|month|day)`
	return regexp.MustCompile(`^(?:TODO|FIXME|TBD|TBA|XXX+|(?i:lorem ipsum|\{\{.+?\}\}|\[(?:` + asks(`[^][<]`) + `|` + form + `)\]|<` + asks(`[^[<>]`) + `>))`)
}()

// opensPlaceholder are the bytes that a placeholder begins with.
var opensPlaceholder = byteSet("TFX[<{lL")

// Placeholders lists what was left to fill in, in the order of the text:
// brackets such as [Your name], <insert date> and {{name}}, the marks TBD,
// TBA, TODO, FIXME and XXX, and lorem ipsum. Inline code, and in code blocks
// everything but TODO and FIXME with a colon, is left alone: there such
// brackets are syntax.
func (t *Doc) Placeholders() []string {
	out := []string{}
	for i := range t.Lines {
		l := &t.Lines[i]
		spans := l.InlineCode
		for at := seek(l.Text, 0, opensPlaceholder); at < len(l.Text); at = seek(l.Text, at, opensPlaceholder) {
			for len(spans) > 0 && spans[0].To <= at {
				spans = spans[1:]
			}
			if len(spans) > 0 && spans[0].From <= at {
				at = spans[0].To
				continue
			}
			n := placeholderAt(l.Text, at, l.Kind == Code)
			if n > 0 {
				out = append(out, l.Text[at:at+n])
			}
			at += max(n, 1)
		}
	}
	return out
}

// placeholderAt gives the length of the placeholder at s[at], 0 if there is none.
// What stands before a word is asked first: a row of X is read once.
func placeholderAt(s string, at int, code bool) int {
	near, c := s[at:min(len(s), at+maxPlaceholder)], s[at]
	word := isAlnum(c)
	switch before := lastRune(s[:at]); {
	case word && (inWord(before) || before == '-'),
		code && !strings.HasPrefix(near, "TODO") && !strings.HasPrefix(near, "FIXME"),
		!word && strings.IndexByte(near, c+2) < 0: // in ASCII a bracket is closed by the second character behind it
		return 0
	}
	n := len(placeholder.FindString(near))
	after := firstRune(s[at+n:])
	if word && (inWord(after) || after == '-') || code && after != ':' && after != '(' || c == '[' && (after == '(' || after == '[') {
		return 0
	}
	return n
}
