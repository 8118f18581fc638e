package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// GitHub writes workflow annotations: an error for each failure of a score
// that a gate would stop (quarantine, reject), else a warning, and a notice
// with the score. They show in the workflow's summary and beside the diff.
func GitHub(w io.Writer, subjects []Subject) error {
	var b strings.Builder
	for i := range subjects {
		s := &subjects[i]
		kind := "warning"
		if a := s.Score.Report.Level.Action(); a == shadow.Quarantine || a == shadow.Reject {
			kind = "error"
		}
		if why := s.Advisory(); why != "" {
			annotate(&b, "warning", s.Name+": advisory score", "This score is not authoritative: "+why)
		}
		for _, f := range s.Score.Failures {
			text := f.Message
			if text == "" {
				text = f.Expected
			}
			annotate(&b, kind, fmt.Sprintf("%s %s (%s)", s.Name, f.TestName, f.Category), shadow.Printable(text))
		}
		text := Icon(s.Score.Report.Level) + " " + s.headline()
		if g := s.gate(); g != "" {
			text += ", gate: " + g
		}
		if s.Advisory() != "" {
			text += ", ADVISORY"
		}
		annotate(&b, "notice", s.Name+": shadow score", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate writes a workflow command. What would end it, or begin another, is
// escaped.
func annotate(b *strings.Builder, kind, title, text string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", kind, commandProperty.Replace(shadow.Printable(title)), commandData.Replace(text))
}
