package shadow

import (
	"slices"
	"testing"
	"time"
)

// second is the place of what is stored as the n-th, in the n-th second.
func second(n int64) Place { return Place{Sequence: uint64(n), Time: time.Unix(n, 0).UTC()} }

// runView is a view of a run with two domains that is sealed at 10, with bundles of
// cmd-1 at 20 and 30 and fixes at 40 and 200. Fixes have 100 seconds, and the run 1,000.
func runView() (*View, map[uint64]*Arrival) {
	v := NewView("run-1", &Ticks{})
	v.Sealed, v.Domains = second(10), []Domain{{Domain: "one", CommanderID: "cmd-1"}, {Domain: "two", CommanderID: "cmd-2"}}
	v.Commitment = &Commitment{RunID: "run-1", DecompositionDigest: "d", Policy: Policy{MaxCycles: 1, RunTimeoutMS: 1000_000, FixTimeoutMS: 100_000}}
	all := map[uint64]*Arrival{}
	for _, a := range []*Arrival{
		{Place: second(5), Digest: "d"},
		{Place: second(20), Digest: "a", Commander: "cmd-1", Domain: "one", BundleID: "b"},
		{Place: second(30), Digest: "b", Commander: "cmd-1", Domain: "one", BundleID: "b"},
		{Place: second(40), Digest: "f", Commander: "cmd-1", Domain: "one", BundleID: "b", Cycle: 1},
		{Place: second(200), Digest: "g", Commander: "cmd-1", Domain: "one", BundleID: "b", Cycle: 1},
	} {
		all[a.Sequence] = a
		v.Add(Source{a.Commander, a.Cycle > 0}, a)
	}
	return &v, all
}

// report stores a report of domain one in the 50th second.
func (v *View) report(cycle int, digest string, requested bool) *StoredReport {
	rep := &StoredReport{Place: Place{Sequence: 1, Time: second(50).Time}, BundleID: "b", BundleDigest: digest, Requested: requested, Final: !requested}
	v.Reports[Slot{"one", cycle}] = rep
	return rep
}

// unseal takes the commitment away, and the decomposition too if gone is set.
func (v *View) unseal(gone bool) {
	v.Sealed, v.Commitment, v.Domains = Place{}, nil, nil
	if gone {
		delete(v.Arrivals, Source{})
	}
}

var (
	bundles = Source{Commander: "cmd-1"}
	fixes   = Source{Commander: "cmd-1", Fixes: true}
)

// turnCase is a change of a view, and what then is to be done.
type turnCase struct {
	name   string
	change func(*View, *Arrival)
	step   Step
	reason Reason
	await  Await
}

// check has a change made to the event at a place, and holds what is to be done then
// against the case.
func (c *turnCase) check(t *testing.T, seq uint64, due func(*View, *Arrival) Turn) (turn Turn) {
	t.Helper()
	v, all := runView()
	if c.change != nil {
		c.change(v, all[seq])
	}
	reason := Reason("")
	if turn = due(v, all[seq]); turn.Refusal != nil {
		reason = turn.Refusal.Reason
	}
	if turn.Step != c.step || reason != c.reason || turn.Await != c.await {
		t.Errorf("%s: %+v", c.name, turn)
	}
	return turn
}

// TestSubmission: what is to be done about a bundle or a fix follows from the view.
func TestSubmission(t *testing.T) {
	const first, other, fix, late = 20, 30, 40, 200
	for _, c := range []struct {
		seq uint64
		turnCase
	}{
		{first, turnCase{name: "the first bundle", step: DoJudge}},
		{other, turnCase{name: "a second one", step: DoReject, reason: SlotTaken}},
		{other, turnCase{name: "a copy", change: func(_ *View, a *Arrival) { a.Digest = "a" }, step: DoJudge}},
		{other, turnCase{name: "behind one that is rejected", change: func(v *View, _ *Arrival) { v.Remove(bundles, v.Arrivals[bundles][0]) }, step: DoJudge}},
		{other, turnCase{name: "behind one that is malformed", change: func(v *View, _ *Arrival) { v.Arrivals[bundles][0].Malformed = true }, step: DoJudge}},
		{other, turnCase{name: "behind a late one, since when the clock went back", change: func(v *View, _ *Arrival) { v.Arrivals[bundles][0].Time = time.Unix(2000, 0) }, step: DoJudge}},
		{first, turnCase{name: "late", change: func(v *View, _ *Arrival) { v.Commitment.Policy.RunTimeoutMS = 1000 }, step: DoReject, reason: Late}},
		{first, turnCase{name: "at its deadline", change: func(v *View, _ *Arrival) { v.Commitment.Policy.RunTimeoutMS = 10_000 }, step: DoJudge}},
		{first, turnCase{name: "in time, behind the tick", change: func(v *View, _ *Arrival) { v.Ticks.Add(Place{Sequence: 15, Time: second(1011).Time}) }, step: DoReject, reason: Late}},
		{first, turnCase{name: "in time, before the tick", change: func(v *View, _ *Arrival) { v.Ticks.Add(Place{Sequence: 25, Time: second(1011).Time}) }, step: DoJudge}},
		{first, turnCase{name: "another's domain", change: func(_ *View, a *Arrival) { a.Domain = "two" }, step: DoReject, reason: NotYourDomain}},
		{first, turnCase{name: "judged", change: func(v *View, _ *Arrival) { v.report(0, "a", false) }, step: DoFollow}},
		{first, turnCase{name: "another was judged", change: func(v *View, _ *Arrival) { v.report(0, "b", false) }, step: DoReject, reason: SlotTaken}},
		{first, turnCase{name: "not opened", change: func(v *View, _ *Arrival) { v.Domains = nil }, step: DoOpen}},

		{first, turnCase{name: "not sealed", change: func(v *View, _ *Arrival) { v.unseal(false) }, await: AwaitSeal}},
		{first, turnCase{name: "not sealed for long", change: func(v *View, _ *Arrival) { v.unseal(false); v.Ticks.Add(second(100)) }, await: AwaitSeal}},
		{first, turnCase{name: "unknown run", change: func(v *View, _ *Arrival) { v.unseal(true) }, await: AwaitRun}},
		{first, turnCase{name: "unknown at its deadline", change: func(v *View, _ *Arrival) { v.unseal(true); v.Ticks.Add(second(80)) }, await: AwaitRun}},
		{first, turnCase{name: "unknown for long", change: func(v *View, _ *Arrival) { v.unseal(true); v.Ticks.Add(second(81)) }, step: DoReject, reason: RunUnknown}},
		{first, turnCase{name: "decomposition malformed", change: func(v *View, _ *Arrival) {
			v.unseal(false)
			v.Decompositions()[0].Malformed = true
		}, await: AwaitRun}},
		{first, turnCase{name: "decomposition not handled yet", change: func(v *View, _ *Arrival) { v.unseal(true); v.Pending = 1; v.Ticks.Add(second(100)) }, await: AwaitSeal}},
		{first, turnCase{name: "a better one not handled yet", change: func(v *View, _ *Arrival) { v.unseal(true); v.Pending, v.Refused = 1, true }, await: AwaitSeal}},
		{first, turnCase{name: "decomposition rejected", change: func(v *View, _ *Arrival) { v.unseal(true); v.Refused = true }, step: DoReject, reason: RunRejected}},
		{first, turnCase{name: "a better decomposition", change: func(v *View, _ *Arrival) { v.unseal(false); v.Refused = true }, await: AwaitSeal}},

		{fix, turnCase{name: "a fix", change: func(v *View, _ *Arrival) { v.report(0, "a", true) }, step: DoJudge}},
		{fix, turnCase{name: "a fix that overtook", await: AwaitReport}},
		{fix, turnCase{name: "a fix of nothing", change: func(v *View, _ *Arrival) { delete(v.Arrivals, bundles) }, step: DoReject, reason: FixNotAsked}},
		{fix, turnCase{name: "a fix before its bundle", change: func(v *View, _ *Arrival) { v.Arrivals[bundles] = []*Arrival{{Place: second(45), Domain: "one"}} }, step: DoReject, reason: FixNotAsked}},
		{fix, turnCase{name: "a fix not asked for", change: func(v *View, _ *Arrival) { v.report(0, "a", false) }, step: DoReject, reason: FixNotAsked}},
		{fix, turnCase{name: "a fix without hardening", change: func(v *View, _ *Arrival) { v.Commitment.Policy.MaxCycles = 0 }, step: DoReject, reason: FixNotAsked}},
		{fix, turnCase{name: "a fix of another bundle", change: func(v *View, a *Arrival) { v.report(0, "a", true); a.BundleID = "c" }, step: DoReject, reason: FixOtherBundle}},
		{late, turnCase{name: "a late fix", change: func(v *View, _ *Arrival) { v.report(0, "a", true) }, step: DoReject, reason: Late}},
		{late, turnCase{name: "a fix in time, behind the tick", change: func(v *View, a *Arrival) {
			v.report(0, "a", true)
			v.Ticks.Add(Place{Sequence: 190, Time: second(151).Time})
			a.Time = second(149).Time // the clock was set back
		}, step: DoReject, reason: Late}},
		{fix, turnCase{name: "a fix after its deadline was stored", change: func(v *View, _ *Arrival) {
			v.report(0, "a", true)
			v.report(1, "a", false).TimedOut = true
		}, step: DoReject, reason: Late}},
	} {
		c.check(t, c.seq, func(v *View, a *Arrival) Turn { return v.Submission(a, time.Minute) })
	}
}

// TestDecomposition: the first one that is not rejected seals the run.
func TestDecomposition(t *testing.T) {
	before := func(digest string) func(*View, *Arrival) {
		return func(v *View, _ *Arrival) {
			v.unseal(false)
			v.Arrivals[Source{}] = slices.Insert(v.Arrivals[Source{}], 0, &Arrival{Place: second(4), Digest: digest})
		}
	}
	for _, c := range []turnCase{
		{name: "sealed with it", step: DoDone},
		{name: "sealed with another", change: func(_ *View, a *Arrival) { a.Digest = "e" }, step: DoReject, reason: OtherContent},
		{name: "to be sealed", change: func(v *View, _ *Arrival) { v.unseal(false) }, step: DoSeal},
		{name: "rejected before", change: func(v *View, _ *Arrival) { v.unseal(true) }, step: DoReject, reason: CannotSeal},
		{name: "another before it", change: before("e"), step: DoReject, reason: OtherContent},
		{name: "a copy before it", change: before("d"), await: AwaitSeal},
	} {
		c.check(t, 5, (*View).Decomposition)
	}
}

// TestEndOfCycle: a tick behind the deadline closes a domain whose fix has not come.
func TestEndOfCycle(t *testing.T) {
	one := Slot{"one", 1}
	for _, c := range []struct {
		name   string
		slot   Slot
		tick   int64 // 0: none
		change func(*View)
		step   Step
		await  Await
	}{
		{name: "no tick yet", slot: one, await: AwaitTick},
		{name: "a tick at the deadline", slot: one, tick: 150, await: AwaitTick},
		{name: "a fix is there", slot: one, tick: 151, await: AwaitReport},
		{name: "it was rejected", slot: one, tick: 151, change: func(v *View) { v.Remove(fixes, v.Arrivals[fixes][0]) }, step: DoTimeOut},
		{name: "it is of another bundle", slot: one, tick: 151, change: func(v *View) { v.Arrivals[fixes][0].BundleID = "c" }, step: DoTimeOut},
		{name: "it was judged", slot: one, tick: 151, change: func(v *View) { v.report(1, "f", false) }, step: DoDone},
		{name: "none was asked for", slot: one, tick: 151, change: func(v *View) { v.report(0, "a", false) }, step: DoDone},
		{name: "of no domain", slot: Slot{"six", 1}, tick: 151, step: DoDone},
		{name: "not opened", slot: one, tick: 151, change: func(v *View) { v.Domains = nil }, step: DoOpen},
	} {
		v, _ := runView()
		v.report(0, "a", true)
		if c.tick > 0 {
			v.Ticks.Add(second(c.tick))
		}
		if c.change != nil {
			c.change(v)
		}
		turn := v.EndOfCycle(c.slot)
		if turn.Step != c.step || turn.Await != c.await || c.step == DoTimeOut && (turn.Tick == nil || turn.Tick.Sequence != 151) {
			t.Errorf("%s: %+v", c.name, turn)
		}
	}
}

// TestEndOfRun: a run is scored when its domains are final, and else at the tick
// behind its deadline, unless what came in time is still to be judged.
func TestEndOfRun(t *testing.T) {
	twoFinal := func(v *View) {
		v.Reports[Slot{"two", 0}] = &StoredReport{Final: true}
	}
	for _, c := range []struct {
		name   string
		tick   int64 // 0: none
		change func(*View)
		step   Step
		await  Await
		ended  bool // by the tick
	}{
		{name: "all are final", change: func(v *View) { v.report(0, "a", false); twoFinal(v) }, step: DoScore},
		{name: "all are final, and a tick is there", tick: 1011, change: func(v *View) { v.report(0, "a", false); twoFinal(v) }, step: DoScore},
		{name: "a bundle is missing", change: func(v *View) { v.report(0, "a", false) }, await: AwaitTick},
		{name: "a tick at the deadline", tick: 1010, change: func(v *View) { v.report(0, "a", false) }, await: AwaitTick},
		{name: "a bundle never came", tick: 1011, change: func(v *View) { v.report(0, "a", false) }, step: DoScore, ended: true},
		{name: "a bundle is to be judged", tick: 1011, await: AwaitReport},
		{name: "a fix is awaited", tick: 1011, change: func(v *View) { v.report(0, "a", true) }, await: AwaitReport},
		{name: "not opened", tick: 1011, change: func(v *View) { v.Domains = nil }, step: DoOpen},
		{name: "not sealed", tick: 1011, change: func(v *View) { v.unseal(false) }, step: DoDone},
		{name: "scored", tick: 1011, change: func(v *View) { v.Scored = true }, step: DoDone},
	} {
		v, _ := runView()
		if c.tick > 0 {
			v.Ticks.Add(second(c.tick))
		}
		if c.change != nil {
			c.change(v)
		}
		turn := v.EndOfRun()
		if turn.Step != c.step || turn.Await != c.await || (turn.Tick != nil) != c.ended {
			t.Errorf("%s: %+v", c.name, turn)
		}
		if c.ended && (turn.Finals[0] == nil || turn.Finals[1] != nil || !turn.Deadline.Equal(second(1010).Time)) {
			t.Errorf("%s: final are %v, the deadline was %s", c.name, turn.Finals, turn.Deadline)
		}
	}
}

// TestTicks: a deadline has passed at the first tick that was stored behind it. That
// stays so where the clock is set back, and when earlier ticks are forgotten.
func TestTicks(t *testing.T) {
	place := func(seq uint64, at int64) Place { return Place{Sequence: seq, Time: time.Unix(at, 0)} }
	ticks := &Ticks{}
	for _, p := range []Place{place(3, 100), place(5, 90), place(8, 95), place(9, 120)} {
		ticks.Add(p)
	}
	var behind uint64
	after := func(at int64) uint64 {
		p, ok := ticks.After(time.Unix(at, 0), behind)
		if ok != (p.Sequence > 0) {
			t.Errorf("%d: %v, %v", at, p, ok)
		}
		return p.Sequence
	}
	for at, want := range map[int64]uint64{80: 3, 92: 3, 99: 3, 100: 9, 119: 9, 120: 0} {
		if got := after(at); got != want {
			t.Errorf("a deadline at %d has passed at %d, want %d", at, got, want)
		}
	}
	behind = 3 // the clock was ahead before
	for at, want := range map[int64]uint64{80: 5, 92: 8, 99: 9, 120: 0} {
		if got := after(at); got != want {
			t.Errorf("behind 3, a deadline at %d has passed at %d, want %d", at, got, want)
		}
	}
	ticks.Forget(9)
	if got := after(110); got != 9 {
		t.Errorf("without those before: %d", got)
	}
	if _, ok := (*Ticks)(nil).After(time.Unix(0, 0), 0); ok {
		t.Error("a view without ticks has one")
	}
}
