package llm

import (
	"crypto/sha256"
	"embed"
	"encoding/base32"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

//go:embed prompts
var promptFiles embed.FS

// prompts are the templates of the prompts, and the schemas of the replies.
var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*"))

// promptText is a template as it is written.
func promptText(file string) string {
	raw, err := promptFiles.ReadFile("prompts/" + file)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(raw)
}

// filled is a filled template.
func filled(file string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, file, data); err != nil {
		panic(err) // the files are part of the program
	}
	return b.String()
}

// digest identifies a prompt in reports. It is over all its texts and its
// schema, and over nothing that differs from request to request.
func digest(texts ...string) string { return shadow.Digest([]byte(strings.Join(texts, "\x00"))) }

// wrapping writes the parts of a prompt that others wrote. Each stands between two
// delimiters, and each of its lines begins with a mark that nobody who writes them can
// know: so no text can close its own part or pass for what stands outside it.
type wrapping struct {
	mark string
	b    strings.Builder
}

// markFrom is a mark that follows from a secret seed and stands in none of the
// texts.
func markFrom(seed string, texts ...string) string {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for n := byte(0); ; n++ {
		sum := sha256.Sum256(append([]byte(seed), n))
		mark := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:6])
		if seed = string(sum[:]); !strings.Contains(all, mark) {
			return mark
		}
	}
}

// part writes a part, unless it is blank.
func (w *wrapping) part(name, text string) { w.shown(name, passage.New(text).Shown()) }

// shown writes a part as it is to be shown.
func (w *wrapping) shown(name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	w.b.WriteString("<<<BEGIN " + name + " " + w.mark + ">>>\n")
	for line := range strings.SplitSeq(text, "\n") {
		w.b.WriteString(w.mark + "| " + line + "\n")
	}
	w.b.WriteString("<<<END " + name + " " + w.mark + ">>>\n\n")
}

// unmarked takes the marks out of what a model quotes over several lines.
func (w *wrapping) unmarked(quote string) string {
	for _, mark := range []string{w.mark + "| ", w.mark + "|"} {
		quote = strings.ReplaceAll(quote, mark, " ")
	}
	return quote
}
