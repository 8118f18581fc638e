package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// GitHub writes workflow annotations: a notice with each score, an error for
// each failure of a score that its gate stops (quarantine, reject), else a
// warning. They show in the workflow's summary; GitHub shows ten of a kind for
// each step, so what matters most comes first.
func GitHub(w io.Writer, d *Document) error {
	var b strings.Builder
	if d.Run != nil {
		annotateRun(&b, d.Run)
	}
	for i := range d.Subjects {
		annotateSubject(&b, &d.Subjects[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func annotateRun(b *strings.Builder, r *Run) {
	title := "run " + r.ID
	if r.Scored == nil {
		annotate(b, "warning", title, r.notScored())
	} else {
		text := Icon(r.Scored.Level) + " " + r.median()
		if why := r.doubt(); why != "" {
			text += ", ADVISORY: " + why
		}
		annotate(b, "notice", title, text)
	}
	if m := r.missing(); m != "" {
		annotate(b, "warning", title, m)
	}
}

func annotateSubject(b *strings.Builder, s *Subject) {
	text := Icon(s.Score.Report.Level) + " " + s.headline()
	if g := s.gate(); g != "" {
		text += ", gate: " + g
	}
	if n := len(s.unread()); n > 0 {
		text += ", " + count(n, "thing") + " that the checks could not tell let pass"
	}
	if s.Pending() {
		text += ", not final: a fix is awaited"
	}
	if why := s.Advisory(); why != "" {
		text += ", ADVISORY"
		annotate(b, "warning", s.Name+": advisory score", "This score is not authoritative: "+why)
	}
	annotate(b, "notice", s.Name+": shadow score", text)
	kind := "warning"
	if a := s.Score.Report.Level.Action(); (a == shadow.Quarantine || a == shadow.Reject) && !s.Observed() {
		kind = "error"
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
