package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// NewEncoder writes JSON that may be looked at in a terminal: what
// [json.Encoder] leaves as it is and a terminal obeys or does not show is
// escaped, which programs read as the same. That is DEL, the control
// characters from U+0080 to U+009F, and what only formats text, such as marks
// that turn the direction of writing. So is what a runner of pipelines obeys.
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

// escaping escapes what is written as whole JSON values: there, such
// characters can only stand in strings.
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
