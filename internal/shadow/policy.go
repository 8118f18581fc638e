package shadow

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Policy is how a run is judged. It is fixed when the run is sealed, stands in
// the envelope and in the commitment, and so holds for the whole run, whatever
// the configuration says by then and whichever daemon reads it.
type Policy struct {
	// SpecVersion is the version of the Shadow Score Spec to report in:
	// "1.0.0" or "2.0.0".
	SpecVersion string `json:"spec_version"`
	// ConformanceLevel is the most that a report may claim, 1 to 4.
	ConformanceLevel int `json:"conformance_level"`
	// WorkspaceIsolation is IsolationStrict where nobody in the swarm can
	// read envelopes or colleagues' reports, else IsolationLegacy. A report
	// under the latter claims level 1.
	WorkspaceIsolation string `json:"workspace_isolation"`
	Scale              string `json:"scale"` // ss-50, ss-100 or ss-250
	// MaxCycles is how many fixes a commander may send; 0 means that
	// hardening is off.
	MaxCycles int `json:"max_cycles"`
	// Threshold in percent: a score above it is hardened.
	Threshold int `json:"threshold"`
	// FixTimeoutMS is how long after a report its fix may come.
	FixTimeoutMS int64 `json:"fix_timeout_ms"`
	// RunTimeoutMS is how long after the commitment bundles may come.
	RunTimeoutMS int64 `json:"run_timeout_ms"`
	// EnforceGates false is observe mode: every gate says proceed.
	EnforceGates bool `json:"enforce_gates"`
	// MinRead is the percentage of a domain's items that has to be read; below
	// it a report is advisory, and the gate says UnreadAction instead of
	// proceed.
	MinRead      int    `json:"min_read"`
	UnreadAction Action `json:"unread_action"`
	// Reveal is how much of a failure a commander is told.
	Reveal Reveal `json:"reveal"`
	// Replay: the work of the run is older than its criteria. Its reports claim
	// level 1.
	Replay bool `json:"replay,omitempty"`
}

// Reveal is how much of a failure a commander is told.
type Reveal string

// RevealDefect tells what is missing or wrong, RevealArea only the matter.
const (
	RevealDefect Reveal = "defect"
	RevealArea   Reveal = "area"
)

// What Policy.WorkspaceIsolation says.
const (
	IsolationStrict = "strict"
	IsolationLegacy = "legacy"
)

// FixDeadline is the last moment at which a fix is in time, given the stored
// time of the report that asked for it.
func (p *Policy) FixDeadline(reported time.Time) time.Time {
	return reported.Add(time.Duration(p.FixTimeoutMS) * time.Millisecond).UTC()
}

// RunDeadline is the last moment at which a bundle is in time, given the
// stored time of the run's commitment.
func (p *Policy) RunDeadline(sealed time.Time) time.Time {
	return sealed.Add(time.Duration(p.RunTimeoutMS) * time.Millisecond).UTC()
}

// Scale is what a swarm of one size gets.
type Scale struct {
	Criteria  int  `yaml:"criteria"`
	Hardening bool `yaml:"hardening"`
}

// Settings is the configured part of the protocol, from which the Policy of a
// run is made.
type Settings struct {
	// Policy is the policy of every run, without its scale and its timeouts.
	// Empty, UnreadAction and Reveal are warn and defect.
	Policy
	MaxCriteria  int // upper bound for every scale
	FixTimeout   time.Duration
	RunTimeout   time.Duration
	Categories   []Category
	Scales       map[string]Scale // by ss-50, ss-100, ss-250
	DefaultScale string
	// Families say which models are of one family.
	Families Families
	// AbortOnViolation refuses decompositions whose seal author or specifier is
	// of an implementer's family; else the reports of that domain are advisory.
	AbortOnViolation bool
	// AmbiguityMax is the share of requirements, 0 to 1, that may be disputed
	// between authors; beyond it a decomposition is refused. 1 refuses none.
	AmbiguityMax float64
}

// For settles the policy and the number of criteria for a run of the given
// scale, as its decomposition spells it. Its error names the scales there are.
func (s *Settings) For(scale string) (Policy, int, error) {
	p := s.Policy
	p.Scale = strings.ToLower(cmp.Or(scale, s.DefaultScale))
	sc, ok := s.Scales[p.Scale]
	if !ok {
		return Policy{}, 0, fmt.Errorf("scale %q is not known: use ss-50, ss-100 or ss-250", scale)
	}
	if !sc.Hardening {
		p.MaxCycles = 0
	}
	p.FixTimeoutMS, p.RunTimeoutMS = s.FixTimeout.Milliseconds(), s.RunTimeout.Milliseconds()
	p.UnreadAction, p.Reveal = cmp.Or(p.UnreadAction, Warn), cmp.Or(p.Reveal, RevealDefect)
	return p, min(sc.Criteria, s.MaxCriteria), nil
}

// Quota spreads n criteria over the categories, the first ones getting what
// does not divide: 10 over four is 3, 3, 2, 2.
func Quota(n int, categories []Category) map[Category]int {
	q := make(map[Category]int, len(categories))
	for i := range n {
		q[categories[i%len(categories)]]++
	}
	return q
}
