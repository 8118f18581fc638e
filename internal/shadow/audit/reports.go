package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
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

// allReports checks the reports of every domain, in the order of the cycles.
func (r *Run) allReports() {
	if r.commitment == nil {
		return
	}
	for _, rep := range r.inOrder() {
		rep.found = len(r.findings)
		if dom := r.domains.Find(rep.Domain); dom != nil {
			r.oneReport(dom, rep, r.report(rep.Domain, rep.Cycle-1))
		} else if r.domains != nil {
			r.find(rep.Message, ReportDomain, fmt.Sprintf("domain %q", rep.Domain), "a domain of the decomposition")
		}
	}
}

func (r *Run) oneReport(dom *shadow.Domain, rep, prev *report) {
	s := &rep.Swarm
	differ(r, rep.Message, ReportIDs, "run, domain and cycle", fmt.Sprint(s.RunID, "/", s.Domain, "/", s.Cycle), fmt.Sprint(r.ID, "/", rep.Domain, "/", rep.Cycle))
	differ(r, rep.Message, ReportIDs, "report.id", rep.Report.Report.ID, fmt.Sprintf("%s/%s/%d", r.ID, rep.Domain, rep.Cycle))
	differ(r, rep.Message, ReportIDs, "commander_id", s.CommanderID, dom.CommanderID)
	differ(r, rep.Message, ReportIDs, "domains", s.Domains, r.com.Domains)
	differ(r, rep.Message, ReportIDs, "report.sealed_hash", rep.Report.Report.SealedHash, r.com.SealedHash)
	if r.scored != nil && rep.Sequence > r.scored.Sequence {
		r.find(rep.Message, AfterScore, fmt.Sprintf("stored at %d of OUT, run-scored at %d", rep.Sequence, r.scored.Sequence), "no report once the run is scored")
	}
	switch {
	case rep.Cycle > 0 && prev == nil:
		r.find(rep.Message, CycleGap, fmt.Sprintf("no report of cycle %d", rep.Cycle-1), "a report of every cycle before")
		return
	case prev != nil && !prev.Swarm.Hardening.Requested:
		r.find(rep.Message, AfterFinal, fmt.Sprintf("a report, though that of cycle %d asks for no fix", rep.Cycle-1), "no report")
	}
	r.facts(rep, prev)
	if s.Hardening.TimedOut {
		r.timedOut(dom, rep, prev)
		return
	}
	if in := r.input(dom, rep, prev); in != nil {
		r.again(rep, prev, in)
	}
}

// input finds what a report is about and checks that it was its turn. Nil if
// it cannot be judged again.
func (r *Run) input(dom *shadow.Domain, rep, prev *report) *Message {
	s := &rep.Swarm
	in := r.inputs[s.In.Sequence]
	if in == nil {
		if r.expired(s.In) {
			r.find(rep.Message, Expired, fmt.Sprintf("its input %d, before the first of IN, %d", s.In.Sequence, r.log.FirstIn), "")
		} else {
			r.find(rep.Message, ReportInput, fmt.Sprintf("in.sequence %d, where IN has nothing of this run", s.In.Sequence), "the sequence of the submission that was judged")
		}
		return nil
	}
	if in.Run != r.ID || in.Commander != dom.CommanderID || !arrivalOf(in).Fits(shadow.Slot{Domain: dom.Domain, Cycle: rep.Cycle}, prev.stored()) {
		r.find(rep.Message, ReportInput, fmt.Sprintf("in.sequence %d, where %s stands", s.In.Sequence, in.Subject),
			fmt.Sprintf("a submission of %s for cycle %d of the domain", dom.CommanderID, rep.Cycle))
		return nil
	}
	differ(r, rep.Message, ReportIDs, "bundle_id", s.BundleID, in.Submission.Bundle.BundleID)
	if !s.In.Time.Equal(in.Time) || !rep.Report.Report.Timestamp.Equal(in.Time) {
		r.find(rep.Message, ReportTime, fmt.Sprintf("in.time %s, timestamp %s", stamp(s.In.Time), stamp(rep.Report.Report.Timestamp)), stamp(in.Time))
	}
	r.caused(rep.Message, in.ID, in.Time)
	last := s.Cycles[len(s.Cycles)-1]
	if s.BundleDigest != in.Digest || last.BundleDigest != in.Digest {
		r.find(rep.Message, BundleDigest, s.BundleDigest+", in cycles "+last.BundleDigest, in.Digest)
	}
	deadline := r.deadline(rep.Cycle, prev)
	if in.Time.After(deadline) {
		r.find(rep.Message, LateJudged, fmt.Sprintf("its input %d, stored at %s", in.Sequence, stamp(in.Time)), "a rejection: the deadline was "+stamp(deadline))
	} else if first := r.first(dom, rep.Cycle, prev, deadline); first != nil && first.Sequence != in.Sequence {
		r.find(rep.Message, NotTheFirst, fmt.Sprintf("its input %d", in.Sequence), fmt.Sprintf("the one at %d, which came first", first.Sequence))
	}
	return in
}

// timedOut checks a report that says that no fix came.
func (r *Run) timedOut(dom *shadow.Domain, rep, prev *report) {
	if prev == nil {
		r.find(rep.Message, TimedOutEarly, "a missed deadline in cycle 0", "a report on a bundle")
		return
	}
	deadline := r.deadline(rep.Cycle, prev)
	if rep.Time.Before(deadline) {
		r.find(rep.Message, TimedOutEarly, "stored at "+stamp(rep.Time), "a time after the deadline, "+stamp(deadline))
	}
	if in := r.first(dom, rep.Cycle, prev, deadline); in != nil {
		r.find(rep.Message, TimelyIgnored, fmt.Sprintf("a missed deadline, %s", stamp(deadline)), fmt.Sprintf("a report on the fix at %d of IN, stored at %s", in.Sequence, stamp(in.Time)))
	}
	r.caused(rep.Message, prev.Cause, deadline)
	if why := rep.Swarm.SealBroken; why != "" && r.exam != nil {
		r.find(rep.Message, BrokenUnfounded, why, "no such report: the envelope matches its commitment")
	}
	r.compare(rep, shadow.TimedOut(&r.com.Policy, &prev.Report, deadline, rep.Swarm.SealBroken))
}
