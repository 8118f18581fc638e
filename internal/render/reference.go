package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// writeReference writes the summary of the spec's reference validator, and behind it
// what makes a score advisory, of which that validator knows nothing.
func writeReference(w io.Writer, d *Document) error {
	var b strings.Builder
	for i := range d.Subjects {
		s := &d.Subjects[i]
		r := s.Score
		fmt.Fprintf(&b, "Shadow Score: %s%% %s (%s)\n", r.Report.ShadowScore, LookOf(r.Report.Level, false).Icon, r.Report.Level)
		fmt.Fprintf(&b, "Sealed: %d/%d passed\n", r.SealedTests.Passed, r.SealedTests.Total)
		if r.OpenTests != nil {
			fmt.Fprintf(&b, "Open:   %d/%d passed\n", r.OpenTests.Passed, r.OpenTests.Total)
		}
		if len(r.Failures) > 0 {
			fmt.Fprintf(&b, "\nFailures (%d):\n", len(r.Failures))
		}
		for _, f := range r.Failures {
			fmt.Fprintf(&b, "  ❌ %s: %s\n", shadow.Printable(f.TestName), inert(shadow.Printable(f.Message)))
		}
		if why := s.Advisory(); why != "" {
			fmt.Fprintf(&b, "\nADVISORY: this score is not authoritative: %s\n", why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
