package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Look is how the median of a scored run is shown.
func (d *Document) Look() Look {
	return MedianLook(d.Run.Scored.Level, d.unread(), len(d.Run.Scored.Domains))
}

// unread counts the subjects of which too little was read.
func (d *Document) unread() (n int) {
	for i := range d.Subjects {
		if d.Subjects[i].Unread() {
			n++
		}
	}
	return n
}

// Median is the result of a run in one line, such as "median 12.5 % minor of 5
// domains, 30 of 45 items read"; empty while there is none.
func (d *Document) Median() string {
	if d.Run == nil || d.Run.Scored == nil {
		return ""
	}
	r := d.Run.Scored
	text := d.Look().score("median "+r.Median.String()) + " of " + shadow.Count(len(r.Domains), "domain")
	if n := d.unread(); n > 0 {
		text += fmt.Sprintf(", %d of them unread", n)
	}
	if read := r.Read.Words(); read != "" {
		text += ", " + read
	}
	if r.Incomplete {
		text += ", incomplete"
	}
	return text
}

// Suspect says which criteria may be at fault themselves; empty if none is.
func (r *Run) Suspect() string { return suspectText(r.Scored) }

// suspectText says which criteria failed in every domain where they apply;
// empty if none did, or r is nil.
func suspectText(r *shadow.RunData) string {
	if r == nil {
		return ""
	}
	return saidOf(r.Suspect, "failed in every domain where it applies: the criterion or the task may be at fault",
		"failed in every domain where they apply: the criteria or the task may be at fault")
}

// AdvisoryText is why a run's median is no plain one; empty if it is.
func (r *Run) AdvisoryText() string {
	var why []string
	switch {
	case r.Scored == nil:
	case r.Scored.Incomplete:
		why = append(why, "the run ended without all of its bundles")
	case r.Scored.Advisory:
		why = append(why, "at least one score of the run is advisory")
	}
	if lost := joined(r.Lost(), ", "); lost != "" {
		why = append(why, "the reports of "+lost+" are not there")
	}
	return strings.Join(why, "; ")
}

// NoBundle says which domains have no bundle; empty if all have one.
func (r *Run) NoBundle() string {
	switch domains := joined(r.Missing(), ", "); {
	case domains == "":
		return ""
	case r.Scored == nil:
		return "no bundle yet of " + domains
	default:
		return "no bundle came of " + domains
	}
}

// NotScored says that a run has no last word yet; empty if it has.
func (r *Run) NotScored() string {
	if r.Scored != nil {
		return ""
	}
	return "The run is not scored yet: these are not all of its final reports."
}
