package markdown

import (
	"regexp"
	"slices"
	"strings"
)

// maxPlaceholder is how long the inside of a bracketed placeholder may be.
const maxPlaceholder = 60

// toFillIn matches what is to be filled in: words that ask for it, and in square
// brackets also what forms ask for.
var toFillIn = func() *regexp.Regexp {
	asks := func(other string) string {
		return `(?:(?:your|tbd|tba|todo|fixme|xxx|placeholder)(?:[^\pL]` + other + `*)?|(?:insert|enter|fill|specify|replace|provide|choose|select|add) ` + other + `*|` + other + `* here)`
	}
	const form = `(?:(?:company|project|product|team|author|client|customer|recipient|sender|first|last|full|user|due|start|end|contact|phone|email|job) (?:\pL+ )?)?(?:` +
		`name|date|address|title|email|company|number|topic|city|country|phone|signature|url|link|role|position|time|year|month|day)`
	return regexp.MustCompile(`^(?i:\{\{.+?\}\}|\[(?:` + asks(`[^][<]`) + `|` + form + `)\]|<` + asks(`[^[<>]`) + `>)`)
}()

// openMarks are the words that mark what is open, codeMarks those that do in code.
var (
	codeMarks = []string{"TODO", "FIXME"}
	openMarks = []string{"TODO", "FIXME", "TBD", "TBA", "XXX"}
)

// opensPlaceholder are the bytes that a placeholder begins with.
var opensPlaceholder = [256]bool{'T': true, 'F': true, 'X': true, '[': true, '<': true, '{': true, 'l': true, 'L': true}

// Placeholders lists what was left to fill in, in the order of the text:
// brackets such as [Your name], <insert date> and {{name}}, the marks TBD,
// TBA, TODO, FIXME and XXX, and lorem ipsum. Inline code, and in code blocks
// everything but TODO and FIXME with a colon, is left alone: there such
// brackets are syntax.
func (t *Doc) Placeholders() []string {
	out := []string{}
	for i := range t.Lines {
		l := &t.Lines[i]
		s := l.Text
		spans := l.InlineCode
		for at := seek(s, 0, &opensPlaceholder); at < len(s); at = seek(s, at, &opensPlaceholder) {
			for len(spans) > 0 && spans[0].To <= at {
				spans = spans[1:]
			}
			if len(spans) > 0 && spans[0].From <= at {
				at = spans[0].To
				continue
			}
			n := 0
			switch c := s[at]; {
			case c == 'T' || c == 'F' || c == 'X':
				n = markAt(s, at, l.Kind == Code)
			case l.Kind == Code:
			case c == '[' || c == '<' || c == '{':
				n = bracketAt(s[at:])
			case len(s) >= at+11 && strings.EqualFold(s[at:at+11], "lorem ipsum"):
				n = 11
			}
			if n > 0 {
				out = append(out, s[at:at+n])
			}
			at += max(n, 1)
		}
	}
	return out
}

// markAt gives the length of a word such as TBD at s[at], 0 if there is none. What
// stands before it is asked first: a row of X is read to its end.
func markAt(s string, at int, code bool) int {
	if before := lastRune(s[:at]); inWord(before) || before == '-' {
		return 0
	}
	marks := openMarks
	if code {
		marks = codeMarks
	}
	k := slices.IndexFunc(marks, func(mark string) bool { return strings.HasPrefix(s[at:], mark) })
	if k < 0 {
		return 0
	}
	n := len(marks[k])
	if s[at] == 'X' {
		n = runLength(s[at:], 'X')
	}
	if after := firstRune(s[at+n:]); inWord(after) || after == '-' || code && after != ':' && after != '(' {
		return 0
	}
	return n
}

// bracketAt gives the length of the bracketed placeholder that s begins with,
// 0 if it begins with none.
func bracketAt(s string) int {
	near := s[:min(len(s), maxPlaceholder+len("[]"))]
	end := strings.IndexByte(near, s[0]+2) // in ASCII a bracket is closed by the second character behind it
	if end < 0 {
		return 0
	}
	if s[0] != '{' { // no other bracket stands inside
		near = near[:end+1]
	}
	n := len(toFillIn.FindString(near))
	if s[0] == '[' && n < len(s) && (s[n] == '(' || s[n] == '[') { // a link that was not taken out
		return 0
	}
	return n
}
