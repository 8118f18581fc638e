package schemas

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var (
	sealed   = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	deadline = sealed.Add(time.Minute)
	tick     = &shadow.Place{Sequence: 9, Time: deadline.Add(time.Second)} // ends what has a deadline
)

// writer is an author that writes as much as it is asked for.
type writer struct{}

func (writer) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "writer", Model: shadow.Model{Model: "hand", Family: "pen"}}
}

func (writer) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	all := map[string]shadow.Draft{}
	for domain, n := range o.Count {
		var d shadow.Draft
		for i := range n {
			d.Criteria = append(d.Criteria, shadow.Material{Category: shadow.EdgeCase, Assertion: fmt.Sprintf("Limit %d holds", i), Expected: fmt.Sprintf("limit %d", i), Basis: "Build it"})
		}
		all[domain] = d
	}
	return all, nil
}

// A stage is one run with its domain "api", sealed under some settings.
type stage struct {
	t        *testing.T
	exam     *shadow.Exam
	policy   *shadow.Policy
	domains  []shadow.Domain
	evidence shadow.Evidence
}

func newStage(t *testing.T, change func(*shadow.Settings)) *stage {
	t.Helper()
	d := &shadow.Decomposition{
		RunID: "run-1", Task: "Build it", Requirements: []shadow.Requirement{{ID: "R-1", Text: "It is fast"}}, Specifier: &shadow.Model{Model: "s", Family: "spec"},
		Domains: []shadow.Domain{
			{Domain: "api", CommanderID: "c1", SubTasks: strings.Fields("Alpha Bravo Charlie Delta Echo Foxtrot Golf"), Implementer: &shadow.Model{Model: "m", Family: "impl"}},
			{Domain: "docs", CommanderID: "c2"},
		},
	}
	settings := &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 3, WorkspaceIsolation: "strict", MaxCycles: 1, Threshold: 15, EnforceGates: true},
		MaxCriteria: 10, FixTimeout: time.Minute, RunTimeout: time.Hour, DefaultScale: "ss-100",
		Categories: []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Security},
		Scales:     map[string]shadow.Scale{"ss-100": {Criteria: 8, Hardening: true}},
	}
	if change != nil {
		change(settings)
	}
	e, err := shadow.Seal(context.Background(), d, shadow.SealInput{
		Digest: shadow.Digest([]byte("d")), Settings: settings, Authors: []shadow.Author{writer{}}, Now: sealed, Rand: rand.NewChaCha8([32]byte{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment
	valid(t, shadow.EnvelopeSealed, c)
	exam, err := shadow.NewExam(e, &c)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, exam: exam, policy: &e.Policy, domains: d.Domains}
}

// judge judges a bundle of "api", or the next fix of it where prev is given. The
// judge fails so many of the questions.
func (s *stage) judge(fails int, prev *shadow.Report) *shadow.Report {
	s.t.Helper()
	s.evidence = shadow.Evidence{
		Submission: &shadow.Submission{RunID: "run-1", Bundle: shadow.Bundle{BundleID: "b1", Domain: "api", CommanderID: "c1", Status: "success",
			Content: "# Work\n\n" + strings.Repeat("A sentence about the whole of it.\n", 10), OpenTests: &shadow.OpenTests{TestTally: shadow.TestTally{Total: 2, Passed: 1, Failed: 1}}}},
		Raw: []byte("{}"), Digest: shadow.Digest([]byte("{}")), In: shadow.Place{Sequence: 7, Time: sealed.Add(time.Second)},
		Panel: shadow.PanelVotes{
			Judges: []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "judge", Model: shadow.Model{Model: "m-1", Family: "eye"}, Prompt: shadow.Digest(nil)}, Doubt: "d"},
				{AuthorRef: shadow.AuthorRef{Name: "file"}, Excluded: "e", Recorded: true}},
			Controls: shadow.Cost{Calls: 2},
		},
	}
	if prev != nil {
		s.evidence.Submission.Cycle = prev.Swarm.Cycle + 1
	}
	if fails > 4 {
		s.evidence.Submission.Bundle.Content += "\nTBD\n" // which the figures fail
	}
	for i, q := range s.exam.Questions(&s.evidence, false) {
		v := shadow.Vote{Judge: "judge", Outcome: shadow.Passed, Quote: "A sentence about the whole of it.", Calls: 1}
		if i < fails {
			v = shadow.Vote{Judge: "judge", Outcome: shadow.Failed, Actual: "it is not there", Calls: 1}
		}
		s.evidence.Panel.Ballots = append(s.evidence.Panel.Ballots, shadow.NewBallot(&q, []shadow.Vote{v}, 1))
	}
	return s.decide(prev)
}

// decide is the report on the evidence, of which all is valid that derives from it.
func (s *stage) decide(prev *shadow.Report) *shadow.Report {
	s.t.Helper()
	r := s.exam.Decide(s.evidence, prev, deadline)
	s.follow(r)
	return r
}

// follow checks a report and all that derives from it.
func (s *stage) follow(r *shadow.Report) {
	s.t.Helper()
	valid(s.t, shadow.GapReport, r)
	if r.Swarm.Hardening.Requested {
		valid(s.t, shadow.HardeningRequest, shadow.Request(r, s.policy, sealed))
		return
	}
	if n := shadow.Notice(r); n != nil {
		valid(s.t, shadow.BundleQuarantined, n)
	}
	other := *r
	other.Swarm.Domain = "docs"
	valid(s.t, shadow.RunScored, s.sum(shadow.Stored(r, shadow.Place{}), shadow.Stored(&other, shadow.Place{})))
	valid(s.t, shadow.RunScored, s.sum(shadow.Stored(r, shadow.Place{}), nil))
	valid(s.t, shadow.RunScored, s.sum(nil, nil))
}

// sum adds up the final reports of a run; a tick ends it where one is nil.
func (s *stage) sum(finals ...*shadow.StoredReport) *shadow.RunData {
	var end *shadow.Place
	if slices.Contains(finals, nil) {
		end = tick
	}
	return shadow.Sum(&s.exam.Envelope.Commitment, s.domains, finals, end)
}

// TestOutputsAreValid: what the protocol package makes is what the schemas describe,
// whatever the score, the settings and the course of hardening.
func TestOutputsAreValid(t *testing.T) {
	for name, change := range map[string]func(*shadow.Settings){
		"default":        nil,
		"1.0.0":          func(s *shadow.Settings) { s.SpecVersion, s.ConformanceLevel = "1.0.0", 2 },
		"level 4":        func(s *shadow.Settings) { s.ConformanceLevel = 4 },
		"observe":        func(s *shadow.Settings) { s.EnforceGates = false },
		"no hardening":   func(s *shadow.Settings) { s.MaxCycles = 0 },
		"two cycles":     func(s *shadow.Settings) { s.MaxCycles = 2 },
		"not walled":     func(s *shadow.Settings) { s.WorkspaceIsolation = "legacy" },
		"one criterion":  func(s *shadow.Settings) { s.MaxCriteria = 1 },
		"named category": func(s *shadow.Settings) { s.Categories = []shadow.Category{shadow.HappyPath, shadow.Completeness} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, fails := range []int{0, 1, 2, 3, 6, 99} {
				s := newStage(t, change)
				first := s.judge(fails, nil)
				for _, fixed := range []int{99, 3, 1, 0} {
					for prev := first; prev.Swarm.Hardening.Requested; {
						s.follow(shadow.TimedOut(s.policy, prev, deadline, tick, ""))
						s.follow(shadow.TimedOut(s.policy, prev, deadline, tick, "altered"))
						prev = s.judge(fixed, prev)
					}
				}
				s.follow(shadow.Broken(&s.exam.Envelope.Commitment, s.domains, s.evidence, nil, "altered"))
			}
		})
	}
}

// TestAdvisoryReportsAreValid: the same of reports with all that makes a score advisory.
func TestAdvisoryReportsAreValid(t *testing.T) {
	s := newStage(t, nil)
	r := s.judge(5, nil)
	s.evidence.BeforeSeal = true
	s.decide(nil)
	s.evidence.Submission.Bundle.Implementer = &shadow.Model{Family: "spec"}
	s.decide(nil)
	s.follow(shadow.Broken(&s.exam.Envelope.Commitment, s.domains, s.evidence, r, "altered"))
	for i := range s.evidence.Panel.Ballots {
		s.evidence.Panel.Ballots[i] = shadow.Ballot{About: s.evidence.Panel.Ballots[i].About, Outcome: shadow.Undecided, Configured: 1, Votes: []shadow.Vote{shadow.NoVote("judge", "timeout")}}
	}
	undecided := s.decide(nil).Swarm.Counts
	s.evidence.Panel = shadow.PanelVotes{}
	unread := s.decide(nil).Swarm.Counts
	s.evidence.Submission.Bundle.Delivery = []shadow.Account{{Item: "sub-task 1", Quote: "A sentence about the whole of it."}, {Item: "Sub-task 2", Undone: "no time"}, {Item: "sub-task 9", Undone: "what?"}}
	declared := s.decide(nil).Swarm
	if d := declared.Counts; undecided.Undecided != 7 || unread.Unread != 7 || d.Claimed != 1 || d.Declared != 1 || d.Unaccounted != 5 || len(declared.Notices) != 1 {
		t.Errorf("%+v %+v %+v, notices %q", undecided, unread, d, declared.Notices)
	}
}

// valid is the JSON of data that decoder and schema take.
func valid(t *testing.T, event string, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	err = json.Unmarshal(data, &doc)
	if err == nil {
		err = agree(t, event, data)
	}
	if err == nil {
		err = whole[event].Validate(doc)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", event, err, data)
	}
	return data
}

// TestReportRules: the rules that tie the fields of a report together are those of
// its schema alone. A change is of the report that asks for a fix: PATH=JSON, or
// -PATH for a field that goes.
func TestReportRules(t *testing.T) {
	for version, changes := range map[string][]string{
		"1.0.0": {
			`report/conformance_level=1`, `report/seal_broken=false`, `report/independence="strong"`, `report/implementer_family="f"`, `report/implementer_model="m"`,
			`report/seal_author_families=["f"]`, `report/seal_author_models=["m"]`, `report/specifier_family="f"`, `report/specifier_model="m"`, `report/spec_ambiguity=0.5`,
			`report/workspace_isolation="strict"`, `report/advisory=false`, `report/advisory_reason="r"`,
		},
		"2.0.0": {
			`-report/advisory`, `report/advisory=true swarm/advisory_reasons=["x"]`, `report/advisory=true report/advisory_reason="x"`, // each without the other
			`report/advisory_reason="x"`, `swarm/advisory_reasons=["x"]`, // without advisory
			`report/independence="weak"`, `report/seal_broken=true`, // but not advisory
			`report/seal_broken=true report/advisory=true report/advisory_reason="x" swarm/advisory_reasons=["x"]`, // without a why
			`report/conformance_level=4 -report/implementer_family`, `report/conformance_level=4 -report/specifier_family`,
			`swarm/final=true swarm/hardening/requested=false`, // but the gate is pending
			`swarm/hardening/requested=false`,                  // and not final
		},
	} {
		s := newStage(t, func(s *shadow.Settings) { s.SpecVersion = version })
		report := valid(t, shadow.GapReport, s.judge(5, nil))
		for _, change := range changes {
			var doc any
			if err := json.Unmarshal(report, &doc); err != nil {
				t.Fatal(err)
			}
			for part := range strings.FieldsSeq(change) {
				path, value, set := strings.Cut(strings.TrimPrefix(part, "-"), "=")
				steps := strings.Split(path, "/")
				in, last := doc.(map[string]any), len(steps)-1
				for _, step := range steps[:last] {
					in = in[step].(map[string]any)
				}
				var v any
				if delete(in, steps[last]); set {
					if err := json.Unmarshal([]byte(value), &v); err != nil {
						t.Fatal(err)
					}
					in[steps[last]] = v
				}
			}
			if whole[shadow.GapReport].Validate(doc) == nil || structure[shadow.GapReport].Validate(doc) != nil {
				t.Errorf("%s, %s: want it to be against a rule of several fields, and no other", version, change)
			}
		}
	}
}
