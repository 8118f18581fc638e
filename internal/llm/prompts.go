package llm

import (
	"embed"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

//go:embed prompts
var promptFiles embed.FS

// promptText is a file of words that a model is put to work with. {{name}}
// stands for what is filled in for each request.
func promptText(file string) string {
	raw, err := promptFiles.ReadFile("prompts/" + file)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(raw)
}

// digest is what reports call a prompt by: of all its words and its schema,
// and nothing that differs from request to request.
func digest(texts ...string) string { return shadow.Digest([]byte(strings.Join(texts, "\x00"))) }

// fill puts values in the place of their names.
func fill(text string, namesAndValues ...string) string {
	pairs := make([]string, len(namesAndValues))
	for i, s := range namesAndValues {
		if i%2 == 0 {
			s = "{{" + s + "}}"
		}
		pairs[i] = s
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
