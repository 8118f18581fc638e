package attest

import (
	"encoding/json"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The types by which other programs know what they read.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://in-toto.io/attestation/test-result/v0.1"
)

// Statement is an in-toto Statement v1 with a test-result predicate.
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     Predicate  `json:"predicate"`
}

// Resource is something by its name and digest.
type Resource struct {
	Name   string `json:"name"`
	Digest Digest `json:"digest"`
}

// Digest is in lower-case hex without a prefix. in-toto allows for other algorithms
// beside SHA-256.
type Digest struct {
	SHA256 string `json:"sha256"`
}

// Result is the outcome of all tests together.
type Result string

// The results.
const (
	Passed Result = "PASSED"
	Warned Result = "WARNED"
	Failed Result = "FAILED"
)

// Predicate is the test-result predicate, and under swarm what it has no field
// for.
type Predicate struct {
	Result        Result     `json:"result"`
	Configuration []Resource `json:"configuration"`
	// PassedTests and FailedTests are ids of criteria.
	PassedTests []string `json:"passedTests"`
	FailedTests []string `json:"failedTests"`
	Swarm       Swarm    `json:"swarm"`
}

// Swarm is what of the report is worth knowing beside the result, in the
// report's own names.
type Swarm struct {
	RunID       string `json:"run_id"`
	Domain      string `json:"domain"`
	BundleID    string `json:"bundle_id"`
	CommanderID string `json:"commander_id"`
	// Domains is how many the run has, each with a statement of its own.
	Domains int `json:"domains"`
	// AcceptedCycle is the cycle whose bundle stands, the subject.
	AcceptedCycle int          `json:"accepted_cycle"`
	Score         shadow.Score `json:"score"`
	ShadowScore   json.Number  `json:"shadow_score"` // percent, one decimal
	Level         shadow.Level `json:"level"`
	// Gate has enforced false in observe mode.
	Gate shadow.Gate `json:"gate"`
	// Advisory: the score is not authoritative, for these reasons.
	Advisory           bool     `json:"advisory"`
	AdvisoryReasons    []string `json:"advisory_reasons,omitempty"`
	SealBroken         bool     `json:"seal_broken"`
	SpecVersion        string   `json:"spec_version"`
	ConformanceLevel   int      `json:"conformance_level,omitempty"`
	WorkspaceIsolation string   `json:"workspace_isolation,omitempty"`
	CheckerVersion     string   `json:"checker_version,omitempty"`
	// Report is the gap report that the statement follows from, by the
	// digest of its event's data.
	Report Resource `json:"report"`
}

// Of derives the statement from a final report. raw is the report as it is
// stored, the data of its event. Nothing else goes into it.
func Of(r *shadow.Report, raw []byte) *Statement {
	s := &r.Swarm
	st := &Statement{
		Type:          StatementType,
		Subject:       []Resource{resource(s.RunID+"/"+s.Domain+"/"+s.BundleID, acceptedDigest(s))},
		PredicateType: PredicateType,
		Predicate: Predicate{
			Result:        resultOf(s),
			Configuration: []Resource{resource("sealed-envelope", r.Report.SealedHash)},
			PassedTests:   []string{},
			FailedTests:   []string{},
			Swarm: Swarm{
				RunID:              s.RunID,
				Domain:             s.Domain,
				BundleID:           s.BundleID,
				CommanderID:        s.CommanderID,
				Domains:            s.Domains,
				AcceptedCycle:      s.AcceptedCycle,
				Score:              s.Score,
				ShadowScore:        s.Score.Percent(),
				Level:              s.Score.Level(),
				Gate:               s.Gate,
				Advisory:           len(s.AdvisoryReasons) > 0,
				AdvisoryReasons:    s.AdvisoryReasons,
				SealBroken:         s.SealBroken != "",
				SpecVersion:        r.SpecVersion,
				ConformanceLevel:   r.Report.ConformanceLevel,
				WorkspaceIsolation: r.Report.WorkspaceIsolation,
				CheckerVersion:     s.CheckerVersion,
				Report:             resource(r.Report.ID, shadow.Digest(raw)),
			},
		},
	}
	failed := map[string]bool{}
	for _, f := range r.Failures {
		failed[f.TestName] = true
	}
	p := &st.Predicate
	for i := range min(s.Score.Total, shadow.MaxCriteria) {
		// With a broken seal a report names no failures: everything counts.
		if id := shadow.CriterionID(i); failed[id] || s.SealBroken != "" {
			p.FailedTests = append(p.FailedTests, id)
		} else {
			p.PassedTests = append(p.PassedTests, id)
		}
	}
	return st
}

// acceptedDigest is the digest of the accepted bundle. The report's own
// bundle_digest may be that of a fix that was not kept.
func acceptedDigest(s *shadow.Swarm) string {
	for _, c := range s.Cycles {
		if c.Cycle == s.AcceptedCycle {
			return c.BundleDigest
		}
	}
	return s.BundleDigest
}

// resultOf goes by the level, since the gate of observe mode always says
// proceed.
func resultOf(s *shadow.Swarm) Result {
	switch s.Score.Level().Action() {
	case shadow.Proceed:
		if len(s.AdvisoryReasons) == 0 && s.Gate.Enforced && s.SealBroken == "" {
			return Passed
		}
		return Warned
	case shadow.Warn:
		return Warned
	}
	return Failed
}

// resource names what has a digest of the form "sha256:…".
func resource(name, digest string) Resource {
	return Resource{Name: name, Digest: Digest{strings.TrimPrefix(digest, "sha256:")}}
}
