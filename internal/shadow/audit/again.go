package audit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// again judges a report's submission again and compares the reports.
func (r *Run) again(rep, prev *report, in *Message) {
	s := &rep.Swarm
	ev := shadow.Evidence{
		Submission: in.Submission, Raw: in.Data, Digest: in.Digest,
		In:         shadow.Place{Sequence: in.Sequence, Time: in.Time.UTC()},
		BeforeSeal: in.Sequence < r.commitment.Sequence,
		Notices:    in.Ignored,
		Panel:      rep.Panel(),
		// What was known of the wall then cannot be derived. It only lowers
		// what a report claims.
		Unwalled: s.Unwalled,
	}
	r.order(rep, in, ev.BeforeSeal)
	var before *shadow.Report
	if prev != nil {
		before = &prev.Report
	}
	if r.exam == nil {
		// The reason stands for what was in the bucket then.
		if s.SealBroken != "" {
			r.compare(rep, shadow.Broken(&r.com, r.domains, ev, before, s.SealBroken))
		}
		return
	}
	if s.SealBroken == "" {
		if e := r.exam.Envelope.CheckerVersion; s.CheckerVersion != e {
			r.find(rep.Message, CheckerWrong, s.CheckerVersion, e)
		}
		if s.CheckerVersion != check.Version {
			r.find(rep.Message, OtherChecker, s.CheckerVersion, check.Version)
			return
		}
	}
	ev.Panel = r.ballots(rep, ev)
	want := r.exam.Decide(ev, before, r.deadline(rep.Cycle, prev))
	if s.SealBroken != "" && want.Swarm.SealBroken == "" {
		r.find(rep.Message, BrokenUnfounded, s.SealBroken, "no such report: the envelope matches its commitment and the bundle does not carry the decoy's token")
		return
	}
	r.compare(rep, want)
}

// order: a bundle that was there before its criteria were committed to makes
// its report advisory.
func (r *Run) order(rep *report, in *Message, beforeSeal bool) {
	if !beforeSeal || rep.Swarm.SealBroken != "" {
		return
	}
	if slices.ContainsFunc(rep.Swarm.AdvisoryReasons, func(why string) bool { return strings.HasSuffix(why, shadow.BeforeSeal) }) {
		r.find(in, BundleFirst, "stored before the commitment", "")
		return
	}
	r.find(rep.Message, SealAfterBundle, "a commitment after the bundle, and no word of it", "a report that is advisory: "+shadow.BeforeSeal)
}

// compare names what differs between a stored report and the derived one. The
// texts themselves are not repeated: they may be sealed, or a bundle's.
func (r *Run) compare(rep *report, want *shadow.Report) {
	if bytes.Equal(rep.Data, encode(want)) {
		return
	}
	verdicts := len(r.findings)
	r.same(rep, want, VerdictWrong, notPassed)
	if len(r.findings) == verdicts && !bytes.Equal(encode(rep.Failures), encode(want.Failures)) {
		r.find(rep.Message, FailureText, "other words in the failures: "+strings.Join(differing(rep.Failures, want.Failures), ", "), "what the checks find and the envelope says")
	}
	r.same(rep, want, BallotWrong, tallies)
	if !slices.ContainsFunc(r.findings[rep.found:], func(f Finding) bool { return f.Code == SealAfterBundle }) {
		r.same(rep, want, AdvisoryWrong, func(rep *shadow.Report) any { return strings.Join(rep.Swarm.AdvisoryReasons, "; ") })
		r.same(rep, want, ProvenanceWrong, func(rep *shadow.Report) any {
			h := &rep.Report
			return map[string]any{"independence": h.Independence, "implementer_family": h.ImplementerFamily, "seal_author_families": h.SealAuthorFamilies, "specifier_family": h.SpecifierFamily,
				"workspace_isolation": h.WorkspaceIsolation, "conformance_level": h.ConformanceLevel}
		})
	}
	if !Failed(r.findings[rep.found:]) {
		r.find(rep.Message, ReportDiffers, "other data: "+shadow.Digest(rep.Data), shadow.Digest(encode(want)))
	}
}

// notPassed lists the failures of a report.
func notPassed(rep *shadow.Report) any {
	var all []string
	for _, f := range rep.Failures {
		id := f.TestName
		if slices.Contains(rep.Swarm.Undecided, id) {
			id += " (undecided)"
		}
		all = append(all, id)
	}
	return "not passed: " + strings.Join(all, ", ")
}

// differing lists the ids of failures that are not the same in both lists.
func differing(have, want []shadow.Failure) []string {
	var ids []string
	for i := range have {
		if i < len(want) && have[i] != want[i] {
			ids = append(ids, have[i].TestName)
		}
	}
	return ids
}
