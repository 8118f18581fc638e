package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// fact is a line of where a score comes from.
type fact struct{ Name, Value string }

// levelFact is the level that a report claims, and why it is no higher.
func (s *Subject) levelFact() string {
	h := &s.Score.Report
	switch {
	case h.ConformanceLevel == 0: // spec version 1.0.0
		return ""
	case len(s.swarm().LevelReasons) == 0:
		return fmt.Sprintf("L%d", h.ConformanceLevel)
	}
	return fmt.Sprintf("L%d (%s)", h.ConformanceLevel, strings.Join(s.Swarm.LevelReasons, "; "))
}

// Provenance says where a score comes from. Values are untrusted.
func (s *Subject) Provenance() []fact {
	h := &s.Score.Report
	facts := []fact{
		{"specification version", s.Score.SpecVersion}, {"conformance level", s.levelFact()},
		{"task", h.Specification}, {"sealed hash", h.SealedHash}, {"independence", h.Independence},
		{"seal author families", strings.Join(h.SealAuthorFamilies, ", ")}, {"seal author models", strings.Join(h.SealAuthorModels, ", ")},
		{"specifier family", h.SpecifierFamily}, {"specifier model", h.SpecifierModel},
		{"implementer family", h.ImplementerFamily}, {"implementer model", h.ImplementerModel}, {"specification ambiguity", h.SpecAmbiguity.String()},
		{"workspace isolation", h.WorkspaceIsolation},
	}
	if h.SealBroken != nil && *h.SealBroken {
		facts = append(facts, fact{"seal", "BROKEN"})
	}
	if s.Swarm != nil {
		w := s.Swarm
		judges := make([]string, len(w.Judges))
		for i, j := range w.Judges {
			judges[i] = j.Name
		}
		facts = append(facts, fact{"bundle", w.BundleID + " of " + w.CommanderID}, fact{"bundle digest", w.BundleDigest},
			fact{"judged by", strings.Join(judges, ", ")}, fact{"checker", w.CheckerVersion},
			fact{"received", fmt.Sprintf("%s, sequence %d", w.In.Time.UTC().Format("2006-01-02 15:04:05 UTC"), w.In.Sequence)})
	}
	out := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			out = append(out, fact{f.Name, shadow.Printable(f.Value)})
		}
	}
	return out
}
