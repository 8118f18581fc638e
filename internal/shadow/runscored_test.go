package shadow

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSum: a run that lacks a domain is advisory and says so, counts add up, and
// requirements that nobody was asked for are listed.
func TestSum(t *testing.T) {
	d := decomposition()
	d.Requirements = []Requirement{{"R1", "It is fast"}}
	x := mustExam(t, d, settings())
	one, two := x.Decide(evidence(0, 1), nil, time.Time{}), x.Decide(evidenceOf(0, content()), nil, time.Time{})
	tick := &Place{Sequence: 9}
	for name, c := range map[string]struct {
		finals   []*Report
		missing  int
		advisory bool
		median   string
		counts   ItemCounts
	}{
		"whole":               {[]*Report{one, one}, 0, false, "12.5", ItemCounts{Items: 14, Found: 12, Missing: 2}},
		"one is advisory":     {[]*Report{one, two}, 0, true, "6.2", ItemCounts{Items: 14, Found: 6, Missing: 1, Unread: 7}},
		"a bundle never came": {[]*Report{one, nil}, 1, true, "12.5", ItemCounts{Items: 7, Found: 6, Missing: 1}},
		"none came":           {[]*Report{nil, nil}, 2, true, "0.0", ItemCounts{}},
	} {
		finals, want := make([]*StoredReport, len(c.finals)), (*Place)(nil)
		for i, r := range c.finals {
			if r == nil {
				want = tick
			} else {
				finals[i] = Stored(r, Place{})
			}
		}
		run := Sum(&x.Envelope.Commitment, x.Envelope.Domains, finals, want)
		if run.Incomplete != (c.missing > 0) || len(run.Missing) != c.missing || len(run.Domains) != 2-c.missing || run.Advisory != c.advisory || string(run.Median) != c.median || run.Counts != c.counts || run.Tick != want {
			t.Errorf("%s: %+v", name, run)
		}
		if !slices.Equal(run.Unassigned, []string{"R1"}) || c.missing == 1 && run.Missing[0] != "two" {
			t.Errorf("%s: unassigned %q, missing %q", name, run.Unassigned, run.Missing)
		}
	}
	if line := one.Summary(); line.Counts != one.Swarm.Counts || line.Verdict != "minor" || line.Initial != line.Score || line.Gate != Proceed {
		t.Errorf("%+v", line)
	}
	if got := one.Swarm.Counts.String(); got != "7 items: 6 found, 1 missing" {
		t.Error(got)
	}
}

// TestRunWord: the level of the median is the run's word, unless it would let the
// run through and half of its domains are open.
func TestRunWord(t *testing.T) {
	domain := func(failed, undecided int, w Word) DomainSummary {
		return DomainSummary{Score: Score{Failed: failed, Total: 8, Undecided: undecided}, Verdict: w}
	}
	minor, unread, undecided := domain(1, 0, "minor"), domain(0, 0, WordUnread), domain(7, 7, WordUndecided)
	for name, c := range map[string]struct {
		domains []DomainSummary
		want    Word
	}{
		"one of three unread":       {[]DomainSummary{minor, minor, unread}, "minor"},
		"half unread":               {[]DomainSummary{minor, unread}, WordUnread},
		"most undecided":            {[]DomainSummary{undecided, undecided, unread}, WordUndecided},
		"as many as unread":         {[]DomainSummary{undecided, unread}, WordUnread},
		"bad is no less for unread": {[]DomainSummary{domain(6, 0, "critical"), domain(6, 0, "critical"), unread}, "critical"},
		"broken":                    {[]DomainSummary{minor, minor, domain(8, 0, WordSealBroken)}, WordSealBroken},
		"no bundle came":            {nil, WordUnread},
	} {
		run := &RunData{Domains: c.domains}
		var scores []Score
		for i := range c.domains {
			scores = append(scores, c.domains[i].Score)
		}
		_, run.Level = Median(scores)
		if got := run.word(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestEnd: when a run ended, and what each commander is told of it.
func TestEnd(t *testing.T) {
	finals := []*StoredReport{{At: time.Unix(3, 0)}, nil, {At: time.Unix(5, 0)}}
	for deadline, want := range map[time.Time]int64{{}: 5, time.Unix(4, 0): 5, time.Unix(6, 0): 6} {
		if got := ScoredAt(finals, deadline); got.Unix() != want {
			t.Errorf("%s, want %d", got, want)
		}
	}
	all := SettledDomains("run-1", []Domain{{Domain: "one", CommanderID: "a"}, {Domain: "two", CommanderID: "b"}, {Domain: "three", CommanderID: "a"}}, time.Unix(9, 0))
	want := []SettledData{{"run-1", "a", []string{"one", "three"}, time.Unix(9, 0).UTC()}, {"run-1", "b", []string{"two"}, time.Unix(9, 0).UTC()}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}
