package bus

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestSealedBehindAWall: a run that was sealed behind a wall and is judged by
// a daemon that finds no wall claims no isolation, and the audit agrees.
func TestSealedBehindAWall(t *testing.T) {
	r := newRig(t)
	behind := func(isolation string) func(*Config) {
		return func(c *Config) { c.Settings.WorkspaceIsolation = isolation }
	}
	stop := r.start(behind(shadow.IsolationStrict))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	if h := r.report("run-1", "one", 0).Report; h.WorkspaceIsolation != shadow.IsolationStrict || h.ConformanceLevel == 1 {
		t.Errorf("behind the wall: %s, level %d", h.WorkspaceIsolation, h.ConformanceLevel)
	}
	stop()
	r.start(behind(shadow.IsolationLegacy))
	r.bundle("run-1", "two", content(0))
	if h := r.report("run-1", "two", 0).Report; h.WorkspaceIsolation != shadow.IsolationLegacy || h.ConformanceLevel != 1 {
		t.Errorf("without it: %s, level %d", h.WorkspaceIsolation, h.ConformanceLevel)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}
