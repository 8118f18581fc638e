package render

import (
	"encoding/json"
	"fmt"
	"io"
)

// writeAttestations writes what is signed about the reports of a document, a DSSE
// envelope a line, as it is stored: nothing is signed here. Every report must
// be final, or what was written would pass for all there is to say.
func writeAttestations(w io.Writer, d *Document) error {
	var all []byte
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if s.Pending() {
			return fmt.Errorf("the report of %s is not final, and only final ones are signed", s.Name)
		}
		if s.Attested == nil {
			return fmt.Errorf("there is no attestation of %s", s.Name)
		}
		line, err := json.Marshal(s.Attested)
		if err != nil {
			return err
		}
		all = append(append(all, line...), '\n')
	}
	_, err := w.Write(all)
	return err
}
