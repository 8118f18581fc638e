package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Problems says what keeps a document from passing a gate: what is not final,
// advisory, or let through by no gate.
func (d *Document) Problems() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if r := d.Run; r != nil && r.Scored == nil {
		add("run %s is not scored yet", r.ID)
	} else if r != nil && r.Scored.Incomplete {
		add("run %s ended without the bundles of %s", r.ID, strings.Join(r.Missing, ", "))
	}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if why := s.Advisory(); why != "" {
			add("the shadow score of %s is advisory: %s", s.Name, why)
		}
		switch gate := s.Swarm.Gate; {
		case s.Pending():
			add("the shadow score of %s is not final: a fix is awaited", s.Name)
		case gate.Action != shadow.Proceed && gate.Action != shadow.Warn:
			add("the gate of %s says %s: %s", s.Name, gate.Action, shadow.Printable(gate.Reason))
		}
	}
	return wrong
}

// Attestations writes what is signed about the reports of a document, a DSSE
// envelope a line, as it is stored: nothing is signed here. Every report must
// be final, or what was written would pass for all there is to say.
func Attestations(w io.Writer, r *history.Run, d *Document) error {
	var all []byte
	for i := range d.Subjects {
		s := d.Subjects[i].Swarm
		if !s.Final {
			return fmt.Errorf("the report of %s is not final, and only final ones are signed", d.Subjects[i].Name)
		}
		e := r.Attested[s.Domain]
		if e == nil {
			return fmt.Errorf("there is no attestation of %s", d.Subjects[i].Name)
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		all = append(append(all, line...), '\n')
	}
	_, err := w.Write(all)
	return err
}
