package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
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

// Pending tells whether a fix is awaited, so that the score is not the last
// word.
func (s *Subject) Pending() bool { return s.Swarm != nil && !s.Swarm.Final }

// Observed tells whether gates were not enforced: whatever the score, the gate
// says proceed.
func (s *Subject) Observed() bool { return s.Swarm != nil && !s.Swarm.Gate.Enforced }

// Unread tells whether so little of the bundle was read that its score is no
// judgement, and no rendering may show it as a good one.
func (s *Subject) Unread() bool { return s.swarm().Unread() }

// FixAsked tells whether a fix was asked for.
func (s *Subject) FixAsked() bool {
	w := s.swarm()
	return s.Score.Hardening != nil && (w.Cycle > 0 || w.Hardening.Requested)
}

// Fixed tells whether a fix was due since, so that there are cycles to compare.
func (s *Subject) Fixed() bool {
	return s.Score.Hardening != nil && s.Score.Hardening.CyclesCompleted > 0
}

// undecided tells whether a failure is a criterion that could not be judged.
func (s *Subject) undecided(test string) bool { return slices.Contains(s.swarm().Undecided, test) }

// outcome is why the test of the i-th failure was not passed.
func (s *Subject) outcome(i int) results.Status {
	switch {
	case s.undecided(s.Score.Failures[i].TestName):
		return results.Errored
	case i < len(s.Outcomes):
		return s.Outcomes[i]
	}
	return results.Failed
}

// Look is how the level of the score is shown.
func (s *Subject) Look() Look { return LookOf(s.Score.Report.Level, s.Unread()) }

// ScoreText is the score in a few words, such as "12.5 % minor", or "unread,
// 0.0 % so far".
func (s *Subject) ScoreText() string { return s.Look().score(s.Score.Report.ShadowScore.String()) }

// headline is the score in one line, such as
// "12.5 % minor (1 of 8 not passed, 4 of 9 items read)".
func (s *Subject) headline() string {
	t := s.Score.SealedTests
	text := fmt.Sprintf("%s (%d of %d not passed", s.ScoreText(), t.Failed, t.Total)
	if read := s.Read(); read != "" {
		text += ", " + read
	}
	return text + ")"
}

// HardeningRequests are the hardening requests that the commander got.
func (s *Subject) HardeningRequests() (list []*shadow.HardeningData) {
	for _, a := range s.Attempts {
		if a.Request != nil {
			list = append(list, a.Request)
		}
	}
	return list
}

// GateText is what consensus services should do, in words; empty for a test
// suite.
func (s *Subject) GateText() string {
	text := s.action()
	if s.Observed() {
		text += " (observe mode: gates are not enforced)"
	}
	return text
}

func (s *Subject) action() string { return shadow.Printable(string(s.swarm().Gate.Action)) }

// Read says how much of the assignment was read; empty where there is no item.
func (s *Subject) Read() string { return s.swarm().Read.Words() }

// Todo says what to do about a score that is no judgement, since too little was
// read; empty if it is one.
func (s *Subject) Todo() string {
	if !s.Unread() {
		return ""
	}
	const read = "let a person or a judge read the bundle: "
	if r := s.Swarm.Read; r.Items > 0 {
		return read + "this score says nothing about " + shadow.Count(r.Items-r.Read, "item")
	}
	return read + "its assignment names no item"
}

// NotApplicableText says which criteria do not apply to the domain; empty if all do.
func (s *Subject) NotApplicableText() string {
	return saidOf(s.swarm().NotApplicable, "does not apply to this domain, and counts as passed", "do not apply to this domain, and count as passed")
}

// UnreadText says which criteria are unread; empty if none is.
func (s *Subject) UnreadText() string {
	return saidOf(s.swarm().UnreadCriteria, "is unread, and counts as passed", "are unread, and count as passed")
}

// Stated says whose word the numbers of open tests are, to stand behind them. It
// is empty where they were read from results.
func (s *Subject) Stated() string {
	if by := s.swarm().OpenTestsBy; by != "" {
		return ", as stated by " + shadow.Printable(by)
	}
	return ""
}

// Tampering tells where a bundle addresses its judge; empty if it does not. It
// is told beside the score, which does not rest on it.
func (s *Subject) Tampering() string {
	var places []string
	for _, t := range s.swarm().Tampering {
		where := fmt.Sprintf("line %d of the %s", t.Line, t.In)
		switch t.In {
		case "content":
			where = fmt.Sprintf("line %d", t.Line)
		case "conflicts":
			where = fmt.Sprintf("conflict %d", t.Line)
		}
		places = append(places, shadow.Printable(where+" ("+t.Kind+")"))
	}
	if len(places) == 0 {
		return ""
	}
	return "the bundle seems to address its judge; no verdict rests on this: " + strings.Join(places, ", ")
}

// CycleText says where the loop of fixes stands, beginning with the cycle.
func (s *Subject) CycleText() string { return fmt.Sprintf("%d, %s", s.Swarm.Cycle, s.fixText()) }

// fixText says where the loop of fixes stands.
func (s *Subject) fixText() string {
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
	if len(h.FlatVelocity) > 0 {
		text += "; no better than before, and for other reasons, so the commander may miss what is meant: " + joined(h.FlatVelocity, ", ")
	}
	if len(h.Escalate) > 0 {
		text += "; for a human to look at: " + joined(h.Escalate, ", ")
	}
	return text
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

// Kept says what became of a cycle's bundle.
func (s *Subject) Kept(c shadow.Cycle) string {
	switch {
	case !c.Kept:
		return "worse, not kept"
	case c.Cycle == s.Swarm.AcceptedCycle:
		return "stands"
	}
	return "replaced"
}

// Categories lists those of the comparison of sealed and open tests, in the order
// of the protocol.
func (s *Subject) Categories() []shadow.Category {
	return slices.DeleteFunc(allCategories(), func(c shadow.Category) bool {
		_, compared := s.Score.Coverage[c]
		return !compared
	})
}

// allCategories are those of the protocol, and the one of tests without any.
func allCategories() []shadow.Category { return append(shadow.Categories(), results.Unknown) }

// Criterion is what a report says of one sealed criterion.
type Criterion struct {
	ID       string
	Category shadow.Category // empty where the report does not name it
	Outcome  shadow.Outcome  // or unread
	Failure  shadow.Failure  // nothing where it counts as passed
}

// unread stands for the outcome of a criterion that counts as passed though not
// all of its items were read.
const unread shadow.Outcome = "unread"

// Criteria are those of a bundle, in the order of their ids; none where the seal
// is broken, since nothing was judged.
func (s *Subject) Criteria() (list []Criterion) {
	if s.Swarm == nil || s.Swarm.SealBroken != "" {
		return nil
	}
	for n := range min(s.Score.SealedTests.Total, shadow.MaxCriteria) {
		c := Criterion{ID: shadow.CriterionID(n), Outcome: shadow.Passed}
		if n < len(s.Swarm.Categories) {
			if c.Category = s.Swarm.Categories[n]; !slices.Contains(allCategories(), c.Category) {
				c.Category = results.Unknown
			}
		}
		if i := slices.IndexFunc(s.Score.Failures, func(f shadow.Failure) bool { return f.TestName == c.ID }); i >= 0 {
			c.Outcome, c.Failure = shadow.Failed, s.Score.Failures[i]
		}
		switch {
		case slices.Contains(s.Swarm.NotApplicable, c.ID):
			c.Outcome = shadow.NotApplicable
		case s.undecided(c.ID):
			c.Outcome = shadow.Undecided
		case slices.Contains(s.Swarm.UnreadCriteria, c.ID):
			c.Outcome = unread
		}
		list = append(list, c)
	}
	return list
}

// words is an outcome or a category in words.
func words[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }

// strip is the criteria of one category, without a word of them.
type strip struct {
	Category string // empty where the report does not name it
	Marks    []mark
}

// mark is one criterion: its number, and what became of it.
type mark struct{ No, Outcome string }

// Class is the outcome as a class of the style sheet.
func (m mark) Class() string { return "mark-" + strings.ReplaceAll(m.Outcome, " ", "-") }

// Strips group the criteria of a report by category.
func (s *Subject) Strips() (strips []strip) {
	groups := map[shadow.Category][]mark{}
	for _, c := range s.Criteria() {
		groups[c.Category] = append(groups[c.Category], mark{strings.TrimPrefix(c.ID, "sc-"), words(c.Outcome)})
	}
	for _, c := range append(allCategories(), "") {
		if len(groups[c]) > 0 {
			strips = append(strips, strip{words(c), groups[c]})
		}
	}
	return strips
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
		for i, j := range w.Judges {
			judges[i] = j.Name
		}
		facts = append(facts, fact{"bundle", w.BundleID + " of " + w.CommanderID}, fact{"bundle digest", w.BundleDigest},
			fact{"judged by", strings.Join(judges, ", ")}, fact{"checker", w.CheckerVersion},
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
