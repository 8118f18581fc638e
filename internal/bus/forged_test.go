package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Forgeries by somebody who can write into a store of shadowd's, and has none
// of its keys.

// forgedReport puts a report that a fellow domain earned in the place of that
// of domain one, which is of another bundle. The message may be changed.
func (r *rig) forgedReport(change func(*shadow.Report), marked bool) {
	r.t.Helper()
	good := r.await(r.store.Out, layout.Subjects{}.GapReport("run-1", "two", 0))
	in := bustest.Must(r.store.In.GetLastMsgForSubject(r.t.Context(), layout.Subjects{}.Bundle("run-1", "cmd-1")))
	var rep shadow.Report
	bustest.OK(r.t, json.Unmarshal(eventData(r.t, good), &rep))
	rep.Report.ID, rep.Report.Timestamp = "run-1/one/0", in.Time.UTC()
	s := &rep.Swarm
	s.Domain, s.CommanderID, s.BundleID = "one", "cmd-1", "b-one"
	s.BundleDigest, s.In = shadow.Digest(eventData(r.t, in)), shadow.Place{Sequence: in.Sequence, Time: in.Time.UTC()}
	s.Cycles[0].BundleDigest = s.BundleDigest
	if change != nil {
		change(&rep)
	}
	subject := layout.Subjects{}.GapReport("run-1", "one", 0)
	raw := bustest.Must(shadow.Encode(rep))
	m, _, err := cloudevent.New(layout.Subjects{}, subject, cloudevent.Cause{ID: "ev-1", Run: "run-1"}, in.Time, raw)
	bustest.OK(r.t, err)
	m.Subject = subject
	if marked {
		m.Header.Set(ownHeader, good.Header.Get(ownHeader))
	}
	r.sendRaw(m)
}

// TestForgedReportsAreNotSigned: a report that somebody else put into OUT
// before shadowd came to it is taken for what happened, but never signed, and
// nor is what follows from it.
func TestForgedReportsAreNotSigned(t *testing.T) {
	asks := func(rep *shadow.Report) {
		s := &rep.Swarm
		s.Final, s.Hardening.Requested, s.Gate.Action = false, true, shadow.Pending
	}
	for name, c := range map[string]struct {
		change        func(*shadow.Report)
		marked, fixed bool
	}{
		"a final report":                      {},
		"with the mark of another one":        {marked: true},
		"one that asks for a fix":             {change: asks},
		"one that a worse fix falls short of": {change: asks, fixed: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStarted(t, func(c *Config) { c.Settings.FixTimeout = time.Second })
			r.bundle("run-1", "two", content(0))
			r.statement("run-1", "two", 0)
			r.ends()
			r.bundle("run-1", "one", "nothing")
			r.forgedReport(c.change, c.marked)
			if c.fixed {
				r.fix("run-1", "one", 1, "nothing")
			}
			r.start()
			data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
			r.settle()
			for subject, stored := range readAll(t, r.store.Out) {
				if m := stored[0]; strings.HasPrefix(subject, "swarm.gap-report.run-1.one.") && (r.signed(m.Header, m.Data) != nil || r.own(m)) {
					t.Errorf("%s is signed, or marked", subject)
				}
			}
		})
	}
}

// own says whether a message bears the mark of shadowd.
func (r *rig) own(m *jetstream.RawStreamMsg) bool {
	own, err := isOwn(&streams.Message{Subject: m.Subject, Header: m.Header, Data: m.Data}, r.cfg.Key)
	return own && err == nil
}

// forgedRejection stores a rejection of an event, as shadowd would write it, but
// for its mark.
func (r *rig) forgedRejection(in uint64, mark string, change func(*shadow.Rejection)) {
	r.t.Helper()
	l := layout.Subjects{}
	rej := shadow.Rejection{Reason: shadow.CannotProcess, Message: "shadowd fails on it", Subject: l.Bundle("run-1", "cmd-1"), Stream: layout.StreamIn, RunID: "run-1"}
	at := time.Now().UTC()
	if m, err := r.store.In.GetMsg(r.t.Context(), in); err == nil {
		at = m.Time.UTC()
	}
	rej.In = shadow.Place{Sequence: in, Time: at}
	if change != nil {
		change(&rej)
	}
	rej.Resubmit = rej.Reason.Hint()
	raw := bustest.Must(shadow.Encode(rej))
	m, _, err := cloudevent.New(l, l.Rejected("cmd-1", in), cloudevent.Cause{Run: "run-1"}, at, raw)
	bustest.OK(r.t, err)
	m.Header.Set(ownHeader, mark)
	r.sendRaw(m)
}

// TestForgedRejectionsAreNone: what somebody else calls a rejection, or the note
// of a run that was forgotten, keeps nothing from being judged, and the audit has
// one finding about it.
func TestForgedRejectionsAreNone(t *testing.T) {
	text := content(1)
	small := func(rej *shadow.Rejection) {
		b := bundleOf("one", text)
		refusal := (&shadow.Limits{ContentBytes: len(text) - 1}).Bundle(&b)
		rej.Reason, rej.Message, rej.Limit = refusal.Reason, refusal.Message, refusal.Limit
	}
	l := layout.Subjects{}
	for name, forge := range map[string]func(r *rig, bundle func() uint64, mark string){
		"behind the bundle":       func(r *rig, bundle func() uint64, _ string) { r.forgedRejection(bundle(), "", nil) },
		"as too large":            func(r *rig, bundle func() uint64, _ string) { r.forgedRejection(bundle(), "", small) },
		"with another one's mark": func(r *rig, bundle func() uint64, mark string) { r.forgedRejection(bundle(), mark, nil) },
		"before the bundle": func(r *rig, bundle func() uint64, _ string) {
			info := bustest.Must(r.store.In.Info(t.Context()))
			r.forgedRejection(info.State.LastSeq+1, "", nil)
			bundle()
		},
		"of what never was": func(r *rig, bundle func() uint64, _ string) {
			r.forgedRejection(1<<40, "", nil)
			bundle()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStarted(t)
			bad := r.send(l.Bundle("run-1", "cmd-1"), shadow.BundleComplete, "nothing")
			mark := r.await(r.store.Out, l.Rejected("cmd-1", bad)).Header.Get(ownHeader)
			r.ends()
			forge(r, func() uint64 { return r.bundle("run-1", "one", text) }, mark)
			r.start()
			r.report("run-1", "one", 0)
			r.bundle("run-1", "two", content(0))
			data[shadow.RunData](r, l.RunScored("run-1"))
			r.settle()
			if codes := r.codes(); len(codes) != 1 || codes[audit.NotOwn] != 1 {
				t.Errorf("the audit finds %v", codes)
			}
		})
	}
}

// TestForgeriesBesideOwn: a forged rejection keeps shadowd from storing no rejection
// of its own, and one behind it takes nothing back.
func TestForgeriesBesideOwn(t *testing.T) {
	r := newSealed(t)
	l := layout.Subjects{}
	bad := r.send(l.Bundle("run-1", "cmd-1"), shadow.BundleComplete, "nothing")
	r.forgedRejection(bad, "", nil)
	r.start()
	r.settle()
	r.forgedRejection(bad, "", nil)
	if own, _, err := firstOwn(t.Context(), r.js, layout.StreamOut, l.Rejected("cmd-1", bad), r.cfg.Key); own == nil || err != nil {
		t.Errorf("it is not rejected: %v", err)
	}
	if codes := r.codes(); codes[audit.NotOwn] != 2 {
		t.Errorf("the audit finds %v", codes)
	}
}

// TestRejectionOfAnotherKey: nobody here can tell who wrote it. The event waits, and
// no other, until the key is there, which is that of another daemon, or until
// somebody removes the rejection.
func TestRejectionOfAnotherKey(t *testing.T) {
	young := bustest.Must(nkeys.CreateCurveKeys())
	for name, removed := range map[string]bool{"the key comes": false, "it is removed": true} {
		t.Run(name, func(t *testing.T) {
			o := &noted{}
			r := newSealed(t, func(c *Config) { c.Observer = o })
			seq := r.bundle("run-1", "one", content(1))
			stored := bustest.Must(r.store.In.GetMsg(t.Context(), seq))
			in := &input{Message: &streams.Message{Subject: stored.Subject, Seq: seq, Time: stored.Time}}
			in.addr, _ = layout.Subjects{}.Parse(in.Subject)
			msg := bustest.Must(NewEngine(r.store, Config{Key: young}).rejection(in, shadow.Refuse(shadow.CannotProcess, "shadowd fails on it")))
			at := r.sendRaw(msg)
			_, _, err := firstOwn(t.Context(), r.js, layout.StreamOut, msg.Subject, r.cfg.Key)
			if !errors.Is(err, shadow.ErrWrongKey) || !strings.Contains(err.Error(), fmt.Sprintf("message %d on %s", at, msg.Subject)) {
				t.Errorf("it says %v", err)
			}
			stop := r.start()
			o.fails(t, shadow.BundleComplete)
			r.goesOn("run-2")
			r.absent(layout.Subjects{}.GapReport("run-1", "one", 0))
			if removed {
				bustest.OK(t, r.store.Out.DeleteMsg(t.Context(), at))
				r.report("run-1", "one", 0)
				return
			}
			stop()
			r.start(func(c *Config) { c.Key = shadow.NewRing(r.cfg.Key, young) })
			r.settle()
			r.absent(layout.Subjects{}.GapReport("run-1", "one", 0))
		})
	}
}

// TestUnknownAuthorIsRemoved: once somebody has removed what an unknown author
// stored, its run goes on, and no daemon has to be started again.
func TestUnknownAuthorIsRemoved(t *testing.T) {
	const mark = "sha256:abc 0123456789abcdef 00"
	l := layout.Subjects{}
	for name, subject := range map[string]string{shadow.GapReport: l.GapReport("run-1", "one", 0), shadow.RunScored: l.RunScored("run-1")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &noted{}
			r := newStarted(t, func(c *Config) { c.Observer = o })
			r.bundle("run-1", "two", content(0))
			r.report("run-1", "two", 0)
			r.settle()
			at := r.sendRaw(&nats.Msg{Subject: subject, Header: nats.Header{ownHeader: {mark}}, Data: eventBytes("x", name, nil)})
			r.bundle("run-1", "one", content(0))
			o.fails(t, shadow.BundleComplete)
			bustest.OK(t, r.store.Out.DeleteMsg(t.Context(), at))
			r.report("run-1", "one", 0)
			r.await(r.store.Out, l.RunScored("run-1"))
			r.checked()
		})
	}
}

// ahead stores a message of somebody else in front of each of the first ones that
// are published.
type ahead struct {
	Publisher
	left int
	now  func(subject string)
}

func (p *ahead) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if p.left > 0 {
		p.left--
		p.now(m.Subject)
	}
	return p.Publisher.PublishMsg(ctx, m, opts...)
}

// TestOwnIsStoredBehindOthers: whoever is faster on a subject, and again while
// shadowd looks there, keeps shadowd's own message from nothing.
func TestOwnIsStoredBehindOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.cfg.Publisher = &ahead{r.js, 3, func(subject string) { r.sendRaw(&nats.Msg{Subject: subject}) }}
	e := NewEngine(r.store, r.cfg)
	e.out.active = nil
	subject := r.store.RunScored("run-1")
	msg, _, err := e.out.output(subject, cloudevent.Cause{ID: "1"}, time.Unix(1, 0), shadow.RunData{RunID: "run-1"})
	bustest.OK(t, err)
	for _, want := range []bool{true, false} {
		if stored, err := e.out.own(t.Context(), layout.StreamOut, msg); stored != want || err != nil {
			t.Errorf("stored: %v, %v, want %v", stored, err, want)
		}
	}
	info, err := r.store.Out.Info(t.Context())
	if err != nil || info.State.Msgs != 4 {
		t.Errorf("OUT has %d messages, %v", info.State.Msgs, err)
	}
}
