package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Wrap breaks text that stands in column indent at spaces, so that a terminal
// of the given width need not break it within a word. A width of 0 is no
// terminal: the text stays as it is.
func Wrap(text string, indent, width int) string {
	room := width - indent
	if room < 20 {
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && column+1+n > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Categories lists those of a comparison in the order of the protocol.
func Categories(coverage map[shadow.Category]shadow.Coverage) []shadow.Category {
	order := []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness, shadow.Security}
	var out, others []shadow.Category
	for _, c := range order {
		if _, ok := coverage[c]; ok {
			out = append(out, c)
		}
	}
	for c := range coverage {
		if !slices.Contains(order, c) {
			others = append(others, c)
		}
	}
	slices.Sort(others)
	return append(out, others...)
}
