package bus

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestRun plays a whole run: one good bundle, one that is fixed.
func TestRun(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(1))
	r.bundle("run-1", "two", content(4))

	one := r.report("run-1", "one", 0)
	if one.Swarm.Score != (shadow.Score{Failed: 1, Total: 8}) || !one.Swarm.Final || one.Swarm.Gate.Action != shadow.Proceed {
		t.Errorf("one: %+v", one.Swarm)
	}
	two := r.report("run-1", "two", 0)
	if two.Swarm.Final || two.Swarm.Gate.Action != shadow.Pending || two.Report.ConformanceLevel != 1 || two.Report.WorkspaceIsolation != "legacy" {
		t.Errorf("two: %+v %+v", two.Swarm, two.Report)
	}
	h := data[shadow.HardeningData](r, layout.Subjects{}.HardeningRequest("cmd-2", "run-1", "two", 1))
	if len(h.Issues) != 4 || h.Cycle != 1 {
		t.Errorf("request: %+v", h)
	}
	r.fix("run-1", "two", 1, content(2))
	if fixed := r.report("run-1", "two", 1); fixed.Swarm.Score.Failed != 2 || !fixed.Swarm.Final || fixed.Hardening.HardeningVelocity != "25.0" {
		t.Errorf("fixed: %+v %+v", fixed.Swarm, fixed.Hardening)
	}
	sum := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	if sum.Median != "18.8" || len(sum.Domains) != 2 || sum.Incomplete {
		t.Errorf("sum: %+v", sum)
	}
	want := map[string]int{shadow.EnvelopeSealed: 1, shadow.GapReport: 3, shadow.HardeningRequest: 1, shadow.DomainSettled: 2, shadow.RunScored: 1}
	if diff := gocmp.Diff(want, r.checked()); diff != "" {
		t.Errorf("outputs (-want +got)\n%s", diff)
	}
}

// TestDisorder sends every event of a run three times, in random order, to two
// engines at once, several times over.
func TestDisorder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRig(t)
			r.start()
			r.start()
			var events []*nats.Msg
			add := func(subject, name string, v any) {
				for range 3 {
					events = append(events, &nats.Msg{Subject: subject, Data: eventBytes(fmt.Sprint(len(events)), name, v)})
				}
			}
			l := layout.Subjects{}
			for _, run := range []string{"run-1", "run-2"} {
				add(l.Decomposition(run), shadow.DecompositionDone, twoDomains(run))
				add(l.Bundle(run, "cmd-1"), shadow.BundleComplete, bundleData(run, bundleOf("one", content(0))))
				add(l.Bundle(run, "cmd-2"), shadow.BundleComplete, bundleData(run, bundleOf("two", content(5))))
				add(l.Fix(run, "cmd-2"), shadow.FixSubmitted, fixData(run, 1, bundleOf("two", content(3))))
			}
			rnd := rand.New(rand.NewPCG(seed, 1))
			rnd.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			// A fix answers a bundle that stands before it.
			slices.SortStableFunc(events, func(a, b *nats.Msg) int {
				return cmp.Compare(strings.Count(a.Subject, shadow.FixSubmitted), strings.Count(b.Subject, shadow.FixSubmitted))
			})
			for _, m := range events {
				r.sendRaw(m)
			}
			want := map[string]int{shadow.EnvelopeSealed: 2, shadow.GapReport: 6, shadow.HardeningRequest: 2, shadow.BundleQuarantined: 2, shadow.DomainSettled: 4, shadow.RunScored: 2}
			if diff := gocmp.Diff(want, r.checked()); diff != "" {
				t.Errorf("outputs (-want +got)\n%s", diff)
			}
		})
	}
}

// TestCycles: a domain may have several cycles.
func TestCycles(t *testing.T) {
	r := newStarted(t, func(c *Config) { c.Settings.MaxCycles = 3 })
	r.bundle("run-1", "one", content(7))
	for cycle, failed := range []int{5, 6, 1} {
		h := data[shadow.HardeningData](r, layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", cycle+1))
		if want := []int{7, 5, 5}[cycle]; len(h.Issues) != want {
			t.Errorf("cycle %d asks for %d things, want %d", cycle+1, len(h.Issues), want)
		}
		r.fix("run-1", "one", cycle+1, content(failed))
	}
	rep := r.report("run-1", "one", 3)
	if !rep.Swarm.Final || rep.Swarm.Score.Failed != 1 || len(rep.Swarm.Cycles) != 4 || rep.Swarm.AcceptedCycle != 3 || !rep.Swarm.Hardening.Regressed {
		t.Errorf("%+v", rep.Swarm)
	}
	r.checked()
}
