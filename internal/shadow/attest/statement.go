// Package attest puts a final gap report into a form that anyone can check
// without asking shadowd: an in-toto Statement v1 with a test-result predicate,
// in a DSSE envelope, signed with Ed25519. The event of the report carries the
// signature alone: the statement is made anew from the report, and whoever has the
// same key writes the same bytes.
//
// A signature shows that the holder of the key made this statement about the bundle
// with this digest. It does not show that the criteria were good, or that the holder
// was honest.
package attest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The types by which other programs know what they read.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://in-toto.io/attestation/test-result/v0.1"
	// ReviewedType is that of the data of a run-reviewed, which are signed as they are.
	ReviewedType = "application/vnd.swarmspeed.run-reviewed+json"
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

// Digest is in lower-case hex without a prefix.
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
	Configuration []Resource `json:"configuration"` // the sealed envelope
	// Ids of criteria. What was not judged is warned: it neither passed nor failed.
	PassedTests []string `json:"passedTests"`
	WarnedTests []string `json:"warnedTests"`
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

	Domains            int               `json:"domains"`        // of the run, each with a statement of its own
	AcceptedCycle      int               `json:"accepted_cycle"` // whose bundle is the subject
	Score              shadow.Score      `json:"score"`
	ShadowScore        json.Number       `json:"shadow_score"` // percent, one decimal
	Verdict            shadow.Word       `json:"verdict"`      // a level only where it says something of all that was asked
	NotJudged          NotJudged         `json:"not_judged"`   // the criteria of warnedTests
	Counts             shadow.ItemCounts `json:"counts"`
	Gate               shadow.Gate       `json:"gate"`
	Advisory           bool              `json:"advisory"` // not authoritative, for these reasons
	AdvisoryReasons    []string          `json:"advisory_reasons,omitempty"`
	SealBroken         bool              `json:"seal_broken"`
	SpecVersion        string            `json:"spec_version"`
	ConformanceLevel   int               `json:"conformance_level,omitempty"`
	WorkspaceIsolation string            `json:"workspace_isolation,omitempty"`
	CheckerVersion     string            `json:"checker_version,omitempty"`
	Report             Resource          `json:"report"` // by the digest of its event's data
}

// NotJudged are ids of criteria that were not judged: unread by anybody, or
// undecided among judges, which the score counts as not passed.
type NotJudged struct {
	Unread    []string `json:"unread"`
	Undecided []string `json:"undecided"`
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
			PassedTests:   []string{}, WarnedTests: []string{}, FailedTests: []string{},
			Swarm: Swarm{
				RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID,
				Domains: s.Domains, AcceptedCycle: s.AcceptedCycle,
				Score: s.Score, ShadowScore: s.Score.Percent(), Verdict: s.Verdict, Gate: s.Gate, Counts: s.Counts,
				NotJudged: NotJudged{Unread: []string{}, Undecided: []string{}},
				Advisory:  len(s.AdvisoryReasons) > 0, AdvisoryReasons: s.AdvisoryReasons, SealBroken: s.SealBroken != "",
				SpecVersion: r.SpecVersion, ConformanceLevel: r.Report.ConformanceLevel,
				WorkspaceIsolation: r.Report.WorkspaceIsolation, CheckerVersion: s.CheckerVersion,
				Report: resource(r.Report.ID, shadow.Digest(raw)),
			},
		},
	}
	st.Predicate.sort(s)
	return st
}

// sort files the criteria of a report by their outcome.
func (p *Predicate) sort(s *shadow.Swarm) {
	if s.SealBroken != "" { // the report names no criteria: everything counts
		for i := range min(s.Score.Total, shadow.MaxCriteria) {
			p.FailedTests = append(p.FailedTests, shadow.CriterionID(i))
		}
		return
	}
	for i := range min(len(s.Criteria), shadow.MaxCriteria) {
		c, why := &s.Criteria[i], &p.Swarm.NotJudged.Unread
		switch c.Outcome {
		case shadow.Passed:
			p.PassedTests = append(p.PassedTests, c.ID)
			continue
		case shadow.Failed:
			p.FailedTests = append(p.FailedTests, c.ID)
			continue
		case shadow.Undecided:
			why = &p.Swarm.NotJudged.Undecided
		}
		p.WarnedTests, *why = append(p.WarnedTests, c.ID), append(*why, c.ID)
	}
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

// resultOf goes by the level, since the gate of observe mode always says proceed. An
// advisory score, and one that was only observed, is WARNED at best: a reader of the
// result alone must not take it for a pass without reservation.
func resultOf(s *shadow.Swarm) Result {
	switch action := s.Score.Level().Action(); {
	case action != shadow.Proceed && action != shadow.Warn:
		return Failed
	case action == shadow.Proceed && len(s.AdvisoryReasons) == 0 && s.Gate.Enforced && s.Gate.Action == shadow.Proceed:
		return Passed
	}
	return Warned
}

// resource names what has a digest of the form "sha256:…".
func resource(name, digest string) Resource {
	return Resource{Name: name, Digest: Digest{strings.TrimPrefix(digest, "sha256:")}}
}

// Complete says what is missing or too many among the statements of runs: each
// run needs one for each of its domains, as many as its statements say that it
// has. If run is set, it is the only one that there may be.
func Complete(all []*Statement, run string) (wrong []error) {
	stated := map[string]int{} // by run, how many domains it has
	if run != "" {
		stated[run] = 1
	}
	for _, st := range all {
		s := &st.Predicate.Swarm
		stated[s.RunID] = max(stated[s.RunID], s.Domains)
	}
	for _, id := range slices.Sorted(maps.Keys(stated)) {
		there, domains := 0, map[string]bool{}
		for _, st := range all {
			if s := &st.Predicate.Swarm; s.RunID == id {
				there++
				domains[s.Domain] = true
			}
		}
		switch {
		case run != "" && id != run:
			wrong = append(wrong, fmt.Errorf("%d attestations of run %q among those of run %q", there, id, run))
		case there == 0:
			wrong = append(wrong, fmt.Errorf("no attestation that holds is of run %q", id))
		case len(domains) != stated[id] || there != len(domains):
			wrong = append(wrong, fmt.Errorf("run %q has %d domains: there are %d attestations, of %d of them", id, stated[id], there, len(domains)))
		}
	}
	return wrong
}
