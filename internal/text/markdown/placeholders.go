package markdown

import (
	"regexp"
	"strings"
)

// maxPlaceholder is how long the inside of a bracketed placeholder may be.
const maxPlaceholder = 60

// asks and form match what stands in a bracket that is to be filled in: words
// that ask for it, and in square brackets also what forms ask for.
var (
	asks = regexp.MustCompile(`^(?i:(?:your|tbd|tba|todo|fixme|xxx|placeholder)(?:[^\pL].*)?|(?:insert|enter|fill|specify|replace|provide|choose|select|add) .*|.* here)$`)
	form = regexp.MustCompile(`^(?i:(?:(?:company|project|product|team|author|client|customer|recipient|sender|first|last|full|user|due|start|end|contact|phone|email|job) (?:\pL+ )?)?(?:` +
		`name|date|address|title|email|company|number|topic|city|country|phone|signature|url|link|role|position|time|year|month|day))$`)
)

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
		for at := 0; ; {
			for at < len(s) && !opensPlaceholder[s[at]] {
				at++
			}
			if at == len(s) {
				break
			}
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
				at += n
				continue
			}
			at++
		}
	}
	return out
}

// markAt gives the length of a word such as TBD at s[at], 0 if there is none.
func markAt(s string, at int, code bool) int {
	for _, mark := range [...]string{"TBD", "TBA", "TODO", "FIXME", "XXX"} {
		if !strings.HasPrefix(s[at:], mark) {
			continue
		}
		end := at + len(mark)
		for mark == "XXX" && end < len(s) && s[end] == 'X' {
			end++
		}
		before, after := lastRune(s[:at]), firstRune(s[end:])
		if inWord(before) || before == '-' || inWord(after) || after == '-' {
			return 0
		}
		if code && (mark != "TODO" && mark != "FIXME" || after != ':' && after != '(') {
			return 0
		}
		return end - at
	}
	return 0
}

// bracketAt gives the length of the bracketed placeholder that s begins with,
// 0 if it begins with none.
func bracketAt(s string) int {
	open, end := s[:1], "]"
	switch {
	case strings.HasPrefix(s, "{{"):
		open, end = "{{", "}}"
	case s[0] == '{':
		return 0
	case s[0] == '<':
		end = ">"
	}
	limit := min(len(s), len(open)+maxPlaceholder+len(end))
	j := strings.Index(s[len(open):limit], end)
	if j <= 0 {
		return 0
	}
	inside := s[len(open) : len(open)+j]
	n := len(open) + j + len(end)
	if open == "[" && n < len(s) && (s[n] == '(' || s[n] == '[') { // a link that was not taken out
		return 0
	}
	if open == "{{" || !strings.ContainsAny(inside, "[<") && (asks.MatchString(inside) || open == "[" && form.MatchString(inside)) {
		return n
	}
	return 0
}
