package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// readReports reads the gap reports, the first of each subject.
func (r *Run) readReports() {
	for _, m := range r.out {
		if m.Name != shadow.GapReport || m.Unreadable != "" || r.report(m.Domain, m.Cycle) != nil {
			continue
		}
		rep := &report{Message: m}
		if Decode(m, &rep.Report) != nil || len(rep.Swarm.Cycles) == 0 {
			continue // output said so
		}
		r.reports[shadow.Slot{Domain: m.Domain, Cycle: m.Cycle}] = rep
	}
}

// inOrder lists the reports by domain and cycle.
func (r *Run) inOrder() []*report {
	return slices.SortedFunc(maps.Values(r.reports), func(a, b *report) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Cycle, b.Cycle))
	})
}

// allReports derives the report of every domain and cycle, in the order of the
// cycles, and compares.
func (r *Run) allReports() {
	if r.commitment == nil || r.domains == nil {
		return
	}
	for _, rep := range r.inOrder() {
		prev := r.report(rep.Domain, rep.Cycle-1)
		if r.scored != nil && rep.Sequence > r.scored.Sequence {
			r.find(rep.Message, Undue, fmt.Sprintf("stored at %d of OUT, run-scored at %d", rep.Sequence, r.scored.Sequence), "no report once the run is scored")
		}
		switch {
		case rep.Cycle > 0 && prev == nil:
			r.missing(shadow.GapReport, rep.Domain, rep.Cycle-1, fmt.Sprintf("a report before that of cycle %d", rep.Cycle))
		case prev != nil && !prev.Swarm.Hardening.Requested:
			r.find(rep.Message, Undue, "a report", fmt.Sprintf("none: that of cycle %d asks for no fix", rep.Cycle-1))
		default:
			if want := r.derived(rep, prev); want != nil {
				r.compare(rep, want)
			}
		}
	}
}

// derived is the report that should be stored in the place of one. Nil if the
// report should say that its bundle came before the seal, and does not.
func (r *Run) derived(rep, prev *report) *shadow.Report {
	s := &rep.Swarm
	deadline, broken := r.deadline(rep.Cycle, prev), s.SealBroken
	if r.exam != nil {
		broken = "" // the envelope matches its commitment
	}
	if s.Hardening.TimedOut && prev != nil {
		turn := r.turn(rep, prev, nil)
		r.caused(rep.Message, prev.Cause, deadline)
		return shadow.TimedOut(&r.com.Policy, &prev.Report, deadline, turn.Tick, broken)
	}
	in := r.input(rep)
	if in == nil {
		return r.redecided(rep, prev, deadline)
	}
	r.turn(rep, prev, in)
	r.caused(rep.Message, in.ID, in.Time)
	ev := shadow.Evidence{
		Submission: in.Submission, Raw: in.Data, Digest: in.Digest,
		In:         shadow.Place{Sequence: in.Sequence, Time: in.Time.UTC()},
		BeforeSeal: in.Sequence < r.commitment.Sequence,
		Notices:    in.Ignored,
		Panel:      s.PanelVotes(),
		// What was known of the wall then cannot be derived. It only lowers
		// what a report claims.
		Unwalled: s.Unwalled,
	}
	if ev.BeforeSeal && s.SealBroken == "" {
		if !slices.ContainsFunc(s.AdvisoryReasons, func(why string) bool { return strings.HasSuffix(why, shadow.BeforeSeal) }) {
			r.find(rep.Message, SealAfterBundle, "a commitment after the bundle, and no word of it", "a report that is advisory: "+shadow.BeforeSeal)
			return nil
		}
		r.find(in, BundleFirst, "stored before the commitment", "")
	}
	switch {
	case r.exam == nil && broken != "": // the reason stands for what was in the bucket then
		return shadow.Broken(&r.com, r.domains, ev, prev.before(), broken)
	case r.exam == nil:
		return r.redecided(rep, prev, deadline)
	case s.SealBroken == "" && r.exam.Envelope.CheckerVersion != check.Version:
		r.find(rep.Message, OtherChecker, r.exam.Envelope.CheckerVersion, check.Version)
		return r.redecided(rep, prev, deadline)
	}
	ev.Panel = r.ballots(ev)
	return r.exam.Decide(ev, prev.before(), deadline)
}

// input is the submission that a report is about. Nil if it is not there, or is
// none for the report.
func (r *Run) input(rep *report) *Message {
	at := rep.Swarm.In
	in := r.inputs[at.Sequence]
	switch {
	case in == nil && r.expired(at):
		r.find(rep.Message, Expired, fmt.Sprintf("its input %d, before the first of IN, %d", at.Sequence, r.log.FirstIn), "")
	case in == nil:
		r.find(rep.Message, ReportInput, fmt.Sprintf("in.sequence %d, where IN has nothing of this run", at.Sequence), "the sequence of the submission that was judged")
	case in.Run != r.ID || in.Submission == nil || in.Submission.Bundle.Domain != rep.Domain || in.Submission.Cycle != rep.Cycle:
		r.find(rep.Message, ReportInput, fmt.Sprintf("in.sequence %d, where %s stands", at.Sequence, in.Subject), fmt.Sprintf("a submission for cycle %d of the domain", rep.Cycle))
	default:
		return in
	}
	return nil
}

// ballots is the panel of a report with the ballots that follow from its votes:
// one on each question that programs leave open. What a judge said cannot be
// derived; whether it can have said so, and whether it had a vote, can.
func (r *Run) ballots(ev shadow.Evidence) shadow.PanelVotes {
	p := ev.Panel
	if len(p.Judges)+len(p.Ballots) == 0 {
		return p
	}
	said := map[string][]shadow.Vote{}
	for i := range p.Ballots {
		said[p.Ballots[i].About] = p.Ballots[i].Votes
	}
	ev.Panel, p.Ballots = shadow.PanelVotes{}, nil
	qs := r.exam.Questions(&ev, false)
	for i := range qs {
		q := &qs[i]
		p.Ballots = append(p.Ballots, shadow.NewBallot(q, votes(q, p.Judges, said[q.About()]), len(p.Judges)))
	}
	return p
}

// votes are as many as could change something, of the judges in their order,
// each by the rule of evidence. One that is missing is empty.
func votes(q *shadow.Question, judges []shadow.JudgeRef, said []shadow.Vote) (all []shadow.Vote) {
	for n := 1; n > 0; {
		n = shadow.Needed(all, len(judges))
		for range n {
			v := shadow.Vote{}
			if i := len(all); i < len(said) {
				v = q.Admit(said[i])
			}
			if judges[len(all)].Excluded != "" {
				v.Outcome, v.Quote, v.Actual = shadow.Undecided, "", ""
			}
			v.Judge = judges[len(all)].Name
			v.Calls, v.Tokens, v.Written, v.Micros, v.Millis = max(v.Calls, 0), max(v.Tokens, 0), max(v.Written, 0), max(v.Micros, 0), max(v.Millis, 0)
			all = append(all, v)
		}
	}
	return all
}
