package shadow

import (
	"encoding/json"
	"slices"
	"time"
)

// RunData is the data of run-scored: a run in one line per domain. It holds no
// sealed text.
type RunData struct {
	RunID      string `json:"run_id" is:"id"`
	Scale      string `json:"scale" is:"of=ss-50|ss-100|ss-250"`
	TaskHash   string `json:"task_hash" is:"digest"`
	SealedHash string `json:"sealed_hash" is:"digest"`
	// Median of the domains' final scores, and the level of the exact median.
	Median   json.Number     `json:"median" is:"max=100"`
	Level    Level           `json:"level"`
	Verdict  Word            `json:"verdict"`
	Domains  []DomainSummary `json:"domains" is:"max=500"`
	Advisory bool            `json:"advisory"` // one of the scores is, or domains are missing
	// Incomplete: the run's deadline passed before the bundles of those Missing came.
	Incomplete bool       `json:"incomplete"`
	Missing    []string   `json:"missing" is:"max=500;id"`
	Tick       *Place     `json:"tick,omitempty"` // of IN, that ended the run before these came
	Counts     ItemCounts `json:"counts"`
	// Unassigned are the ids of the requirements that nobody was asked for.
	Unassigned []string `json:"unassigned_requirements,omitempty" is:";min=1"`
}

// DomainSummary is what a report says of its domain, without sealed text.
type DomainSummary struct {
	Domain      string      `json:"domain" is:"id"`
	CommanderID string      `json:"commander_id" is:"id"`
	BundleID    string      `json:"bundle_id" is:"id"`
	ShadowScore json.Number `json:"shadow_score" is:"max=100"`
	Level       Level       `json:"level"`
	Verdict     Word        `json:"verdict"`
	Score       Score       `json:"score"`
	Initial     Score       `json:"initial"` // the score of cycle 0
	Gate        Action      `json:"gate" is:"of=proceed|warn|quarantine|reject"`
	Enforced    bool        `json:"enforced"`
	Cycle       int         `json:"cycle" is:"max=10"` // of the report
	Regressed   bool        `json:"regressed"`
	TimedOut    bool        `json:"timed_out"`
	SealBroken  bool        `json:"seal_broken"`
	Advisory    bool        `json:"advisory"`
	Counts      ItemCounts  `json:"counts"`
	// Review is the last one that came before the run was complete.
	Review *ReviewLine `json:"review,omitempty"`
}

// Summary is the report without its sealed text.
func (r *Report) Summary() DomainSummary {
	s := &r.Swarm
	line := DomainSummary{
		Domain:      s.Domain,
		CommanderID: s.CommanderID,
		BundleID:    s.BundleID,
		ShadowScore: s.Score.Percent(),
		Level:       s.Score.Level(),
		Score:       s.Score,
		Gate:        s.Gate.Action,
		Enforced:    s.Gate.Enforced,
		Cycle:       s.Cycle,
		Regressed:   s.Hardening.Regressed,
		TimedOut:    s.Hardening.TimedOut,
		SealBroken:  s.SealBroken != "",
		Advisory:    len(s.AdvisoryReasons) > 0,
		Verdict:     s.Verdict,
		Counts:      s.Counts,
	}
	if len(s.Cycles) > 0 { // a forged report may have none
		line.Initial = s.Cycles[0].Score
	}
	return line
}

// Sum makes run-scored from the final reports of a run's domains, in their order;
// nil is a domain whose bundle did not come by the tick that ended the run.
func Sum(c *Commitment, domains []Domain, finals []*StoredReport, tick *Place) *RunData {
	run := &RunData{
		RunID:      c.RunID,
		Scale:      c.Policy.Scale,
		TaskHash:   c.TaskHash,
		SealedHash: c.SealedHash,
		Domains:    []DomainSummary{},
		Missing:    []string{},
		Unassigned: c.Unassigned,
		Tick:       tick,
	}
	var scores []Score
	end := Complete(finals, tick)
	for i, r := range finals {
		if r == nil {
			run.Incomplete = true
			run.Missing = append(run.Missing, domains[i].Domain)
			continue
		}
		line := r.Summary
		line.Review = r.lastReview(end)
		run.Counts.Add(line.Counts)
		run.Advisory = run.Advisory || line.Advisory
		run.Domains = append(run.Domains, line)
		scores = append(scores, line.Score)
	}
	// A median of some, or of none, must not pass for the run's.
	run.Advisory = run.Advisory || run.Incomplete
	run.Median, run.Level = Median(scores)
	run.Verdict = run.word()
	return run
}

// Complete is the sequence in IN of what completed a run: the last event that was
// judged, or the tick that ended a deadline. Reviews before it are in run-scored.
func Complete(finals []*StoredReport, tick *Place) (end uint64) {
	if tick != nil {
		end = tick.Sequence
	}
	for _, r := range finals {
		if r != nil {
			end = max(end, r.Ended)
		}
	}
	return end
}

// word is the level of the median, unless what was judged would let the run
// through, and half of its domains, or more, are open.
func (run *RunData) word() Word {
	n := map[Word]int{}
	judged := make([]Score, len(run.Domains))
	for i := range run.Domains {
		n[run.Domains[i].Verdict]++
		judged[i] = run.Domains[i].Score.Judged()
	}
	_, level := Median(judged)
	switch {
	case n[WordSealBroken] > 0:
		return WordSealBroken
	case level.Action() != Proceed || 2*(n[WordUnread]+n[WordUndecided]) < len(run.Domains):
		return Word(run.Level)
	case n[WordUndecided] > n[WordUnread]:
		return WordUndecided
	}
	return WordUnread
}

// ScoredAt is the time of run-scored: that of the last report in it, or of the
// deadline that ended it, which is zero else.
func ScoredAt(finals []*StoredReport, deadline time.Time) time.Time {
	at := deadline
	for _, r := range finals {
		if r != nil && r.At.After(at) {
			at = r.At
		}
	}
	return at
}

// SettledDomains tells each commander of a run that it has ended.
func SettledDomains(run string, domains Domains, at time.Time) (all []SettledData) {
	for i := range domains {
		d := &domains[i]
		k := slices.IndexFunc(all, func(x SettledData) bool { return x.CommanderID == d.CommanderID })
		if k < 0 {
			k = len(all)
			all = append(all, SettledData{RunID: run, CommanderID: d.CommanderID, EndedAt: at.UTC()})
		}
		all[k].Domains = append(all[k].Domains, d.Domain)
	}
	return all
}
