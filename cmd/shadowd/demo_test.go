package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// shadowd runs the real main, which must succeed in silence, and returns its
// standard output.
func shadowd(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "shadowd", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(cmd.Environ(), "TMPDIR="+t.TempDir())
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("shadowd %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String()
}

// outputEvents reads what --format json prints: a valid output event a line.
func outputEvents(t *testing.T, stdout string) []event.Event {
	t.Helper()
	var events []event.Event
	for line := range strings.Lines(stdout) {
		var ev event.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("not a CloudEvent: %v\n%s", err, line)
		}
		if err := ev.Validate(); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		if err := schemas.Validate(nameOf(ev), ev.Data()); err != nil {
			t.Errorf("%s breaks its schema: %v\n%s", ev.Type(), err, line)
		}
		events = append(events, ev)
	}
	return events
}

// nameOf is the name of an event of a type of ours.
func nameOf(ev event.Event) string {
	return strings.TrimSuffix(strings.TrimPrefix(ev.Type(), "dev.swarmspeed."), ".v1")
}

// tally counts events by name, and gap reports by cycle.
type tally struct {
	names map[string]int
	first []shadow.Report // of cycle 0
	last  []shadow.Report // final ones
}

func count(t *testing.T, events []event.Event) tally {
	t.Helper()
	c := tally{names: map[string]int{}}
	for _, ev := range events {
		name := nameOf(ev)
		c.names[name]++
		if name != shadow.GapReport {
			continue
		}
		var rep shadow.Report
		if err := json.Unmarshal(ev.Data(), &rep); err != nil {
			t.Fatal(err)
		}
		if rep.Swarm.Cycle == 0 {
			c.first = append(c.first, rep)
		}
		if rep.Swarm.Final {
			c.last = append(c.last, rep)
		}
	}
	return c
}

func TestDemoJSON(t *testing.T) {
	t.Parallel()
	c := count(t, outputEvents(t, shadowd(t, "demo", "--format", "json")))
	for name, want := range map[string]int{
		shadow.EnvelopeSealed: 1, shadow.Attestation: 5, shadow.RunScored: 1, shadow.EventRejected: 0,
		shadow.GapReport: 5 + c.names[shadow.HardeningRequest],
	} {
		if c.names[name] != want {
			t.Errorf("%d of %s, want %d", c.names[name], name, want)
		}
	}
	if len(c.first) != 5 || len(c.last) != 5 || c.names[shadow.HardeningRequest] < 2 || c.names[shadow.BundleQuarantined] > 5 {
		t.Errorf("%v, %d reports of cycle 0, %d final ones", c.names, len(c.first), len(c.last))
	}
	timedOut := 0
	for _, rep := range c.last {
		if rep.Swarm.Hardening.TimedOut {
			timedOut++
		}
	}
	if timedOut == 0 || timedOut == c.names[shadow.HardeningRequest] {
		t.Errorf("%d of %d fixes did not come: the demo has some of both", timedOut, c.names[shadow.HardeningRequest])
	}
}

// The demo's files are a swarm that makes sense.
func TestDemoFiles(t *testing.T) {
	s, err := loadDemo()
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(shadow.DecompositionDone, s.decomposition); err != nil {
		t.Error(err)
	}
	for _, d := range s.Decomposition.Domains {
		data, err := json.Marshal(s.bundles[d.Domain])
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas.Validate(shadow.BundleComplete, data); err != nil {
			t.Errorf("%s: %v", d.Domain, err)
		}
		in, err := shadow.Decode(shadow.BundleComplete, data)
		if err != nil {
			t.Fatal(err)
		}
		if b := in.(*shadow.Submission).Bundle; b.Domain != d.Domain || b.CommanderID != d.CommanderID {
			t.Errorf("the bundle of %s is of %s for %s", d.Domain, b.CommanderID, b.Domain)
		}
	}
	if addr, err := (bus.Layout{}).Parse(bus.Layout{}.Decomposition(s.Decomposition.RunID)); err != nil {
		t.Errorf("%v %v", addr, err)
	}
}
