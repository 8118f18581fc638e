package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences cuts the paragraph in hand into sentences and gives each with the
// source line that it begins on.
func (s *scanner) sentences(emit func(text string, no int, code []span)) {
	if len(s.para) == 1 && !endsInside(s.para[0].text) {
		p := s.para[0]
		text := strings.TrimSpace(p.text)
		emit(text, p.no, shifted(p.code, p.text, text))
		return
	}
	var (
		text strings.Builder
		code []span
		no   int
	)
	flush := func() {
		t := strings.TrimRight(text.String(), " ")
		text.Reset()
		if t != "" {
			emit(t, no, code)
		}
		code = nil
	}
	for _, p := range s.para {
		rest := p.text
		base := 0 // offset of rest in p.text
		spans := p.code
		for rest != "" {
			end := sentenceEnd(rest, text.Len() == 0)
			part := rest[:end]
			trimmed := strings.TrimLeft(part, " \t")
			lead := len(part) - len(trimmed)
			if text.Len() == 0 {
				no = p.no
			} else if lead == 0 || trimmed != part {
				if s := text.String(); s[len(s)-1] != ' ' && trimmed != "" {
					text.WriteByte(' ')
				}
			}
			at := text.Len()
			for len(spans) > 0 && spans[0].from < base+end {
				if c := spans[0]; c.from >= base+lead && c.to <= base+end {
					code = append(code, span{c.from - base - lead + at, c.to - base - lead + at})
				}
				spans = spans[1:]
			}
			text.WriteString(trimmed)
			base += end
			rest = rest[end:]
			if rest != "" || endsSentence(part) {
				flush()
			}
		}
		if p.hard {
			flush()
		}
	}
	flush()
}

// shifted moves code spans from text to its trimmed form.
func shifted(code []span, text, trimmed string) []span {
	by := strings.Index(text, trimmed)
	if by == 0 || len(code) == 0 {
		return code
	}
	out := make([]span, 0, len(code))
	for _, c := range code {
		out = append(out, span{max(0, c.from-by), max(0, min(c.to-by, len(trimmed)))})
	}
	return out
}

func endsInside(text string) bool { return sentenceEnd(text, true) < len(text) }

// sentenceEnd gives the offset behind the first sentence of text, the spaces
// that follow it included. start says that text begins a sentence: then a
// number with a full stop is its label ("1. First").
func sentenceEnd(text string, start bool) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '.' || c == '!' || c == '?':
			j := i + 1
			for j < len(text) && strings.IndexByte(".!?)\"'*_", text[j]) >= 0 {
				j++
			}
			if j < len(text) && text[j] == ' ' && beginsSentence(text[j:]) && !isAbbreviation(text[:i], c) && !(start && isNumber(text[:i])) {
				for j < len(text) && text[j] == ' ' {
					j++
				}
				return j
			}
			i = j - 1
		case c == 0xE3 && strings.HasPrefix(text[i:], "。"), c == 0xEF && (strings.HasPrefix(text[i:], "！") || strings.HasPrefix(text[i:], "？")):
			return i + 3
		}
	}
	return len(text)
}

// endsSentence tells whether a source line that breaks behind text ends a
// sentence there.
func endsSentence(text string) bool {
	text = strings.TrimRight(text, " )\"'”’*_")
	if text == "" {
		return false
	}
	switch c := text[len(text)-1]; c {
	case '.', '!', '?':
		return !isAbbreviation(text[:len(text)-1], c)
	}
	return strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") || strings.HasSuffix(text, "？")
}

// beginsSentence tells whether what follows a full stop can begin a sentence:
// anything but a lower-case letter or a closing mark.
func beginsSentence(text string) bool {
	text = strings.TrimLeft(text, " ")
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && !unicode.IsLower(r) && !strings.ContainsRune(",;:)]}=<>+/|", r)
}

// isAbbreviation tells whether the stop behind text belongs to an
// abbreviation or an initial.
func isAbbreviation(text string, stop byte) bool {
	if stop != '.' {
		return false
	}
	w := text[strings.LastIndexAny(text[max(0, len(text)-12):], " (\"'")+1+max(0, len(text)-12):]
	if len(w) == 1 && 'A' <= w[0] && w[0] <= 'Z' { // J. Doe
		return true
	}
	return abbreviations[strings.ToLower(w)]
}

var abbreviations = wordSet(`e.g i.e eg ie vs cf approx dr mr mrs ms prof st fig figs eq eqs vol dept inc ltd corp`)
