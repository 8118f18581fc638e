package render

import (
	"io"
	"slices"

	"github.com/swarmspeed/shadowd/internal/results"
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
	Swarm    any             `json:"swarm,omitempty"`
}

// publicOf makes the public report of a subject. In spec version 1.0.0 only swarm
// tells what is advisory.
func publicOf(s *Subject) *publicReport {
	r := &publicReport{ScoreReport: *s.Score, Failures: make([]publicFailure, len(s.Score.Failures))}
	for i, f := range s.Score.Failures {
		r.Failures[i].Failure = f
		if !slices.Contains(inPublic, f.Category) {
			r.Failures[i].Category, r.Failures[i].CriterionCategory = results.Unknown, f.Category
		}
	}
	if r.Coverage != nil {
		r.Coverage = map[shadow.Category]shadow.Coverage{}
		for category, c := range s.Score.Coverage {
			if !slices.Contains(inPublic, category) {
				category = results.Unknown
			}
			sum := r.Coverage[category]
			r.Coverage[category] = shadow.Coverage{Sealed: sum.Sealed + c.Sealed, Open: sum.Open + c.Open, Delta: sum.Delta + c.Delta}
		}
	}
	why := s.Advisory()
	if s.Swarm != nil {
		r.Swarm = s.Swarm
	} else if r.SpecVersion == "1.0.0" && why != "" {
		r.Swarm = map[string][]string{"advisory_reasons": {why}}
	}
	if r.SpecVersion == "1.0.0" {
		r.InVersion1()
	}
	return r
}

// inPublic are the categories that the public schema of 2.0.0 knows.
var inPublic = append(shadow.PublicCategories(), results.Unknown)

// writeJSON writes each report of a document as one JSON object, valid under the
// public schema of the Shadow Score Spec: a category that the schema lacks becomes
// "unknown" there, in the failures with the category itself beside it as
// criterion_category. One report is indented; of several each takes a line.
func writeJSON(w io.Writer, d *Document) error {
	if len(d.Subjects) == 1 {
		return WriteJSON(w, publicOf(&d.Subjects[0]))
	}
	e := NewEncoder(w)
	for i := range d.Subjects {
		if err := e.Encode(publicOf(&d.Subjects[i])); err != nil {
			return err
		}
	}
	return nil
}
