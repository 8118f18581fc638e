package bus

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// expire takes from a log what bus.max_age takes: what was stored before now −
// IN's age from IN, and what was stored before then − more from OUT and the
// bucket.
func (f *forged) expire(before time.Time, more time.Duration) {
	gone := func(list []*audit.Message, before time.Time) (left []*audit.Message, first uint64) {
		last := list[len(list)-1].Sequence
		left = slices.DeleteFunc(list, func(m *audit.Message) bool { return m.Time.Before(before) })
		if len(left) > 0 {
			return left, left[0].Sequence
		}
		return nil, last + 1
	}
	f.In, f.FirstIn = gone(f.In, before)
	f.KeptSince = before
	f.Out, f.FirstOut = gone(f.Out, before.Add(-more))
	for run, s := range f.Envelopes {
		if s.Time.Before(before.Add(-more)) {
			delete(f.Envelopes, run)
		}
	}
}

// TestAuditAfterExpiry: at whatever moment the log is looked at, and however
// much longer OUT and the bucket are kept than IN, what max_age took is no
// error.
func TestAuditAfterExpiry(t *testing.T) {
	t.Parallel()
	log := richLogOnce(t)
	var moments []time.Time
	for _, m := range slices.Concat(log.In, log.Out) {
		moments = append(moments, m.Time, m.Time.Add(time.Nanosecond))
	}
	slices.SortFunc(moments, time.Time.Compare)
	// Moments between which nothing goes are one.
	type left struct{ in, out, envelopes int }
	looked, notes := map[left]bool{}, 0
	// The bucket is kept so much longer that no envelope goes before its
	// commitment, which follows it.
	shortest := 100 * time.Millisecond
	for _, m := range log.In {
		if e := log.Envelopes[m.Run]; e != nil && m.Name == shadow.EnvelopeSealed {
			shortest = max(shortest, m.Time.Sub(e.Time)+time.Millisecond)
		}
	}
	for _, more := range []time.Duration{shortest, shortest + time.Second, time.Hour} {
		for i, at := range moments {
			f := forge(t, log)
			f.expire(at, more)
			now := left{len(f.In), len(f.Out), len(f.Envelopes)}
			if looked[now] {
				continue
			}
			looked[now] = true
			for _, x := range auditLog(f.Log, nil).Findings {
				if x.Severity == audit.Error {
					t.Errorf("kept %s longer, moment %d of %d: %+v", more, i, len(moments), x)
				}
				if x.Code == audit.Expired {
					notes++
				}
			}
		}
	}
	t.Logf("%d states, %d notes of what expired", len(looked), notes)
	if notes < 100 {
		t.Errorf("only %d notes of what expired", notes)
	}
}

// TestAuditOfPurged: where nothing expires, or not yet, inputs that are gone
// are no note: whoever purged them could have rewritten what was said of them.
func TestAuditOfPurged(t *testing.T) {
	for _, age := range []time.Duration{0, 24 * time.Hour} {
		r := newRig(t)
		r.start()
		ensure(t, r.js, layout.StorageConfig{MaxAge: age})
		r.finished("old")
		r.finished("new")
		r.settle()
		for _, upTo := range []string{layout.Subjects{}.Bundle("old", "cmd-2"), layout.Subjects{}.Bundle("new", "cmd-2")} {
			last := r.await(r.store.In, upTo).Sequence
			bustest.OK(t, r.store.In.Purge(t.Context(), jetstream.WithPurgeSequence(last+1)))
			codes, failed := r.codes(), false
			for code := range codes {
				failed = failed || audit.Codes[code].Severity == audit.Error
			}
			if !failed || age == 0 && codes[audit.Expired] > 0 {
				t.Errorf("kept for %s, up to %s: the audit finds %v", age, upTo, codes)
			}
		}
	}
}

// TestAuditOfExpiredRewritten: of a run whose inputs have expired, signatures must
// still fit.
func TestAuditOfExpiredRewritten(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*forged){
		"nothing":     nil,
		"a level":     on(report("good", "one", 0), func(r *shadow.Report) { r.Report.Level = "critical" }),
		"a commander": on(report("good", "one", 0), func(r *shadow.Report) { r.Swarm.CommanderID = "cmd-9" }),
	} {
		f := forge(t, richLogOnce(t))
		last := f.In[len(f.In)-1]
		f.In, f.FirstIn, f.KeptSince = nil, last.Sequence+1, last.Time.Add(time.Nanosecond)
		if change != nil {
			change(f)
		}
		if codes, _ := f.errors("good"); len(codes) > 0 != (change != nil) || change != nil && codes[audit.SignatureWrong] == 0 {
			t.Errorf("%s: found %v", name, codes)
		}
	}
}
