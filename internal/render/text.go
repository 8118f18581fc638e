package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// How many characters of a passage are quoted, and of a failure shown, and how many lines of what a test found.
const (
	maxQuoted  = 80
	maxFailure = 220
	maxLines   = 20
)

func passage(text string) string { return clip.To(shadow.Printable(text), maxFailure) }

// clean drops from untrusted text what XML and terminals must not see. Line breaks stay.
func clean(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = inert(strings.TrimRight(shadow.Printable(lines[i]), " "))
	}
	return strings.Join(lines, "\n")
}

// inert keeps a line from being a workflow command, which begins with "::": a zero-width space in front shows nothing.
func inert(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		return "\u200b" + line
	}
	return line
}

// found is what a failure found, line by line, without the message that a test runner repeats in the first.
func found(f shadow.Failure) []string {
	lines := strings.Split(strings.TrimSpace(clean(f.Actual)), "\n")
	if strings.TrimSpace(lines[0]) == strings.TrimSpace(shadow.Printable(f.Message)) {
		lines = lines[1:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("… and %s", shadow.Count(more, "more line")))
	}
	return lines
}

// wrap breaks text that stands in column indent at spaces, and not before what would be a workflow command. A width of 0
// is no terminal: the text stays as it is.
func wrap(text string, indent, width int) string {
	room := width - indent
	if room < 20 {
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && column+1+n > room && !strings.HasPrefix(word, "::"):
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

func criteria(n int) string {
	if n == 1 {
		return "1 criterion"
	}
	return fmt.Sprintf("%d criteria", n)
}

// cell is what was made of items as a cell of a table: "7 found, 2 missing".
func cell(n shadow.ItemCounts) string {
	if _, states, ok := strings.Cut(n.String(), ": "); ok {
		return states
	}
	return "-"
}

// percent is a score such as "12.5 %".
func percent(s shadow.Score) string { return s.Percent().String() + " %" }

// joined joins untrusted texts.
func joined(texts []string, between string) string {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i] = shadow.Printable(t)
	}
	return strings.Join(clean, between)
}

// sentence begins a text with a capital and ends it with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(s[n:], ".") + "."
}

// NewEncoder writes JSON that may be looked at in a terminal or by a runner of pipelines: what they obey or do not show,
// such as control characters and marks of direction, is escaped, which programs read as the same.
func NewEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(escaping{w})
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes one value, indented, as [NewEncoder] does.
func WriteJSON(w io.Writer, v any) error {
	e := NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// escaping escapes what is written as whole JSON values: there, such characters can only stand in strings.
type escaping struct{ w io.Writer }

func unseen(r rune) bool { return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }

func (e escaping) Write(p []byte) (int, error) {
	var b bytes.Buffer
	for _, r := range string(shadow.LogCommand.ReplaceAll(p, []byte(`#\u0023$1`))) {
		if !unseen(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	_, err := e.w.Write(b.Bytes())
	return len(p), err
}
