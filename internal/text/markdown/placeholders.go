package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPlaceholder is how long the inside of a bracketed placeholder may be.
const maxPlaceholder = 60

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
		for at := 0; at < len(s); {
			if strings.IndexByte("TFX[<{lL", s[at]) < 0 {
				at++
				continue
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
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if at > 0 && (isWordRune(before) || before == '_' || before == '-') || end < len(s) && (isWordRune(after) || after == '_' || after == '-') {
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
	if open == "{{" || asksToFill(inside, open == "[") {
		return n
	}
	return 0
}

// asksToFill tells whether the words in a bracket ask the reader to put
// something there.
func asksToFill(inside string, square bool) bool {
	if strings.IndexFunc(inside, func(r rune) bool { return r == '[' || r == '<' }) >= 0 {
		return false
	}
	w := strings.FieldsFunc(strings.ToLower(inside), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if len(w) == 0 {
		return false
	}
	first, last := w[0], w[len(w)-1]
	switch {
	case len(w) == 1:
		return fillWords[first] || square && fillNouns[first]
	case fillVerbs[first] || fillWords[first]:
		return true
	case last == "here":
		return true
	}
	return square && len(w) <= 3 && fillOwners[first] && fillNouns[last]
}

var (
	// fillWords mark a placeholder wherever they begin one.
	fillWords = wordSet(`tbd tba todo fixme xxx placeholder your`)
	// fillVerbs do so in front of what is to be filled in.
	fillVerbs = wordSet(`insert enter fill specify replace provide choose select add`)
	// fillOwners and fillNouns make up "[company name]" and "[date]".
	fillOwners = wordSet(`company project product team author client customer recipient sender first last full user due start end contact phone email job`)
	fillNouns  = wordSet(`name date address title email company number topic city country phone signature url link role position time year month day`)
)
