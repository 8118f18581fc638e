package shadow

import (
	"testing"
	"time"
)

// turnView is a view of a run with two domains that is sealed at 10, with
// bundles of cmd-1 at 20 and 30 and a fix at 40.
func turnView() (*View, map[uint64]*Arrival) {
	at := func(seq uint64) Place { return Place{Sequence: seq, Time: time.Unix(int64(seq), 0).UTC()} }
	v := &View{
		RunID: "run-1", Sealed: at(10), Domains: []Domain{{Domain: "one", CommanderID: "cmd-1"}, {Domain: "two", CommanderID: "cmd-2"}},
		Commitment: &Commitment{RunID: "run-1", DecompositionDigest: "d", Policy: Policy{MaxCycles: 1, RunTimeoutMS: 1000_000, FixTimeoutMS: 100_000}},
		Arrivals:   map[Source][]*Arrival{}, Reports: map[Slot]*StoredReport{},
	}
	all := map[uint64]*Arrival{}
	for _, a := range []*Arrival{
		{Place: at(5), Digest: "d"},
		{Place: at(20), Digest: "a", Commander: "cmd-1", Domain: "one", BundleID: "b"},
		{Place: at(30), Digest: "b", Commander: "cmd-1", Domain: "one", BundleID: "b"},
		{Place: at(40), Digest: "f", Commander: "cmd-1", Domain: "one", BundleID: "b", Cycle: 1},
		{Place: at(200), Digest: "g", Commander: "cmd-1", Domain: "one", BundleID: "b", Cycle: 1},
	} {
		a.Read = true
		all[a.Sequence] = a
		v.Add(Source{a.Commander, a.Cycle > 0}, a)
	}
	return v, all
}

func (v *View) stored(cycle int, digest string, asks bool) {
	r := &Report{}
	r.Swarm.Domain, r.Swarm.Cycle, r.Swarm.BundleID, r.Swarm.BundleDigest = "one", cycle, "b", digest
	r.Swarm.Hardening.Requested, r.Swarm.Final = asks, !asks
	v.Reports[Slot{"one", cycle}] = &StoredReport{Sequence: 1, Time: time.Unix(50, 0).UTC(), Report: r}
}

// TestTurn: what is to be done about an event follows from the view.
func TestTurn(t *testing.T) {
	const overdue = time.Minute
	first, second, fix, late := uint64(20), uint64(30), uint64(40), uint64(200)
	for _, c := range []struct {
		name   string
		seq    uint64
		change func(*View, *Event)
		step   Step
		reason Reason
		await  Await
	}{
		{name: "the first bundle", seq: first, step: DoJudge},
		{name: "a second one", seq: second, step: DoReject, reason: SlotTaken},
		{name: "a copy", seq: second, change: func(v *View, ev *Event) { ev.Submission.Digest = "a" }, step: DoJudge},
		{name: "behind one that is rejected", seq: second, change: func(v *View, _ *Event) {
			v.Arrivals[Source{"cmd-1", false}] = v.Arrivals[Source{"cmd-1", false}][1:]
		}, step: DoJudge},
		{name: "behind one that is malformed", seq: second, change: func(v *View, _ *Event) { v.Arrivals[Source{"cmd-1", false}][0].Malformed = true }, step: DoJudge},
		{name: "behind one that was not read", seq: second, change: func(v *View, _ *Event) { v.Arrivals[Source{"cmd-1", false}][0].Read = false }, step: DoReadArrival},
		{name: "behind a late one, since when the clock went back", seq: second, change: func(v *View, _ *Event) { v.Arrivals[Source{"cmd-1", false}][0].Time = time.Unix(2000, 0) }, step: DoJudge},
		{name: "late", seq: first, change: func(v *View, _ *Event) { v.Commitment.Policy.RunTimeoutMS = 1000 }, step: DoReject, reason: Late},
		{name: "another's domain", seq: first, change: func(_ *View, ev *Event) { ev.Submission.Domain = "two" }, step: DoReject, reason: NotYourDomain},
		{name: "judged", seq: first, change: func(v *View, _ *Event) { v.stored(0, "a", false) }, step: DoFollow},
		{name: "another was judged", seq: first, change: func(v *View, _ *Event) { v.stored(0, "b", false) }, step: DoReject, reason: SlotTaken},
		{name: "judged, not read", seq: first, change: func(v *View, _ *Event) { v.Reports[Slot{"one", 0}] = &StoredReport{} }, step: DoReadReport},
		{name: "not opened", seq: first, change: func(v *View, _ *Event) { v.Domains = nil }, step: DoOpen},
		{name: "commitment not read", seq: first, change: func(v *View, _ *Event) { v.Commitment = nil }, step: DoReadCommitment},

		{name: "not sealed", seq: first, change: func(v *View, _ *Event) { v.Sealed = Place{} }, await: AwaitSeal},
		{name: "not sealed for long", seq: first, change: func(v *View, ev *Event) { v.Sealed, ev.Overdue = Place{}, overdue }, await: AwaitSeal},
		{name: "decomposition skipped", seq: first, change: func(v *View, ev *Event) { v.Sealed, ev.Overdue, ev.SealFloor = Place{}, overdue, 5 }, step: DoReject, reason: RunUnknown},
		{name: "no envelope", seq: first, change: func(v *View, _ *Event) { v.NoEnvelope = true }, await: AwaitSeal},
		{name: "unknown run", seq: first, change: func(v *View, _ *Event) { v.Sealed, v.Arrivals[Source{}] = Place{}, nil }, await: AwaitRun},
		{name: "unknown for long", seq: first, change: func(v *View, ev *Event) { v.Sealed, v.Arrivals[Source{}], ev.Overdue = Place{}, nil, overdue }, step: DoReject, reason: RunUnknown},
		{name: "decomposition rejected", seq: first, change: func(v *View, _ *Event) { v.Sealed, v.Arrivals[Source{}], v.Refused = Place{}, nil, true }, step: DoReject, reason: RunRejected},
		{name: "a better decomposition", seq: first, change: func(v *View, _ *Event) { v.Sealed, v.Refused = Place{}, true }, await: AwaitSeal},

		{name: "a fix", seq: fix, change: func(v *View, _ *Event) { v.stored(0, "a", true) }, step: DoJudge},
		{name: "a fix that overtook", seq: fix, await: AwaitReport},
		{name: "a fix that overtook long ago", seq: fix, change: func(v *View, ev *Event) { ev.Overdue = overdue }, await: AwaitReport},
		{name: "a fix of nothing", seq: fix, change: func(v *View, ev *Event) {
			delete(v.Arrivals, Source{"cmd-1", false})
			ev.Overdue = overdue
		}, step: DoReject, reason: FixNotAsked},
		{name: "a fix not asked for", seq: fix, change: func(v *View, _ *Event) { v.stored(0, "a", false) }, step: DoReject, reason: FixNotAsked},
		{name: "a fix without hardening", seq: fix, change: func(v *View, _ *Event) { v.Commitment.Policy.MaxCycles = 0 }, step: DoReject, reason: FixNotAsked},
		{name: "a fix of another bundle", seq: fix, change: func(v *View, ev *Event) { v.stored(0, "a", true); ev.Submission.BundleID = "c" }, step: DoReject, reason: FixOtherBundle},
		{name: "a late fix", seq: late, change: func(v *View, _ *Event) { v.stored(0, "a", true) }, step: DoReject, reason: Late},
		{name: "a fix after its deadline was stored", seq: fix, change: func(v *View, _ *Event) {
			v.stored(0, "a", true)
			v.stored(1, "a", false)
			v.Reports[Slot{"one", 1}].Report.Swarm.Hardening.TimedOut = true
		}, step: DoReject, reason: Late},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, all := turnView()
			ev := &Event{Submission: all[c.seq]}
			if c.change != nil {
				c.change(v, ev)
			}
			if turn := v.Turn(ev); turn.Step != c.step || reasonOf(turn) != c.reason || turn.Await != c.await {
				t.Errorf("%+v", turn)
			}
		})
	}
}

// TestTurnOfDecompositions: the first one that is not rejected seals the run.
func TestTurnOfDecompositions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*View, *Arrival)
		step   Step
		reason Reason
	}{
		{name: "sealed with it", step: DoSealed},
		{name: "sealed with another", change: func(_ *View, a *Arrival) { a.Digest = "e" }, step: DoReject, reason: OtherContent},
		{name: "to be sealed", change: func(v *View, _ *Arrival) { v.Sealed = Place{} }, step: DoSeal},
		{name: "rejected before", change: func(v *View, _ *Arrival) { v.Sealed, v.Arrivals[Source{}] = Place{}, nil }, step: DoReject, reason: CannotSeal},
		{name: "another before it", change: func(v *View, _ *Arrival) {
			v.Sealed, v.Arrivals[Source{}] = Place{}, append([]*Arrival{{Read: true, Digest: "e"}}, v.Decompositions()...)
		}, step: DoReject, reason: OtherContent},
	} {
		v, all := turnView()
		if c.change != nil {
			c.change(v, all[5])
		}
		if turn := v.Turn(&Event{Decomposition: all[5]}); turn.Step != c.step || reasonOf(turn) != c.reason {
			t.Errorf("%s: %+v", c.name, turn)
		}
	}
}

// TestTurnOfTimers: a deadline ends what nothing in time is stored for.
func TestTurnOfTimers(t *testing.T) {
	fixes := Source{"cmd-1", true}
	for _, c := range []struct {
		name   string
		slot   Slot
		fired  int64
		change func(*View, *Event)
		step   Step
		await  Await
		reason Reason
	}{
		{name: "a timely fix is there", slot: Slot{"one", 1}, fired: 150, await: AwaitReport},
		{name: "it was skipped", slot: Slot{"one", 1}, fired: 150, change: func(_ *View, ev *Event) { ev.JudgeFloor = 40 }, step: DoTimeOut},
		{name: "no fix came in time", slot: Slot{"one", 1}, fired: 150, change: func(v *View, _ *Event) { v.Arrivals[fixes] = v.Arrivals[fixes][1:] }, step: DoTimeOut},
		{name: "before its time", slot: Slot{"one", 1}, fired: 149, await: AwaitClock},
		{name: "the fix was judged", slot: Slot{"one", 1}, fired: 150, change: func(v *View, _ *Event) { v.stored(1, "f", false) }, step: DoFollow},
		{name: "of no domain", slot: Slot{"six", 1}, fired: 150, step: DoReject, reason: IDMismatch},
		{name: "the run, a fix awaited", fired: 1010, await: AwaitReport},
		{name: "the run, a bundle is there", fired: 1010, change: func(v *View, _ *Event) { clear(v.Reports) }, await: AwaitReport},
		{name: "the run, a domain missing", fired: 1010, change: func(v *View, _ *Event) { v.stored(0, "a", false) }, step: DoScore},
		{name: "the run, before its time", fired: 1009, await: AwaitClock},
		{name: "the run, whose commitment was erased", fired: 1010, change: func(v *View, _ *Event) { v.Sealed = Place{} }, step: DoReject, reason: RunUnknown},
		{name: "the run, without its envelope", fired: 1010, change: func(v *View, _ *Event) { v.NoEnvelope = true }, await: AwaitSeal},
		{name: "the run, scored", fired: 1010, change: func(v *View, _ *Event) { v.Scored = true }, step: DoDone},
	} {
		v, _ := turnView()
		v.stored(0, "a", true)
		ev := &Event{Timer: &Timer{Slot: c.slot, Fired: time.Unix(c.fired, 0)}}
		if c.change != nil {
			c.change(v, ev)
		}
		if turn := v.Turn(ev); turn.Step != c.step || turn.Await != c.await || reasonOf(turn) != c.reason {
			t.Errorf("%s: %+v", c.name, turn)
		}
	}
}

func reasonOf(t Turn) Reason {
	if t.Refusal == nil {
		return ""
	}
	return t.Refusal.Reason
}
