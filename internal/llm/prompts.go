package llm

import (
	"embed"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/shadow"
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
