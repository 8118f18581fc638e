package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Problems says what keeps a document from passing a gate: what is not final,
// advisory, or let through by no gate.
func (d *Document) Problems() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if r := d.Run; r != nil && r.Scored == nil {
		add("run %s is not scored yet", r.ID)
	} else if r != nil && r.Scored.Incomplete {
		add("run %s ended without the bundles of %s", r.ID, strings.Join(r.Missing(), ", "))
	}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if why := s.Advisory(); why != "" {
			add("the shadow score of %s is advisory: %s", s.Name, why)
		}
		switch gate := s.swarm().Gate; {
		case s.Pending():
			add("the shadow score of %s is not final: a fix is awaited", s.Name)
		case gate.Action != shadow.Proceed && gate.Action != shadow.Warn:
			add("the gate of %s says %s: %s", s.Name, gate.Action, shadow.Printable(gate.Reason))
		}
	}
	return wrong
}
