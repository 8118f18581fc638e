package render

import (
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestProblems: a run passes a gate only if the report of each domain that was
// scored is there and passes, and its sum is no more in doubt than they are.
func TestProblems(t *testing.T) {
	scored := func(change func(*shadow.RunData), reports ...*shadow.Report) *Document {
		r := history.NewRun("demo")
		r.Scored = &shadow.RunData{RunID: "demo", Domains: []shadow.DomainSummary{{Domain: "a", Gate: shadow.Proceed}, {Domain: "b", Gate: shadow.Quarantine}}}
		change(r.Scored)
		for _, rep := range reports {
			r.Reports[rep.Swarm.Domain] = append(r.Reports[rep.Swarm.Domain], rep)
		}
		return OfRun(r, reports)
	}
	plain := func(*shadow.RunData) {}
	advisory := func(r *shadow.RunData) { r.Advisory = true }
	a, b := report("a", 0, nil), report("b", 0, nil)
	doubtful := report("b", 0, func(r *shadow.Report) { doubt(r, "why") })
	unscored := scored(plain, a, b)
	unscored.Run.Scored = nil
	unsigned := scored(plain, a, b)
	unsigned.Run.Signers = []ed25519.PublicKey{make(ed25519.PublicKey, ed25519.PublicKeySize)}
	for name, c := range map[string]struct {
		d    *Document
		want string
	}{
		"all is well":            {scored(plain, a, b), ""},
		"no report":              {scored(plain, a), "the reports of b are not there, though run demo was scored by them"},
		"no report at all":       {scored(plain), "the reports of a, b are not there, though run demo was scored by them"},
		"advisory sum":           {scored(advisory, a, b), "the median of run demo is advisory"},
		"no report, advisory":    {scored(advisory, a), "the reports of b are not there, though run demo was scored by them\nthe median of run demo is advisory"},
		"advisory, and says why": {scored(advisory, a, doubtful), "the shadow score of demo/b is advisory: why"},
		"quarantined":            {scored(plain, a, report("b", 4, nil)), "the gate of demo/b says quarantine: 4 of 8 criteria not passed (50.0 %): significant"},
		"not signed":             {unsigned, "the report of demo/a is not by this shadowd: it is not signed\nthe report of demo/b is not by this shadowd: it is not signed"},
		"not scored":             {unscored, "run demo is not scored yet"},
		"incomplete": {scored(func(r *shadow.RunData) {
			r.Advisory, r.Incomplete, r.Domains, r.Missing = true, true, r.Domains[:1], []string{"b"}
		}, a), "run demo ended without the bundles of b"},
	} {
		got := ""
		if err := errors.Join(c.d.Problems()...); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	lost := scored(advisory, a)
	if got, want := lost.Run.AdvisoryText(), "at least one score of the run is advisory; the reports of b are not there"; got != want {
		t.Errorf("doubt %q, want %q", got, want)
	}
	if got := lost.Run.NoBundle(); got != "" {
		t.Errorf("a bundle came of every domain: %q", got)
	}
}
