package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/swarmspeed/shadowd/internal/render"
)

// attestations writes what is signed about the reports of a document, a DSSE
// envelope a line, as it is stored: nothing is signed here. Every report must
// be final, or what was written would pass for all there is to say.
func (r *trackedRun) attestations(w io.Writer, doc *render.Document) error {
	var all [][]byte
	for i := range doc.Subjects {
		s := doc.Subjects[i].Swarm
		if !s.Final {
			return fmt.Errorf("the report of %s is not final, and only final ones are signed", doc.Subjects[i].Name)
		}
		e := r.Attested[s.Domain]
		if e == nil {
			return fmt.Errorf("there is no attestation of %s", doc.Subjects[i].Name)
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		all = append(all, line)
	}
	for _, line := range all {
		if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}
