package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// stuffed is a bus with n runs: a third scored, a third with a fix awaited, a
// third without a bundle. Every decomposition stands there twice, as it does
// where a Nexus sends one again with other content.
func stuffed(t *testing.T, n int) *nats.Conn {
	t.Helper()
	nc, err := connect(bustest.Server(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := broker.JetStream(nc)
	if err != nil {
		t.Fatal(err)
	}
	l := layout.Subjects{}
	if _, err := layout.Ensure(t.Context(), l, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	put := func(subject, name string, data any) {
		ev, err := json.Marshal(map[string]any{"specversion": "1.0", "id": subject, "source": "/t", "type": shadow.Type(name), "data": data})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.PublishMsgAsync(&nats.Msg{Subject: subject, Data: ev}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		run := fmt.Sprintf("run-%03d", i)
		d := shadow.Decomposition{RunID: run, Task: "task " + run, Domains: []shadow.Domain{{Domain: "a", CommanderID: "c"}, {Domain: "b", CommanderID: "c"}}}
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		put(l.Decomposition(run), shadow.DecompositionDone, d)
		hash := shadow.Digest(raw)
		com := &shadow.Commitment{RunID: run, CriteriaByDomain: []int{8, 8}, DecompositionDigest: hash, TaskHash: hash, SealedHash: hash, Policy: shadow.Policy{EnforceGates: i%2 == 0, SpecVersion: "2.0.0", ConformanceLevel: 4,
			WorkspaceIsolation: shadow.IsolationStrict, Scale: "ss-100", FixTimeoutMS: 60_000, RunTimeoutMS: 60_000, Unread: shadow.Warn, Undecided: shadow.Quarantine, Missing: 20, Reveal: "defect"}}
		put(l.Commitment(run), shadow.EnvelopeSealed, com)
		d.Task = "another task"
		put(l.Decomposition(run), shadow.DecompositionDone, d)
		report := func(domain string) *shadow.Report {
			in := &shadow.Submission{RunID: run, Bundle: shadow.Bundle{BundleID: "b", Domain: domain, CommanderID: "c"}}
			return shadow.Broken(com, d.Domains, shadow.Evidence{Submission: in, Digest: hash, In: shadow.Place{Sequence: 1, Time: time.Unix(1, 0)}}, nil, "a test")
		}
		a, b := report("a"), report("b")
		switch i % 3 {
		case 0:
			put(l.RunScored(run), shadow.RunScored, shadow.RunData{RunID: run, TaskHash: hash, SealedHash: hash, Scale: "ss-100", Median: "12.5", Level: shadow.Minor, Verdict: shadow.Word(shadow.Minor), Missing: []string{},
				Domains: []shadow.DomainSummary{a.Summary(), b.Summary()}})
		case 1:
			b.Swarm.Final, b.Swarm.AdvisoryReasons = false, nil
			put(l.GapReport(run, "a", 0), shadow.GapReport, a)
			put(l.GapReport(run, "b", 0), shadow.GapReport, b)
		}
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-time.After(patience):
		t.Fatal("publishing does not end")
	}
	return nc
}

// TestRunsMany: how many requests a list takes does not grow with the runs.
func TestRunsMany(t *testing.T) {
	const n = 300
	nc := stuffed(t, n)
	var requests atomic.Int64
	if _, err := nc.Subscribe("$JS.API.>", func(m *nats.Msg) {
		if !strings.Contains(m.Subject, ".MSG.NEXT.") {
			requests.Add(1)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	list := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		a := &app{Stdout: &stdout, Stderr: &stderr, Environ: []string{"SHADOWD_BUS_URL=" + nc.ConnectedUrl()}}
		t.Chdir(t.TempDir())
		if code := run(t.Context(), append([]string{"runs"}, args...), a); code != hint.ExitClean || stderr.Len() > 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		return stdout.String()
	}
	states := map[history.RunState]int{}
	decoder := json.NewDecoder(strings.NewReader(list("--format", "json")))
	for decoder.More() {
		var r history.Summary
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		states[r.State]++
		if r.Task != "task "+r.RunID || r.Domains != 2 || r.Sealed == nil {
			t.Fatalf("%+v", r)
		}
		want := map[history.RunState]struct {
			final    int
			advisory bool
		}{history.RunScored: {2, false}, history.RunHardening: {1, true}, history.RunWaiting: {0, false}}[r.State]
		if r.Final != want.final || r.Advisory != want.advisory {
			t.Fatalf("%+v", r)
		}
	}
	if states[history.RunScored] != n/3 || states[history.RunHardening] != n/3 || states[history.RunWaiting] != n/3 {
		t.Errorf("%v", states)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	// Two streams, the sums, and the reports of 200 runs by the hundred.
	if made := requests.Load(); made == 0 || made > 30 {
		t.Errorf("%d requests for %d runs", made, n)
	}
	var stderr bytes.Buffer
	a := &app{Stderr: &stderr, Environ: []string{"SHADOWD_BUS_URL=" + nc.ConnectedUrl()}}
	if code := run(t.Context(), []string{"runs", "--limit=-1"}, a); code != hint.ExitUsage {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	table := strings.Split(list(), "\n")
	if len(table) != n+2 || !strings.HasPrefix(table[1], "run-299 ") || !strings.Contains(table[1], "OBSERVE MODE") {
		t.Errorf("%d lines, the first %q", len(table), table[1])
	}
}

// TestRunsNoStreams: a bus on which no shadowd has run is said to be one.
func TestRunsNoStreams(t *testing.T) {
	for _, broker := range []*bustest.Broker{bustest.Server(t), bustest.Plain(t)} {
		var stdout, stderr bytes.Buffer
		a := &app{Stdout: &stdout, Stderr: &stderr, Environ: []string{"SHADOWD_BUS_URL=" + broker.URL()}}
		if code := run(t.Context(), []string{"runs"}, a); code != hint.ExitFailed || !strings.Contains(stderr.String(), "no shadowd has run there") {
			t.Errorf("exit code %d: %s", code, stderr.String())
		}
	}
}
