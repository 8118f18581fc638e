package shadow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// verdict is the part of a report that programs act on.
func verdict(r *Report) string {
	s := &r.Swarm
	return fmt.Sprintf("%s %s %s", s.Verdict, s.Gate.Action, strings.Join(s.Gate.Because, ","))
}

// TestGate: the word of a report, its gate, and all that the gate follows from.
func TestGate(t *testing.T) {
	s := settings()
	s.MaxCycles, s.Missing = 0, 20
	x := mustExam(t, decomposition(), s)
	y := mustExam(t, decomposition(), s, scripted{})
	unread := func(ev Evidence) Evidence { ev.Panel = PanelVotes{}; return ev }
	broken := evidenceOf(0, content()+x.Envelope.Decoy.Token)
	for name, c := range map[string]struct {
		x    *Exam
		ev   Evidence
		want string
	}{
		"all found":              {x, evidence(0, 0), "perfect proceed level"},
		"one missing":            {x, evidence(0, 1), "minor proceed level"},
		"two missing of seven":   {x, evidence(0, 2), "moderate warn level,missing"},
		"three":                  {x, evidence(0, 3), "significant quarantine level,missing"},
		"six":                    {x, evidence(0, 6), "critical reject level,missing"},
		"two in one criterion":   {y, judged(evidence(0, 0), "sub-task 1", "sub-task 5"), "minor warn level,missing"},
		"nobody reads":           {x, unread(evidence(0, 0)), "unread warn level,unread"},
		"nobody reads written":   {y, unread(evidence(0, 0)), "unread warn level,unread"},
		"claims":                 {x, accounted(0, []int{1, 2, 3, 4, 5, 6, 7}, nil), "unread warn level,unread"},
		"all declared":           {x, accounted(0, nil, []int{1, 2, 3, 4, 5, 6, 7}), "unread warn level,declared"},
		"some declared":          {x, accounted(0, []int{1, 2}, []int{3, 4}), "unread warn level,declared,unread"},
		"too little":             {x, evidenceOf(0, "# Hello world"), "critical reject level,missing"},
		"one undecided":          {x, undecided(evidence(0, 0), "sub-task 1"), "undecided warn level,undecided"},
		"all undecided":          {x, undecided(evidence(0, 0), subNames()...), "undecided quarantine level,undecided"},
		"one missing, one open":  {x, undecided(evidence(0, 1), "sub-task 2"), "undecided warn level,undecided"},
		"open behind a missing":  {y, undecided(evidence(0, 1), "sub-task 5"), "undecided warn level,undecided"},
		"three missing, one not": {x, undecided(evidence(0, 3), "sub-task 7"), "significant quarantine level,undecided,missing"},
		"bad, the rest open":     {x, undecided(evidence(0, 6), "sub-task 7"), "critical reject level,undecided,missing"},
		"a broken seal":          {x, broken, "seal_broken quarantine seal_broken"},
	} {
		r := c.x.Decide(c.ev, nil, time.Time{})
		if got := verdict(r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		// What is not judged is advisory, and the spec's own fields stay as it asks.
		word := Level(r.Swarm.Verdict)
		if known := word == r.Report.Level; known != (r.Swarm.Verdict != WordUnread && r.Swarm.Verdict != WordUndecided && r.Swarm.Verdict != WordSealBroken) || r.Report.Level != r.Swarm.Score.Level() {
			t.Errorf("%s: level %s, word %s", name, r.Report.Level, word)
		}
		if !known(r) && !*r.Report.Advisory && r.Swarm.Score.Undecided > 0 {
			t.Errorf("%s is not advisory", name)
		}
	}
	x.Envelope.Policy.EnforceGates = false
	if r := x.Decide(undecided(evidence(0, 6), "sub-task 7"), nil, time.Time{}); verdict(r) != "critical proceed level,undecided,missing" || r.Swarm.Gate.Enforced || !strings.Contains(r.Swarm.Gate.Reason, "the gate would say reject") {
		t.Errorf("observed: %+v", r.Swarm.Gate)
	}
}

func known(r *Report) bool { return r.Swarm.Verdict == Word(r.Report.Level) }

func subNames() (names []string) {
	for i := range words {
		names = append(names, fmt.Sprintf("sub-task %d", i+1))
	}
	return names
}

// TestGateSettings: gates.unread is the least for what nobody read, gates.undecided
// the most for what nobody could decide; both leave what was judged to fail as it is.
func TestGateSettings(t *testing.T) {
	for _, setting := range []Action{Proceed, Warn, Quarantine, Reject} {
		s := settings()
		s.MaxCycles, s.Unread, s.Undecided = 0, setting, setting
		x := mustExam(t, decomposition(), s)
		gate := func(ev Evidence) Action { return x.Decide(ev, nil, time.Time{}).Swarm.Gate.Action }
		if got := gate(evidenceOf(0, content())); got != setting {
			t.Errorf("unread, %s: %s", setting, got)
		}
		if got := gate(evidence(0, 0)); got != Proceed {
			t.Errorf("%s, all found: %s", setting, got)
		}
		if got := gate(accounted(0, nil, []int{1})); got != Warn {
			t.Errorf("%s, one declared and the rest left out: %s", setting, got)
		}
		for n := range 7 { // one is found, so that not all fails
			full, bad := Score{Failed: 6, Total: 8}.Level().Action(), Score{Failed: n, Total: 8}.Level().Action()
			want := bad
			if n < 6 {
				want = Harsher(bad, milder(full, setting))
			}
			if got := gate(undecided(evidence(0, n), subNames()[n:6]...)); got != want {
				t.Errorf("%s, %d missing, %d undecided: %s, want %s", setting, n, 6-n, got, want)
			}
		}
		want := milder(Warn, setting) // 12.5 % alone would proceed
		if got := gate(undecided(evidence(0, 0), "sub-task 1")); got != want {
			t.Errorf("%s, one undecided: %s, want %s", setting, got, want)
		}
	}
}

// TestOutage: judges that fall silent neither have a fix asked for nor one
// reverted, whatever they said before.
func TestOutage(t *testing.T) {
	s := settings()
	s.MaxCycles, s.Missing = 2, 20
	x := mustExam(t, decomposition(), s)
	silent := func(cycle int) Evidence { return undecided(evidence(cycle, 0), subNames()...) }
	first := x.Decide(silent(0), nil, time.Time{})
	if first.Swarm.Hardening.Requested || verdict(first) != "undecided quarantine level,undecided" || Request(first, &s.Policy, time.Unix(1, 0)).Issues == nil {
		t.Errorf("silent from the first: %s", verdict(first))
	}
	if n := len(Request(first, &s.Policy, time.Unix(1, 0)).Issues) + len(Notice(first).Issues); n > 0 {
		t.Errorf("%d issues of what nobody decided", n)
	}
	y := mustExam(t, decomposition(), s, scripted{})
	ev := undecided(evidence(0, 3), written(y, 0), written(y, 1), written(y, 2))
	if r := y.Decide(ev, nil, time.Time{}); r.Swarm.Score != (Score{6, 8, 3}) || len(Request(r, &s.Policy, time.Unix(1, 0)).Issues) != 3 {
		t.Errorf("silent about what authors wrote: %+v, %+v", r.Swarm.Score, Request(r, &s.Policy, time.Unix(1, 0)).Issues)
	}
	before := x.Decide(evidence(0, 3), nil, time.Time{})
	fix := x.Decide(silent(1), before, time.Unix(500, 0))
	if !fix.Swarm.Cycles[1].Kept || fix.Swarm.AcceptedCycle != 1 || fix.Swarm.Hardening.Regressed || fix.Swarm.Hardening.Requested || fix.Swarm.Score != (Score{7, 8, 7}) || fix.Swarm.Gate.Action != Quarantine {
		t.Errorf("silent about a fix: %+v", fix.Swarm)
	}
	// What was judged to fail is compared, and asked for.
	part := x.Decide(undecided(evidence(1, 2), subNames()[4:]...), before, time.Unix(500, 0))
	if !part.Swarm.Cycles[1].Kept || !part.Swarm.Hardening.Requested || !strings.HasPrefix(part.Swarm.Gate.Reason, "2 of 8 criteria not passed (25.0 %): above 15 %") {
		t.Errorf("a better fix, half decided: %+v", part.Swarm.Gate)
	}
	if got := Request(part, &s.Policy, time.Unix(1, 0)).Issues; len(got) != 2 {
		t.Errorf("the commander is told %+v", got)
	}
	worse := x.Decide(undecided(evidence(1, 4), "sub-task 7"), before, time.Unix(500, 0))
	if worse.Swarm.Cycles[1].Kept || worse.Swarm.Score != before.Swarm.Score || !cmp.Equal(worse.Swarm.Items, before.Swarm.Items) || worse.Swarm.Counts != before.Swarm.Counts {
		t.Errorf("a worse fix: %+v", worse.Swarm)
	}
}
