package render

import (
	"io"
	"slices"
	"strings"
)

// Format is a way to write a document to a file.
type Format struct {
	Name  string // as the command line has it
	About string // a few words for the help; may be empty
	Ext   string // how a file's name ends
	Media string // its media type
	Write func(io.Writer, *Document) error
}

// InToto is the name of the format that shows attestations, of which a run may
// have none.
const InToto = "intoto"

// SuiteFormats show the score of a test suite.
var SuiteFormats = []Format{
	{"text", "", "txt", "text/plain; charset=utf-8", func(w io.Writer, d *Document) error { return Summary(NewTerminal(w, false), d) }},
	{"markdown", "for a pull request or the summary of a step", "md", "text/markdown; charset=utf-8", writeMarkdown},
	{"html", "a page", "html", "text/html; charset=utf-8", writeHTML},
	{"json", "the public format", "json", "application/json", writeJSON},
	{"junit", "for CI", "xml", "application/xml", writeJUnit},
}

// RunFormats show the reports of a run.
var RunFormats = append(slices.Clone(SuiteFormats),
	Format{InToto, "the signed attestations, one a line", "intoto.jsonl", "application/jsonl", writeAttestations})

// Describe joins the names of formats with commas, and says in a line what they
// are.
func Describe(formats []Format) (names, help string) {
	var all, lines []string
	for _, f := range formats {
		line := f.Name
		if f.About != "" {
			line += " (" + f.About + ")"
		}
		all, lines = append(all, f.Name), append(lines, line)
	}
	return strings.Join(all, ","), strings.Join(lines, ", ")
}
