package bus

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// forged is a copy of a log to be falsified.
type forged struct {
	t testing.TB
	*audit.Log
}

// forge copies a log. Messages are copied, their bytes are not: a forgery puts
// others in their place.
func forge(t testing.TB, log *audit.Log) *forged {
	c := *log
	c.In, c.Out, c.Envelopes = nil, nil, map[string]*audit.Sealed{}
	for _, m := range log.In {
		copied := *m
		c.In = append(c.In, &copied)
	}
	for _, m := range log.Out {
		copied := *m
		c.Out = append(c.Out, &copied)
	}
	for run, s := range log.Envelopes {
		copied := *s
		c.Envelopes[run] = &copied
	}
	return &forged{t, &c}
}

// get finds a message; commander and domain as far as its subject has them.
func (f *forged) get(name, run, of string, cycle int) *audit.Message {
	f.t.Helper()
	for _, m := range append(f.In[:len(f.In):len(f.In)], f.Out...) {
		if m.Name == name && m.Run == run && (of == "" || m.Domain == of || m.Commander == of) && m.Cycle == cycle {
			return m
		}
	}
	f.t.Fatalf("no %s of %s/%s/%d", name, run, of, cycle)
	return nil
}

func (f *forged) report(run, domain string, cycle int) *audit.Message {
	f.t.Helper()
	return f.get(shadow.GapReport, run, domain, cycle)
}

func (f *forged) rejection(reason shadow.Reason) *audit.Message {
	f.t.Helper()
	for _, m := range f.Out {
		if m.Name == shadow.EventRejected && bytes.Contains(m.Data, []byte(`"`+string(reason)+`"`)) {
			return m
		}
	}
	f.t.Fatalf("no rejection %s", reason)
	return nil
}

// rejected stores a rejection of a commander's bundle in run good, as somebody
// who can write into OUT and has no key.
func (f *forged) rejected(commander string, change func(*shadow.Rejection)) {
	f.t.Helper()
	in := f.get(shadow.BundleComplete, "good", commander, 0)
	m := f.again(f.rejection(shadow.SlotTaken))
	m.Subject, m.Author, m.Address.Sequence, m.Unmarked = layout.Subjects{}.Rejected(commander, in.Sequence), commander, in.Sequence, "no mark"
	m.Cause, m.EventTime = in.ID, in.Time
	rewrite(f, m, func(r *shadow.Rejection) {
		r.Subject, r.In, r.EventID, r.RunID = in.Subject, shadow.Place{Sequence: in.Sequence, Time: in.Time}, in.ID, in.Run
		change(r)
		r.Resubmit = r.Reason.Hint()
	})
}

// ticks are those of the log, and tick the one that a report or an end names.
func (f *forged) ticks() (all []*audit.Message) {
	for _, m := range f.In {
		if m.Name == shadow.Tick {
			all = append(all, m)
		}
	}
	return all
}

func (f *forged) tick(of *audit.Message) *audit.Message {
	f.t.Helper()
	var said struct {
		Tick  *shadow.Place // of run-scored
		Swarm struct {
			Hardening struct{ Tick *shadow.Place }
		}
	}
	bustest.OK(f.t, audit.Decode(of, &said))
	if said.Tick == nil {
		said.Tick = said.Swarm.Hardening.Tick
	}
	for _, m := range f.ticks() {
		if said.Tick != nil && m.Sequence == said.Tick.Sequence {
			return m
		}
	}
	f.t.Fatalf("%s names no tick", of.Subject)
	return nil
}

// timely puts an event in the place of a tick that stands before it, at another time,
// and the tick in the event's.
func (f *forged) timely(in *audit.Message, at time.Time, tick *audit.Message) {
	f.In[slices.Index(f.In, in)], f.In[slices.Index(f.In, tick)] = tick, in
	in.Sequence, tick.Sequence, in.Time = tick.Sequence, in.Sequence, at
}

func (f *forged) remove(m *audit.Message) {
	same := func(o *audit.Message) bool { return o == m }
	f.In, f.Out = slices.DeleteFunc(f.In, same), slices.DeleteFunc(f.Out, same)
}

// again stores a message once more, at the end of its stream.
func (f *forged) again(m *audit.Message) *audit.Message {
	list := &f.Out
	if m.Stream == layout.StreamIn {
		list = &f.In
	}
	copied := *m
	last := (*list)[len(*list)-1]
	copied.Sequence, copied.Time = last.Sequence+1, last.Time.Add(time.Second)
	*list = append(*list, &copied)
	return &copied
}

// rewrite changes a message's data and writes them as shadowd would.
func rewrite[T any](f *forged, m *audit.Message, change func(*T)) {
	f.t.Helper()
	v := new(T)
	bustest.OK(f.t, json.Unmarshal(m.Data, v))
	change(v)
	data := bustest.Must(shadow.Encode(v))
	if bytes.Equal(data, m.Data) {
		f.t.Fatal("the forgery changes nothing")
	}
	m.Data, m.Raw = data, data
}

// which finds a message of a log, to be changed by on.
type which func(*forged) *audit.Message

func report(run, domain string, cycle int) which { return output(shadow.GapReport, run, domain, cycle) }

func output(name, run, of string, cycle int) which {
	return func(f *forged) *audit.Message { return f.get(name, run, of, cycle) }
}

func refusal(reason shadow.Reason) which {
	return func(f *forged) *audit.Message { return f.rejection(reason) }
}

func on[T any](m which, change func(*T)) func(*forged) {
	return func(f *forged) { rewrite(f, m(f), change) }
}

// errors are what the audit finds wrong, by code and run.
func (f *forged) errors(runs ...string) (codes map[audit.Code]int, of map[string]int) {
	codes, of = map[audit.Code]int{}, map[string]int{}
	for _, x := range auditLog(f.Log, runs).Findings {
		if x.Severity == audit.Error {
			codes[x.Code]++
			of[x.Run]++
		}
	}
	return codes, of
}

// TestAuditOfForgedLogs: each forgery is found, by its own finding, and in its
// own run alone.
func TestAuditOfForgedLogs(t *testing.T) {
	t.Parallel()
	log := richLogOnce(t)
	tried := map[audit.Code]bool{}
	for _, c := range slices.Concat(forgeries, forgedTraces, forgedBallots, forgedSignatures, forgedEnds) {
		t.Run(c.name, func(t *testing.T) {
			f := forge(t, log)
			c.do(f)
			tried[c.code] = true
			codes, runs := f.errors()
			want := 1
			if c.name == "two runs' envelopes are swapped" {
				want = 2
			}
			if codes[c.code] == 0 || len(runs) != want {
				t.Errorf("want %s, found %v in %v", c.code, codes, runs)
			}
		})
	}
	for code, c := range audit.Codes {
		if c.Severity == audit.Error && !tried[code] {
			t.Errorf("no forgery is found by %s", code)
		}
	}
}

// TestEveryByteCounts changes single bytes of what shadowd stores: the audit finds
// each without looking at marks, as if whoever changed them had the key. Messages of
// rejections are left out, since not all of them can be derived, and so is what the
// operator says of openings, and what ticks say, on which nothing depends; and so are how long a vote took and
// why there is none, and what a judge says of its prompt: on which nothing depends.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	log := richLogOnce(t)
	rnd := rand.New(rand.NewPCG(1, 7))
	tried := 0
	for i := range append(log.In, log.Out...) {
		for range 6 {
			f := forge(t, log)
			m := append(f.In[:len(f.In):len(f.In)], f.Out...)[i]
			if m.Name == shadow.EventRejected || m.Name == shadow.EnvelopeOpened || m.Stream == layout.StreamIn && m.Name != shadow.EnvelopeSealed {
				break
			}
			at := rnd.IntN(len(m.Data))
			if slices.ContainsFunc(freeOfJudges.FindAllIndex(m.Data, -1), func(part []int) bool { return part[0] <= at && at < part[1] }) {
				continue
			}
			if ballots := bytes.Index(m.Data, []byte(`"ballots":`)); ballots >= 0 && slices.ContainsFunc(freeOfVotes.FindAllIndex(m.Data[ballots:], -1), func(part []int) bool {
				return ballots+part[0] <= at && at < ballots+part[1]
			}) {
				continue
			}
			m.Data = bytes.Clone(m.Data)
			m.Data[at] ^= 1 << rnd.IntN(7)
			tried++
			if auditLog(f.Log, []string{m.Run}).Errors == 0 {
				t.Errorf("%s: byte %d is %q now, and nothing is found: …%s…", m.Subject, at, m.Data[at], m.Data[max(0, at-40):min(len(m.Data), at+40)])
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d bytes were changed", tried)
	}
}

var (
	freeOfVotes  = regexp.MustCompile(`"(why|ms)":("[^"]*"|\d+)`)
	freeOfJudges = regexp.MustCompile(`"prompt":"[^"]*"`)
)

// unscored puts a run back to where it was not scored and nobody had looked.
func (f *forged) unscored(run string) {
	f.Floor.Runs = f.get(shadow.EnvelopeSealed, run, "", 0).Sequence
	f.Out = slices.DeleteFunc(f.Out, func(m *audit.Message) bool {
		return m.Run == run && (m.Name == shadow.RunScored || m.Name == shadow.DomainSettled || m.Name == shadow.EnvelopeOpened)
	})
}

// TestAuditNotes: what can be explained is a note and no error.
func TestAuditNotes(t *testing.T) {
	t.Parallel()
	log := richLogOnce(t)
	for _, c := range []struct {
		name string
		code audit.Code
		do   func(*forged)
	}{
		{"all that IN had of a run has expired", audit.Expired, func(f *forged) {
			last := f.get(shadow.FixSubmitted, "good", "cmd-2", 0)
			f.FirstIn, f.KeptSince = last.Sequence+1, last.Time.Add(time.Nanosecond)
			f.In = slices.DeleteFunc(f.In, func(m *audit.Message) bool { return m.Run == "good" })
		}},
		{"a bundle has expired, its run's seal has not", audit.Expired, func(f *forged) {
			m := f.get(shadow.BundleComplete, "good", "cmd-1", 0)
			f.FirstIn, f.KeptSince = m.Sequence+1, m.Time.Add(time.Nanosecond)
			f.remove(m)
		}},
		{"a bundle has not been judged yet", audit.UnderWay, func(f *forged) {
			f.remove(f.report("good", "one", 0))
			f.unscored("good")
			f.Floor.Events = f.get(shadow.BundleComplete, "good", "cmd-1", 0).Sequence - 1
		}},
		{"a request has not followed yet", audit.UnderWay, func(f *forged) {
			f.remove(f.get(shadow.HardeningRequest, "good", "two", 1))
			f.remove(f.report("good", "two", 1))
			f.unscored("good")
			f.Floor.Events = f.get(shadow.BundleComplete, "good", "cmd-2", 0).Sequence - 1
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := forge(t, log)
			c.do(f)
			found := false
			for _, x := range auditLog(f.Log, []string{"good"}).Findings {
				found = found || x.Code == c.code
				if x.Severity == audit.Error {
					t.Errorf("%+v", x)
				}
			}
			if !found {
				t.Errorf("no %s", c.code)
			}
		})
	}
}
