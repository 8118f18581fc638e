package llm

import (
	"regexp"
	"strings"
	"unicode"
)

// find looks for the passage of the original that a model quotes from what it
// was shown. Spaces, emphasis and typographic marks may differ, as models
// seldom copy them. It returns the passage as the original has it, the
// block between blank lines that it stands in, and whether any of it was masked.
func (n neutral) find(original, quote string) (passage, block string, masked, ok bool) {
	shown, at := n.plain()
	q := plainText(quote)
	if q == "" {
		return "", "", false, false
	}
	i := strings.Index(shown, q)
	if i < 0 {
		return "", "", false, false
	}
	first, last := at[i], at[i+len(q)-1]
	for _, g := range n[first : last+1] {
		masked = masked || g.masked
	}
	from, to := n[first].from, n[last].to
	begin, end := 0, len(original)
	if m := blankLine.FindAllStringIndex(original[:from], -1); m != nil {
		begin = m[len(m)-1][1]
	}
	if m := blankLine.FindStringIndex(original[to:]); m != nil {
		end = to + m[0]
	}
	return original[from:to], original[begin:end], masked, true
}

var blankLine = regexp.MustCompile(`\r?\n[ \t]*\r?\n`)

// plain is the text as quotes are compared, and for each byte its glyph.
func (n neutral) plain() (string, []int) {
	var b strings.Builder
	at := make([]int, 0, len(n))
	write := func(s string, i int) {
		b.WriteString(s)
		for range len(s) {
			at = append(at, i)
		}
	}
	gap := false
	for i, g := range n {
		switch s := plainRune(g.r); s {
		case " ":
			gap = b.Len() > 0
		case "":
		default:
			if gap {
				write(" ", i)
				gap = false
			}
			write(s, i)
		}
	}
	return b.String(), at
}

// plainText is a quote as quotes are compared.
func plainText(s string) string {
	text, _ := neutralise(s).plain()
	return text
}

// plainRune is a character as quotes are compared; a space for every kind of
// space, and nothing for the signs of emphasis.
func plainRune(r rune) string {
	switch {
	case unicode.IsSpace(r):
		return " "
	case strings.ContainsRune("*`", r):
		return ""
	case strings.ContainsRune("‘’‚ʼ", r):
		return "'"
	case strings.ContainsRune("“”„«»", r):
		return `"`
	case strings.ContainsRune("‐‑‒–—−", r):
		return "-"
	case r == '…':
		return "..."
	}
	return string(r)
}
