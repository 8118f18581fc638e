package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// writeGitHub writes workflow annotations: a notice with each score, an error for
// each failure of a score that its gate stops (quarantine, reject), else a
// warning. They show in the workflow's summary; GitHub shows ten of a kind for
// each step, so what matters most comes first.
func writeGitHub(w io.Writer, d *Document) error {
	var b strings.Builder
	if d.Run != nil {
		annotateRun(&b, d)
	}
	for i := range d.Subjects {
		annotateSubject(&b, &d.Subjects[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func annotateRun(b *strings.Builder, d *Document) {
	r := d.Run
	title := "run " + r.ID
	if r.Scored == nil {
		annotate(b, "warning", title, r.NotScored())
	} else {
		text := d.Look().Icon + " " + d.Median()
		if why := r.Doubt(); why != "" {
			text += ", ADVISORY: " + why
		}
		annotate(b, "notice", title, text)
	}
	if m := r.NoBundle(); m != "" {
		annotate(b, "warning", title, m)
	}
	if why := r.Suspect(); why != "" {
		annotate(b, "warning", title+": suspect criteria", why)
	}
}

func annotateSubject(b *strings.Builder, s *Subject) {
	text := s.Look().Icon + " " + s.headline()
	if g := s.GateText(); g != "" {
		text += ", gate: " + g
	}
	if r := s.swarm().Read; r.Read < r.Items {
		text += ", unread: " + s.unreadNames()
	}
	if ids := s.UnreadText(); ids != "" {
		text += ", " + ids
	}
	if ids := s.Spared(); ids != "" {
		text += ", " + ids
	}
	if s.Pending() {
		text += ", not final: a fix is awaited"
	}
	if why := s.Advisory(); why != "" {
		text += ", ADVISORY"
		annotate(b, "warning", s.Name+": advisory score", strings.TrimSpace(sentence("this score is not authoritative: "+why)+" "+sentence(s.Todo())))
	}
	annotate(b, "notice", s.Name+": shadow score", text)
	kind := "warning"
	if s.stopped() {
		kind = "error"
	}
	if lines := s.failedItems(); len(lines) > 0 {
		annotate(b, kind, s.Name+": not delivered", strings.Join(lines, "; "))
	}
	for _, f := range s.Score.Failures {
		text := f.Message
		if text == "" {
			text = f.Expected
		}
		if text == "" {
			text = "not passed" // an annotation without a text is not shown
		}
		annotate(b, kind, fmt.Sprintf("%s %s (%s)", s.Name, f.TestName, f.Category), text)
	}
}

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate writes a workflow command. What would end it, or begin another, is
// escaped.
func annotate(b *strings.Builder, kind, title, text string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", kind, commandProperty.Replace(shadow.Printable(title)), commandData.Replace(shadow.Printable(text)))
}
