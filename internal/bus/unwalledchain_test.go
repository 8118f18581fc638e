package bus

import (
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestUnwalledStays: what was judged once without the wall claims no isolation
// any more, whatever a daemon behind it adds: a better fix, a worse one, or
// that none came. The audit agrees, under both versions of the specification.
func TestUnwalledStays(t *testing.T) {
	for _, version := range []string{"1.0.0", "2.0.0"} {
		for name, fix := range map[string]string{"better": content(0), "worse": "nothing", "none": ""} {
			t.Run(version+" "+name, func(t *testing.T) {
				r := newRig(t, func(c *Config) {
					c.Settings.SpecVersion = version
					if fix == "" {
						c.Settings.FixTimeout = time.Second
					}
				})
				behind := func(isolation string) func(*Config) {
					return func(c *Config) { c.Settings.WorkspaceIsolation = isolation }
				}
				stop := r.start(behind(shadow.IsolationStrict))
				r.sealRun("run-1")
				stop()
				stop = r.start(behind(shadow.IsolationLegacy))
				r.bundle("run-1", "one", content(4))
				r.report("run-1", "one", 0)
				stop()
				r.start(behind(shadow.IsolationStrict))
				if fix != "" {
					r.fix("run-1", "one", 1, fix)
				}
				r.bundle("run-1", "two", content(0))
				for domain, cycle := range map[string]int{"one": 1, "two": 0} {
					rep := r.report("run-1", domain, cycle)
					unwalled := domain == "one"
					// Version 1.0.0 knows neither levels nor isolation.
					if rep.Swarm.Unwalled != unwalled || (rep.Report.ConformanceLevel == 1) != (unwalled && version == "2.0.0") {
						t.Errorf("%s: %v, level %d", domain, rep.Swarm.Unwalled, rep.Report.ConformanceLevel)
					}
					want := map[bool]string{true: shadow.IsolationLegacy, false: shadow.IsolationStrict}[unwalled]
					if version == "1.0.0" {
						want = ""
					}
					if rep.Report.WorkspaceIsolation != want {
						t.Errorf("%s: isolation %q", domain, rep.Report.WorkspaceIsolation)
					}
				}
				r.checked()
			})
		}
	}
}
