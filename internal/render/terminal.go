package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Terminal writes text for people. It keeps the first error of its writer and writes nothing after it.
type Terminal struct {
	// Width is the width in columns; 0 where the writer is no terminal.
	Width  int
	w      io.Writer
	colour bool
	err    error
}

// NewTerminal is a terminal on w, in colour if w is a terminal and colour is wanted.
func NewTerminal(w io.Writer, colour bool) *Terminal {
	t := &Terminal{w: w}
	if IsTerminal(w) {
		t.Width, _, _ = term.GetSize(int(w.(descriptor).Fd()))
		t.colour = colour
	}
	return t
}

// descriptor is a file, or stands for one.
type descriptor interface{ Fd() uintptr }

// IsTerminal says whether a person reads, or writes, there.
func IsTerminal(w any) bool {
	f, ok := w.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Err is the first error of the writer.
func (t *Terminal) Err() error { return t.err }

// Printf writes text.
func (t *Terminal) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t, format, args...) // Err has it
}

// Write writes text.
func (t *Terminal) Write(p []byte) (n int, err error) {
	if t.err == nil {
		n, t.err = t.w.Write(p)
	}
	return n, t.err
}

// heading writes a title with an empty line before it.
func (t *Terminal) heading(format string, args ...any) {
	t.Printf("\n%s\n", t.Paint(Bold, fmt.Sprintf(format, args...)))
}

// Style is how text is shown: the parameter of an SGR sequence.
type Style string

// The styles of what matters, what matters less, what is wrong, right or doubtful, and what a line is about.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint shows text in a style where the terminal is in colour.
func (t *Terminal) Paint(s Style, text string) string {
	if !t.colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Wrap breaks text that stands in column indent.
func (t *Terminal) Wrap(text string, indent int) string { return wrap(text, indent, t.Width) }

// aligned are the rows of a table as lines, without empty columns; those in right are aligned to the right.
func aligned(rows [][]string, right ...int) []string {
	wide := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if wide[i] == 0 {
				continue
			}
			pad := strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell))
			if slices.Contains(right, i) {
				cell, pad = pad, cell
			}
			b.WriteString(cell + pad + "  ")
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// sign is that of an outcome or of the state of an item, and its colour.
func sign(state any) (string, Style) {
	switch fmt.Sprint(state) {
	case string(shadow.Passed), string(shadow.ItemFound):
		return "✓", Green
	case string(shadow.Failed), string(shadow.ItemMissing):
		return "✗", Red
	}
	return "?", Yellow
}

// Sign is that of an outcome or of the state of an item, in its colour.
func (t *Terminal) Sign(state any) string {
	text, colour := sign(state)
	return t.Paint(colour, text)
}

// sealedText warns of what follows.
const sealedText = "SEALED TEXT: for the operator. Keep it from commanders and the Nexus."
