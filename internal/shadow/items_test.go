package shadow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// itemised is a decomposition whose domain one has three items and a
// requirement, and domain two has one.
func itemised() *Decomposition {
	d := decomposition()
	d.Requirements = []Requirement{{ID: "R1", Text: "Backups are encrypted"}, {ID: "R2", Text: "Keys rotate"}}
	d.Domains[0].SubTasks = []string{"Write the schema migration", "Rotate the signing keys monthly"}
	d.Domains[0].Deliverables = []string{"Runbook for the night shift"}
	d.Domains[1].Constraints = []string{"At most 5 MB"}
	return d
}

// delivery makes the first two criteria ones of delivery: of the sub-tasks of
// one, and of everything else that was asked for.
func delivery(cs []Criterion) []Criterion {
	for i, m := range []map[string]Material{
		{"one": {Items: []ItemRef{{SubTask, 0}, {SubTask, 1}}}},
		{"one": {Items: []ItemRef{{Deliverable, 0}, {RequirementItem, 1}}}, "two": {Items: []ItemRef{{Constraint, 0}}}},
	} {
		cs[i].Check, cs[i].Delivery, cs[i].Material = "", true, m
	}
	return cs
}

func itemExam(t *testing.T, change func(*Settings)) *Exam {
	t.Helper()
	s := settings()
	if change != nil {
		change(s)
	}
	return examOf(t, sealWith(t, itemised(), s, delivery))
}

// finished holds all words that the other criteria ask for, and nothing on
// the items.
var finished = strings.Join(words, " ") + "."

// answered answers the questions about items by their texts: f fails, p passes,
// and u has no majority.
func answered(t *testing.T, x *Exam, ev Evidence, answers map[string]string) Evidence {
	t.Helper()
	ev.Panel.Judges = []AuthorRef{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for _, q := range x.Questions(&ev) {
		if q.Item == nil {
			t.Fatalf("asked about %+v", q.Criterion)
		}
		var votes []Vote
		for i, say := range answers[q.Item.Text] {
			v := Vote{Judge: string(rune('a' + i)), Outcome: Undecided, Why: "out"}
			switch say {
			case 'p':
				v = Vote{Judge: v.Judge, Outcome: Passed, Quote: "alpha bravo"}
			case 'f':
				v = Vote{Judge: v.Judge, Outcome: Failed, Actual: "no schedule is given"}
			}
			votes = append(votes, v)
		}
		ev.Panel.Ballots = append(ev.Panel.Ballots, NewBallot(&q, votes, 3))
	}
	return ev
}

// TestUnread: without a panel unread items fail nothing, are counted, and make
// the report advisory where too few were read.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		min      int
		action   Action
		want     Action
		advisory bool
	}{{50, Warn, Warn, true}, {50, Proceed, Proceed, true}, {0, Warn, Proceed, false}} {
		x := itemExam(t, func(s *Settings) { s.MinRead, s.UnreadAction = c.min, c.action })
		r := x.Decide(evidenceOf(0, finished), nil, time.Time{})
		sw := &r.Swarm
		if sw.Score.Failed != 0 || sw.Read != (Read{Items: 4}) || len(sw.Items) != 4 || sw.Gate.Action != c.want || *r.Report.Advisory != c.advisory {
			t.Errorf("%+v: score %v, read %v, gate %v, advisory %v", c, sw.Score, sw.Read, sw.Gate, *r.Report.Advisory)
		}
		if len(sw.UnreadCriteria) != 2 {
			t.Errorf("criteria %v are unread, want the two of delivery", sw.UnreadCriteria)
		}
		if got := strings.HasPrefix(r.Report.AdvisoryReason, "unread: 0 of 4 items read"); got != c.advisory {
			t.Errorf("reason %q", r.Report.AdvisoryReason)
		}
	}
}

// TestItems: what a panel says of unread items decides the criteria that rest
// on them, in the order of the assignment, by the judges that agree.
func TestItems(t *testing.T) {
	x := itemExam(t, func(s *Settings) { s.MinRead = 50 })
	ev := answered(t, x, evidenceOf(0, finished), map[string]string{
		"Write the schema migration": "pp", "Rotate the signing keys monthly": "pff", "Runbook for the night shift": "pfu", "Keys rotate": "uuu",
	})
	r := x.Decide(ev, nil, time.Time{})
	var got []string
	for _, it := range r.Swarm.Items {
		got = append(got, it.ItemRef.String()+" "+string(it.Verdict)+" by "+it.By)
	}
	want := []string{"sub-task 1 found by a, b", "sub-task 2 missing by b, c", "deliverable 1 unread by a, b, c", "requirement 2 unread by a, b, c"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Swarm.Items[0].Line != 1 || len(r.Swarm.Items[0].Criteria) != 1 || r.Swarm.Read != (Read{4, 2}) || len(r.Swarm.Ballots) != 4 {
		t.Errorf("%+v", r.Swarm)
	}
	// One that fails is not unread.
	if len(r.Swarm.UnreadCriteria) != 1 || r.Swarm.UnreadCriteria[0] == r.Failures[0].TestName {
		t.Errorf("unread: %v", r.Swarm.UnreadCriteria)
	}
	if len(r.Failures) != 1 || r.Failures[0].Expected != "Rotate the signing keys monthly" || r.Failures[0].Actual != "sub-task 2: no schedule is given" ||
		r.Failures[0].Message != "Rotate the signing keys monthly: no schedule is given" {
		t.Errorf("%+v", r.Failures)
	}
	if !*r.Report.Advisory || !strings.Contains(r.Report.AdvisoryReason, "the judges did not agree on 1 item; judges had no vote on 1 item") {
		t.Errorf("advisory because of %q", r.Report.AdvisoryReason)
	}
	// In a stricter run the commander learns only the matter.
	x = itemExam(t, func(s *Settings) { s.Reveal = RevealArea })
	ev = answered(t, x, evidenceOf(0, finished), map[string]string{"Rotate the signing keys monthly": "fff"})
	if r := x.Decide(ev, nil, time.Time{}); len(r.Failures) != 1 || r.Failures[0].Message != "Rotate the signing keys monthly: not delivered" {
		t.Errorf("%+v", r.Failures)
	}
}

// TestNotApplicable: a criterion that asks nothing of a domain counts as passed
// there, and is no question to anybody.
func TestNotApplicable(t *testing.T) {
	x := itemExam(t, nil)
	ev := evidenceOf(0, finished)
	ev.Submission.Bundle.Domain = "two"
	r := x.Decide(ev, nil, time.Time{})
	if r.Swarm.Score != (Score{0, 8}) || len(r.Swarm.NotApplicable) != 1 || len(r.Swarm.Items) != 1 {
		t.Errorf("%+v", r.Swarm)
	}
	c := x.Envelope.Criteria[slices.IndexFunc(x.Envelope.Criteria, func(c Criterion) bool { return c.ID == r.Swarm.NotApplicable[0] })]
	if _, asked := c.Material["two"]; asked || !c.Delivery {
		t.Errorf("%+v", c)
	}
}

// TestSuspect: a criterion that fails wherever it applies may be at fault.
func TestSuspect(t *testing.T) {
	report := func(domain string, spared []string, failed ...string) *Report {
		r := &Report{Swarm: Swarm{Domain: domain, NotApplicable: spared, Cycles: []Cycle{{}}, Score: Score{len(failed), 8}, Read: Read{4, 3}}}
		for _, id := range failed {
			r.Failures = append(r.Failures, Failure{TestName: id})
		}
		return r
	}
	undecided := report("four", []string{"sc-03"}, "sc-01", "sc-05")
	undecided.Swarm.Undecided = []string{"sc-05"}
	finals := []*Report{
		report("one", []string{"sc-02"}, "sc-01", "sc-03", "sc-05"),
		report("two", nil, "sc-01", "sc-02", "sc-03", "sc-05"),
		report("three", nil, "sc-01", "sc-02", "sc-03", "sc-05"), undecided,
	}
	domains := make([]Domain, 4)
	run := Sum(&Commitment{}, domains, finals)
	if !slices.Equal(run.Suspect, []string{"sc-01", "sc-03"}) {
		t.Errorf("suspect: %v", run.Suspect)
	}
	if run.Read != (Read{16, 12}) || run.Domains[0].Read != (Read{4, 3}) {
		t.Errorf("read %v", run.Read)
	}
	if run := Sum(&Commitment{}, domains[:1], finals[:1]); run.Suspect != nil {
		t.Errorf("one domain makes suspect: %v", run.Suspect)
	}
}

// Items in JSON are what the schema says, the words for commanders not among
// them.
func TestItemJSON(t *testing.T) {
	raw, err := json.Marshal(ItemVerdict{ItemRef: ItemRef{SubTask, 1}, Text: "t", Verdict: reading.Declined, By: byRules, Line: 3, Criteria: []string{"sc-01"}, why: "secret"})
	if err != nil || string(raw) != `{"kind":"sub_task","index":1,"text":"t","verdict":"declined","by":"rules","line":3,"criteria":["sc-01"]}` {
		t.Errorf("%s %v", raw, err)
	}
}

// TestNothingDelivered: a bundle of whose work nothing is found and most is known
// not to be there passes no criterion that it is asked. A domain that lists nothing is asked for its brief.
func TestNothingDelivered(t *testing.T) {
	raw := `{"run_id":"r","task":"Build it","domains":[{"domain":"one","commander_id":"c","task_brief":"Write the schema migration"}]}`
	v, err := Decode(DecompositionDone, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	d := v.(*Decomposition)
	if got := d.Domains[0].Items(); len(got) != 1 || got[0].Text != "Write the schema migration" {
		t.Errorf("%+v", got)
	}
	item := func(kind ItemKind, verdict reading.Verdict) ItemVerdict {
		return ItemVerdict{ItemRef: ItemRef{Kind: kind}, Verdict: verdict}
	}
	for _, tt := range []struct {
		second []ItemVerdict // beside a sub-task that is declined
		want   Outcome
	}{
		{nil, Failed},
		{[]ItemVerdict{item(SubTask, reading.Declined)}, Failed},
		{[]ItemVerdict{item(Deliverable, reading.Missing)}, Failed},
		{[]ItemVerdict{item(Deliverable, reading.Missing), item(SubTask, reading.Unread)}, Failed},
		{[]ItemVerdict{item(SubTask, reading.Unread)}, Passed},
		{[]ItemVerdict{item(SubTask, reading.Declined), item(SubTask, reading.Found)}, Passed},
		{[]ItemVerdict{item(Constraint, reading.Unread), item(RequirementItem, reading.Unread)}, Failed},
		{[]ItemVerdict{item(Constraint, reading.Found)}, Failed},
	} {
		j := &Judgement{
			Items:    append([]ItemVerdict{item(SubTask, reading.Declined)}, tt.second...),
			Verdicts: []Verdict{{Criterion: &Criterion{Expected: "e"}, Outcome: Passed}, {Outcome: NotApplicable}, {Outcome: Undecided}, {Outcome: Passed, Unread: true}},
		}
		j.failEmpty()
		if v := j.Verdicts; v[0].Outcome != tt.want || v[1].Outcome != NotApplicable || v[2].Outcome != Undecided || v[3].Outcome != Passed {
			t.Errorf("%+v: %+v", tt.second, v)
		}
	}
	if none := (&Swarm{}); none.unread(50) == "" || none.unread(0) != "" {
		t.Error("a domain without an item counts as read")
	}
	if asked := (&Swarm{Ballots: []Ballot{{}}}); asked.unread(50) != "" {
		t.Error("what judges were asked counts as unread")
	}
}

// TestItemsOnOneLine: what an assignment says is told on one line, without what a
// terminal would obey.
func TestItemsOnOneLine(t *testing.T) {
	d := itemised()
	d.Domains[0].SubTasks[1] = "Rotate the\n- [issue-9] \x1b]0;x\a signing \u202ekeys monthly"
	x := examOf(t, sealWith(t, d, settings(), delivery))
	ev := answered(t, x, evidenceOf(0, finished), map[string]string{d.Domains[0].SubTasks[1]: "fff"})
	h := Request(x.Decide(ev, nil, time.Time{}), &Policy{}, time.Time{})
	if want := "Rotate the - [issue-9] ]0;x signing keys monthly: no schedule is given"; len(h.Issues) != 1 || h.Issues[0].Message != want {
		t.Errorf("the commander is told %q, not %q", h.Issues, want)
	}
}

// TestItemText: an item is looked up, however many there are. Going through all
// of them for each would take minutes, and the tests' time limit would end it.
func TestItemText(t *testing.T) {
	dom := Domain{Domain: "one", SubTasks: []string{"a", "b"}, Deliverables: []string{"c"}, Constraints: []string{"d"}}
	e := &Envelope{Domains: []Domain{dom}}
	var refs []ItemRef
	for i := range 2000 {
		e.Requirements = append(e.Requirements, Requirement{Text: fmt.Sprint("requirement ", i)})
		refs = append(refs, ItemRef{Kind: RequirementItem, Index: i})
	}
	for range 20 {
		e.Criteria = append(e.Criteria, Criterion{Material: map[string]Material{"one": {Items: refs[1000:]}}})
	}
	for i, ref := range refs {
		if got, want := e.ItemText("one", ref), fmt.Sprint("requirement ", i); got != want {
			t.Fatalf("%s: %q, want %q", ref, got, want)
		}
	}
	for ref, want := range map[ItemRef]string{
		{Kind: SubTask, Index: 1}: "b", {Kind: Deliverable}: "c", {Kind: Constraint}: "d",
		{Kind: Constraint, Index: 1}: "", {Kind: SubTask, Index: -1}: "", {Kind: "x"}: "", {Kind: RequirementItem, Index: 2000}: "",
	} {
		if got := e.ItemText("one", ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	if got := e.ItemText("two", refs[0]); got != "" {
		t.Errorf("of no domain: %q", got)
	}
}
