// Package clip shortens texts that are shown.
package clip

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// To gives a text of at most n characters, n at least 1. A longer one is cut
// and ends in "…", without space before it. Bytes that are no UTF-8 become �.
func To(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	end, seen := 0, 0 // where the last character but one of n begins
	for at := range s {
		if seen == n-1 {
			end = at
		}
		if seen++; seen > n {
			return strings.TrimRight(s[:end], " ") + "…"
		}
	}
	return s
}

// Line is [To] of a text on one line.
func Line(s string, n int) string {
	// The beginning of a long text is enough: a character has at most four
	// bytes.
	if limit := 16 * n * utf8.UTFMax; len(s) > limit {
		s = s[:limit]
	}
	return To(strings.Join(strings.Fields(s), " "), n)
}

// List joins the first n of some items and says how many it leaves out.
func List(items []string, n int, sep string) string {
	if more := len(items) - n; more > 0 {
		items = append(slices.Clone(items[:n]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(items, sep)
}
