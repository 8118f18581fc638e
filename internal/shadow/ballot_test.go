package shadow

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A majority is of the judges that are configured, whoever votes.
func TestMajority(t *testing.T) {
	for _, c := range []struct {
		votes      string // p, f and u in the order they come
		configured int
		want       Outcome
		open       bool
	}{
		{"", 1, Undecided, true}, {"p", 1, Passed, false}, {"f", 1, Failed, false}, {"u", 1, Undecided, false},
		{"p", 2, Undecided, true}, {"pf", 2, Undecided, false}, {"pp", 2, Passed, false}, {"u", 2, Undecided, false},
		{"p", 3, Undecided, true}, {"pp", 3, Passed, false}, {"ff", 3, Failed, false}, {"pf", 3, Undecided, true},
		{"pfu", 3, Undecided, false}, {"pup", 3, Passed, false}, {"uu", 3, Undecided, false}, {"pu", 3, Undecided, true},
		{"ppff", 4, Undecided, false}, {"ppf", 4, Undecided, true}, {"ppp", 4, Passed, false}, {"fff", 5, Failed, false},
		{"n", 1, NotApplicable, false}, {"nn", 3, NotApplicable, false}, {"pn", 3, Undecided, true}, {"pnf", 3, Undecided, false}, {"npn", 3, NotApplicable, false},
		{"pn", 5, Undecided, true}, {"pnf", 5, Undecided, true}, {"pnfp", 5, Undecided, true}, {"pnfu", 5, Undecided, false},
	} {
		if got, open := Tally(votesOf(c.votes), c.configured); got != c.want || open != c.open {
			t.Errorf("%q of %d: %s, open %v; want %s, %v", c.votes, c.configured, got, open, c.want, c.open)
		}
	}
}

// Once a tally is closed, no votes that are missing change it.
func TestMajorityIsFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "judges")
		all := rapid.StringOfN(rapid.RuneFrom([]rune("pfnu")), n, n, -1).Draw(t, "votes")
		whole, open := Tally(votesOf(all), n)
		if open {
			t.Fatalf("%q of %d is open", all, n)
		}
		for i := range all {
			part, open := Tally(votesOf(all[:i]), n)
			if k := Needed(votesOf(all[:i]), n); open != (k > 0) || k > n-i {
				t.Fatalf("%q of %d, open %v: %d more needed", all[:i], n, open, k)
			}
			if !open && part != whole {
				t.Fatalf("%q of %d is %s, but %q is %s", all[:i], n, part, all, whole)
			}
		}
	})
}

func votesOf(s string) []Vote {
	votes := []Vote{}
	for _, r := range s {
		v := Vote{Judge: "judge", Outcome: map[rune]Outcome{'p': Passed, 'f': Failed, 'n': NotApplicable, 'u': Undecided}[r]}
		switch v.Outcome {
		case Failed:
			v.Actual = "it is not there"
		case Undecided:
			v.Why = "out"
		}
		votes = append(votes, v)
	}
	return votes
}

func TestAdmit(t *testing.T) {
	q := &Question{Bundle: &Bundle{Content: "Tokens expire\nafter   one hour.", Summary: "All done in time", Conflicts: []Conflict{{Resolution: "RS256 it will be"}}}}
	for name, c := range map[string]struct {
		vote Vote
		want Outcome
		why  string
	}{
		"a pass with its quote":     {Vote{Outcome: Passed, Quote: "Tokens expire after one hour."}, Passed, ""},
		"of the summary":            {Vote{Outcome: Passed, Quote: "All done"}, Undecided, "without a quote"},
		"longer of the summary":     {Vote{Outcome: Passed, Quote: "All done in time"}, Passed, ""},
		"of a conflict":             {Vote{Outcome: Passed, Quote: "RS256 it will be"}, Passed, ""},
		"a pass without":            {Vote{Outcome: Passed}, Undecided, "without a quote"},
		"a pass with a made-up one": {Vote{Outcome: Passed, Quote: "Tokens expire after two hours."}, Undecided, "does not stand in the bundle"},
		"another case":              {Vote{Outcome: Passed, Quote: "TOKENS EXPIRE AFTER ONE HOUR"}, Undecided, "does not stand in the bundle"},
		"over two texts":            {Vote{Outcome: Passed, Quote: "after one hour. All done in time"}, Undecided, "does not stand in the bundle"},
		"punctuation only":          {Vote{Outcome: Passed, Quote: ". "}, Undecided, "without a quote"},
		"far too long":              {Vote{Outcome: Passed, Quote: strings.Repeat("x", maxQuote+1)}, Undecided, "more than"},
		"a fail":                    {Vote{Outcome: Failed, Actual: "no expiry is stated", Quote: "made up"}, Failed, ""},
		"a fail without a reason":   {Vote{Outcome: Failed}, Undecided, "does not say what is wrong"},
		"no outcome":                {Vote{}, Undecided, "neither passed nor failed"},
		"another outcome":           {Vote{Outcome: "PASS", Quote: "Tokens expire after one hour."}, Undecided, "neither passed nor failed"},
		"none, and why":             {Vote{Outcome: Undecided, Why: "timeout"}, Undecided, "timeout"},
		"a pass with a reason":      {Vote{Outcome: Passed, Quote: "Tokens expire", Why: "x"}, Passed, ""},
	} {
		got := q.Admit(c.vote)
		if got.Outcome != c.want || !strings.Contains(got.Why, c.why) || (c.why == "") != (got.Why == "") || got.Outcome == Undecided && got.Quote+got.Actual != "" {
			t.Errorf("%s: %+v", name, got)
		}
		if got.Outcome == Failed && got.Quote != "" {
			t.Errorf("%s: a quote that does not stand in the bundle is kept", name)
		}
	}
}

// What applies follows from the assignment: so it must be known, an item of it
// always applies, and a reason is needed.
func TestAdmitNotApplicable(t *testing.T) {
	criterion, item := &Criterion{ID: "sc-01"}, &Item{ItemRef{SubTask, 1}, "Write the tests"}
	vote := Vote{Outcome: NotApplicable, Why: " The assignment issues no tokens. ", Quote: "Tokens", Actual: "x"}
	for name, c := range map[string]struct {
		q    Question
		vote Vote
		why  string
	}{
		"with its reason":       {Question{Criterion: criterion, Domain: &Domain{}}, vote, ""},
		"without a reason":      {Question{Criterion: criterion, Domain: &Domain{}}, Vote{Outcome: NotApplicable, Quote: "x"}, "without a reason"},
		"assignment not known":  {Question{Criterion: criterion}, vote, "not known"},
		"item":                  {Question{Item: item, Domain: &Domain{}}, vote, "always applicable"},
		"item, nothing is said": {Question{Item: item, Domain: &Domain{}}, Vote{Outcome: NotApplicable}, "always applicable"},
	} {
		c.q.Bundle = &Bundle{Content: "Tokens expire."}
		got := c.q.Admit(c.vote)
		if want := (Vote{Outcome: NotApplicable, Why: "The assignment issues no tokens."}); c.why == "" && got != want {
			t.Errorf("%s: %+v", name, got)
		}
		if c.why != "" && (got.Outcome != Undecided || !strings.Contains(got.Why, c.why)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNewBallot(t *testing.T) {
	criterion := NewBallot(&Question{Criterion: &Criterion{ID: "sc-02"}}, votesOf("nnpu"), 5)
	if criterion.TestName != "sc-02" || criterion.Item != nil || criterion.Outcome != Undecided || criterion.Cast != 3 || criterion.Agreed != 2 || criterion.Configured != 5 {
		t.Errorf("%+v", criterion)
	}
	item := NewBallot(&Question{Item: &Item{ItemRef{Deliverable, 2}, "a runbook"}}, votesOf("ff"), 3)
	if item.TestName != "" || item.Item == nil || *item.Item != (ItemRef{Deliverable, 2}) || item.Outcome != Failed || item.Agreed != 2 {
		t.Errorf("%+v", item)
	}
}

// prose is an exam of which the first two criteria have no check.
func prose(t *testing.T) *Exam {
	t.Helper()
	e := sealWith(t, decomposition(), settings(), func(cs []Criterion) []Criterion {
		cs[0].Check, cs[1].Check = "", ""
		return cs
	})
	return examOf(t, e)
}

func TestPanelDecides(t *testing.T) {
	x := prose(t)
	judges := []AuthorRef{{Name: "judge", Model: Model{Family: "delta"}}}
	ask := func(n int, votes string) *Report {
		ev := evidence(0, n)
		qs := x.Questions(&ev)
		if len(qs) < 2 {
			t.Fatalf("%d questions", len(qs))
		}
		ev.Panel.Judges = judges
		for i := range qs {
			ev.Panel.Ballots = append(ev.Panel.Ballots, NewBallot(&qs[i], votesOf(votes), len(votes)))
		}
		// One that was not asked counts for nothing.
		for i := range x.Envelope.Criteria {
			id := x.Envelope.Criteria[i].ID
			if !slices.ContainsFunc(qs, func(q Question) bool { return q.Criterion.ID == id }) {
				ev.Panel.Ballots = append(ev.Panel.Ballots, Ballot{TestName: id, Outcome: Passed})
				break
			}
		}
		return x.Decide(ev, nil, time.Time{})
	}
	closed := ask(3, "") // nobody is asked: 1 of the three in prose fails by its check
	if n := len(closed.Swarm.Undecided); n != 2 {
		t.Errorf("%d undecided without votes", n)
	}
	passed := ask(3, "ppp")
	failed := ask(3, "fff")
	split := ask(3, "pfu")
	silent := ask(3, "uuu")
	if p, f := passed.Swarm.Score.Failed, failed.Swarm.Score.Failed; f != p+2 {
		t.Errorf("%d not passed where the panel passes, %d where it fails", p, f)
	}
	if len(split.Swarm.Undecided) != 2 || split.Swarm.Score != failed.Swarm.Score || !*split.Report.Advisory || *failed.Report.Advisory {
		t.Errorf("a panel that is split: %+v", split.Swarm)
	}
	for _, f := range split.Failures {
		if f.Message == "could not be judged" && !strings.Contains(f.Actual, "no majority of the 3 judges: 1 passed, 1 failed; no vote of judge: out") {
			t.Errorf("undecided because of %q", f.Actual)
		}
	}
	for _, f := range silent.Failures {
		if f.Message == "could not be judged" && !strings.HasPrefix(f.Actual, "no judge had a vote: judge: out") {
			t.Errorf("undecided because of %q", f.Actual)
		}
	}
	if len(failed.Swarm.Ballots) != 2 || len(failed.Swarm.Judges) != 2 || failed.Swarm.Cost == nil {
		t.Errorf("%+v", failed.Swarm)
	}
	for _, f := range failed.Failures {
		if f.Actual == "it is not there" && !strings.HasPrefix(f.Message, "Cover ") {
			t.Errorf("the commander is told %q", f.Message)
		}
	}
	// The implementer's kin may not judge it.
	judges[0].Family = "beta"
	if r := ask(3, "ppp"); r.Report.Independence != "weak" || !*r.Report.Advisory {
		t.Errorf("judged by its kin: %+v", r.Report)
	}
	if r := ask(3, "uuu"); r.Report.Independence != "strong" {
		t.Errorf("kin that cast no vote weakens: %+v", r.Report)
	}
}

// A bundle that shows the decoy is not put to judges.
func TestNoQuestionsOfABrokenSeal(t *testing.T) {
	x := prose(t)
	ev := evidenceOf(0, x.Envelope.Decoy.Token)
	if qs := x.Questions(&ev); len(qs) > 0 {
		t.Errorf("%d questions", len(qs))
	}
}
