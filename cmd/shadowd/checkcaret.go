package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// pointAt adds to err the line of the expression that it is about, with a
// caret under the column.
func pointAt(expr string, err error) error {
	var e *check.Error
	if !errors.As(err, &e) {
		return err
	}
	lines := strings.Split(expr, "\n")
	text := []rune(lines[min(e.Line, len(lines))-1])
	column := min(e.Column-1, len(text)) // 0-based
	const around = 60
	from, to := max(column-around, 0), min(column+around, len(text))
	before, after := string(text[from:column]), string(text[column:to])
	if from > 0 {
		before = "…" + before
	}
	if to < len(text) {
		after += "…"
	}
	before, after = shadow.Printable(before), shadow.Printable(after)
	return fmt.Errorf("%w\n  %s\n  %s^", err, strings.TrimRight(before+after, " "), strings.Repeat(" ", columns(before)))
}

// columns is how wide a terminal shows text.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
			r >= 0x3000 && r <= 0x303e, r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
			n += 2
		default:
			n++
		}
	}
	return n
}
