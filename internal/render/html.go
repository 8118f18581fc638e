package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var (
	//go:embed page.css
	pageCSS string
	//go:embed page.tmpl
	pageHTML string
)

// HTML writes a document as one page that needs nothing else: no script, no
// image, no font, no network. Its content security policy allows its own style
// sheet, by its hash, and nothing more, so that what a bundle smuggled past
// the escaping still could not run or call home.
func HTML(w io.Writer, d *Document) error {
	p := page{Document: d, Style: template.CSS(pageCSS), Policy: pagePolicy}
	p.Title = "Shadow Score"
	if d.Run != nil {
		p.Title += ": " + shadow.Printable(d.Run.ID)
	} else if len(d.Subjects) == 1 {
		p.Title += ": " + shadow.Printable(d.Subjects[0].Name)
	}
	for i := range d.Subjects {
		s := section{Subject: &d.Subjects[i], No: i + 1, Title: d.Subjects[i].Name}
		if d.Run != nil {
			s.Title = strings.TrimPrefix(s.Title, d.Run.ID+"/") // the page's title has it
		}
		p.Sections = append(p.Sections, s)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, &p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// The page shows untrusted text through clean, which drops what would
// confuse a reader, and escapes it by the rules of HTML.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"clean":    func(v any) string { return shadow.Printable(fmt.Sprint(v)) },
	"sentence": func(s string) string { return sentence(capital(s)) },
	"slug":     func(level string) string { return "level-" + strings.TrimLeft(level, "-") },
}).Parse(pageHTML))

// page is what the template sees.
type page struct {
	*Document
	Title    string
	Style    template.CSS
	Policy   string
	Sections []section
}

// Doubts are the reasons, each once, why something on the page is advisory.
func (p *page) Doubts() []string {
	var out []string
	if p.Run != nil && p.Run.doubt() != "" {
		out = append(out, "The run: "+p.Run.doubt())
	}
	for i := range p.Subjects {
		if why := p.Subjects[i].Advisory(); why != "" {
			out = append(out, shadow.Printable(p.Subjects[i].Name)+": "+why)
		}
	}
	return out
}

// AnyPending tells whether a fix is awaited somewhere.
func (p *page) AnyPending() bool {
	for i := range p.Subjects {
		if p.Subjects[i].Pending() {
			return true
		}
	}
	return false
}

// AnyObserved tells whether a gate on the page was not enforced.
func (p *page) AnyObserved() bool {
	for i := range p.Subjects {
		if p.Subjects[i].Observed() {
			return true
		}
	}
	return false
}

// Task is what the run was about, where all subjects say the same.
func (p *page) Task() string {
	task := ""
	for i := range p.Subjects {
		t := p.Subjects[i].Score.Report.Specification
		if i > 0 && t != task {
			return ""
		}
		task = t
	}
	return task
}

// Median, Suspect, Missing and NotScored are the run in words.
func (p *page) Median() string    { return sentence(capital(p.median())) }
func (p *page) Suspect() string   { return sentence(p.Run.suspect()) }
func (p *page) Missing() string   { return sentence(capital(p.Run.missing())) }
func (p *page) NotScored() string { return p.Run.notScored() }

// section is a subject on the page.
type section struct {
	*Subject
	No    int // from 1; anchors are numbered, since names are untrusted
	Title string
}

func (s section) Level() string                 { return s.level() }
func (s section) ScoreText() string             { return s.score() }
func (s section) Read() string                  { return s.read() }
func (s section) Share() string                 { return s.share() }
func (s section) Todo() string                  { return sentence(capital(s.todo())) }
func (s section) Spared() string                { return sentence(s.spared()) }
func (s section) Gate() string                  { return s.gate() }
func (s section) Cycle() string                 { return sentence(capital("cycle " + cycleText(s.Subject))) }
func (s section) Provenance() []Fact            { return Provenance(s.Subject) }
func (s section) Kept(c shadow.Cycle) string    { return keptText(s.Swarm, c) }
func (s section) Categories() []shadow.Category { return Categories(s.Score.Coverage) }

// Tampering tells where the bundle addresses its judge.
func (s section) Tampering() string { return sentence(capital(s.tampering())) }

// Items are those of the assignment that were not found, and Others
// what else is unread.
func (s section) Items() []Item {
	list, _ := s.items()
	return list
}

// Others names the unread items that are not listed.
func (s section) Others() string {
	_, others := s.items()
	return others
}

// Ballots are what judges said, and Judges who they are.
func (s section) Ballots() []Ballot { return s.ballots() }
func (s section) Judges() string    { return sentence(s.judgesTitle()) }

// Found is what a failure found.
func (s section) Found(f shadow.Failure) string { return strings.Join(found(&f), "\n") }

// ShowsHardening tells whether there is anything to say about fixes.
func (s section) ShowsHardening() bool { return s.hardened() }

// HardenedText says what the fixes brought.
func (s section) HardenedText() string { return sentence(capital(hardenedText(s.Score.Hardening))) }

// Hardened tells whether there were fixes to compare.
func (s section) Hardened() bool {
	return s.Swarm != nil && s.Score.Hardening != nil && s.Score.Hardening.CyclesCompleted > 0
}
