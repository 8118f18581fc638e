package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

var (
	// PageCSS is the style sheet of all pages.
	//go:embed page.css
	PageCSS string
	//go:embed page.tmpl
	pageHTML string
)

// writeHTML writes a document as one page that needs nothing else. Its content security policy allows its own style sheet
// alone, so that what a bundle smuggled past the escaping still could not run or call home.
func writeHTML(w io.Writer, d *Document) error {
	p := NewPage(d)
	p.Style, p.Policy = template.CSS(PageCSS), pagePolicy
	var b bytes.Buffer
	if err := Pages.ExecuteTemplate(&b, "document", p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(PageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// Pages are the templates of the page: document is all of it, header and main are its parts, for a page around them.
// Untrusted text goes through clean, and is escaped by the rules of HTML.
var Pages = template.Must(template.New("page").Funcs(template.FuncMap{
	"clean":    func(v any) string { return shadow.Printable(fmt.Sprint(v)) },
	"lines":    clean, // where line breaks are kept
	"sentence": sentence,
	"found":    func(f shadow.Failure) string { return strings.Join(found(f), "\n") },
	"percent":  func(part, whole int) int { return 100 * part / max(whole, 1) },
	"cell":     cell,
	"words":    words,
	"markClass": func(o shadow.Outcome) string {
		if !slices.Contains([]shadow.Outcome{shadow.Passed, shadow.Failed, shadow.Undecided}, o) {
			o = shadow.Unread
		}
		return "mark-" + string(o)
	},
	"slug":  func(word any) string { return "level-" + strings.ReplaceAll(words(word), " ", "-") },
	"clock": clock,
	"stamp": stamp,
}).Parse(pageHTML))

// stamp is a moment for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// clock is a moment as pages show it.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// section is a subject on a page.
type section struct {
	*Subject
	No    int // from 1; anchors are numbered, since names are untrusted
	Title string
	Work  string // where its work is shown; empty where it is not
}

// Page is what the templates see of a document.
type Page struct {
	*Document
	Title    string
	Style    template.CSS
	Policy   string
	Sections []section
}

// NewPage is the page of a document.
func NewPage(d *Document) *Page {
	p := &Page{Document: d, Title: "Shadow Score"}
	if d.Run != nil {
		p.Title += ": " + shadow.Printable(d.Run.ID)
	} else if len(d.Subjects) == 1 {
		p.Title += ": " + shadow.Printable(d.Subjects[0].Name)
	}
	for i, subject := range d.Subjects {
		s := section{Subject: subject, No: i + 1, Title: subject.Name}
		if d.Run != nil {
			s.Title = strings.TrimPrefix(s.Title, d.Run.ID+"/") // the page's title has it
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// maxNamed is how many domains are named for one gate or reason. The table of all scores marks every one.
const maxNamed = 6

// Gated are the domains with one gate.
type Gated struct {
	Action  shadow.Action
	domains []string
}

// Who names the domains.
func (g Gated) Who() string { return named(g.domains) }

func named(names []string) string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = clip.To(shadow.Printable(name), 40)
	}
	return clip.List(short, maxNamed, ", ")
}

// ByGate groups domains by their gates, the harshest first.
func ByGate(domains []string, gate func(i int) shadow.Action) (all []Gated) {
	for _, a := range slices.Backward(shadow.Severity) {
		g := Gated{Action: a}
		for i, d := range domains {
			if gate(i) == a {
				g.domains = append(g.domains, d)
			}
		}
		if g.domains != nil {
			all = append(all, g)
		}
	}
	return all
}

// Gates are the headline of a run: the gates that hold, the harshest first.
func (p *Page) Gates() []Gated {
	if p.Run == nil {
		return nil
	}
	var domains []string
	for _, s := range p.Sections {
		domains = append(domains, s.Title)
	}
	return ByGate(domains, func(i int) shadow.Action { return p.Sections[i].Holds() })
}

// note is something to know before one acts on what a page says.
type note struct{ Lead, Text string }

// Notes are those on the page: what was not enforced, is not final, and why something is advisory, each reason once.
func (p *Page) Notes() (notes []note) {
	add := func(lead, text string) {
		if text != "" {
			notes = append(notes, note{lead, text})
		}
	}
	if slices.ContainsFunc(p.Sections, section.Observed) {
		add("Observe mode", "gates are not enforced, so every bundle proceeds whatever its score")
	}
	if p.Run != nil {
		add("Not asked", p.Run.Unassigned())
		if p.Run.Withheld {
			add("Not scored yet", "what the criteria ask, expect and found is shown when the run is scored")
		} else if p.Run.Scored == nil {
			add("Not scored yet", "these are not all of its final reports")
		}
	}
	if slices.ContainsFunc(p.Sections, section.Pending) {
		add("Not final", "a fix is awaited, so some of this is not the last word")
	}
	var reasons []string
	subjects := map[string][]string{}
	for _, s := range p.Sections {
		why := s.Advisory()
		if why != "" && subjects[why] == nil {
			reasons = append(reasons, why)
		}
		if why != "" {
			subjects[why] = append(subjects[why], s.Title)
		}
	}
	if p.Run != nil && (len(reasons) == 0 || p.Run.AdvisoryText() != anyAdvisory) {
		add("Advisory", p.Run.AdvisoryText())
	}
	for _, why := range reasons {
		add("Advisory", named(subjects[why])+": "+why)
	}
	return notes
}

// Failed tells whether a judge or a program found something wrong.
func (s section) Failed() bool {
	if s.Swarm == nil {
		return len(s.Score.Failures) > 0
	}
	return s.Swarm.SealBroken != "" || s.Swarm.Counts.Missing > 0 || slices.ContainsFunc(s.Swarm.Criteria, func(c shadow.CriterionVerdict) bool { return c.Outcome == shadow.Failed })
}

// Task is what the run was about, where all subjects say the same.
func (p *Page) Task() string {
	task := ""
	if p.Run != nil && p.Run.Decomposition != nil {
		task = shadow.Printable(p.Run.Decomposition.Task)
	}
	for _, s := range p.Subjects {
		t := shadow.Printable(s.Score.Report.Specification) // its beginning
		if task != "" && t != task {
			return ""
		}
		task = t
	}
	return task
}

// ListsAll tells whether the subjects are listed before they are shown.
func (p *Page) ListsAll() bool { return p.Run != nil || len(p.Sections) > 1 }
