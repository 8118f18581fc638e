package history

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var subjects layout.Subjects

// log is a bus with the streams, on which a test puts what it likes.
type log struct {
	*testing.T
	js jetstream.JetStream
}

func newLog(t *testing.T) log {
	_, js := bustest.Server(t).Connect(t)
	bustest.Must(layout.Ensure(t.Context(), subjects, js, layout.StorageConfig{}))
	return log{t, js}
}

// put stores an event and returns its data.
func (l log) put(subject string, data any) []byte {
	l.Helper()
	raw := bustest.Must(shadow.Encode(data))
	msg, _, err := cloudevent.New(subjects, subject, cloudevent.Cause{ID: "cause"}, time.Unix(1, 0), raw)
	bustest.OK(l, err)
	msg.Subject = subject
	bustest.Must(l.js.PublishMsg(l.Context(), msg))
	return raw
}

func (l log) decomposed(run, task string) []byte {
	return l.put(subjects.Decomposition(run), shadow.Decomposition{RunID: run, Task: task, Domains: []shadow.Domain{{Domain: "b", CommanderID: "c"}, {Domain: "a", CommanderID: "c"}}})
}

func (l log) sealed(run string, decomposition []byte) {
	hash := shadow.Digest([]byte(run))
	l.put(subjects.Commitment(run), shadow.Commitment{RunID: run, TaskHash: hash, DecompositionDigest: shadow.Digest(decomposition), SealedHash: hash, CriteriaByDomain: []int{8, 8},
		Policy: shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationStrict, Scale: "ss-100", FixTimeoutMS: 60_000, RunTimeoutMS: 3_600_000,
			EnforceGates: true, Unread: shadow.Warn, Undecided: shadow.Quarantine, Missing: 20}})
}

// report is a valid one, but for what a test says of it.
func report(run, domain string, cycle int, final bool, n shadow.ItemCounts) *shadow.Report {
	hash := shadow.Digest([]byte(run))
	com := &shadow.Commitment{RunID: run, TaskHash: hash, SealedHash: hash, CriteriaByDomain: []int{8}, Policy: shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationStrict, Scale: "ss-100"}}
	in := shadow.Evidence{Submission: &shadow.Submission{RunID: run, Bundle: shadow.Bundle{BundleID: "b", Domain: domain, CommanderID: "c"}}, Digest: hash, In: shadow.Place{Sequence: 1, Time: time.Unix(1, 0)}}
	rep := shadow.Broken(com, nil, in, nil, "a test")
	rep.Swarm.Cycle, rep.Swarm.Final, rep.Swarm.Counts, rep.Swarm.AdvisoryReasons = cycle, final, n, nil
	if n.Unread > 0 {
		rep.Swarm.AdvisoryReasons = []string{"unread: why"}
	}
	return rep
}

func (l log) reported(run, domain string, cycle int, final bool, n shadow.ItemCounts) {
	l.put(subjects.GapReport(run, domain, cycle), report(run, domain, cycle, final, n))
}

func (l log) rejected(author string, seq uint64, reason shadow.Reason, message, run string) {
	l.put(subjects.Rejected(author, seq), shadow.Rejection{Reason: reason, Message: message, RunID: run, Resubmit: reason.Hint(), Subject: "s", Stream: "IN", In: shadow.Place{Sequence: seq}})
}

// TestList: what has become of a run follows from what is stored of it last.
func TestList(t *testing.T) {
	l := newLog(t)
	l.decomposed("new", "Not sealed yet")
	l.sealed("fixing", l.decomposed("fixing", "A fix is awaited"))
	l.reported("fixing", "b", 0, false, shadow.ItemCounts{Items: 4, Found: 1, Unread: 3})
	l.reported("fixing", "a", 0, false, shadow.ItemCounts{Items: 4, Unread: 4})
	l.reported("fixing", "a", 1, true, shadow.ItemCounts{Items: 4, Found: 3, Missing: 1})
	first := l.decomposed("twice", "The first counts")
	l.sealed("twice", first)
	l.decomposed("twice", "The second is rejected")
	l.rejected(layout.AuthorNexus, 6, shadow.OtherContent, "sealed", "twice")
	l.decomposed("refused", "Cannot be sealed")
	l.rejected(layout.AuthorNexus, 7, shadow.CannotSeal, "no domain", "refused")
	l.rejected(layout.AuthorNexus, 8, shadow.NotAnEvent, "not JSON", "unreadable")
	l.rejected("c", 9, shadow.RunUnknown, "who?", "made-up")
	l.sealed("over", l.decomposed("over", "A domain is missing"))
	l.reported("over", "a", 0, false, shadow.ItemCounts{Items: 4, Unread: 4})
	unread := report("over", "a", 0, false, shadow.ItemCounts{Items: 4, Unread: 4})
	hash := shadow.Digest([]byte("over"))
	l.put(subjects.RunScored("over"), shadow.RunData{RunID: "over", TaskHash: hash, SealedHash: hash, Scale: "ss-100", Median: "12.5", Level: shadow.Minor, Incomplete: true, Missing: []string{"b"},
		Verdict: shadow.WordUnread, Counts: unread.Swarm.Counts, Domains: []shadow.DomainSummary{unread.Summary()}})
	all := bustest.Must(List(t.Context(), subjects, l.js))
	var got []string
	for _, r := range slices.Backward(all) {
		s := *r
		s.Started, s.Sealed = time.Time{}, nil
		line := bustest.Must(json.Marshal(s))
		got = append(got, string(line))
	}
	want := []string{
		`{"run_id":"new","task":"Not sealed yet","state":"waiting","started_at":"0001-01-01T00:00:00Z","domains":2,"final":0,"counts":{"items":0,"found":0,"missing":0,"undecided":0,"unread":0,"claimed":0,"declared":0,"unaccounted":0},"advisory":false,"observe_mode":false}`,
		`{"run_id":"fixing","task":"A fix is awaited","state":"hardening","started_at":"0001-01-01T00:00:00Z","domains":2,"final":1,"counts":{"items":8,"found":4,"missing":1,"undecided":0,"unread":3,"claimed":0,"declared":0,"unaccounted":0},"advisory":true,"observe_mode":false,"gate":"proceed"}`,
		`{"run_id":"twice","task":"The first counts","state":"waiting","started_at":"0001-01-01T00:00:00Z","domains":2,"final":0,"counts":{"items":0,"found":0,"missing":0,"undecided":0,"unread":0,"claimed":0,"declared":0,"unaccounted":0},"advisory":false,"observe_mode":false}`,
		`{"run_id":"refused","task":"Cannot be sealed","state":"rejected","started_at":"0001-01-01T00:00:00Z","domains":2,"final":0,"counts":{"items":0,"found":0,"missing":0,"undecided":0,"unread":0,"claimed":0,"declared":0,"unaccounted":0},"advisory":false,"observe_mode":false,"reason":"cannot_seal: no domain"}`,
		`{"run_id":"unreadable","task":"","state":"rejected","started_at":"0001-01-01T00:00:00Z","domains":0,"final":0,"counts":{"items":0,"found":0,"missing":0,"undecided":0,"unread":0,"claimed":0,"declared":0,"unaccounted":0},"advisory":false,"observe_mode":false,"reason":"not_a_cloudevent: not JSON"}`,
		`{"run_id":"over","task":"A domain is missing","state":"incomplete","started_at":"0001-01-01T00:00:00Z","domains":2,"final":1,"median":12.5,"verdict":"unread","counts":{"items":4,"found":0,"missing":0,"undecided":0,"unread":4,"claimed":0,"declared":0,"unaccounted":0},"advisory":false,"observe_mode":false,"gate":"proceed"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBrief: of a run in brief there is no sealed text, and of many reviews of a domain the last one is kept.
func TestBrief(t *testing.T) {
	r := NewRun("run")
	r.Brief = true
	take := func(payload any) { r.Take(Event{Address: shadow.Address{Run: "run", Domain: "a"}, Payload: payload}) }
	rep := report("run", "a", 0, true, shadow.ItemCounts{Unread: 1})
	rep.Failures = []shadow.Failure{{Expected: "SEALED"}}
	rep.Swarm.AdvisoryReasons, rep.Swarm.Items = []string{"SEALED"}, []shadow.ItemVerdict{{Why: "SEALED"}}
	take(rep)
	take(&shadow.HardeningData{Text: "SEALED"})
	for _, seq := range []uint64{1, 9, 5} {
		take(&shadow.ReviewedData{Domain: "a", Review: shadow.Review{By: "anna", Because: "SEALED"}, In: shadow.Place{Sequence: seq}})
	}
	raw, err := json.Marshal([]any{r.Reports, r.Requests, r.Reviews})
	if err != nil || strings.Contains(string(raw), "SEALED") || len(r.Reviews) != 1 || r.Reviews[0].In.Sequence != 9 || !r.Summary().Advisory {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestReadRun: there is a run from its commitment on, and its domains are those
// of the decomposition that was committed to.
func TestReadRun(t *testing.T) {
	l := newLog(t)
	for run, want := range map[string]error{"nobody": ErrNoRun, "*": layout.ErrRunName} {
		if _, err := ReadRun(t.Context(), subjects, l.js, run); !errors.Is(err, want) {
			t.Errorf("%s: %v", run, err)
		}
	}
	d := l.decomposed("run", "The task")
	if _, err := ReadRun(t.Context(), subjects, l.js, "run"); !errors.Is(err, ErrNotSealed) {
		t.Errorf("before the seal: %v", err)
	}
	l.sealed("run", d)
	l.decomposed("run", "Another task")
	r, err := ReadRun(t.Context(), subjects, l.js, "run")
	if err != nil || r.Decomposition.Task != "The task" || !slices.Equal(r.Missing(), []string{"b", "a"}) || r.Last("a") != nil || r.Stored[r.Commitment].IsZero() {
		t.Fatalf("%+v, %v", r, err)
	}
	l.put(subjects.GapReport("run", "a", 0), &shadow.Report{})
	if _, err := ReadRun(t.Context(), subjects, l.js, "run"); err == nil || !strings.Contains(err.Error(), subjects.GapReport("run", "a", 0)) {
		t.Errorf("a report that breaks its schema: %v", err)
	}
}

// TestAttested: the statement of a signed final report is rebuilt, and no other's.
func TestAttested(t *testing.T) {
	for _, c := range []struct {
		final     bool
		signature string
		want      bool
	}{{true, "v1 key AAAA", true}, {false, "v1 key AAAA", false}, {true, "", false}, {true, "v9 key AAAA", false}} {
		var rep shadow.Report
		rep.Swarm = shadow.Swarm{RunID: "run", Domain: "d", Final: c.final, Cycles: []shadow.Cycle{{}}}
		raw := bustest.Must(shadow.Encode(&rep))
		_, ev, err := cloudevent.New(subjects, subjects.GapReport("run", "d", 0), cloudevent.Cause{Signature: c.signature}, time.Unix(1, 0), raw)
		bustest.OK(t, err)
		r := NewRun("run")
		r.Take(Event{Address: shadow.Address{Name: shadow.GapReport, Run: "run", Domain: "d"}, Cloud: ev, Payload: &rep})
		if got := r.Attested["d"] != nil; got != c.want {
			t.Errorf("final %v, signed %q: %v", c.final, c.signature, got)
		}
	}
}
