package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// exprError is what is wrong with an expression, and in which of its lines.
type exprError struct {
	wrong *check.Error
	line  int // 1-based; 0: it concerns the expression as a whole, or there is one line only
}

func (e *exprError) Error() string {
	if e.line > 0 {
		return fmt.Sprintf("line %d, %s", e.line, e.wrong.Error())
	}
	return e.wrong.Error()
}

// compileCheck compiles an expression. What is wrong with it is an *exprError.
func compileCheck(expr string) (*check.Check, error) {
	c, err := check.Compile(expr)
	var wrong *check.Error
	if errors.As(err, &wrong) {
		return nil, &exprError{wrong, lineOf(expr, wrong)}
	}
	return c, err
}

// lineOf finds the line of an expression that an error is in. The error tells
// the column only, so a blank is put before lines to see whether it moves.
func lineOf(expr string, wrong *check.Error) int {
	lines := strings.SplitAfter(expr, "\n")
	if len(lines) == 1 {
		return 0
	}
	at := 1 + sort.Search(len(lines), func(i int) bool {
		_, err := check.Compile(" " + strings.Join(lines[:i+1], " ") + strings.Join(lines[i+1:], ""))
		var moved *check.Error
		return errors.As(err, &moved) && moved.Column == wrong.Column+1
	})
	if at > len(lines) {
		return 0
	}
	return at
}

// pointAt adds to err the line of the expression that it is about, with a
// caret under the column.
func pointAt(expr string, err error) error {
	var e *exprError
	if !errors.As(err, &e) {
		return err
	}
	lines := strings.Split(expr, "\n")
	if len(lines) > 1 && e.line == 0 {
		return err
	}
	text := []rune(lines[max(e.line, 1)-1])
	column := min(e.wrong.Column-1, len(text)) // 0-based
	const around = 60
	from, to := max(column-around, 0), min(column+around, len(text))
	before, after := string(text[from:column]), string(text[column:to])
	if from > 0 {
		before = "…" + before
	}
	if to < len(text) {
		after += "…"
	}
	before, after = bus.Printable(before), bus.Printable(after)
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
