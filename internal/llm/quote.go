package llm

import (
	"strings"
	"unicode"
)

// find looks for the passage of the original that a model quotes from what it
// was shown. Spaces, emphasis and typographic marks may differ, as models
// seldom copy them. It returns the passage as the original has it, the whole
// lines that it stands in, and whether any of it was masked.
func (n neutral) find(original, quote string) (passage, lines string, masked, ok bool) {
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
	const ends = "\n\r\v\f"
	begin, end := strings.LastIndexAny(original[:from], ends)+1, len(original)
	if j := strings.IndexAny(original[to:], ends); j >= 0 {
		end = to + j
	}
	return original[from:to], original[begin:end], masked, true
}

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
