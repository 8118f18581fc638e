package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// swarm is what a report has beside its score; nothing for a test suite.
func (s *Subject) swarm() *shadow.Swarm {
	if s.Swarm == nil {
		return &shadow.Swarm{}
	}
	return s.Swarm
}

// Advisory is why the score is not authoritative; empty if it is.
func (s *Subject) Advisory() string {
	h := &s.Score.Report
	switch why := s.swarm().AdvisoryReasons; {
	case len(why) > 0:
		return joined(why, "; ")
	case h.Advisory == nil || !*h.Advisory:
		return ""
	case h.AdvisoryReason == "":
		return "no reason is given"
	}
	return shadow.Printable(h.AdvisoryReason)
}

// Pending tells whether a fix is awaited, so that the score is not the last word.
func (s *Subject) Pending() bool { return s.Swarm != nil && !s.Swarm.Final }

// Observed tells whether gates were not enforced: whatever the score, the gate says proceed.
func (s *Subject) Observed() bool { return s.Swarm != nil && !s.Swarm.Gate.Enforced }

// FixAsked tells whether a fix was asked for.
func (s *Subject) FixAsked() bool {
	w := s.swarm()
	return s.Score.Hardening != nil && (w.Cycle > 0 || w.Hardening.Requested)
}

// Fixed tells whether a fix was due since, so that there are cycles to compare.
func (s *Subject) Fixed() bool {
	return s.Score.Hardening != nil && s.Score.Hardening.CyclesCompleted > 0
}

// outcome is why the test of the i-th failure was not passed.
func (s *Subject) outcome(i int) results.Status {
	if i < len(s.Outcomes) {
		return s.Outcomes[i]
	}
	return results.Failed
}

// Look is how the verdict is shown. That of a test suite is its level.
func (s *Subject) Look() Look {
	if s.Swarm == nil {
		return LookOf(shadow.Word(s.Score.Report.Level))
	}
	return LookOf(s.Swarm.Verdict)
}

// ScoreText is the score in a few words, such as "12.5 % minor", or "unread, 0.0 % so far".
func (s *Subject) ScoreText() string { return s.Look().Score(s.Score.Report.ShadowScore.String()) }

// headline is the score in one line, such as "12.5 % minor (7 of 8 criteria passed, 1 failed)".
func (s *Subject) headline() string {
	text := s.ScoreText() + " (" + s.Tally()
	if items := s.Counts(); items != "" {
		text += "; " + items
	}
	return text + ")"
}

// Tally says what became of the tests, such as "2 of 8 criteria passed, 1 failed, 5 unread".
func (s *Subject) Tally() string {
	t := s.Score.SealedTests
	if s.Swarm == nil {
		return fmt.Sprintf("%d of %s passed, %d not", t.Passed, shadow.Count(t.Total, "sealed test"), t.Failed)
	}
	if len(s.Swarm.Criteria) == 0 { // the seal is broken
		return fmt.Sprintf("0 of %s passed", criteria(t.Total))
	}
	n := map[shadow.Outcome]int{}
	for i := range s.Swarm.Criteria {
		n[s.Swarm.Criteria[i].Outcome]++
	}
	text := fmt.Sprintf("%d of %s passed", n[shadow.Passed], criteria(len(s.Swarm.Criteria)))
	for _, o := range []shadow.Outcome{shadow.Failed, shadow.Undecided, shadow.Unread} {
		if n[o] > 0 {
			text += fmt.Sprintf(", %d %s", n[o], o)
		}
	}
	return text
}

// Counts says what was made of the items, such as "9 items: 7 found, 2 missing"; empty where there is none.
func (s *Subject) Counts() string {
	if n := s.swarm().Counts; n.Items > 0 {
		return n.String()
	}
	return ""
}

// HardeningRequests are the hardening requests that the commander got.
func (s *Subject) HardeningRequests() (list []*shadow.HardeningData) {
	if s.Run == nil {
		return nil
	}
	for _, h := range s.Run.Requests[s.Swarm.Domain] {
		if h.Cycle <= s.Swarm.Cycle+1 {
			list = append(list, h)
		}
	}
	return list
}

// GateText is what consensus services should do, in words; empty for a test suite.
func (s *Subject) GateText() string {
	text := shadow.Printable(string(s.swarm().Gate.Action))
	if s.Observed() {
		text += " (observe mode: gates are not enforced)"
	}
	return text
}

// Holds is the gate that holds: that of the review, or else of the report.
func (s *Subject) Holds() shadow.Action {
	if s.Review != nil {
		return s.Review.After.Gate
	}
	return s.swarm().Gate.Action
}

// ReviewText is the gate that holds with a person's review, what they found and why; empty where there is none.
func (s *Subject) ReviewText() string {
	if s.Review == nil {
		return ""
	}
	return string(s.Review.After.Gate) + ", " + s.Reviewed()
}

// Reviewed is what a person found and why.
func (s *Subject) Reviewed() string {
	v := &s.Review.Review
	text := map[shadow.ReviewVerdict]string{shadow.ReviewAccept: "accepted", shadow.ReviewReject: "rejected", shadow.ReviewItems: "reviewed"}[v.Verdict] + " by " + v.By
	if len(v.Found) > 0 {
		var found []string
		for _, f := range v.Found {
			found = append(found, f.About+" "+string(f.State))
		}
		text += ", who finds " + clip.List(found, 10, ", ")
	}
	if v.Because != "" {
		text += ": " + clip.To(v.Because, maxQuoted)
	}
	return inert(shadow.Printable(text))
}

// Todo says what to do about a verdict that is open; empty if it is none.
func (s *Subject) Todo() string {
	switch s.swarm().Verdict {
	case shadow.WordUnread:
		return "let a judge or a person read the bundle"
	case shadow.WordUndecided:
		return "let a person decide what the judges could not"
	}
	return ""
}

// Stated says whose word the numbers of open tests are; empty where they were read from results.
func (s *Subject) Stated() string {
	if by := s.swarm().OpenTestsBy; by != "" {
		return ", as stated by " + shadow.Printable(by)
	}
	return ""
}

// CycleText says where the loop of fixes stands, beginning with the cycle.
func (s *Subject) CycleText() string {
	h, text := &s.Swarm.Hardening, "the fix stands"
	switch {
	case !s.Swarm.Final:
		text = "a fix is awaited: this is not the last word"
	case h.TimedOut:
		text = "no fix came in time"
	case h.Regressed:
		text = fmt.Sprintf("a fix was worse: the bundle of cycle %d stands", s.Swarm.AcceptedCycle)
	case s.Swarm.Cycle == 0:
		text = "no fix was asked for"
	}
	if len(h.Escalate) > 0 {
		text += "; for a human to look at: " + joined(h.Escalate, ", ")
	}
	return fmt.Sprintf("%d, %s", s.Swarm.Cycle, text)
}

// HardenedText says what the fixes brought. Spec version 1.0.0 has no velocity.
func (s *Subject) HardenedText() string {
	h := s.Score.Hardening
	text := fmt.Sprintf("from %s %% to %s %% in %d of %d cycles", h.InitialShadowScore, h.FinalShadowScore, h.CyclesCompleted, h.MaxCycles)
	if h.HardeningVelocity != "" {
		text += fmt.Sprintf(", velocity %s points a cycle", h.HardeningVelocity)
	}
	return text
}

// Categories lists those of the comparison of sealed and open tests, and at the end that of tests without any.
func (s *Subject) Categories() []shadow.Category {
	return slices.DeleteFunc(append(shadow.Categories(), results.Unknown), func(c shadow.Category) bool {
		_, compared := s.Score.Coverage[c]
		return !compared
	})
}

// words is a verdict, an outcome or a category in words that are fit to be shown.
func words(word any) string {
	return strings.ReplaceAll(shadow.Printable(fmt.Sprint(word)), "_", " ")
}

// fact is a line of where a score comes from.
type fact struct{ Name, Value string }

// levelFact is the level that a report claims, and why it is no higher.
func (s *Subject) levelFact() string {
	h := &s.Score.Report
	switch {
	case h.ConformanceLevel == 0: // spec version 1.0.0
		return ""
	case len(s.swarm().LevelReasons) == 0:
		return fmt.Sprintf("L%d", h.ConformanceLevel)
	}
	return fmt.Sprintf("L%d (%s)", h.ConformanceLevel, strings.Join(s.Swarm.LevelReasons, "; "))
}

// Provenance says where a score comes from. Values are untrusted.
func (s *Subject) Provenance() []fact {
	h := &s.Score.Report
	facts := []fact{
		{"specification version", s.Score.SpecVersion}, {"conformance level", s.levelFact()},
		{"task", h.Specification}, {"sealed hash", h.SealedHash}, {"independence", h.Independence},
		{"seal author families", strings.Join(h.SealAuthorFamilies, ", ")}, {"seal author models", strings.Join(h.SealAuthorModels, ", ")},
		{"specifier family", h.SpecifierFamily}, {"specifier model", h.SpecifierModel},
		{"implementer family", h.ImplementerFamily}, {"implementer model", h.ImplementerModel}, {"specification ambiguity", h.SpecAmbiguity.String()},
		{"workspace isolation", h.WorkspaceIsolation},
	}
	if h.SealBroken != nil && *h.SealBroken {
		facts = append(facts, fact{"seal", "BROKEN"})
	}
	if s.Swarm != nil {
		w := s.Swarm
		judges := make([]string, len(w.Judges))
		for i := range w.Judges {
			judges[i] = w.Judges[i].Name
		}
		facts = append(facts, fact{"bundle", w.BundleID + " of " + w.CommanderID}, fact{"bundle digest", w.BundleDigest},
			fact{"judges", strings.Join(judges, ", ")}, fact{"checker", w.CheckerVersion},
			fact{"received", fmt.Sprintf("%s, sequence %d", w.In.Time.UTC().Format("2006-01-02 15:04:05 UTC"), w.In.Sequence)})
	}
	out := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			out = append(out, fact{f.Name, shadow.Printable(f.Value)})
		}
	}
	return out
}
