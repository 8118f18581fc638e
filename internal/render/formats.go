package render

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Format is a way to write a document to a file.
type Format struct {
	Name  string // as the command line has it
	About string // a few words for the help; may be empty
	Ext   string // how a file's name ends
	Media string // its media type
	Write func(io.Writer, *Document) error
}

// InToto is the name of the format that shows attestations, of which a run may have none.
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

// Describe joins the names of formats with commas, and says in a line what they are.
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

//go:embed text.tmpl markdown.tmpl junit.tmpl
//go:embed audit.tmpl calibration.tmpl draft.tmpl envelope.tmpl explain.tmpl found.tmpl statement.tmpl
var templateFiles embed.FS

// templates are the formats that are text, and what a terminal shows of envelopes, drafts and judgements. What is
// untrusted goes through a function that escapes it by the rules of the format: in Markdown md, code or quoted, in
// XML xml or said, elsewhere clean or line.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	// What escapes.
	"clean": func(v any) string { return shadow.Printable(fmt.Sprint(v)) }, "line": shadow.Line, "inert": inert,
	"md": markdown, "code": code, "quoted": quoted, "xml": escapeXML, "said": junitSaid,
	// Styles of a terminal.
	"bold": style(Bold), "dim": style(Dim), "red": style(Red), "green": style(Green), "yellow": style(Yellow),
	// What a subject says of itself.
	"headline": (*Subject).headline,
	// Things in words.
	"found": found, "passage": passage, "cell": cell, "sentence": sentence, "stamp": stamp, "percent": percent, "minus": func(a, b int) int { return a - b }, "count": shadow.Count, "judge": judgeText, "calibrated": calibrated,
	"says":  func(c audit.Code) string { return audit.Codes[c].Says },
	"check": func(m shadow.Material) string { return checkText(&m) }, "mark": func(o shadow.Outcome) string { text, _ := sign(o); return text }, "criteria": criteria, "askedItems": func(e *shadow.Envelope, domain string, m shadow.Material) []string { return askedItems(e, domain, &m) }, "words": words, "whoReads": WhoReads,
	"sealedText": func() string { return sealedText }, "draftNote": func() string { return draftNote },
	"join": strings.Join,
	"advisory": func(subjects []*Subject) (names []string) {
		for _, s := range subjects {
			if s.Advisory() != "" {
				names = append(names, s.Name)
			}
		}
		return names
	},
}).ParseFS(templateFiles, "*.tmpl"))

func style(s Style) func() Style { return func() Style { return s } }

// writeMarkdown writes what one pastes into a pull request. It is read as GitHub reads it.
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

// markdown makes untrusted text plain: no markup, no HTML, no links, no mention of a user or an issue.
func markdown(v any) string { return markdownEscapes.Replace(shadow.Printable(fmt.Sprint(v))) }

// A zero-width space behind @ keeps GitHub from notifying whoever is named; there is no escape for it.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`,
	`&`, `&amp;`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `!`, `\!`, `$`, `\$`, `://`, `&#58;//`, `www.`, `www\.`, `@`, "@\u200b")

// quoted shows untrusted lines below an item of a list: one line as a code span, more as a code block.
func quoted(lines []string) string {
	if len(lines) == 1 {
		return " " + code(lines[0])
	}
	const indent = "\n    "
	fence := indent + strings.Repeat("`", max(3, backticks(strings.Join(lines, "\n"))+1))
	return fence + indent + strings.Join(lines, indent) + fence
}

var backtick = regexp.MustCompile("`+")

// backticks is the length of the longest run of backticks.
func backticks(s string) (longest int) {
	for _, run := range backtick.FindAllString(s, -1) {
		longest = max(longest, len(run))
	}
	return longest
}

// code makes untrusted text a code span.
func code(s string) string {
	s = shadow.Printable(s)
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// publicFailure is a failure as the public schema wants it.
type publicFailure struct {
	shadow.Failure
	// CriterionCategory is the category that the public schema lacks.
	CriterionCategory shadow.Category `json:"criterion_category,omitempty"`
}

// publicReport is a report as the public schema wants it, with what shadowd adds behind it.
type publicReport struct {
	shadow.ScoreReport
	Failures []publicFailure `json:"failures"`
	Swarm    any             `json:"swarm,omitempty"`
	// Review is a person's, with the gate that holds with it.
	Review *shadow.ReviewedData `json:"review,omitempty"`
}

// publicOf makes the public report of a subject. In spec version 1.0.0 only swarm tells what is advisory.
func publicOf(s *Subject) *publicReport {
	r := &publicReport{ScoreReport: *s.Score, Review: s.Review, Failures: make([]publicFailure, len(s.Score.Failures))}
	for i, f := range s.Score.Failures {
		r.Failures[i].Failure = f
		if !slices.Contains(inPublic, f.Category) {
			r.Failures[i].Category, r.Failures[i].CriterionCategory = results.Unknown, f.Category
		}
	}
	if r.Coverage != nil {
		r.Coverage = map[shadow.Category]shadow.Coverage{}
		for category, c := range s.Score.Coverage {
			if !slices.Contains(inPublic, category) {
				category = results.Unknown
			}
			sum := r.Coverage[category]
			r.Coverage[category] = shadow.Coverage{Sealed: sum.Sealed + c.Sealed, Open: sum.Open + c.Open, Delta: sum.Delta + c.Delta}
		}
	}
	why := s.Advisory()
	if s.Swarm != nil {
		r.Swarm = s.Swarm
	} else if r.SpecVersion == "1.0.0" && why != "" {
		r.Swarm = map[string][]string{"advisory_reasons": {why}}
	}
	if r.SpecVersion == "1.0.0" {
		r.InVersion1()
	}
	return r
}

// inPublic are the categories that the public schema of 2.0.0 knows.
var inPublic = append(shadow.PublicCategories(), results.Unknown)

// writeJSON writes each report as one JSON object, valid under the public schema of the Shadow Score Spec. One report is
// indented; of several each takes a line.
func writeJSON(w io.Writer, d *Document) error {
	if len(d.Subjects) == 1 {
		return WriteJSON(w, publicOf(d.Subjects[0]))
	}
	e := NewEncoder(w)
	for _, s := range d.Subjects {
		if err := e.Encode(publicOf(s)); err != nil {
			return err
		}
	}
	return nil
}

// writeAttestations writes what is signed about the reports, a DSSE envelope a line, as it is stored. All must be final.
func writeAttestations(w io.Writer, d *Document) error {
	var all []byte
	for _, s := range d.Subjects {
		if s.Pending() {
			return fmt.Errorf("the report of %s is not final, and only final ones are signed", s.Name)
		}
		if s.Run == nil || s.Run.Attested[s.Swarm.Domain] == nil {
			return fmt.Errorf("there is no attestation of %s", s.Name)
		}
		line, err := json.Marshal(s.Run.Attested[s.Swarm.Domain])
		if err != nil {
			return err
		}
		all = append(append(all, line...), '\n')
	}
	_, err := w.Write(all)
	return err
}
