package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Problems says what keeps a document from passing a gate: what is not final,
// advisory, not there, or let through by no gate.
func (d *Document) Problems() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	advisory := d.Run != nil && d.Run.Scored != nil && d.Run.Scored.Advisory
	if r := d.Run; r != nil && r.Scored == nil {
		add("run %s is not scored yet", r.ID)
	} else if r != nil {
		if r.Scored.Incomplete {
			advisory = false
			add("run %s ended without the bundles of %s", r.ID, strings.Join(r.Missing(), ", "))
		}
		if lost := r.Lost(); len(lost) > 0 {
			add("the reports of %s are not there, though run %s was scored by them", joined(lost, ", "), r.ID)
		}
	}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if why := s.Advisory(); why != "" {
			advisory = false
			add("the shadow score of %s is advisory: %s", s.Name, why)
		}
		switch gate := s.swarm().Gate; {
		case s.Pending():
			add("the shadow score of %s is not final: a fix is awaited", s.Name)
		case gate.Action != shadow.Proceed && gate.Action != shadow.Warn:
			add("the gate of %s says %s: %s", s.Name, gate.Action, shadow.Printable(gate.Reason))
		}
	}
	if advisory { // and nothing above says why
		add("the median of run %s is advisory", d.Run.ID)
	}
	return wrong
}
