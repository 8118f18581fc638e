package llm

import (
	"embed"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

//go:embed prompts
var promptFiles embed.FS

// mark stands in a prompt for what is drawn anew for each request.
const mark = "{{mark}}"

// prompts are the words that models are put to work with, and the forms of
// their replies.
var prompts = template.Must(template.New("").Funcs(template.FuncMap{"mark": func() string { return mark }}).ParseFS(promptFiles, "prompts/*"))

// promptText is a file of words as it is written.
func promptText(file string) string {
	raw, err := promptFiles.ReadFile("prompts/" + file)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(raw)
}

// filled is a file of words, but for the mark.
func filled(file string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, file, data); err != nil {
		panic(err) // the files are part of the program
	}
	return b.String()
}

// digest is what reports call a prompt by: of all its words and its schema,
// and nothing that differs from request to request.
func digest(texts ...string) string { return shadow.Digest([]byte(strings.Join(texts, "\x00"))) }
