package schemas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var (
	sealed   = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	deadline = sealed.Add(time.Minute)
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
		RunID:        "run-1",
		Task:         "Build it",
		Requirements: []shadow.Requirement{{ID: "R-1", Text: "It is fast"}},
		Specifier:    &shadow.Model{Model: "s", Family: "spec"},
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
	c := e.Commitment()
	valid(t, shadow.EnvelopeSealed, c)
	exam, err := shadow.NewExam(e, &c)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, exam: exam, policy: &e.Policy, domains: d.Domains}
}

// judge judges a bundle of "api" that passes so many of eight criteria, or
// the next fix of it where prev is given.
func (s *stage) judge(passes int, prev *shadow.Report) *shadow.Report {
	s.t.Helper()
	b := shadow.Bundle{BundleID: "b1", Domain: "api", CommanderID: "c1", Status: "success", Content: "# Work\n\n" + strings.Repeat("A sentence about the whole of it.\n", 10),
		OpenTests: &shadow.OpenTests{Total: 2, Passed: 1, Failed: 1}}
	failed := s.fails(passes, &b)
	s.evidence = shadow.Evidence{
		Submission: &shadow.Submission{RunID: "run-1", Bundle: b}, Raw: []byte("{}"), Digest: shadow.Digest([]byte("{}")),
		In: shadow.Place{Sequence: 7, Time: sealed.Add(time.Second)},
	}
	if prev != nil {
		s.evidence.Submission.Cycle = prev.Swarm.Cycle + 1
	}
	s.evidence.Panel = shadow.PanelVotes{Judges: []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "judge", Model: shadow.Model{Model: "m-1", Family: "eye"}, Prompt: shadow.Digest(nil)}, Doubt: "d"},
		{AuthorRef: shadow.AuthorRef{Name: "file"}, Excluded: "e", Recorded: true}}, Controls: shadow.Cost{Calls: 2}}
	for _, q := range s.exam.Questions(&s.evidence, false) {
		v := shadow.Vote{Judge: "judge", Outcome: shadow.Passed, Quote: "A sentence about the whole of it.", Calls: 1}
		if slices.Contains(failed, q.About()) {
			v = shadow.Vote{Judge: "judge", Outcome: shadow.Failed, Actual: "it is not there", Calls: 1}
		}
		s.evidence.Panel.Ballots = append(s.evidence.Panel.Ballots, shadow.NewBallot(&q, []shadow.Vote{v}, 1))
	}
	r := s.exam.Decide(s.evidence, prev, deadline)
	if r.Swarm.Score.Total-r.Swarm.Score.Failed != passes && s.policy.Scale != "" && r.Swarm.AcceptedCycle == r.Swarm.Cycle && r.Swarm.Score.Total == 8 {
		s.t.Fatalf("%d of 8 are passed, want %d", r.Swarm.Score.Total-r.Swarm.Score.Failed, passes)
	}
	s.follow(r)
	return r
}

// fails names what a judge fails so that all but the first criteria fail, and has
// the bundle fail the one on figures.
func (s *stage) fails(passes int, b *shadow.Bundle) (about []string) {
	for i, c := range s.exam.Envelope.Criteria {
		m := c.Material["api"]
		switch {
		case i < passes:
		case m.Kind == shadow.AskItems:
			about = append(about, m.Items[0])
		case m.Kind == shadow.AskFigures:
			b.Content += "\nTBD\n"
		default:
			about = append(about, c.ID)
		}
	}
	return about
}

// follow checks a report and all that derives from it.
func (s *stage) follow(r *shadow.Report) {
	s.t.Helper()
	validReport(s.t, r)
	if r.Swarm.Hardening.Requested {
		valid(s.t, shadow.HardeningRequest, shadow.Request(r, s.policy, sealed))
		return
	}
	if n := shadow.Notice(r); n != nil {
		valid(s.t, shadow.BundleQuarantined, n)
	}
	other := *r
	other.Swarm.Domain = "docs"
	valid(s.t, shadow.RunScored, s.sum(r, &other))
	valid(s.t, shadow.RunScored, s.sum(r, nil))
	valid(s.t, shadow.RunScored, s.sum(nil, nil))
}

// sum adds up the final reports of a run; a tick ends it where one is nil.
func (s *stage) sum(finals ...*shadow.Report) *shadow.RunData {
	stored, end := make([]*shadow.StoredReport, len(finals)), (*shadow.Place)(nil)
	for i, r := range finals {
		if r == nil {
			end = tick
		} else {
			stored[i] = shadow.Stored(r, shadow.Place{})
		}
	}
	return shadow.Sum(&s.exam.Commitment, s.domains, stored, end)
}

// reviewed is the sum of a run with a reviewed report.
func (s *stage) reviewed(r *shadow.Report) *shadow.RunData {
	stored := shadow.Stored(r, shadow.Place{})
	stored.Reviews = []shadow.ReviewLine{{By: "anna", Verdict: shadow.ReviewItems, Gate: shadow.Proceed, Sequence: 7}}
	return shadow.Sum(&s.exam.Commitment, s.domains, []*shadow.StoredReport{stored, nil}, tick)
}

// review is one of an item.
var review = &shadow.Review{RunID: "run-1", Domain: "api", By: "anna", Cycle: 1, ReportDigest: shadow.Digest(nil), Verdict: shadow.ReviewItems,
	Found: []shadow.Reviewed{{About: "sub-task 1", State: shadow.ItemFound, Line: 3, Because: "it is there"}}, Because: "I have read all of it"}

// tick ends what has a deadline.
var tick = &shadow.Place{Sequence: 9, Time: deadline.Add(time.Second)}

var settings = map[string]func(*shadow.Settings){
	"default":        nil,
	"1.0.0":          func(s *shadow.Settings) { s.SpecVersion, s.ConformanceLevel = "1.0.0", 2 },
	"observe":        func(s *shadow.Settings) { s.EnforceGates = false },
	"no hardening":   func(s *shadow.Settings) { s.MaxCycles = 0 },
	"two cycles":     func(s *shadow.Settings) { s.MaxCycles = 2 },
	"not walled":     func(s *shadow.Settings) { s.WorkspaceIsolation = "legacy" },
	"one criterion":  func(s *shadow.Settings) { s.MaxCriteria = 1 },
	"named category": func(s *shadow.Settings) { s.Categories = []shadow.Category{shadow.HappyPath, shadow.Completeness} },
}

// What the protocol package makes is what the schemas describe, whatever the
// score, the settings and the course of hardening.
func TestOutputsAreValid(t *testing.T) {
	for name, change := range settings {
		t.Run(name, func(t *testing.T) {
			for passes := range 9 {
				s := newStage(t, change)
				first := s.judge(min(passes, len(s.exam.Envelope.Criteria)), nil)
				for _, fixed := range []int{0, 4, 7, 8} { // worse, as it was, better, best
					for prev := first; prev.Swarm.Hardening.Requested; {
						s.follow(shadow.TimedOut(s.policy, prev, deadline, tick, ""))
						s.follow(shadow.TimedOut(s.policy, prev, deadline, tick, "altered"))
						prev = s.judge(fixed, prev)
					}
				}
				s.follow(shadow.Broken(&s.exam.Commitment, s.domains, s.evidence, nil, "altered"))
			}
		})
	}
}

// Reports with everything that makes a score advisory.
func TestAdvisoryReportsAreValid(t *testing.T) {
	s := newStage(t, nil)
	r := s.judge(3, nil)
	s.evidence.BeforeSeal = true
	s.follow(s.exam.Decide(s.evidence, nil, deadline))
	s.evidence.Submission.Bundle.Implementer = &shadow.Model{Family: "spec"}
	s.follow(s.exam.Decide(s.evidence, nil, deadline))
	s.follow(shadow.Broken(&s.exam.Commitment, s.domains, s.evidence, r, "altered"))
	for i := range s.evidence.Panel.Ballots {
		s.evidence.Panel.Ballots[i] = shadow.Ballot{About: s.evidence.Panel.Ballots[i].About, Outcome: shadow.Undecided, Configured: 1, Votes: []shadow.Vote{shadow.NoVote("judge", "timeout")}}
	}
	undecided := s.exam.Decide(s.evidence, nil, deadline)
	s.follow(undecided)
	s.evidence.Panel = shadow.PanelVotes{}
	unread := s.exam.Decide(s.evidence, nil, deadline)
	s.follow(unread)
	s.evidence.Submission.Bundle.Delivery = []shadow.Account{{Item: "sub-task 1", Quote: "A sentence about the whole of it."}, {Item: "Sub-task 2", Undone: "no time"}, {Item: "sub-task 9", Undone: "what?"}}
	declared := s.exam.Decide(s.evidence, nil, deadline)
	s.follow(declared)
	if u, d := unread.Swarm.Counts, declared.Swarm.Counts; undecided.Swarm.Counts.Undecided != 7 || u.Unread != 7 || d.Claimed != 1 || d.Declared != 1 || d.Unaccounted != 5 || len(declared.Swarm.Notices) != 1 {
		t.Errorf("%+v %+v %+v, notices %q", undecided.Swarm.Counts, u, d, declared.Swarm.Notices)
	}
}

// Level 4 asks for more fields; a bundle with a named implementer has them.
func TestLevel4ReportsAreValid(t *testing.T) {
	s := newStage(t, func(s *shadow.Settings) { s.ConformanceLevel = 4 })
	for passes := range 9 {
		s.judge(passes, nil)
	}
}

func TestRejectionsAreValid(t *testing.T) {
	for _, reason := range constants(t, "reject.go", "Reason") {
		r := shadow.Rejection{
			Reason: shadow.Reason(reason), Message: "m", Resubmit: shadow.Reason(reason).Hint(),
			Subject: "swarm.bundle-complete.r.c", Stream: "IN", In: shadow.Place{Sequence: 1, Time: sealed},
		}
		valid(t, shadow.EventRejected, r)
		r.EventID, r.RunID = "e", "r"
		valid(t, shadow.EventRejected, r)
	}
}

func valid(t *testing.T, event string, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := agree(t, event, data); err != nil {
		t.Fatalf("%s: %v\n%s", event, err, data)
	}
	return data
}

// validReport holds a report against the public schema too, where that is at
// hand and knows the categories.
func validReport(t *testing.T, r *shadow.Report) {
	t.Helper()
	data := string(valid(t, shadow.GapReport, r))
	if strings.Contains(data, `"completeness"`) {
		return
	}
	raw, err := os.ReadFile("../../shared/conformance/shadow-report.schema.json")
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var doc, report any
	for text, v := range map[string]*any{string(raw): &doc, data: &report} {
		if *v, err = jsonschema.UnmarshalJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:public", doc); err != nil {
		t.Fatal(err)
	}
	public, err := c.Compile("urn:public")
	if err != nil {
		t.Fatal(err)
	}
	if err := public.Validate(report); err != nil {
		t.Fatalf("the public schema: %v\n%s", err, data)
	}
}

// outputs has one of each kind, of a report that asks for a fix.
func (s *stage) outputs(r *shadow.Report) map[string]any {
	timedOut := shadow.TimedOut(s.policy, r, deadline, tick, "")
	all := map[string]any{
		shadow.EnvelopeSealed:   s.exam.Commitment,
		shadow.GapReport:        r,
		shadow.HardeningRequest: shadow.Request(r, s.policy, sealed),
		shadow.DomainSettled:    shadow.SettledDomains("run-1", s.domains, deadline)[0],
		shadow.Tick:             shadow.TickData{Due: deadline},
		shadow.RunScored:        s.reviewed(timedOut),
		shadow.EnvelopeOpened:   shadow.OpeningData{RunID: "run-1", Opening: 1, OpenedAt: sealed, By: "op@host", SealedHash: s.exam.Commitment.SealedHash},
		shadow.EventRejected:    shadow.Rejection{Reason: shadow.Late, Message: "m", Resubmit: "r", Subject: "s", Stream: "IN", In: shadow.Place{Sequence: 1, Time: sealed}},
	}
	d, refused := timedOut.Review(s.policy, review.ReportDigest, review, shadow.Place{Sequence: 7, Time: sealed}, "UANNA")
	if refused != nil {
		s.t.Fatal(refused)
	}
	all[shadow.RunReviewed] = d
	if n := shadow.Notice(timedOut); n != nil {
		all[shadow.BundleQuarantined] = n
	}
	return all
}

// fullEvents are the data of an event of each kind.
func fullEvents(t *testing.T) map[string][]byte {
	all := map[string][]byte{}
	for event, text := range full {
		all[event] = []byte(text)
	}
	s := newStage(t, nil)
	for event, v := range s.outputs(s.judge(4, nil)) {
		all[event] = valid(t, event, v)
	}
	return all
}

// Of an output with every field, none that is required may go and none may
// come.
func TestOutputsAreClosed(t *testing.T) {
	s := newStage(t, nil)
	n := 0
	for event, v := range s.outputs(s.judge(4, nil)) {
		var doc map[string]any
		if err := json.Unmarshal(valid(t, event, v), &doc); err != nil {
			t.Fatal(err)
		}
		optional := []string{"open_tests", "open_tests_stated_by", "hardening", "deadline", "tick", "escalate", "model", "family", "implementer_family", "implementer_model", "seal_author_families", "seal_author_models", "specifier_family", "specifier_model", "independence", "max_reveal", "level_reasons", "undecided", "line", "by", "quote", "why", "actual", "prompt", "excluded", "doubt", "recorded", "controls", "cost", "ballots", "notices", "unassigned_requirements", "review", "found", "because", "signed_by",
			"workspace_isolation", "advisory", "conformance_level", "seal_broken", "hardening_velocity"}
		eachName(doc, func(o map[string]any, name string) {
			value := o[name]
			if name == "message" && o["state"] != nil { // of an item
				return
			}
			for _, opt := range optional {
				if name == opt {
					return
				}
			}
			n++
			delete(o, name)
			refusedValue(t, event, doc, name+": is missing")
			o[name] = value
			o["extra"] = 1
			refusedValue(t, event, doc, "extra: is unknown")
			delete(o, "extra")
		})
	}
	if n < 100 {
		t.Errorf("only %d fields tried", n)
	}
}

// The rules that tie the fields of a report together are those of its schema alone.
func TestReportRules(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		change        func(report, swarm map[string]any)
	}{
		{"conformance_level in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["conformance_level"] = 1 }},
		{"seal_broken in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["seal_broken"] = false }},
		{"independence in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["independence"] = "strong" }},
		{"implementer_family in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["implementer_family"] = "f" }},
		{"seal_author_families in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["seal_author_families"] = []any{"f"} }},
		{"workspace_isolation in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["workspace_isolation"] = "strict" }},
		{"advisory in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["advisory"] = false }},
		{"advisory_reason in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["advisory_reason"] = "r" }},
		{"no advisory in 2.0.0", "2.0.0", func(r, _ map[string]any) { delete(r, "advisory") }},
		{"advisory without reason", "2.0.0", func(r, s map[string]any) { r["advisory"], s["advisory_reasons"] = true, []any{"x"} }},
		{"advisory without reasons", "2.0.0", func(r, s map[string]any) { r["advisory"], r["advisory_reason"] = true, "x" }},
		{"reason without advisory", "2.0.0", func(r, _ map[string]any) { r["advisory_reason"] = "x" }},
		{"reasons without advisory", "2.0.0", func(_, s map[string]any) { s["advisory_reasons"] = []any{"x"} }},
		{"implementer_model in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["implementer_model"] = "m" }},
		{"seal_author_models in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["seal_author_models"] = []any{"m"} }},
		{"specifier_family in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["specifier_family"] = "m" }},
		{"spec_ambiguity in 1.0.0", "1.0.0", func(r, _ map[string]any) { r["spec_ambiguity"] = 0.5 }},
		{"weak but not advisory", "2.0.0", func(r, _ map[string]any) { r["independence"] = "weak" }},
		{"broken but not advisory", "2.0.0", func(r, _ map[string]any) { r["seal_broken"] = true }},
		{"broken without a why", "2.0.0", func(r, s map[string]any) {
			r["seal_broken"], r["advisory"], r["advisory_reason"], s["advisory_reasons"] = true, true, "x", []any{"x"}
		}},
		{"level 4 without a family", "2.0.0", func(r, _ map[string]any) { r["conformance_level"] = 4; delete(r, "implementer_family") }},
		{"level 4 without the specifier's", "2.0.0", func(r, _ map[string]any) { r["conformance_level"] = 4; delete(r, "specifier_family") }},
		{"final but pending", "2.0.0", func(_, s map[string]any) { s["final"] = true; s["hardening"].(map[string]any)["requested"] = false }},
		{"not final, no fix asked", "2.0.0", func(_, s map[string]any) { s["hardening"].(map[string]any)["requested"] = false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, func(s *shadow.Settings) { s.SpecVersion = tt.version })
			var doc map[string]any
			if err := json.Unmarshal(valid(t, shadow.GapReport, s.judge(4, nil)), &doc); err != nil {
				t.Fatal(err)
			}
			tt.change(doc["report"].(map[string]any), doc["swarm"].(map[string]any))
			if err := compiled()[shadow.GapReport].Validate(doc); err == nil || !ofSeveral(err) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A count in an output is at most what a run can have: what is derived from a
// forged report has a bounded size.
func TestCountsAreBounded(t *testing.T) {
	s := newStage(t, nil)
	final := shadow.TimedOut(s.policy, s.judge(4, nil), deadline, tick, "")
	outputs := map[string]any{
		shadow.GapReport:         s.judge(4, nil),
		shadow.HardeningRequest:  shadow.Request(s.judge(4, nil), s.policy, sealed),
		shadow.BundleQuarantined: shadow.Notice(final),
		shadow.EnvelopeSealed:    s.exam.Commitment,
		shadow.RunScored:         s.sum(final, nil),
	}
	const criteria = shadow.MaxCriteria
	for _, c := range []struct {
		event, path string
		most        int
	}{
		{shadow.GapReport, "sealed_tests/passed", criteria}, {shadow.GapReport, "open_tests/total", 1e9}, {shadow.GapReport, "swarm/score/total", criteria}, {shadow.GapReport, "swarm/score/failed", criteria},
		{shadow.GapReport, "swarm/cycles/0/score/total", criteria}, {shadow.GapReport, "swarm/cycles/0/cycle", 10}, {shadow.GapReport, "swarm/cycle", 10},
		{shadow.GapReport, "swarm/accepted_cycle", 10}, {shadow.GapReport, "swarm/domains", 500}, {shadow.GapReport, "swarm/counts/items", 2_500_000}, {shadow.GapReport, "swarm/counts/missing", 2_500_000},
		{shadow.GapReport, "hardening/cycles_completed", 10}, {shadow.GapReport, "hardening/max_cycles", 10},
		{shadow.HardeningRequest, "cycle", 10}, {shadow.BundleQuarantined, "cycle", 10},
		{shadow.EnvelopeSealed, "criteria_by_domain/0", criteria}, {shadow.EnvelopeSealed, "policy/max_cycles", 10},
		{shadow.RunScored, "domains/0/score/total", criteria}, {shadow.RunScored, "domains/0/initial/failed", criteria}, {shadow.RunScored, "domains/0/cycle", 10},
		{shadow.RunScored, "counts/items", 2_500_000}, {shadow.RunScored, "domains/0/counts/found", 2_500_000},
	} {
		var doc any
		if err := json.Unmarshal(valid(t, c.event, outputs[c.event]), &doc); err != nil {
			t.Fatal(err)
		}
		path := strings.Split(c.path, "/")
		in := doc
		for _, p := range path[:len(path)-1] {
			if list, ok := in.([]any); ok {
				in = list[0]
			} else {
				in = in.(map[string]any)[p]
			}
		}
		set := func(n int) {
			if list, ok := in.([]any); ok {
				list[0] = n
			} else {
				in.(map[string]any)[path[len(path)-1]] = n
			}
		}
		set(c.most)
		valid(t, c.event, doc)
		set(c.most + 1)
		refusedValue(t, c.event, doc, fmt.Sprintf("/%s: %d is above the maximum, %d", c.path, c.most+1, c.most))
	}
	for path, list := range map[string]int{"failures": criteria, "swarm/criteria": criteria, "swarm/cycles": 11, "swarm/items": 5000} {
		doc := map[string]any{}
		if err := json.Unmarshal(valid(t, shadow.GapReport, outputs[shadow.GapReport]), &doc); err != nil {
			t.Fatal(err)
		}
		in, name := doc, path
		if inner, ok := strings.CutPrefix(path, "swarm/"); ok {
			in, name = doc["swarm"].(map[string]any), inner
		}
		one := append(in[name].([]any), map[string]any{})[:1]
		in[name] = slices.Repeat(one, list+1)
		refusedValue(t, shadow.GapReport, doc, fmt.Sprintf("/%s: has %d items, at most %d are allowed", path, list+1, list))
	}
}

func refusedValue(t *testing.T, event string, v any, want string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, event, string(data), want)
}

// A report of a run with several authors and tests by category is valid.
func TestFullReport(t *testing.T) {
	s := newStage(t, nil)
	s.exam.Envelope.Ambiguity = &shadow.Ambiguity{Disputed: []string{"R-1"}, Requirements: 3}
	s.judge(8, nil) // for its evidence
	s.evidence.Submission.Bundle.OpenTests.ByCategory = map[shadow.Category]shadow.TestTally{shadow.HappyPath: {Total: 2}, "smoke": {Total: 1}}
	r := s.exam.Decide(s.evidence, nil, deadline)
	valid(t, shadow.GapReport, r)
	if len(r.Coverage) == 0 || r.Report.SpecAmbiguity != "0.3333" || len(r.Report.SealAuthorModels) != 1 || r.Report.ImplementerModel == "" {
		t.Errorf("report %+v, coverage %v", r.Report, r.Coverage)
	}
	old := newStage(t, func(s *shadow.Settings) { s.SpecVersion = "1.0.0" })
	old.exam.Envelope.Ambiguity = s.exam.Envelope.Ambiguity
	if r := old.judge(8, nil); r.Report.SpecAmbiguity != "" || r.Report.SealAuthorModels != nil || r.Report.ImplementerModel != "" {
		t.Errorf("a 1.0.0 report: %+v", r.Report)
	}
}
