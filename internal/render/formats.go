package render

import "io"

// Format is a way to write a document to a file.
type Format struct {
	Name  string // as the command line has it
	Ext   string // how a file's name ends
	Media string // its media type
	Write func(io.Writer, *Document) error
}

// Formats are all of them.
var Formats = []Format{
	{"text", "txt", "text/plain; charset=utf-8", func(w io.Writer, d *Document) error { return Summary(NewTerminal(w, false), d) }},
	{"markdown", "md", "text/markdown; charset=utf-8", Markdown},
	{"html", "html", "text/html; charset=utf-8", HTML},
	{"json", "json", "application/json", JSON},
	{"junit", "xml", "application/xml", JUnit},
	{"github", "log", "text/plain; charset=utf-8", GitHub},
	{"sarif", "sarif", "application/sarif+json", SARIF},
	{"inspect", "inspect.json", "application/json", Inspect},
}
