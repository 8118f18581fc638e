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
	SpecVersion string `json:"spec_version" is:"of=1.0.0|2.0.0"`
	// ConformanceLevel is the most that a report may claim, 1 to 4.
	ConformanceLevel int `json:"conformance_level" is:"min=1,max=4"`
	// WorkspaceIsolation is IsolationStrict where nobody in the swarm can
	// read envelopes or colleagues' reports, else IsolationLegacy. A report
	// under the latter claims level 1.
	WorkspaceIsolation string `json:"workspace_isolation" is:"of=strict|legacy"`
	Scale              string `json:"scale" is:"of=ss-50|ss-100|ss-250"` // ss-50, ss-100 or ss-250
	// MaxCycles is how many fixes a commander may send; 0 means that
	// hardening is off.
	MaxCycles int `json:"max_cycles" is:"max=10"`
	// Threshold in percent: a score above it is hardened.
	Threshold int `json:"threshold" is:"max=100"`
	// FixTimeoutMS is how long after a report its fix may come.
	FixTimeoutMS int64 `json:"fix_timeout_ms" is:"max=86400000"`
	// RunTimeoutMS is how long after the commitment bundles may come.
	RunTimeoutMS int64 `json:"run_timeout_ms" is:"max=31536000000"`
	// EnforceGates false is observe mode: every gate says proceed.
	EnforceGates bool `json:"enforce_gates"`
	// Unread is the least that the gate says where nobody judged some of the
	// work: proceed, warn, quarantine or reject.
	Unread Action `json:"unread" is:"of=proceed|warn|quarantine|reject"`
	// Undecided is the most that the gate says for the sake of what no judge
	// could decide.
	Undecided Action `json:"undecided" is:"of=proceed|warn|quarantine|reject"`
	// Missing in percent: from so many of a domain's sub-tasks and deliverables
	// missing on, the gate says warn at least and a fix is asked for. 100 is off.
	Missing int `json:"missing" is:"min=1,max=100"`
	// Replay: the work of the run is older than its criteria. Its reports claim
	// level 1.
	Replay bool `json:"replay,omitempty"`
}

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
	Criteria  int  `yaml:"criteria" is:"min=1,max=50"`
	Hardening bool `yaml:"hardening"`
}

// Settings is the configured part of the protocol, from which the Policy of a
// run is made.
type Settings struct {
	// Policy is the policy of every run, without its scale and its timeouts.
	// Empty, Unread, Undecided and Missing are warn, quarantine and 20.
	Policy
	MaxCriteria int // upper bound for every scale
	FixTimeout  time.Duration
	RunTimeout  time.Duration
	// Categories are those that authors may write.
	Categories   []Category
	Scales       map[string]Scale // by ss-50, ss-100, ss-250
	DefaultScale string
	// Families say which models are of one family.
	Families Families
	// AbortOnViolation refuses decompositions whose seal author or specifier is
	// of an implementer's family; else the reports of that domain are advisory.
	AbortOnViolation bool
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
	p.Unread, p.Undecided, p.Missing = cmp.Or(p.Unread, Warn), cmp.Or(p.Undecided, Quarantine), cmp.Or(p.Missing, 20)
	return p, min(sc.Criteria, s.MaxCriteria), nil
}

// MaxCriteria is the most criteria that a run can have. A report that counts
// more is forged, and nobody may list them one by one.
const MaxCriteria = 50

// Limits bound what one event, one commander and one run may take. A limit is a
// setting of limits in the configuration, and refuses with [TooLarge] or
// [TooManyWaiting] by a method, which an audit asks again with the number that
// the rejection names.
type Limits struct {
	// EventBytes is the largest event, ContentBytes the largest content of a
	// bundle within it.
	EventBytes   int `yaml:"event_bytes" is:"size,min=1KiB,max=8MiB"`
	ContentBytes int `yaml:"content_bytes" is:"size,min=1KiB,max=8MiB"`
	// JudgedBytes is the largest bundle that judges can be shown, as
	// [Bundle.ShownBytes] counts; 0: there are no judges. It is no setting.
	JudgedBytes int `yaml:"-"`
	// WaitingPerRun is how many events of one commander may wait for the
	// seal of a run, and for all runs together that nobody has decomposed.
	WaitingPerRun int `yaml:"waiting_per_run" is:"min=1,max=100000"`
	// SealWait is how long a bundle waits for a run that nobody decomposed.
	SealWait time.Duration `yaml:"seal_wait" is:"min=1s,max=24h"`
}

// Bundle refuses a bundle that is beyond a limit. It is nil for others.
func (l *Limits) Bundle(b *Bundle) *Refusal {
	if n := len(b.Content); n > l.ContentBytes {
		return limited(TooLarge, l.ContentBytes, "the bundle's content has %d bytes, %d are allowed", n, l.ContentBytes)
	}
	if n := b.ShownBytes(); l.JudgedBytes > 0 && n > l.JudgedBytes {
		return limited(TooLarge, l.JudgedBytes, "the bundle takes %d bytes to show to a judge, each line with a mark, and %d are allowed: shorten it, or its lines", n, l.JudgedBytes)
	}
	return nil
}

// Waiting refuses one more event of a commander that has so many waiting in a
// run, or in all runs together that nobody has decomposed if run is empty. It is
// nil for others.
func (l *Limits) Waiting(n int, commander, run string) *Refusal {
	where := "for runs that nobody has decomposed"
	if run != "" {
		where = fmt.Sprintf("in run %q", run)
	}
	if n >= l.WaitingPerRun {
		return limited(TooManyWaiting, l.WaitingPerRun, "%d events of commander %q wait already %s", l.WaitingPerRun, commander, where)
	}
	return nil
}

func limited(reason Reason, limit int, format string, args ...any) *Refusal {
	r := Refuse(reason, format, args...)
	r.Limit = limit
	return r
}
