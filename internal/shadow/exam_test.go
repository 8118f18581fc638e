package shadow

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestItemStates: what is made of an item, who says so, where, and what becomes of
// its criterion.
func TestItemStates(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	for name, c := range map[string]struct {
		ev      Evidence
		state   ItemState
		outcome Outcome
		by      string
		line    int
		why     string
	}{
		"found":     {judged(evidenceOf(0, content())), ItemFound, Passed, "judge", 3, ""},
		"missing":   {judged(evidenceOf(0, content()), "sub-task 1"), ItemMissing, Failed, "judge", 0, "the chapter is not there"},
		"no vote":   {undecided(judged(evidenceOf(0, content())), "sub-task 1"), ItemUndecided, Undecided, "", 0, "no judge had a vote: judge: timeout"},
		"not asked": {Evidence{Submission: evidenceOf(0, content()).Submission, Panel: PanelVotes{Judges: []JudgeRef{{}}}}, ItemUndecided, Undecided, "", 0, "no judge was asked"},
		"no judge":  {evidenceOf(0, content()), ItemUnread, Unread, "", 0, ""},
		"claimed":   {accounted(0, []int{1}, nil), ItemClaimed, Unread, byCommander, 3, ""},
		"declared":  {accounted(0, nil, []int{1}), ItemDeclared, Unread, byCommander, 0, "no time was left"},
		"left out":  {accounted(0, []int{2}, nil), ItemUnaccounted, Unread, byCommander, 0, "not accounted for in delivery"},
		"too short": {judged(evidenceOf(0, "# Hello world")), ItemMissing, Failed, Program, 0, "the content has 0 words outside of its headings, which cannot hold 7 items"},
	} {
		r := x.Decide(c.ev, nil, time.Time{})
		v := r.Swarm.Items[0]
		if v.Name != "sub-task 1" || v.State != c.state || v.By != c.by || v.Line != c.line || v.Why != c.why || (v.Line > 0) != (v.Quote != "") {
			t.Errorf("%s: %+v", name, v)
		}
		i := slices.IndexFunc(r.Swarm.Criteria, func(o CriterionVerdict) bool { return o.ID == v.Criterion })
		if i < 0 || r.Swarm.Criteria[i].Outcome != c.outcome || r.Swarm.Criteria[i].About != "sub-task 1" || r.Swarm.Criteria[i].By != c.by {
			t.Errorf("%s: its criterion %+v", name, r.Swarm.Criteria)
		}
		if got := r.Swarm.Counts; got != CountItems(r.Swarm.Items) || *got.of(c.state) == 0 || got.Items != 7 {
			t.Errorf("%s: %s", name, got)
		}
		if told := v.Message != ""; told != slices.Contains([]ItemState{ItemMissing, ItemDeclared, ItemUnaccounted}, c.state) {
			t.Errorf("%s: the commander is told %q", name, v.Message)
		}
	}
}

// TestNothingDelivered: where none of the work is found and more than half of it
// is missing, nothing passes; a text with too little in it holds nothing.
func TestNothingDelivered(t *testing.T) {
	x := mustExam(t, decomposition(), settings(), scripted{})
	all := subNames()
	for name, c := range map[string]struct {
		ev     Evidence
		failed Score
	}{
		"all missing":                 {judged(evidence(0, 0), all...), Score{8, 8, 0}},
		"most missing, the rest open": {undecided(judged(evidence(0, 0), all[:4]...), all[4:]...), Score{8, 8, 0}},
		"half missing, the rest open": {undecided(judged(evidence(0, 0), all[:3]...), all[3:]...), Score{4, 8, 1}},
		"one found":                   {judged(evidence(0, 0), all[1:]...), Score{4, 8, 0}},
		"a heading, nobody reads":     {evidenceOf(0, "# Hello world"), Score{8, 8, 0}},
		"a heading, all is passed":    {judged(evidenceOf(0, "# Hello world")), Score{8, 8, 0}},
		"many headings":               {evidenceOf(0, strings.Repeat("# Write the chapter on alpha\n", 40)), Score{8, 8, 0}},
		"twenty words":                {evidenceOf(0, strings.Repeat("word ", 20)), Score{8, 8, 0}},
		"twenty-one":                  {evidenceOf(0, strings.Repeat("word ", 21)), Score{0, 8, 0}},
		"in Chinese":                  {evidenceOf(0, "第一章说明了系统如何启动以及何时结束这些步骤"), Score{0, 8, 0}},
	} {
		r := x.Decide(c.ev, nil, time.Time{})
		if r.Swarm.Score != c.failed {
			t.Errorf("%s: %+v", name, r.Swarm.Score)
		}
		if c.failed.Failed < 8 {
			continue
		}
		if slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Actual == "" || f.Expected == "" }) {
			t.Errorf("%s: %+v", name, r.Failures)
		}
		if x.Leaks(Request(r, &x.Envelope.Policy, time.Unix(1, 0)).Text) {
			t.Errorf("%s: the request tells a criterion", name)
		}
	}
	// The brief is work where nothing else is listed, and a condition is none.
	brief := mustExam(t, asking(Domain{TaskBrief: "Explain the pumps", Constraints: []string{"In plain words", "On one page"}}), settings())
	if r := brief.Decide(evidenceOf(0, "Two words"), nil, time.Time{}); r.Swarm.Score != (Score{4, 4, 0}) || r.Swarm.Counts != (ItemCounts{Items: 3, Missing: 1, Unread: 2}) {
		t.Errorf("a brief: %+v, %s", r.Swarm.Score, r.Swarm.Counts)
	}
}

// TestCarry: what was missing, declared or left out stays so until it is found or
// claimed anew; silence delivers nothing.
func TestCarry(t *testing.T) {
	s := settings()
	s.MaxCycles = 2
	x := mustExam(t, decomposition(), s)
	quiet := undecided(judged(evidenceOf(1, content())), "sub-task 1")
	for name, c := range map[string]struct {
		before, fix Evidence
		want        ItemState // of sub-task 1
	}{
		"missing, then found":              {evidence(0, 1), judged(evidenceOf(1, content())), ItemFound},
		"missing, then no judge":           {evidence(0, 1), evidenceOf(1, content()), ItemMissing},
		"missing, then claimed":            {evidence(0, 1), accounted(1, []int{1}, nil), ItemMissing},
		"missing, then declared":           {evidence(0, 1), accounted(1, nil, []int{1}), ItemMissing},
		"missing, then left out":           {evidence(0, 1), accounted(1, []int{2}, nil), ItemMissing},
		"missing, then its text deleted":   {evidence(0, 1), evidenceOf(1, strings.Replace(content(), "alpha", "that", 1)), ItemMissing},
		"missing, then judges fall silent": {evidence(0, 1), quiet, ItemUndecided},
		"declared, then silence":           {accounted(0, nil, []int{1}), evidenceOf(1, content()), ItemDeclared},
		"left out, then silence":           {accounted(0, []int{2}, nil), evidenceOf(1, content()), ItemUnaccounted},
		"declared, then claimed":           {accounted(0, nil, []int{1}), accounted(1, []int{1}, nil), ItemClaimed},
		"declared, then left out":          {accounted(0, nil, []int{1}), accounted(1, []int{2}, nil), ItemUnaccounted},
		"declared, then found":             {accounted(0, nil, []int{1}), judged(evidenceOf(1, content())), ItemFound},
		"claimed, then silence":            {accounted(0, []int{1}, nil), evidenceOf(1, content()), ItemUnread},
		"found, then silence":              {judged(evidenceOf(0, content())), evidenceOf(1, content()), ItemUnread},
		"too little, then enough":          {evidenceOf(0, "# Hello world"), evidenceOf(1, content()), ItemUnread},
		"too little, then claimed":         {evidenceOf(0, "# Hello world"), accounted(1, []int{1}, nil), ItemClaimed},
	} {
		before := x.Decide(c.before, nil, time.Time{})
		r := x.Decide(c.fix, before, time.Unix(500, 0))
		if v := r.Swarm.Items[0]; v.State != c.want || v.Criterion == "" || (v.State == ItemMissing) != (r.Swarm.Score.Failed > 0 && v.Why != "" && v.Message != "") && v.State != ItemUndecided {
			t.Errorf("%s: %+v, %+v", name, v, r.Swarm.Score)
		}
		// And so through the next one.
		if c.want == ItemMissing || c.want == ItemDeclared {
			if v := x.Decide(evidenceOf(2, content()), r, time.Unix(500, 0)).Swarm.Items[0]; v.State != c.want {
				t.Errorf("%s, then silence: %+v", name, v)
			}
		}
	}
}

// TestPanelDecides: a written criterion is what its check says, or a majority of
// the judges, or nobody.
func TestPanelDecides(t *testing.T) {
	with := func(check string) *Exam {
		return mustExam(t, decomposition(), settings(), scripted{most: 1, mangle: func(ms []Material) []Material { ms[0].Check = check; return ms }})
	}
	prose := with("")
	for name, c := range map[string]struct {
		x             *Exam
		votes         string // of the judges, empty: there are none
		outcome       Outcome
		by            string
		actual, asked string // asked: that judges are
	}{
		"passed":                          {prose, "pfp", Passed, "judge, judge", "", "asked"},
		"failed":                          {prose, "ffu", Failed, "judge, judge", "it is not there", "asked"},
		"split":                           {prose, "pfu", Undecided, "", "no majority of 3 judges: 1 passed, 1 failed; no vote of judge: out", "asked"},
		"silent":                          {prose, "uuu", Undecided, "", "no judge had a vote: judge: out", "asked"},
		"no judge":                        {prose, "", Unread, "", "", "asked"},
		"a check that holds":              {with("text.contains('alpha')"), "fff", Passed, Program, "", ""},
		"a check that fails":              {with("text.contains('zulu')"), "ppp", Failed, Program, "the check is false", ""},
		"a check that says what it found": {with("text.contains('zulu') ? [] : ['no zulu']"), "ppp", Failed, Program, "no zulu", ""},
	} {
		id := written(c.x, 0)
		ev := judged(evidenceOf(0, content()))
		if c.votes == "" {
			ev.Panel = PanelVotes{}
		}
		for i := range ev.Panel.Ballots {
			if ev.Panel.Ballots[i].About == id {
				ev.Panel.Ballots[i] = NewBallot(&Question{Criterion: &Asked{ID: id}}, votesOf(c.votes), 3)
			}
		}
		j := c.x.Judge(&ev, nil)
		v := &j.Verdicts[slices.IndexFunc(j.Verdicts, func(v Verdict) bool { return v.ID == id })]
		if v.Outcome != c.outcome || v.By != c.by || v.Actual != c.actual || (v.Outcome == Failed || v.Outcome == Undecided) != (v.Expected != "") || (v.Outcome == Failed) != (v.Message != "") {
			t.Errorf("%s: %+v", name, v)
		}
		asked := slices.ContainsFunc(c.x.Questions(&ev, false), func(q Question) bool { return q.About() == id })
		if asked != (c.asked != "") {
			t.Errorf("%s: judges are asked: %v", name, asked)
		}
		// A ballot on what a check decides counts for nothing.
		if r := c.x.Decide(ev, nil, time.Time{}); c.votes != "" && (BallotOn(r.Swarm.Ballots, "sub-task 1") == nil || BallotOn(r.Swarm.Ballots, "sc-99") != nil) {
			t.Errorf("%s: ballots %+v", name, r.Swarm.Ballots)
		}
	}
}

// TestFigures: what does not add up fails the criterion on figures, and what was
// left to fill in, unless a template was asked for.
func TestFigures(t *testing.T) {
	sums, left := "| part | hours |\n|---|---|\n| a | 3 |\n| b | 4 |\n| total | 8 |\n", "TBD: the price of all of them\n"
	for _, c := range []struct {
		task, more, want string
	}{
		{"Write it", "", ""},
		{"Write it", sums, "7"},
		{"Write it", left, "TBD: the price"},
		{"Write a template", left, ""},
		{"Write a template", sums, "7"},
	} {
		d := decomposition()
		d.Domains[0].TaskBrief = c.task
		x := mustExam(t, d, settings())
		r := x.Decide(judged(evidenceOf(0, content()+c.more)), nil, time.Time{})
		if (len(r.Failures) == 1) != (c.want != "") {
			t.Errorf("%+v: %+v", c, r.Failures)
			continue
		}
		if c.want == "" {
			continue
		}
		f := r.Failures[0]
		at := slices.IndexFunc(r.Swarm.Criteria, func(v CriterionVerdict) bool { return v.ID == f.TestName })
		v := r.Swarm.Criteria[at]
		if v.Kind != AskFigures || v.By != Program || v.Line == 0 || f.Category != ErrorHandling || !strings.Contains(f.Actual, c.want) || !strings.HasPrefix(f.Message, "Figures and places to fill in: ") || !strings.Contains(f.Message, c.want) {
			t.Errorf("%+v: %+v, %+v", c, v, f)
		}
	}
}
