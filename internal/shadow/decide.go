package shadow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Decide judges a submission and decides what follows, as the report to store. prev
// is the report of the cycle before and deadline the fix's; cycle 0 has neither.
func (x *Exam) Decide(ev Evidence, prev *Report, deadline time.Time) *Report {
	j := x.Judge(&ev, prev)
	if j.SealBroken != "" {
		return Broken(&x.Envelope.Commitment, x.Envelope.Domains, ev, prev, j.SealBroken)
	}
	r := x.report(ev, j)
	r.decide(&x.Envelope.Policy, prev, deadline)
	return r
}

// newReport begins the report on a submission.
func newReport(c *Commitment, ev Evidence) *Report {
	b := &ev.Submission.Bundle
	r := &Report{Swarm: Swarm{
		RunID:         ev.Submission.RunID,
		Domain:        b.Domain,
		BundleID:      b.BundleID,
		CommanderID:   b.CommanderID,
		Scale:         c.Policy.Scale,
		Domains:       len(c.CriteriaByDomain),
		Cycle:         ev.Submission.Cycle,
		AcceptedCycle: ev.Submission.Cycle,
		Judges:        []JudgeRef{},
		Criteria:      []CriterionVerdict{},
		Items:         []ItemVerdict{},
		In:            ev.In,
		BundleDigest:  ev.Digest,
		Notices:       ev.Notices,
		Unwalled:      ev.Unwalled && c.Policy.WorkspaceIsolation == IsolationStrict,
	}}
	r.Report.Timestamp, r.Report.SealedHash = ev.In.Time, c.SealedHash
	return r
}

// report states what was found in one submission, before any decision.
func (x *Exam) report(ev Evidence, j *Judgement) *Report {
	e, b := x.Envelope, j.bundle
	ev.Panel.Ballots = j.ballots(&ev.Panel)
	r := newReport(&e.Commitment, ev)
	s := &r.Swarm
	s.Score = j.Score()
	s.CheckerVersion = e.CheckerVersion
	s.Judges = append(s.Judges, ev.Panel.Judges...)
	s.Ballots, s.Controls, s.Cost = ev.Panel.Ballots, ev.Panel.Controls, ev.Panel.cost()
	s.Items, s.Counts = append(s.Items, j.Items...), CountItems(j.Items)
	s.Notices = append(slices.Clone(s.Notices), j.Notices...)
	var categories []Category
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		categories = append(categories, v.Category)
		s.Criteria = append(s.Criteria, CriterionVerdict{v.ID, v.Category, v.Kind, v.about(), v.Outcome, v.By, v.Line})
		switch v.Outcome {
		case Failed:
			r.Failures = append(r.Failures, Failure{v.ID, v.Category, v.Expected, v.Actual, v.Message})
		case Undecided:
			r.Failures = append(r.Failures, Failure{v.ID, v.Category, v.Expected, v.Actual, "could not be judged"})
		}
	}
	if b.OpenTests != nil {
		tally := b.OpenTests.TestTally
		r.OpenTests = &tally
		r.Coverage = coverage(categories, b.OpenTests.ByCategory)
		s.OpenTestsBy = b.CommanderID
	}
	r.Report.Specification = clip.To(e.Task, maxTask)
	x.provenance(r, ev, b)
	return r
}

// about is what a criterion is about, without sealed text.
func (a *Asked) about() string {
	switch {
	case a.Kind == AskFigures:
		return "figures that do not add up, and what is left to fill in"
	case a.Basis != "":
		return clip.Line(a.Basis, 200)
	}
	return clip.List(a.Items, 10, ", ")
}

// BeforeSeal is the advisory reason of a bundle that was stored before the commitment.
const BeforeSeal = "the bundle arrived before the seal"

func (s *Swarm) addAdvisory(why string) { s.AdvisoryReasons = appendNew(s.AdvisoryReasons, why) }

// doubts are the advisory reasons that lie in what was judged.
func (s *Swarm) doubts() {
	if ids := s.Undecided(); len(ids) > 0 {
		s.addAdvisory("could not be judged: " + strings.Join(ids, ", "))
	}
	if why := s.unread(); why != "" {
		s.addAdvisory("unread: " + why)
	}
	if n := s.open(); n > 0 {
		s.addAdvisory(fmt.Sprintf("the commander declares %d items as not done and leaves %d out of its account, and no judge has read them", s.Counts.Declared, s.Counts.Unaccounted))
	}
	if len(s.Judges) > 0 && !slices.ContainsFunc(s.Judges, func(j JudgeRef) bool { return !j.Recorded }) {
		s.addAdvisory("the judges' answers are read from a file")
	}
	if s.Score.Total == 0 {
		s.addAdvisory("no sealed tests ran")
	}
}

// Undecided are the ids of the criteria that could not be judged.
func (s *Swarm) Undecided() (ids []string) {
	for i := range s.Criteria {
		if s.Criteria[i].Outcome == Undecided {
			ids = append(ids, s.Criteria[i].ID)
		}
	}
	return ids
}

// undecided says what judges could not decide, or nothing. An item may be
// undecided in a criterion that fails for another one.
func (s *Swarm) undecided() string {
	switch {
	case s.Score.Undecided > 0:
		return fmt.Sprintf("%d of these are undecided", s.Score.Undecided)
	case s.Counts.Undecided > 0:
		return Count(s.Counts.Undecided, "item") + " undecided"
	}
	return ""
}

// unread says what nobody was asked to read, or nothing.
func (s *Swarm) unread() string {
	written := 0
	for i := range s.Criteria {
		if c := &s.Criteria[i]; c.Kind == AskWritten && c.Outcome == Unread {
			written++
		}
	}
	var parts []string
	if n := s.Counts.Unread + s.Counts.Claimed; n > 0 {
		parts = append(parts, fmt.Sprintf("nobody has read %d of %s", n, Count(s.Counts.Items, "item")))
	}
	if written > 0 {
		parts = append(parts, fmt.Sprintf("nobody has judged %d written criteria", written))
	}
	return strings.Join(parts, "; ")
}

// open is how many items the commander's own account leaves open, where no judge
// has read them.
func (s *Swarm) open() int { return s.Counts.Declared + s.Counts.Unaccounted }

// muchMissing tells whether so much of the work is missing that the gate warns. The
// brief counts where there are no sub-tasks and deliverables.
func (s *Swarm) muchMissing(p *Policy) bool {
	work, missing := 0, 0
	listed := slices.ContainsFunc(s.Items, func(v ItemVerdict) bool { return v.Kind == SubTask || v.Kind == Deliverable })
	for i := range s.Items {
		v := &s.Items[i]
		if !v.Kind.work() || listed && v.Kind == Brief {
			continue
		}
		work++
		if v.State == ItemMissing {
			missing++
		}
	}
	return missing > 0 && p.Missing < 100 && missing*100 >= p.Missing*work
}

// missingWords says that much is missing, and from what share on that counts.
func (s *Swarm) missingWords(p *Policy) string {
	return fmt.Sprintf("%s: %d %% or more of the work is missing", s.Counts, p.Missing)
}

// decide says what follows from what was found in a submission.
func (r *Report) decide(p *Policy, prev *Report, deadline time.Time) {
	s := &r.Swarm
	this := Cycle{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: s.BundleDigest}
	if prev == nil {
		s.Cycles = []Cycle{this}
		r.conclude(p)
		return
	}
	s.Unwalled = s.Unwalled || prev.Swarm.Unwalled
	s.Hardening = SwarmHarden{Deadline: &deadline, Regressed: prev.Swarm.Hardening.Regressed}
	// What was judged to fail decides; the totals are the same envelope's. A tie
	// keeps the fix.
	if s.Score.Judged().Failed > prev.Swarm.Score.Judged().Failed {
		this.Kept = false
		fixDoubts := s.AdvisoryReasons
		r.keepPrevious(prev)
		s.Hardening.Regressed = true
		for _, why := range fixDoubts {
			s.addAdvisory(fmt.Sprintf("fix %d, which was not kept: %s", this.Cycle, why))
		}
	} else {
		r.inherit(prev)
	}
	s.Cycles = append(append([]Cycle{}, prev.Swarm.Cycles...), this)
	r.conclude(p)
}

// keepPrevious keeps the earlier bundle instead of a fix that is worse. In and
// BundleDigest still name the fix, since it is the event that was judged.
func (r *Report) keepPrevious(prev *Report) {
	r.Failures, r.OpenTests, r.Coverage = prev.Failures, prev.OpenTests, prev.Coverage
	h, before := &r.Report, &prev.Report
	h.Independence, h.ImplementerFamily, h.ImplementerModel = before.Independence, before.ImplementerFamily, before.ImplementerModel
	s, p := &r.Swarm, &prev.Swarm
	s.Score, s.AcceptedCycle = p.Score, p.AcceptedCycle
	s.Criteria, s.Items, s.Counts = p.Criteria, p.Items, p.Counts
	s.AdvisoryReasons = append([]string{}, p.AdvisoryReasons...)
	s.LevelReasons, s.OpenTestsBy = p.LevelReasons, p.OpenTestsBy
}

// conclude asks for a fix, or closes the domain.
func (r *Report) conclude(p *Policy) {
	s := &r.Swarm
	judged := s.Score.Judged()
	why := ""
	switch {
	case judged.Exceeds(p.Threshold):
		why = fmt.Sprintf("%s: above %d %%", judged.words(), p.Threshold)
	case s.muchMissing(p):
		why = s.missingWords(p)
	case s.open() > 0:
		why = s.Counts.String()
	}
	if s.Cycle >= p.MaxCycles || why == "" {
		r.close(p)
		return
	}
	s.Hardening.Requested = true
	s.Gate = Gate{Action: Pending, Reason: fmt.Sprintf("%s, fix %d is awaited", why, s.Cycle+1), Because: []string{"fix_awaited"}, Enforced: true}
	s.observe(p)
	r.finish(p)
}

// close makes the report the domain's last one.
func (r *Report) close(p *Policy) {
	s := &r.Swarm
	s.Final = true
	if s.Cycle > 0 {
		for _, f := range r.Failures {
			s.Hardening.Escalate = append(s.Hardening.Escalate, f.TestName)
		}
	}
	s.Gate = s.gate(p)
	s.observe(p)
	r.finish(p)
}

// gate is what a final report tells consensus services to do, and everything that
// it follows from.
func (s *Swarm) gate(p *Policy) Gate {
	if s.SealBroken != "" {
		return Gate{Action: Quarantine, Reason: "the seal is broken: no verdict of this run can be trusted", Because: []string{"seal_broken"}, Enforced: true}
	}
	g := Gate{Action: s.Score.Judged().Level().Action(), Reason: s.Score.words() + ": " + string(s.word()), Because: []string{"level"}, Enforced: true}
	because := func(code, words string, least Action) {
		g.Because = append(g.Because, code)
		g.Reason += "; " + words
		g.Action = Harsher(g.Action, least)
	}
	if why := s.undecided(); why != "" {
		// Warn at least: who keeps a judge from deciding must not get past it.
		because("undecided", why, milder(Harsher(s.Score.Level().Action(), Warn), p.Undecided))
	}
	if s.muchMissing(p) {
		because("missing", s.missingWords(p), Warn)
	}
	if s.open() > 0 {
		because("declared", s.Counts.String(), Warn)
	}
	if why := s.unread(); why != "" {
		because("unread", why, p.Unread)
	}
	return g
}

// word is the verdict in one word. A level that lets a bundle through is not
// named where something was not judged.
func (s *Swarm) word() Word {
	full, judged := s.Score.Level(), s.Score.Judged().Level()
	switch {
	case s.SealBroken != "":
		return WordSealBroken
	case judged.Action() != Proceed:
		return Word(full)
	case s.undecided() != "":
		return WordUndecided
	case s.unread() != "" || s.open() > 0:
		return WordUnread
	}
	return Word(full)
}

// observe lets everything proceed where gates are not enforced.
func (s *Swarm) observe(p *Policy) {
	if !p.EnforceGates {
		s.Gate = Gate{Action: Proceed, Reason: "observe mode; enforced, the gate would say " + string(s.Gate.Action) + " (" + s.Gate.Reason + ")", Because: s.Gate.Because}
	}
}

// breakSeal notes why no verdict can be trusted. The slice is copied, since it
// may be an earlier report's.
func (s *Swarm) breakSeal(why string) {
	s.SealBroken = why
	s.AdvisoryReasons = append([]string{}, s.AdvisoryReasons...)
	s.addAdvisory("the seal is broken: " + why)
}

// Redecide is the report that follows from what a stored one found, whose score
// stands in its last cycle, and from the stored report of the cycle before.
func (r *Report) Redecide(p *Policy, prev *Report, deadline time.Time) *Report {
	if prev != nil && r.Swarm.Hardening.TimedOut {
		return TimedOut(p, prev, deadline, r.Swarm.Hardening.Tick, r.Swarm.SealBroken)
	}
	again := *r
	s := &again.Swarm
	s.Score, s.AcceptedCycle, s.Final, s.Hardening = s.Cycles[len(s.Cycles)-1].Score, s.Cycle, false, SwarmHarden{}
	if s.SealBroken == "" {
		again.decide(p, prev, deadline)
		// Those of a fix that does not stand were found in what is not there any more.
		s.AdvisoryReasons = r.Swarm.AdvisoryReasons
		again.finish(p)
		return &again
	}
	s.Score = Score{Failed: s.Score.Total, Total: s.Score.Total}
	s.Cycles = []Cycle{{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: s.BundleDigest}}
	if prev != nil {
		s.Cycles = append(append([]Cycle{}, prev.Swarm.Cycles...), s.Cycles...)
	}
	again.close(p)
	return &again
}

// TimedOut is the final report of a domain whose fix did not come by its deadline,
// which a tick has ended: what stood before stands, unless the seal has broken since.
func TimedOut(p *Policy, prev *Report, deadline time.Time, tick *Place, broken string) *Report {
	r := *prev
	s := &r.Swarm
	s.Cycle++
	s.Hardening = SwarmHarden{Deadline: &deadline, Tick: tick, TimedOut: true, Regressed: prev.Swarm.Hardening.Regressed}
	r.Report.Timestamp = deadline
	if broken != "" {
		s.Score = Score{Failed: s.Score.Total, Total: s.Score.Total}
		r.Failures, s.Criteria = nil, []CriterionVerdict{}
		s.breakSeal(broken)
	}
	r.close(p)
	return &r
}

// Broken is the final report of a bundle whose run's seal is broken: nothing
// was passed, whatever stood before.
func Broken(c *Commitment, domains Domains, ev Evidence, prev *Report, why string) *Report {
	r := newReport(c, ev)
	s := &r.Swarm
	n := c.Criteria(domains, s.Domain)
	s.Score = Score{Failed: n, Total: n}
	if prev != nil {
		s.Cycles = append(s.Cycles, prev.Swarm.Cycles...)
		s.Unwalled = s.Unwalled || prev.Swarm.Unwalled
		r.Report.Specification = prev.Report.Specification
	}
	s.Cycles = append(s.Cycles, Cycle{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: ev.Digest})
	s.breakSeal(why)
	if d := domains.Find(s.Domain); d != nil {
		r.Report.ImplementerFamily, _ = Families(nil).Of(d.Implementer) // those of the run cannot be trusted
	}
	r.close(&c.Policy)
	return r
}
