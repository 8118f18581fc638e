package render

import (
	"bytes"
	"fmt"
	"io"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// publicFailure is a failure as the public schema wants it.
type publicFailure struct {
	shadow.Failure
	// CriterionCategory is the category that the public schema lacks.
	CriterionCategory shadow.Category `json:"criterion_category,omitempty"`
}

// publicReport is a report as the public schema wants it, with what shadowd
// adds behind it.
type publicReport struct {
	shadow.ScoreReport
	Failures []publicFailure `json:"failures"`
	Swarm    *shadow.Swarm   `json:"swarm,omitempty"`
}

// inPublic are the categories that the public schema of 2.0.0 knows.
var inPublic = map[shadow.Category]bool{shadow.HappyPath: true, shadow.EdgeCase: true, shadow.ErrorHandling: true, shadow.Security: true, "unknown": true}

// JSON writes each report of a document as one JSON object, valid under the public schema of
// the Shadow Score Spec: a category that the schema lacks becomes "unknown"
// there, with the category itself beside it as criterion_category. One report
// is indented; of several each takes a line. See [NewEncoder].
func JSON(w io.Writer, d *Document) error {
	for i := range d.Subjects {
		s := &d.Subjects[i]
		r := publicReport{ScoreReport: *s.Score, Swarm: s.Swarm, Failures: make([]publicFailure, len(s.Score.Failures))}
		for k, f := range s.Score.Failures {
			r.Failures[k].Failure = f
			if !inPublic[f.Category] {
				r.Failures[k].Category, r.Failures[k].CriterionCategory = "unknown", f.Category
			}
		}
		var b bytes.Buffer
		e := NewEncoder(&b)
		if len(d.Subjects) == 1 {
			e.SetIndent("", "  ")
		}
		if err := e.Encode(&r); err != nil {
			return fmt.Errorf("writing the report of %s as JSON: %w", s.Name, err)
		}
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
