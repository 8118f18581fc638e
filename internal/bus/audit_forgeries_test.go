package bus

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

type forgery struct {
	name string
	code audit.Code
	do   func(*forged)
}

// forgeries are ways to falsify the log of richLog, each with the finding that
// must name it.
var forgeries = []forgery{
	// The envelope and its commitment.
	{"the envelope is removed", audit.EnvelopeMissing, func(f *forged) { delete(f.Envelopes, "good") }},
	{"two runs' envelopes are swapped", audit.SealBroken, func(f *forged) {
		f.Envelopes["good"], f.Envelopes["worse"] = f.Envelopes["worse"], f.Envelopes["good"]
	}},
	{"a criterion of the envelope is made easier", audit.SealBroken, func(f *forged) {
		e := *f.Envelopes["good"].Envelope
		e.Criteria = slices.Clone(e.Criteria)
		i := slices.IndexFunc(e.Criteria, func(c shadow.Criterion) bool { return len(c.Material["one"].Items) > 0 })
		e.Criteria[i].Material = maps.Clone(e.Criteria[i].Material)
		m := e.Criteria[i].Material["one"]
		m.Items = nil
		e.Criteria[i].Material["one"] = m
		f.Envelopes["good"].Envelope = &e
	}},
	{"the envelope is changed and hashed anew", audit.SealBroken, func(f *forged) {
		e := *f.Envelopes["good"].Envelope
		e.Salt = strings.Repeat("0", 64)
		e.SealedHash, _ = e.Hash()
		f.Envelopes["good"].Envelope = &e
	}},
	{"the box is cut", audit.SealBroken, func(f *forged) {
		f.Envelopes["good"].Envelope, f.Envelopes["good"].Err = nil, shadow.ErrSealBroken
	}},
	{"the box is of another key", audit.EnvelopeClosed, func(f *forged) {
		f.Envelopes["good"].Envelope, f.Envelopes["good"].Err = nil, shadow.ErrWrongKey
	}},
	{"an envelope of a run that never was", audit.NoCommitment, func(f *forged) { f.Envelopes["never"] = f.Envelopes["good"] }},
	{"envelope and commitment are of other domains", audit.SealDiffers, func(f *forged) {
		e := *f.Envelopes["good"].Envelope
		e.Domains = slices.Clone(e.Domains)
		e.Domains[0].TaskBrief = "something else"
		e.SealedHash, _ = e.Hash()
		f.Envelopes["good"].Envelope = &e
		rewrite(f, f.get(shadow.EnvelopeSealed, "good", "", 0), func(c *shadow.Commitment) { c.SealedHash = e.SealedHash })
	}},
	{"the commitment is removed", audit.NoCommitment, func(f *forged) { f.remove(f.get(shadow.EnvelopeSealed, "good", "", 0)) }},
	{"a second commitment", audit.StoredTwice, func(f *forged) { f.again(f.get(shadow.EnvelopeSealed, "good", "", 0)) }},
	{"the commitment's hash is changed", audit.SealBroken, on(output(shadow.EnvelopeSealed, "good", "", 0), func(c *shadow.Commitment) { c.SealedHash = "sha256:" + strings.Repeat("0", 64) })},
	{"the commitment's policy is changed", audit.SealBroken, on(output(shadow.EnvelopeSealed, "good", "", 0), func(c *shadow.Commitment) { c.Policy.Threshold = 60 })},
	{"the commitment hides the task", audit.SealDiffers, on(output(shadow.EnvelopeSealed, "good", "", 0), func(c *shadow.Commitment) { c.TaskHash = "sha256:" + strings.Repeat("1", 64) })},
	{"the commitment comes after a bundle", audit.SealAfterBundle, func(f *forged) {
		f.get(shadow.EnvelopeSealed, "good", "", 0).Sequence = f.get(shadow.BundleComplete, "good", "cmd-1", 0).Sequence + 1
	}},
	{"the commitment stands before the decomposition", audit.NoDecomposition, func(f *forged) {
		c, d := f.get(shadow.EnvelopeSealed, "good", "", 0), f.get(shadow.DecompositionDone, "good", "", 0)
		c.Sequence, d.Sequence = d.Sequence, c.Sequence
	}},
	{"the decomposition is removed", audit.NoDecomposition, func(f *forged) { f.remove(f.get(shadow.DecompositionDone, "good", "", 0)) }},
	{"the decomposition is changed", audit.NoDecomposition, func(f *forged) {
		f.get(shadow.DecompositionDone, "good", "", 0).Digest = shadow.Digest([]byte("other"))
	}},

	// Inputs and rejections.
	{"a bundle is removed", audit.ReportInput, func(f *forged) { f.remove(f.get(shadow.BundleComplete, "good", "cmd-1", 0)) }},
	{"a bundle's text is changed after it was judged", audit.ReportInput, func(f *forged) {
		m := f.get(shadow.BundleComplete, "good", "cmd-1", 0)
		s := *m.Submission
		s.Bundle.Content = content(0)
		m.Submission, m.Data, m.Digest = &s, []byte("other"), shadow.Digest([]byte("other"))
	}},
	{"a rejection is removed", audit.NoOutcome, func(f *forged) { f.remove(f.rejection(shadow.SlotTaken)) }},
	{"a second rejection of an event", audit.TwoOutcomes, func(f *forged) {
		m := f.again(f.rejection(shadow.SlotTaken))
		m.Subject, m.Author = "swarm.event-rejected.other.1", "other"
	}},
	{"a judged bundle is rejected too", audit.TwoOutcomes, func(f *forged) {
		m := f.again(f.rejection(shadow.SlotTaken))
		in := f.get(shadow.BundleComplete, "good", "cmd-1", 0)
		m.Subject, m.Address.Sequence = fmt.Sprint("swarm.event-rejected.cmd-1.", in.Sequence), in.Sequence
	}},
	{"a rejection of nothing", audit.Undue, func(f *forged) {
		m := f.rejection(shadow.SlotTaken)
		m.Address.Sequence = math.MaxInt32
	}},
	{"a rejection for another reason", audit.RejectionWrong, on(refusal(shadow.FixTaken), func(r *shadow.Rejection) { r.Reason, r.Resubmit = shadow.Late, shadow.Late.Hint() })},
	{"a good event is called invalid", audit.RejectionWrong, on(refusal(shadow.SlotTaken), func(r *shadow.Rejection) {
		r.Reason, r.Resubmit = shadow.InvalidData, shadow.InvalidData.Hint()
	})},
	{"a rejection names another place", audit.RejectionPlace, on(refusal(shadow.SlotTaken), func(r *shadow.Rejection) { r.In.Sequence++ })},
	{"somebody else rejects a bundle", audit.NotOwn, func(f *forged) {
		f.rejected("cmd-1", func(r *shadow.Rejection) { r.Reason, r.Message = shadow.CannotProcess, "shadowd fails on it" })
	}},
	{"somebody else calls a bundle too large", audit.NotOwn, func(f *forged) {
		f.rejected("cmd-2", func(r *shadow.Rejection) {
			b := &f.get(shadow.BundleComplete, "good", "cmd-2", 0).Submission.Bundle
			refusal := (&shadow.Limits{ContentBytes: len(b.Content) - 1}).Bundle(b)
			r.Reason, r.Message, r.Limit = refusal.Reason, refusal.Message, refusal.Limit
		})
	}},
	{"the only rejection of an event is somebody else's", audit.NoOutcome, func(f *forged) { f.rejection(shadow.SlotTaken).Unmarked = "no mark" }},
	{"an earlier bundle is passed over", audit.Undue, func(f *forged) {
		in := f.get(shadow.BundleComplete, "good", "cmd-1", 0)
		earlier := *in
		earlier.Sequence, earlier.Digest = in.Sequence-1, shadow.Digest([]byte("earlier"))
		s := *in.Submission
		s.Bundle.Content = content(8)
		earlier.Submission = &s
		f.In = slices.Insert(f.In, slices.Index(f.In, in), &earlier)
	}},

	// Reports.
	{"somebody else writes what shadowd would", audit.NotOwn, func(f *forged) { f.report("good", "one", 0).Unmarked = "no mark" }},
	{"a report is removed", audit.NoOutcome, func(f *forged) { f.remove(f.report("good", "one", 0)) }},
	{"the first report of a fix is removed", audit.Missing, func(f *forged) { f.remove(f.report("good", "two", 0)) }},
	{"a second report on the same subject", audit.StoredTwice, func(f *forged) { f.again(f.report("good", "one", 0)) }},
	{"a report in a cycle that nobody asked for", audit.Undue, func(f *forged) {
		m := f.again(f.report("good", "one", 0))
		m.Cycle, m.Subject = 1, layout.Subjects{}.GapReport("good", "one", 1)
	}},
	{"a report after the run was scored", audit.Undue, func(f *forged) { f.report("good", "one", 0).Sequence = math.MaxInt32 }},
	{"a report on a domain that there is not", audit.ReportInput, func(f *forged) {
		m := f.again(f.report("good", "one", 0))
		m.Domain, m.Subject = "three", layout.Subjects{}.GapReport("good", "three", 0)
	}},
	{"two domains' reports are swapped", audit.Differs, func(f *forged) {
		a, b := f.report("early", "one", 0), f.report("early", "two", 0)
		a.Data, b.Data, a.Raw, b.Raw = b.Data, a.Data, b.Raw, a.Raw
	}},
	{"a report names another seal", audit.Differs, on(report("good", "one", 0), func(r *shadow.Report) { r.Report.SealedHash = "sha256:" + strings.Repeat("0", 64) })},
	{"a report is no event", audit.BadOutput, func(f *forged) { f.report("good", "one", 0).Unreadable = "not JSON" }},
	{"a report has another id", audit.BadOutput, func(f *forged) { f.report("good", "one", 0).ID = "x" }},
	{"a report has another cause", audit.BadOutput, func(f *forged) { f.report("good", "one", 0).Cause = "x" }},
	{"OUT holds something else", audit.BadOutput, func(f *forged) {
		f.again(f.report("good", "one", 0)).Foreign = "no event"
	}},
	{"a criterion is left out", audit.VerdictWrong, on(report("good", "two", 1), func(r *shadow.Report) { r.Failures = r.Failures[1:] })},
	{"fewer criteria than were sealed", audit.GateWrong, on(report("good", "one", 0), func(r *shadow.Report) {
		r.Swarm.Score.Total, r.SealedTests.Total, r.SealedTests.Passed = 7, 7, 6
	})},
	{"a criterion that was not sealed", audit.VerdictWrong, on(report("good", "one", 0), func(r *shadow.Report) { r.Failures[0].TestName = "sc-99" })},
	{"what was expected is changed", audit.Differs, on(report("good", "one", 0), func(r *shadow.Report) { r.Failures[0].Expected = "less" })},
	{"the counts do not agree", audit.GateWrong, on(report("good", "one", 0), func(r *shadow.Report) { r.SealedTests.Passed++ })},
	{"the percentage is forged", audit.GateWrong, on(report("good", "one", 0), func(r *shadow.Report) { r.Report.ShadowScore = "2.5" })},
	{"the level is forged", audit.GateWrong, on(report("good", "one", 0), func(r *shadow.Report) { r.Report.Level = shadow.Perfect })},
	{"the gate is opened", audit.GateWrong, on(report("worse", "two", 1), func(r *shadow.Report) { r.Swarm.Gate.Action = shadow.Proceed })},
	{"no fix is asked for", audit.GateWrong, on(report("good", "two", 0), func(r *shadow.Report) { r.Swarm.Final, r.Swarm.Hardening.Requested = true, false })},
	{"a worse fix stands", audit.GateWrong, on(report("worse", "one", 1), func(r *shadow.Report) {
		r.Swarm.AcceptedCycle, r.Swarm.Hardening.Regressed, r.Swarm.Cycles[1].Kept = 1, false, true
	})},
	{"the history is rewritten", audit.Differs, on(report("good", "two", 1), func(r *shadow.Report) { r.Swarm.Cycles[0].Score.Failed = 8 })},
	{"a report's deadline is moved", audit.GateWrong, on(report("good", "two", 1), func(r *shadow.Report) { *r.Swarm.Hardening.Deadline = r.Swarm.Hardening.Deadline.Add(time.Hour) })},
	{"a failure is made a pass, consistently", audit.VerdictWrong, on(report("good", "one", 0), func(r *shadow.Report) {
		r.Failures = []shadow.Failure{}
		r.Swarm.Score, r.SealedTests = shadow.Score{Total: 8}, shadow.SealedTally{Total: 8, Passed: 8}
		r.Report.ShadowScore, r.Report.Level = "0.0", shadow.Perfect
		r.Hardening.InitialShadowScore, r.Hardening.FinalShadowScore = "0.0", "0.0"
		r.Swarm.Cycles[0].Score.Failed = 0
	})},
	{"a higher conformance level is claimed", audit.Differs, on(report("good", "one", 0), func(r *shadow.Report) { r.Report.ConformanceLevel = 4 })},
	{"a whole seal is called broken where no fix came", audit.VerdictWrong, func(f *forged) {
		prev, stored, tick := new(shadow.Report), f.report("silent", "two", 0), f.tick(f.report("silent", "two", 1))
		if err := audit.Decode(stored, prev); err != nil {
			panic(err)
		}
		policy := &f.Envelopes["silent"].Envelope.Policy
		f.report("silent", "two", 1).Data, _ = shadow.Encode(shadow.TimedOut(policy, prev, policy.FixDeadline(stored.Time), &shadow.Place{Sequence: tick.Sequence, Time: tick.Time}, "somebody said so"))
	}},
	{"the time of the input is changed", audit.ReportInput, on(report("good", "one", 0), func(r *shadow.Report) { r.Swarm.In.Time = r.Swarm.In.Time.Add(time.Nanosecond) })},
	{"another event is named as the input", audit.ReportInput, on(report("good", "one", 0), func(r *shadow.Report) { r.Swarm.In.Sequence++ })},
	{"a late fix is judged", audit.Undue, func(f *forged) {
		f.get(shadow.FixSubmitted, "good", "cmd-2", 0).Time = f.report("good", "two", 0).Time.Add(time.Hour + time.Nanosecond)
	}},
	{"a timely fix is passed over", audit.Undue, func(f *forged) {
		f.timely(f.get(shadow.FixSubmitted, "silent", "cmd-1", 0), f.report("silent", "one", 0).Time, f.tick(f.report("silent", "one", 1)))
		f.remove(f.rejection(shadow.Late))
	}},
	{"a timely fix is passed over that somebody else rejects", audit.Undue, func(f *forged) {
		in := f.get(shadow.FixSubmitted, "silent", "cmd-1", 0)
		f.timely(in, f.report("silent", "one", 0).Time, f.tick(f.report("silent", "one", 1)))
		f.rejection(shadow.Late).Unmarked, f.rejection(shadow.Late).Address.Sequence = "no mark", in.Sequence
	}},

	// What follows from the reports.
	{"a request is removed", audit.Missing, func(f *forged) { f.remove(f.get(shadow.HardeningRequest, "good", "two", 1)) }},
	{"a request that no report asks for", audit.Undue, func(f *forged) {
		m := f.again(f.get(shadow.HardeningRequest, "good", "two", 1))
		m.Domain, m.Commander, m.Subject = "one", "cmd-1", layout.Subjects{}.HardeningRequest("cmd-1", "good", "one", 1)
	}},
	{"a request holds sealed text", audit.SealedText, func(f *forged) {
		e := f.Envelopes["good"].Envelope
		rewrite(f, f.get(shadow.HardeningRequest, "good", "two", 1), func(h *shadow.HardeningData) {
			h.Issues[0].Message = "say " + strings.ToUpper(e.Decoy.Token)
		})
	}},
	{"a rejection holds the decoy", audit.SealedText, func(f *forged) {
		token := f.Envelopes["refused"].Envelope.Decoy.Token
		rewrite(f, f.rejection(shadow.SlotTaken), func(r *shadow.Rejection) { r.Message = "try " + token })
	}},
	{"a request's deadline is moved", audit.Differs, on(output(shadow.HardeningRequest, "good", "two", 1), func(h *shadow.HardeningData) { h.Deadline = h.Deadline.Add(time.Minute) })},
	{"a notice is removed", audit.Missing, func(f *forged) { f.remove(f.get(shadow.BundleQuarantined, "worse", "two", 0)) }},
	{"a notice about a good bundle", audit.Undue, func(f *forged) {
		m := f.again(f.get(shadow.BundleQuarantined, "worse", "two", 0))
		m.Run, m.Domain, m.Subject = "good", "one", layout.Subjects{}.Quarantined("good", "one")
	}},
	{"a notice of another bundle", audit.Differs, on(output(shadow.BundleQuarantined, "worse", "two", 0), func(q *shadow.QuarantineData) { q.BundleID = "b-other" })},
	{"run-scored is removed", audit.Missing, func(f *forged) { f.remove(f.get(shadow.RunScored, "good", "", 0)) }},
	{"run-scored comes before its time", audit.Undue, func(f *forged) { f.remove(f.report("good", "two", 1)) }},
	{"the median is forged", audit.Differs, on(output(shadow.RunScored, "good", "", 0), func(r *shadow.RunData) { r.Median = "0.0" })},
	{"run-scored is wrong behind somebody else's that is right", audit.Differs, func(f *forged) {
		own := f.get(shadow.RunScored, "good", "", 0)
		other := *own
		other.Unmarked = "no mark"
		f.Out = slices.Insert(f.Out, slices.Index(f.Out, own), &other)
		rewrite(f, own, func(r *shadow.RunData) { r.Median = "0.0" })
	}},
	{"an incomplete run had its bundle in time", audit.Undue, func(f *forged) {
		one := f.get(shadow.BundleComplete, "missing", "cmd-1", 0)
		two := *one
		s := *one.Submission
		s.Bundle.Domain, s.Bundle.CommanderID = "two", "cmd-2"
		two.Submission, two.Commander, two.Author, two.Digest = &s, "cmd-2", "cmd-2", shadow.Digest([]byte("two"))
		f.In = append(f.In, &two)
		two.Sequence = f.In[len(f.In)-2].Sequence + 1
		f.timely(&two, one.Time, f.tick(f.get(shadow.RunScored, "missing", "", 0)))
	}},
}

// forgedEnds are about what ends a cycle or a run.
var forgedEnds = []forgery{
	{"the tick that ended a run is removed", audit.Undue, func(f *forged) {
		last := f.tick(f.get(shadow.RunScored, "missing", "", 0)).Sequence
		for _, m := range f.ticks() {
			if m.Sequence >= last {
				f.remove(m)
			}
		}
	}},
	{"somebody else stores a tick", audit.NotOwn, func(f *forged) {
		m := f.again(f.ticks()[0])
		m.Unmarked, m.Subject = "no mark", layout.Subjects{}.TickAt(m.Time)
	}},
	{"a missed deadline names another tick", audit.GateWrong, on(report("silent", "two", 1), func(r *shadow.Report) { r.Swarm.Hardening.Tick.Sequence++ })},
	{"the end of a run names another tick", audit.Differs, on(output(shadow.RunScored, "missing", "", 0), func(r *shadow.RunData) { r.Tick.Sequence-- })},
	{"a commander is not told of the end", audit.Missing, func(f *forged) { f.remove(f.get(shadow.DomainSettled, "good", "cmd-1", 0)) }},
	{"a commander is told of another time", audit.BadOutput, func(f *forged) {
		m := f.get(shadow.DomainSettled, "good", "cmd-1", 0)
		m.EventTime = m.EventTime.Add(time.Second)
	}},
	{"a commander is told of the end of a run that is none of its", audit.Undue, func(f *forged) {
		m := f.again(f.get(shadow.DomainSettled, "good", "cmd-1", 0))
		m.Commander, m.Subject = "cmd-9", layout.Subjects{}.Settled("cmd-9", "good")
	}},
	{"a commander is told of another's domain", audit.Differs, on(output(shadow.DomainSettled, "good", "cmd-1", 0), func(d *shadow.SettledData) { d.Domains = []string{"two"} })},
}

// forgedTraces are those of what the operator did.
var forgedTraces = []forgery{
	{"the envelope was opened before the end", audit.OpenedEarly, func(f *forged) { f.get(shadow.EnvelopeOpened, "good", "", 0).Sequence = 1 }},
	{"a rejection names another holder", audit.RejectionWrong, on(refusal(shadow.SlotTaken), func(r *shadow.Rejection) { r.Message += "0" })},
	{"a fix is called one of nothing", audit.RejectionWrong, on(refusal(shadow.FixTaken), func(r *shadow.Rejection) {
		r.Reason, r.Message, r.Resubmit = shadow.FixNotAsked, "nothing was submitted in cycle 0 that it could fix", shadow.FixNotAsked.Hint()
	})},
	{"a bundle is called too large", audit.RejectionWrong, func(f *forged) {
		m := f.rejection(shadow.SlotTaken)
		rewrite(f, m, func(r *shadow.Rejection) {
			r.Limit, r.Reason, r.Message, r.Resubmit = 65536, shadow.TooLarge, "the bundle's content has 100000 bytes, 65536 are allowed", shadow.TooLarge.Hint()
		})
	}},
	{"an opening is removed", audit.NoteWrong, func(f *forged) { f.remove(f.get(shadow.EnvelopeOpened, "good", "", 0)) }},
	{"an opening claims that the run was not finished", audit.NoteWrong, on(output(shadow.EnvelopeOpened, "good", "", 0), func(d *shadow.OpeningData) { d.Finished = false })},
}

// onBallot changes the ballot on the word alpha, which is the one that fails,
// in the report of the domain that fails it.
func onBallot(change func(*shadow.Ballot)) func(*forged) {
	return onAsked(func(s *shadow.Swarm) {
		change(&s.Ballots[slices.IndexFunc(s.Ballots, func(b shadow.Ballot) bool { return b.Outcome == shadow.Failed })])
	})
}

func onAsked(change func(*shadow.Swarm)) func(*forged) {
	return on(report("asked", "one", 0), func(r *shadow.Report) { change(&r.Swarm) })
}

// forgedBallots falsify what judges said.
var forgedBallots = []forgery{
	{"a vote is turned", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		b.Votes[0] = shadow.Vote{Judge: b.Votes[0].Judge, Outcome: shadow.Passed, Quote: "What there is to say on bravo is said here in full.", Calls: 1, Tokens: 50}
	})},
	{"a ballot is turned with its votes", audit.VerdictWrong, onBallot(func(b *shadow.Ballot) {
		b.Outcome = shadow.Passed
		for _, i := range []int{0, 2} {
			b.Votes[i] = shadow.Vote{Judge: b.Votes[i].Judge, Outcome: shadow.Passed, Quote: "What there is to say on bravo is said here in full.", Calls: 1, Tokens: 50}
		}
	})},
	{"a pass whose quote is made up", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		b.Votes[0].Outcome, b.Votes[0].Actual, b.Votes[0].Quote = shadow.Passed, "", "all about alpha and its ways"
	})},
	{"a fail without a reason", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[0].Actual = "" })},
	{"another outcome than there is", audit.BadOutput, onBallot(func(b *shadow.Ballot) { b.Votes[0].Outcome = "PASS" })},
	{"a vote of nobody", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[0].Judge = "somebody" })},
	{"a judge votes twice", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[1] = b.Votes[0] })},
	{"a vote is removed", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes = b.Votes[:2] })},
	{"more were asked than could matter", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		name := b.Votes[1].Judge
		b.Votes[1], b.Cast, b.Agreed = b.Votes[0], 3, 3
		b.Votes[1].Judge, b.Votes[1].Tokens = name, 0
	})},
	{"a panel of one more judge", audit.VoteWrong, onAsked(func(s *shadow.Swarm) {
		s.Judges = append(s.Judges, shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: "judge-4"}})
	})},
	{"the majority is miscounted", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Agreed, b.Cast = 3, 3 })},
	{"a judge is left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Judges = s.Judges[:2] })},
	{"all ballots are left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Ballots, s.Cost = nil, nil })},
	{"a ballot on what a program decided", audit.VoteWrong, func(f *forged) {
		id := ""
		for _, c := range f.Envelopes["asked"].Envelope.Criteria {
			if c.Material["one"].Kind == shadow.AskFigures {
				id = c.ID
			}
		}
		onAsked(func(s *shadow.Swarm) {
			b := s.Ballots[0]
			b.About = id
			s.Ballots = append(s.Ballots, b)
		})(f)
	}},
	{"a panel where nobody was asked", audit.VoteWrong, func(f *forged) {
		rewrite(f, f.report("good", "one", 0), func(r *shadow.Report) {
			r.Swarm.Ballots = []shadow.Ballot{{About: "sc-01", Outcome: shadow.Passed, Votes: []shadow.Vote{}}}
		})
	}},
	{"what it cost is belittled", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Cost.Tokens-- })},
}
