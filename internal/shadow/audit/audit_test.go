package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// words is an author of criteria that ask for one word each. Judges decide the
// last one, programs the others.
type words struct{}

func (words) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "words", Model: shadow.Model{Family: "rules"}}
}

func (words) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	var d shadow.Draft
	for i, word := range []string{"worda", "wordb", "wordc"} {
		m := shadow.Material{Category: shadow.EdgeCase, Assertion: "The text has the word " + word, Expected: "one mention of " + word, Items: []string{"sub-task 1"}}
		if i < 2 {
			m.Check = fmt.Sprintf("text.contains(%q)", word)
		}
		d.Criteria = append(d.Criteria, m)
	}
	return map[string]shadow.Draft{"one": d}, nil
}

// stored is a run as it lies in the log, to be corrupted by tests.
type stored struct {
	t       *testing.T
	log     *Log
	now     time.Time
	out, in uint64
}

func (s *stored) message(stream, subject string, a shadow.Address, cause string, at time.Time, data any) *Message {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	m := &Message{Stream: stream, Time: s.now, Subject: subject, Address: a, ID: subject, WantID: subject, Type: shadow.Type(a.Name), Cause: cause, EventTime: at, Data: encode(data)}
	m.Raw, m.Digest = m.Data, shadow.Digest(m.Data)
	if stream == In {
		s.in++
		m.Sequence = s.in
		s.log.In = append(s.log.In, m)
	} else {
		s.out++
		m.Sequence = s.out
		s.log.Out = append(s.log.Out, m)
	}
	return m
}

// submission stores a bundle, or its fix, whose text has these words.
func (s *stored) submission(name string, cycle int, content string) *Message {
	b := shadow.Bundle{BundleID: "b-1", Domain: "one", CommanderID: "cmd-1", Status: "success", Content: content}
	data := map[string]any{"run_id": "run-1", "bundle_id": "b-1", "domain": "one", "commander_id": "cmd-1", "status": "success", "content": content}
	if name == shadow.FixSubmitted {
		data = map[string]any{"run_id": "run-1", "bundle_id": "b-1", "domain": "one", "commander_id": "cmd-1", "cycle": cycle, "bundle": b}
	}
	m := s.message(In, name, shadow.Address{Name: name, Run: "run-1", Commander: "cmd-1", Author: "cmd-1"}, "", time.Time{}, data)
	m.Submission = &shadow.Submission{RunID: "run-1", Cycle: cycle, Bundle: b}
	return m
}

// tick stores a tick at a moment.
func (s *stored) tick(at time.Time) *Message {
	s.now = at.Add(-time.Second)
	return s.message(In, fmt.Sprint("tick.", at.UnixMilli()), shadow.Address{Name: shadow.Tick, Sequence: uint64(at.UnixMilli())}, "", time.Time{}, shadow.TickData{Due: at})
}

// panel is what three judges say of a submission, the first of which has no vote.
// They fail what names one of some matters, and pass the rest.
func panel(x *shadow.Exam, ev shadow.Evidence, fail ...string) shadow.PanelVotes {
	p := shadow.PanelVotes{Controls: shadow.Cost{Calls: 2, Tokens: 50}}
	for i, name := range []string{"obeys", "reads", "reads-too"} {
		ref := shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: name, Model: shadow.Model{Model: fmt.Sprint("m-", i), Family: "judges"}}}
		if i == 0 {
			ref.Excluded = "it passes an item that nothing holds"
		}
		p.Judges = append(p.Judges, ref)
	}
	for _, q := range x.Questions(&ev, false) {
		votes := []shadow.Vote{{Judge: "obeys", Outcome: shadow.Undecided, Why: "excluded"}}
		for _, name := range []string{"reads", "reads-too"} {
			v := shadow.Vote{Judge: name, Outcome: shadow.Passed, Quote: "is described here at some length", Calls: 1, Tokens: 100}
			if slices.ContainsFunc(fail, func(matter string) bool { return strings.Contains(q.Text(), matter) }) {
				v.Outcome, v.Quote, v.Actual = shadow.Failed, "", "the part is not described"
			}
			votes = append(votes, q.Admit(v))
		}
		p.Ballots = append(p.Ballots, shadow.NewBallot(&q, votes, 3))
	}
	return p
}

// cleanRun is a run of one domain whose first bundle misses a half of the
// criteria and whose fix meets all of them.
func cleanRun(t *testing.T) *stored { return cleanRunIn(t, "2.0.0") }

// cleanRunIn is that run reported in a version of the spec, by an envelope that
// was changed before it was committed to.
func cleanRunIn(t *testing.T, version string, changes ...func(*shadow.Envelope)) *stored {
	t.Helper()
	s := &stored{t: t, now: time.Unix(1000, 0).UTC(), log: &Log{FirstIn: 1, FirstOut: 1, Floor: Floor{Events: 99, Runs: 99}}}
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	signer := attest.NewSigner(private)
	s.log.Signers = []ed25519.PublicKey{private.Public().(ed25519.PublicKey)}

	d := &shadow.Decomposition{RunID: "run-1", Scale: "ss-100", Task: "Write it", Specifier: &shadow.Model{Model: "of-no-known-family"},
		Domains: []shadow.Domain{{Domain: "one", CommanderID: "cmd-1", Implementer: &shadow.Model{Model: "x-1"},
			SubTasks: []string{"Describe the alpha part", "Describe the beta part", "Describe the gamma part", "Describe the delta part"}}}}
	done := s.message(In, "decomposition", shadow.Address{Name: shadow.DecompositionDone, Run: "run-1", Author: "nexus"}, "", time.Time{}, d)
	done.Decomposition = d
	settings := &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: version, ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationStrict, MaxCycles: 1, Threshold: 15, EnforceGates: true},
		MaxCriteria: 8, FixTimeout: time.Hour, RunTimeout: 24 * time.Hour, Categories: shadow.Categories()[:4], DefaultScale: "ss-100",
		Families: shadow.Families{{Model: "x-*", Family: "xs"}},
		Scales:   map[string]shadow.Scale{"ss-100": {Criteria: 8, Hardening: true}},
	}
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Digest: done.Digest, Settings: settings, Authors: []shadow.Author{words{}}, Now: s.now, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(e)
		if e.SealedHash, err = e.Hash(); err != nil {
			t.Fatal(err)
		}
	}
	s.log.Envelopes = map[string]*Sealed{"run-1": {Envelope: e, Revision: 1, Time: s.now}}
	c := e.Commitment
	sealed := s.message(In, "sealed", shadow.Address{Name: shadow.EnvelopeSealed, Run: "run-1"}, done.ID, done.Time, c)

	x, err := shadow.NewExam(e, &c)
	if err != nil {
		t.Fatal(err)
	}
	report := func(in *Message, prev *shadow.Report, deadline time.Time, fail ...string) (*shadow.Report, *Message) {
		ev := shadow.Evidence{Submission: in.Submission, Raw: in.Data, Digest: in.Digest, In: shadow.Place{Sequence: in.Sequence, Time: in.Time}}
		ev.Panel = panel(x, ev, fail...)
		rep := x.Decide(ev, prev, deadline)
		return rep, s.message(Out, fmt.Sprint("report.", rep.Swarm.Cycle), shadow.Address{Name: shadow.GapReport, Run: "run-1", Domain: "one", Cycle: rep.Swarm.Cycle}, in.ID, in.Time, rep)
	}
	bundle := s.submission(shadow.BundleComplete, 0, "Each part is described here at some length, with worda and wordc.")
	first, firstStored := report(bundle, nil, time.Time{}, "alpha", "gamma", "wordc")
	request := shadow.Request(first, &c.Policy, firstStored.Time)
	s.message(Out, "request", shadow.Address{Name: shadow.HardeningRequest, Run: "run-1", Commander: "cmd-1", Domain: "one", Cycle: 1}, bundle.ID, bundle.Time, request)
	fix := s.submission(shadow.FixSubmitted, 1, "Each part is described here at some length, with worda, wordb and wordc.")
	last, lastStored := report(fix, first, request.Deadline)
	if lastStored.Signature, err = signer.SignReport(last, lastStored.Data); err != nil {
		t.Fatal(err)
	}
	s.end(&c, sealed, d.Domains, last, nil)
	return s
}

// end stores that the run has ended: what its commander learns, and the sum. A tick is
// what ended it where the report is nil.
func (s *stored) end(c *shadow.Commitment, sealed *Message, domains shadow.Domains, rep *shadow.Report, tick *Message) {
	at, finals, place := c.Policy.RunDeadline(sealed.Time), []*shadow.StoredReport{nil}, (*shadow.Place)(nil)
	if rep != nil {
		finals[0] = shadow.Stored(rep, shadow.Place{})
		at = rep.Report.Timestamp
	} else {
		place = &shadow.Place{Sequence: tick.Sequence, Time: tick.Time}
	}
	for _, settled := range shadow.SettledDomains("run-1", domains, at) {
		s.message(Out, "settled."+settled.CommanderID, shadow.Address{Name: shadow.DomainSettled, Run: "run-1", Commander: settled.CommanderID}, sealed.WantID, at, settled)
	}
	s.message(Out, "scored", shadow.Address{Name: shadow.RunScored, Run: "run-1"}, sealed.WantID, at, shadow.Sum(c, domains, finals, place))
}

// get is the n-th message with a name, from 0.
func (s *stored) get(name string, n int) *Message {
	s.t.Helper()
	for _, m := range slices.Concat(s.log.In, s.log.Out) {
		if m.Name == name {
			if n == 0 {
				return m
			}
			n--
		}
	}
	s.t.Fatalf("there is no %s", name)
	return nil
}

// drop takes a message out of the log.
func (s *stored) drop(m *Message) {
	is := func(o *Message) bool { return o == m }
	s.log.In, s.log.Out = slices.DeleteFunc(s.log.In, is), slices.DeleteFunc(s.log.Out, is)
}

// rewrite changes the data of a message.
func rewrite[T any](s *stored, m *Message, change func(*T)) {
	s.t.Helper()
	var v T
	if err := json.Unmarshal(m.Data, &v); err != nil {
		s.t.Fatal(err)
	}
	change(&v)
	m.Data = encode(v)
	m.Raw = m.Data
}

// in changes the data of the first message with a name.
func in[T any](name string, change func(*T)) func(*stored) {
	return func(s *stored) { rewrite(s, s.get(name, 0), change) }
}

func codes(findings []Finding) []Code {
	var all []Code
	for _, f := range findings {
		all = append(all, f.Code)
	}
	return all
}

func failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
}

func (s *stored) audit() []Finding {
	var all []Finding
	for _, r := range Split(s.log) {
		all = append(all, r.Audit()...)
	}
	return all
}

// TestCleanRun: there is nothing to say of a run as shadowd stores it.
func TestCleanRun(t *testing.T) {
	for _, version := range []string{"1.0.0", "2.0.0"} {
		if findings := cleanRunIn(t, version).audit(); len(findings) > 0 {
			t.Errorf("%s: %+v", version, findings)
		}
	}
}

// TestCorruptions: each way to change a run is found, by its name.
func TestCorruptions(t *testing.T) {
	report := func(change func(*shadow.Report)) func(*stored) {
		return func(s *stored) { rewrite(s, s.get(shadow.GapReport, 1), change) }
	}
	// A report of which only what it says itself is left.
	alone := func(n int, change func(*shadow.Report)) func(*stored) {
		return func(s *stored) {
			in := s.get([]string{shadow.BundleComplete, shadow.FixSubmitted}[n], 0)
			s.drop(in)
			s.log.FirstIn, s.log.KeptSince = in.Sequence+1, in.Time.Add(1)
			rewrite(s, s.get(shadow.GapReport, n), change)
		}
	}
	for name, c := range map[string]struct {
		corrupt func(*stored)
		want    Code
	}{
		"alone, another gate":     {alone(1, func(r *shadow.Report) { r.Swarm.Gate.Action = shadow.Reject }), GateWrong},
		"alone, a failure less":   {alone(0, func(r *shadow.Report) { r.Failures = r.Failures[1:] }), GateWrong},
		"alone, other cycles":     {alone(1, func(r *shadow.Report) { r.Swarm.Cycles[0].Score.Failed = 8 }), Differs},
		"alone, another seal":     {alone(1, func(r *shadow.Report) { r.Report.SealedHash = shadow.Digest(nil) }), Differs},
		"alone, other counts":     {alone(0, func(r *shadow.Report) { r.Swarm.Counts.Missing = 0 }), Differs},
		"alone, another checker":  {alone(1, func(r *shadow.Report) { r.Swarm.CheckerVersion = "check/0" }), Differs},
		"data without its schema": {func(s *stored) { s.get(shadow.RunScored, 0).Data = []byte("{}") }, BadOutput},
		"sealed text in an output": {func(s *stored) {
			m := s.get(shadow.RunScored, 0)
			m.Raw = append(m.Raw, "The text has the word worda"...)
		}, SealedText},
		"no commitment":                  {func(s *stored) { s.drop(s.get(shadow.EnvelopeSealed, 0)) }, NoCommitment},
		"no envelope":                    {func(s *stored) { s.log.Envelopes = nil }, EnvelopeMissing},
		"a changed envelope":             {func(s *stored) { delete(s.log.Envelopes["run-1"].Envelope.Criteria[0].Material, "one") }, SealBroken},
		"a commitment of fewer criteria": {in(shadow.EnvelopeSealed, func(c *shadow.Commitment) { c.CriteriaByDomain[0] = 7 }), SealBroken},
		"an envelope of another run":     {func(s *stored) { s.log.Envelopes["run-1"].Envelope.RunID = "run-2" }, SealBroken},
		"another velocity":               {report(func(r *shadow.Report) { r.Hardening.HardeningVelocity = "1.0" }), Differs},
		"another checker":                {report(func(r *shadow.Report) { r.Swarm.CheckerVersion = "check/0" }), Differs},
		"a doubt less":                   {report(func(r *shadow.Report) { r.Swarm.AdvisoryReasons = []string{"none"} }), GateWrong},
		"another family":                 {report(func(r *shadow.Report) { r.Report.ImplementerFamily = "x" }), Differs},
		"another specifier":              {report(func(r *shadow.Report) { r.Report.SpecifierFamily = "x" }), Differs},
		"other words for the task":       {report(func(r *shadow.Report) { r.Report.Specification = "x" }), Differs},
		"other words of a failure":       {in(shadow.GapReport, func(r *shadow.Report) { r.Failures[0].Message = "x" }), Differs},
		"another state of an item":       {in(shadow.GapReport, func(r *shadow.Report) { r.Swarm.Items[0].State = shadow.ItemFound }), Differs},
		"other counts of items":          {in(shadow.GapReport, func(r *shadow.Report) { r.Swarm.Counts.Found++ }), Differs},
		"another outcome of a criterion": {report(func(r *shadow.Report) { r.Swarm.Criteria[0].Outcome = shadow.Unread }), Differs},
		"another word":                   {report(func(r *shadow.Report) { r.Swarm.Verdict = shadow.WordUnread }), GateWrong},
		"another judge excluded": {report(func(r *shadow.Report) {
			j := r.Swarm.Judges
			j[0].Excluded, j[1].Excluded = j[1].Excluded, j[0].Excluded
		}), VoteWrong},
		"an excluded judge that decides": {in(shadow.GapReport, func(r *shadow.Report) {
			b := &r.Swarm.Ballots[0]
			pass := shadow.Vote{Outcome: shadow.Passed, Quote: "is described here at some length"}
			b.Votes[0], b.Votes[1], b.Outcome = pass, pass, shadow.Passed
			b.Votes[0].Judge, b.Votes[1].Judge = "obeys", "reads"
		}), VoteWrong},
		"other counts of a domain": {in(shadow.RunScored, func(r *shadow.RunData) { r.Domains[0].Counts.Unread++ }), Differs},
		"a request with less":      {in(shadow.HardeningRequest, func(h *shadow.HardeningData) { h.Issues = h.Issues[1:] }), Differs},
		"a signature of another": {func(s *stored) {
			m := s.get(shadow.GapReport, 1)
			m.Signature = m.Signature[:len(m.Signature)-8] + "AAAAAA=="
		}, SignatureWrong},
		"a signature of another kind": {func(s *stored) {
			m := s.get(shadow.GapReport, 1)
			m.Signature = "v2" + m.Signature[2:]
		}, SignatureWrong},
		"a signature of what is not final": {func(s *stored) { s.get(shadow.GapReport, 0).Signature = s.get(shadow.GapReport, 1).Signature }, SignatureWrong},
		"an end without its tick":          {in(shadow.RunScored, func(r *shadow.RunData) { r.Tick = &shadow.Place{Sequence: 1} }), Differs},
	} {
		t.Run(name, func(t *testing.T) {
			s := cleanRun(t)
			c.corrupt(s)
			found := s.audit()
			if !slices.Contains(codes(found), c.want) {
				t.Errorf("found %v, want %s among them", codes(found), c.want)
			}
			if !failed(found) && Codes[c.want].Severity == Error {
				t.Error("the audit does not fail")
			}
			for _, f := range found {
				if f.Code != SealedText && strings.Contains(f.Stored+f.Want, "The text has the word") {
					t.Errorf("%s quotes a criterion", f.Code)
				}
			}
		})
	}
}

// TestDeadlines: what a deadline ends rests on the tick behind it, and on all that
// stands before that in IN.
func TestDeadlines(t *testing.T) {
	fixDeadline := func(s *stored) time.Time {
		var h shadow.HardeningData
		if err := Decode(s.get(shadow.HardeningRequest, 0), &h); err != nil {
			t.Fatal(err)
		}
		return h.Deadline
	}
	// The domain is closed behind a tick, so long behind its deadline.
	timedOut := func(s *stored, late time.Duration, keepFix bool) {
		var first shadow.Report
		var c shadow.Commitment
		sealed := s.get(shadow.EnvelopeSealed, 0)
		if err := errors.Join(Decode(s.get(shadow.GapReport, 0), &first), Decode(sealed, &c)); err != nil {
			t.Fatal(err)
		}
		domains := s.get(shadow.DecompositionDone, 0).Decomposition.Domains
		for _, m := range []*Message{s.get(shadow.GapReport, 1), s.get(shadow.DomainSettled, 0), s.get(shadow.RunScored, 0)} {
			s.drop(m)
		}
		if !keepFix {
			s.drop(s.get(shadow.FixSubmitted, 0))
		}
		s.log.Signers = nil
		deadline := fixDeadline(s)
		tick := s.tick(deadline.Add(late))
		rep := shadow.TimedOut(&c.Policy, &first, deadline, &shadow.Place{Sequence: tick.Sequence, Time: tick.Time}, "")
		m := s.message(Out, "report.1", shadow.Address{Name: shadow.GapReport, Run: "run-1", Domain: "one", Cycle: 1}, s.get(shadow.GapReport, 0).Cause, deadline, rep)
		m.Signature = "v1 key AAAA"
		s.message(Out, "quarantined", shadow.Address{Name: shadow.BundleQuarantined, Run: "run-1", Domain: "one"}, m.Cause, deadline, shadow.Notice(rep))
		s.end(&c, sealed, domains, rep, nil)
	}
	// The run ends without its bundle.
	noBundle := func(s *stored, late time.Duration) {
		var c shadow.Commitment
		sealed := s.get(shadow.EnvelopeSealed, 0)
		if err := Decode(sealed, &c); err != nil {
			t.Fatal(err)
		}
		s.log.Out, s.out = nil, 0
		s.log.In, s.in = s.log.In[:2], 2
		tick := s.tick(c.Policy.RunDeadline(sealed.Time).Add(late))
		s.end(&c, sealed, s.get(shadow.DecompositionDone, 0).Decomposition.Domains, nil, tick)
	}
	for name, c := range map[string]struct {
		change func(*stored)
		want   []Code
	}{
		"no bundle came":              {func(s *stored) { noBundle(s, time.Second) }, nil},
		"the run was ended too early": {func(s *stored) { noBundle(s, 0) }, []Code{Undue, Differs}},
		"another tick than the first": {func(s *stored) {
			noBundle(s, time.Second)
			rewrite(s, s.get(shadow.RunScored, 0), func(r *shadow.RunData) { r.Tick.Sequence++ })
		}, []Code{Differs}},
		"no fix came":                   {func(s *stored) { timedOut(s, time.Second, false) }, nil},
		"the tick is not behind it":     {func(s *stored) { timedOut(s, 0, false) }, []Code{Undue, GateWrong}},
		"the fix was there":             {func(s *stored) { timedOut(s, time.Second, true) }, []Code{NoOutcome, Undue}},
		"the tick was removed":          {func(s *stored) { timedOut(s, time.Second, false); s.drop(s.get(shadow.Tick, 0)) }, []Code{Undue, GateWrong}},
		"an earlier tick was forged":    {func(s *stored) { timedOut(s, time.Second, false); s.log.In[2].Unmarked = "no mark" }, nil},
		"the tick is not shadowd's own": {func(s *stored) { timedOut(s, time.Second, false); s.get(shadow.Tick, 0).Unmarked = "no mark" }, []Code{NotOwn, Undue, GateWrong}},
	} {
		t.Run(name, func(t *testing.T) {
			s := cleanRun(t)
			c.change(s)
			if found := codes(s.audit()); !slices.Equal(found, c.want) {
				t.Errorf("found %v, want %v", found, c.want)
			}
		})
	}
}

// TestNotes: what an audit mentions and does not fail for.
func TestNotes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stored)
		want   Code
	}{
		"no floor":         {func(s *stored) { s.log.Floor = Floor{}; s.drop(s.get(shadow.RunScored, 0)) }, UnderWay},
		"an event to come": {func(s *stored) { s.log.Floor.Events = 0; s.submission(shadow.BundleComplete, 0, "another") }, UnderWay},
		"opened": {func(s *stored) {
			d := shadow.OpeningData{RunID: "run-1", Opening: 1, OpenedAt: s.now, By: "ops", Finished: true, SealedHash: s.log.Envelopes["run-1"].Envelope.SealedHash}
			s.message(Out, "opened.1", shadow.Address{Name: shadow.EnvelopeOpened, Run: "run-1", Sequence: 1}, "", s.now, d)
		}, Opened},
		"expired": {func(s *stored) { s.log.In = s.log.In[1:]; s.log.FirstIn = 2 }, Expired},
	} {
		s := cleanRun(t)
		c.change(s)
		if found := s.audit(); !slices.Contains(codes(found), c.want) || failed(found) {
			t.Errorf("%s: found %+v, want %s and no error", name, found, c.want)
		}
	}
}

// TestOtherChecker: what checks of another version found is taken at its word,
// and what follows from it is derived.
func TestOtherChecker(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*shadow.Report)
		want   []Code
	}{
		"nothing":         {func(*shadow.Report) {}, []Code{OtherChecker, OtherChecker}},
		"the gate":        {func(r *shadow.Report) { r.Swarm.Gate.Action = shadow.Reject }, []Code{OtherChecker, OtherChecker, GateWrong, SignatureWrong, Differs}},
		"its own version": {func(r *shadow.Report) { r.Swarm.CheckerVersion = check.Version }, []Code{OtherChecker, OtherChecker, Differs, SignatureWrong}},
		"no criterion":    {func(r *shadow.Report) { r.Failures = append(r.Failures, shadow.Failure{TestName: "sc-99"}) }, []Code{BadOutput, OtherChecker, OtherChecker, VerdictWrong, SignatureWrong}},
	} {
		s := cleanRunIn(t, "2.0.0", func(e *shadow.Envelope) { e.CheckerVersion = "check/0" })
		rewrite(s, s.get(shadow.GapReport, 1), c.change)
		if found := codes(s.audit()); !slices.Equal(found, c.want) {
			t.Errorf("%s: found %v, want %v", name, found, c.want)
		}
	}
}

// TestTraces: runs of one task, and sequences without a message, are noted.
func TestTraces(t *testing.T) {
	a, b := Split(cleanRun(t).log)[0], Split(cleanRun(t).log)[0]
	b.ID = "run-2"
	a.Audit()
	b.Audit()
	found := slices.Concat(Shared([]*Run{a, b}), Shared([]*Run{a}), (&Log{GapsOut: 3}).Gaps())
	if !slices.Equal(codes(found), []Code{SameTask, Removed}) || !strings.Contains(found[0].Stored, "run-1, run-2") || failed(found) {
		t.Errorf("%+v", found)
	}
}
