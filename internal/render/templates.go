package render

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

//go:embed text.tmpl markdown.tmpl junit.tmpl
//go:embed audit.tmpl calibration.tmpl draft.tmpl envelope.tmpl explain.tmpl found.tmpl statement.tmpl trials.tmpl
var templateFiles embed.FS

// templates are the formats that are text, and what a terminal shows of
// envelopes, drafts and judgements. What is untrusted goes through a function
// that escapes it by the rules of the format: in Markdown md, code or quoted, in
// XML xml or said, elsewhere clean or line.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	// What escapes.
	"clean": func(v any) string { return shadow.Printable(fmt.Sprint(v)) }, "line": shadow.Line, "inert": inert,
	"md": markdown, "code": code, "quoted": quoted, "xml": escapeXML, "said": junitSaid,
	// Styles of a terminal.
	"bold": style(Bold), "dim": style(Dim), "red": style(Red), "green": style(Green), "yellow": style(Yellow), "colour": func(l Look) Style { return l.colour },
	// What a subject says of itself.
	"headline": (*Subject).headline, "undecided": (*Subject).undecided, "fixText": (*Subject).fixText,
	"unreadNames": (*Subject).unreadNames,
	// Things in words.
	"found": found, "passage": passage, "isUnread": shadow.IsUnread, "sentence": sentence, "stamp": stamp, "percent": percent, "minus": func(a, b int) int { return a - b }, "count": shadow.Count, "readOf": shadow.ReadOf, "cost": costText, "judge": judgeText, "calibrated": calibrated, "kappa": kappa,
	"says":  func(c audit.Code) string { return audit.Codes[c].Says },
	"check": checkText, "whatToDo": whatToDo, "itemText": itemText, "listed": listed, "words": words[shadow.Outcome],
	"score":      func(l Look, s shadow.Score) string { return l.score(s.Percent().String()) },
	"sealedText": func() string { return sealedText }, "draftNote": func() string { return draftNote },
	"join": strings.Join, "split": strings.Split, "trim": strings.TrimSuffix, "upper": strings.ToUpper,
	"json": func(v any) (string, error) {
		text, err := json.Marshal(v)
		return string(text), err
	},
	"advisory": func(subjects []Subject) (names []string) {
		for i := range subjects {
			if subjects[i].Advisory() != "" {
				names = append(names, subjects[i].Name)
			}
		}
		return names
	},
}).ParseFS(templateFiles, "*.tmpl"))

func style(s Style) func() Style { return func() Style { return s } }

// writeMarkdown writes what one pastes into a pull request. It is read as
// GitHub reads it.
func writeMarkdown(w io.Writer, d *Document) error { return execute(w, "markdown.tmpl", d) }

// execute writes all or nothing.
func execute(w io.Writer, name string, data any) error {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("writing by %s: %w", name, err)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
