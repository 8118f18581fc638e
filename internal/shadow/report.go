package shadow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report is the data of gap-report: the Shadow Score Spec's report plus the object
// swarm. It carries sealed text and quotes untrusted text: it is never for a
// commander or the Nexus.
type Report struct {
	ScoreReport
	Swarm Swarm `json:"swarm"`
}

// ScoreReport is the Shadow Score Spec's report of a bundle, or of a test suite.
type ScoreReport struct {
	SpecVersion string      `json:"shadow_score_spec_version" is:"of=1.0.0|2.0.0"`
	Report      ReportHead  `json:"report"`
	SealedTests SealedTally `json:"sealed_tests"`
	OpenTests   *TestTally  `json:"open_tests,omitempty"`
	Failures    []Failure   `json:"failures" is:"max=50"`
	// Coverage is absent where no open tests are known.
	Coverage  map[Category]Coverage `json:"coverage_comparison,omitempty" is:";;of=happy_path|edge_case|error_handling|completeness|security|unknown"`
	Hardening *Hardening            `json:"hardening,omitempty"`
}

// SealedTally counts the sealed criteria of one report.
type SealedTally struct {
	Total  int `json:"total" is:"max=50"`
	Passed int `json:"passed" is:"max=50"`
	Failed int `json:"failed" is:"max=50"`
}

// Coverage counts the tests of one category.
type Coverage struct {
	Sealed int `json:"sealed" is:"max=50"`
	Open   int `json:"open" is:"max=100000000000"`
	Delta  int `json:"delta" is:"min=-100000000000,max=50"` // Sealed - Open
}

// ReportHead is the spec's object report. The fields behind SealedHash are those
// that spec version 2.0.0 adds. What is omitted when it is zero is always there in
// a gap report, and absent where the results of a test suite were scored.
type ReportHead struct {
	ID            string      `json:"id,omitzero" is:"report"` // run/domain/cycle
	Timestamp     time.Time   `json:"timestamp,omitzero" is:"required"`
	Specification string      `json:"specification"`             // the task
	ShadowScore   json.Number `json:"shadow_score" is:"max=100"` // percent, one decimal
	Level         Level       `json:"level"`
	SealedHash    string      `json:"sealed_hash,omitzero" is:"digest"`

	ConformanceLevel   int      `json:"conformance_level,omitempty" is:"max=4"`
	SealBroken         *bool    `json:"seal_broken,omitempty"`
	Independence       string   `json:"independence,omitempty" is:"of=strong|weak"` // strong or weak; absent where it cannot be told
	ImplementerFamily  string   `json:"implementer_family,omitempty"`
	ImplementerModel   string   `json:"implementer_model,omitempty"`
	SealAuthorFamilies []string `json:"seal_author_families,omitempty" is:"unique;min=1"`
	SealAuthorModels   []string `json:"seal_author_models,omitempty" is:"unique;min=1"`
	SpecifierFamily    string   `json:"specifier_family,omitempty"` // it may be a seal author's, but not unsaid
	SpecifierModel     string   `json:"specifier_model,omitempty"`
	WorkspaceIsolation string   `json:"workspace_isolation,omitempty" is:"of=strict|legacy"` // strict or legacy
	// SpecAmbiguity is the share, 0 to 1, of the requirements on which seal authors
	// contradict each other; absent with one author.
	SpecAmbiguity  json.Number `json:"spec_ambiguity,omitempty" is:"max=1"`
	Advisory       *bool       `json:"advisory,omitempty"`
	AdvisoryReason string      `json:"advisory_reason,omitempty"`
}

// Failure is one criterion that was not passed.
type Failure struct {
	TestName string   `json:"test_name" is:"criterion"` // the criterion's id
	Category Category `json:"category" is:"or=unknown"`
	Expected string   `json:"expected" is:"min=1"`
	Actual   string   `json:"actual"`
	Message  string   `json:"message"`
}

// Hardening is the spec's object hardening; spec version 2.0.0 adds its last two fields.
type Hardening struct {
	CyclesCompleted    int         `json:"cycles_completed" is:"max=10"`
	MaxCycles          int         `json:"max_cycles" is:"min=1,max=10"`
	InitialShadowScore json.Number `json:"initial_shadow_score" is:"max=100"`
	FinalShadowScore   json.Number `json:"final_shadow_score" is:"max=100"`
	HardeningVelocity  json.Number `json:"hardening_velocity,omitempty" is:"min=-100,max=100"` // points per cycle
	MaxReveal          string      `json:"max_reveal,omitempty" is:"of=message"`               // "message"; absent if nothing was revealed
}

// Swarm is what shadowd adds to the spec's report.
type Swarm struct {
	RunID       string `json:"run_id" is:"id"`
	Domain      string `json:"domain" is:"id"`
	BundleID    string `json:"bundle_id" is:"id"`
	CommanderID string `json:"commander_id" is:"id"`
	Scale       string `json:"scale" is:"of=ss-50|ss-100|ss-250"`
	Domains     int    `json:"domains" is:"min=1,max=500"` // of the run
	Cycle       int    `json:"cycle" is:"max=10"`          // 0 for the bundle, n for the n-th fix
	// Final is false while a fix is awaited: don't act on the report yet.
	Final         bool        `json:"final"`
	Score         Score       `json:"score"`
	Verdict       Word        `json:"verdict"`
	Gate          Gate        `json:"gate"`
	AcceptedCycle int         `json:"accepted_cycle" is:"max=10"` // whose bundle stands
	Cycles        []Cycle     `json:"cycles" is:"min=1,max=11"`
	Hardening     SwarmHarden `json:"hardening"`
	SealBroken    string      `json:"seal_broken,omitempty"` // why it counts as broken
	// AdvisoryReasons: one or more make the score advisory.
	AdvisoryReasons []string `json:"advisory_reasons,omitempty" is:"unique;min=1"`
	// LevelReasons say why the report claims no higher conformance level.
	LevelReasons []string `json:"level_reasons,omitempty" is:";level"`
	// OpenTestsBy is the commander that alone has run its open tests.
	OpenTestsBy string `json:"open_tests_stated_by,omitempty" is:"id"`
	// Criteria, in the order of their ids, and Items are of the bundle that stands.
	Criteria []CriterionVerdict `json:"criteria" is:"max=50"`
	Items    []ItemVerdict      `json:"items" is:"max=5000"`
	Counts   ItemCounts         `json:"counts"`
	// Judges are those that are configured; none where nobody reads.
	Judges []JudgeRef `json:"judges"`
	// Ballots are of the event that was judged, also where an earlier bundle stands.
	Ballots        []Ballot `json:"ballots,omitempty" is:"max=5050"`
	Controls       Cost     `json:"controls,omitzero"`
	Cost           *Cost    `json:"cost,omitempty"` // of all ballots and controls
	CheckerVersion string   `json:"checker_version"`
	// Unwalled: the run was sealed under strict isolation, and the wall was
	// not known to hold when this, or a cycle before it, was judged.
	Unwalled     bool     `json:"unwalled,omitempty"`
	In           Place    `json:"in"`
	BundleDigest string   `json:"bundle_digest" is:"digest"`       // of the event that was judged
	Notices      []string `json:"notices,omitempty" is:"max=5021"` // that its author should know
}

// Word is the verdict of a report in one word: a level, where all was judged or what
// was judged is bad enough, else unread, undecided or seal_broken.
type Word string

// The words that are no levels.
const (
	WordUnread     Word = "unread"
	WordUndecided  Word = "undecided"
	WordSealBroken Word = "seal_broken"
)

// Rule lists the words, for the decoder.
func (Word) Rule() string {
	return wordRule(Word(Perfect), Word(Minor), Word(Moderate), Word(Significant), Word(Critical), WordUnread, WordUndecided, WordSealBroken)
}

// CriterionVerdict is what became of one criterion, without sealed text.
type CriterionVerdict struct {
	ID       string   `json:"test_name" is:"criterion"`
	Category Category `json:"category" is:"or=unknown"`
	Kind     Kind     `json:"kind"`
	// About is what it is about, in words that the assignment has: the names of
	// items, or the sentence that it rests on.
	About   string  `json:"about"`
	Outcome Outcome `json:"outcome" is:"or=unread"`
	By      string  `json:"by,omitempty"`
	// Line of the content that decides, from 1; 0 where there is none.
	Line int `json:"line,omitempty"`
}

// Gate is what consensus services should do with the bundle.
type Gate struct {
	Action Action `json:"action"`
	Reason string `json:"reason" is:"min=1"`
	// Because lists what the action follows from.
	Because []string `json:"because" is:"min=1,max=5,unique;of=level|missing|declared|unread|undecided|seal_broken|fix_awaited"`
	// Enforced is false in observe mode, where every gate says proceed.
	Enforced bool `json:"enforced"`
}

// Cycle is the outcome of one submission.
type Cycle struct {
	Cycle int   `json:"cycle" is:"max=10"`
	Score Score `json:"score"`
	// Kept is false for a fix that was worse than what stood before.
	Kept         bool   `json:"kept"`
	BundleDigest string `json:"bundle_digest" is:"digest"`
}

// SwarmHarden tells where hardening stands.
type SwarmHarden struct {
	// Requested: a fix is asked for with this report.
	Requested bool `json:"requested"`
	// Deadline of the fix that this report answers, or whose absence it states.
	Deadline *time.Time `json:"deadline,omitempty"`
	TimedOut bool       `json:"timed_out"`
	// Tick is the one in IN that ended the deadline, where no fix came before it.
	Tick *Place `json:"tick,omitempty"`
	// Regressed: a fix was worse, and the earlier bundle stands.
	Regressed bool `json:"regressed"`
	// Escalate are the ids that still fail after the last cycle: they need
	// a human.
	Escalate []string `json:"escalate,omitempty" is:"max=50,unique;criterion"`
}

// Place is where an event stands in the stream IN.
type Place struct {
	Sequence uint64    `json:"sequence" is:"min=1"`
	Time     time.Time `json:"time"`
}

// finish derives what follows from the facts of a report: the numbers to show,
// the level that it may claim, and the fields that its spec version has.
func (r *Report) finish(p *Policy) {
	s := &r.Swarm
	r.SpecVersion = p.SpecVersion
	r.Report.ID = fmt.Sprintf("%s/%s/%d", s.RunID, s.Domain, s.Cycle)
	r.Report.ShadowScore = s.Score.Percent()
	r.Report.Level = s.Score.Level()
	s.Verdict = s.word()
	r.SealedTests = SealedTally{Total: s.Score.Total, Passed: s.Score.Total - s.Score.Failed, Failed: s.Score.Failed}
	r.Hardening = nil
	if p.MaxCycles > 0 {
		r.Hardening = s.hardening(p)
	}
	if r.Failures == nil {
		r.Failures = []Failure{}
	}
	if p.SpecVersion == "1.0.0" {
		r.InVersion1()
		s.LevelReasons = nil
		return
	}
	r.claimLevel(p)
	broken, advisory := s.SealBroken != "", len(s.AdvisoryReasons) > 0
	r.Report.SealBroken, r.Report.Advisory = &broken, &advisory
	r.Report.AdvisoryReason = strings.Join(s.AdvisoryReasons, "; ")
	r.Report.WorkspaceIsolation = p.WorkspaceIsolation
	if s.Unwalled {
		r.Report.WorkspaceIsolation = IsolationLegacy
	}
}

// InVersion1 leaves what version 1.0.0 of the spec knows.
func (r *ScoreReport) InVersion1() {
	h := &r.Report
	r.SpecVersion = "1.0.0"
	r.Report = ReportHead{ID: h.ID, Timestamp: h.Timestamp, Specification: h.Specification, ShadowScore: h.ShadowScore, Level: h.Level, SealedHash: h.SealedHash}
	if r.Hardening != nil {
		r.Hardening.HardeningVelocity, r.Hardening.MaxReveal = "", ""
	}
}

// claimLevel sets the conformance level that this report truly meets, up to the
// policy's, and why it is no higher.
func (r *Report) claimLevel(p *Policy) {
	s := &r.Swarm
	level, reasons := p.ConformanceLevel, slices.Clone(s.LevelReasons)
	atMost := func(n int, why string, holds bool) {
		if holds {
			level, reasons = min(level, n), appendNew(reasons, fmt.Sprintf("level %d: %s", n, why))
		}
	}
	if len(reasons) > 0 {
		level = min(level, 3)
	}
	atMost(p.ConformanceLevel, "the configuration allows no more", p.ConformanceLevel < 4)
	atMost(2, "the run has no hardening", p.MaxCycles == 0)
	atMost(2, "only shadowd wrote criteria, from the assignment: they can be guessed", s.guessable())
	atMost(1, "a replay: the work is older than the criteria", p.Replay)
	atMost(1, "the bus is not walled", p.WorkspaceIsolation != IsolationStrict || s.Unwalled)
	atMost(1, "the seal is broken", s.SealBroken != "")
	atMost(1, BeforeSeal, slices.Contains(s.AdvisoryReasons, BeforeSeal))
	r.Report.ConformanceLevel, s.LevelReasons = level, reasons
}

// Item is the verdict on an item, or nil.
func (s *Swarm) Item(name string) *ItemVerdict {
	return find(s.Items, func(v *ItemVerdict) bool { return v.Name == name })
}

// Criterion is the verdict on a criterion, or nil.
func (s *Swarm) Criterion(id string) *CriterionVerdict {
	return find(s.Criteria, func(c *CriterionVerdict) bool { return c.ID == id })
}

// hardening sums the cycles up in the spec's terms. A fix that never came is
// no cycle.
func (s *Swarm) hardening(p *Policy) *Hardening {
	first, n := s.Cycles[0].Score, len(s.Cycles)-1
	h := &Hardening{
		CyclesCompleted:    n,
		MaxCycles:          p.MaxCycles,
		InitialShadowScore: first.Percent(),
		FinalShadowScore:   s.Score.Percent(),
		HardeningVelocity:  "0.0",
	}
	if s.Cycle > 0 || s.Hardening.Requested {
		h.MaxReveal = "message"
	}
	if n > 0 {
		h.HardeningVelocity = velocity(first, s.Score, n)
	}
	return h
}

// guessable tells whether nothing was asked that the assignment does not name.
// Where no criterion is known, nothing is said.
func (s *Swarm) guessable() bool {
	return len(s.Criteria) > 0 && !slices.ContainsFunc(s.Criteria, func(c CriterionVerdict) bool { return c.Kind == AskWritten })
}
