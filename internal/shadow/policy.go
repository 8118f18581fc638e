package shadow

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Policy is how a run is judged. It is fixed when the run is sealed, and holds for
// the whole run, whatever the configuration says by then.
type Policy struct {
	SpecVersion      string `json:"spec_version" is:"of=1.0.0|2.0.0"`   // of the Shadow Score Spec
	ConformanceLevel int    `json:"conformance_level" is:"min=1,max=4"` // the most that a report may claim
	// WorkspaceIsolation is IsolationStrict where nobody in the swarm can read
	// envelopes or colleagues' reports. Else a report claims level 1.
	WorkspaceIsolation string `json:"workspace_isolation" is:"of=strict|legacy"`
	Scale              string `json:"scale" is:"of=ss-50|ss-100|ss-250"`
	MaxCycles          int    `json:"max_cycles" is:"max=10"`              // 0: no hardening
	Threshold          int    `json:"threshold" is:"max=100"`              // in percent; a score above it is hardened
	FixTimeoutMS       int64  `json:"fix_timeout_ms" is:"max=86400000"`    // after the report that asks for it
	RunTimeoutMS       int64  `json:"run_timeout_ms" is:"max=31536000000"` // after the commitment
	EnforceGates       bool   `json:"enforce_gates"`                       // false: every gate says proceed
	// Unread is the least that the gate says where nobody judged some of the work,
	// Undecided the most that it says for the sake of what no judge could decide.
	Unread    Action `json:"unread" is:"of=proceed|warn|quarantine|reject"`
	Undecided Action `json:"undecided" is:"of=proceed|warn|quarantine|reject"`
	// Missing in percent: from so many of a domain's sub-tasks and deliverables
	// missing on, the gate says warn at least and a fix is asked for. 100 is off.
	Missing int `json:"missing" is:"min=1,max=100"`
	// Replay: the work is older than its criteria. Its reports claim level 1.
	Replay bool `json:"replay,omitempty"`
}

// What Policy.WorkspaceIsolation says.
const (
	IsolationStrict = "strict"
	IsolationLegacy = "legacy"
)

// FixDeadline is the last moment for a fix that a stored report asked for.
func (p *Policy) FixDeadline(reported time.Time) time.Time {
	return reported.Add(time.Duration(p.FixTimeoutMS) * time.Millisecond).UTC()
}

// RunDeadline is the last moment for a bundle of a run that was sealed.
func (p *Policy) RunDeadline(sealed time.Time) time.Time {
	return sealed.Add(time.Duration(p.RunTimeoutMS) * time.Millisecond).UTC()
}

// Scale is what a swarm of one size gets.
type Scale struct {
	Criteria  int  `yaml:"criteria" is:"min=1,max=50"`
	Hardening bool `yaml:"hardening"`
}

// Settings is the configured part of the protocol, of which a run's Policy is made.
type Settings struct {
	// Policy is the policy of every run, without its scale and its timeouts.
	// Empty, Unread, Undecided and Missing are warn, quarantine and 20.
	Policy
	MaxCriteria  int // upper bound for every scale
	FixTimeout   time.Duration
	RunTimeout   time.Duration
	Categories   []Category       // that authors may write
	Scales       map[string]Scale // by ss-50, ss-100, ss-250
	DefaultScale string
	Families     Families
	// AbortOnViolation refuses decompositions whose seal author or specifier is
	// of an implementer's family; else the reports of that domain are advisory.
	AbortOnViolation bool
}

// For settles the policy and the number of criteria for a run of a scale.
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

// MaxCriteria is the most that a run can have. A report that counts more is forged.
const MaxCriteria = 50

// Limits bound what one event, one commander and one run may take. They refuse by
// methods, which an audit asks again with the number that the rejection names.
type Limits struct {
	// EventBytes is the largest event, ContentBytes the largest content in it.
	EventBytes   int `yaml:"event_bytes" is:"size,min=1KiB,max=8MiB"`
	ContentBytes int `yaml:"content_bytes" is:"size,min=1KiB,max=8MiB"`
	// JudgedBytes bounds [Bundle.ShownBytes]; 0: there are no judges. It is no setting.
	JudgedBytes int `yaml:"-"`
	// WaitingPerRun bounds the events of one commander that wait for the seal of a
	// run, or for all runs together that nobody has decomposed.
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

// Waiting refuses one more event of a commander that has so many waiting in a run,
// or in those that nobody has decomposed if run is empty. It is nil for others.
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
