package bus

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// reviewOf is a review by anna of a report that is stored.
func (r *rig) reviewOf(run, domain string, cycle int, found ...shadow.Reviewed) *shadow.Review {
	r.t.Helper()
	v := &shadow.Review{RunID: run, Domain: domain, By: "anna", Cycle: cycle, Verdict: shadow.ReviewItems, Found: found,
		ReportDigest: shadow.Digest(eventData(r.t, r.await(r.store.Out, layout.Subjects{}.GapReport(run, domain, cycle))))}
	if found == nil {
		v.Verdict, v.Because = shadow.ReviewAccept, "I have read it"
	}
	return v
}

func (r *rig) publishReview(v *shadow.Review, key nkeys.KeyPair) uint64 {
	return bustest.Must((&Reviewer{JS: r.js, Key: key}).publish(r.t.Context(), v))
}

func (r *rig) reviewed(v *shadow.Review, seq uint64) *shadow.ReviewedData {
	r.t.Helper()
	return data[shadow.ReviewedData](r, layout.Subjects{}.Reviewed(v.RunID, v.Domain, seq))
}

func missing(names ...string) (all []shadow.Reviewed) {
	for _, name := range names {
		all = append(all, shadow.Reviewed{About: name, State: shadow.ItemMissing, Because: "I have looked for it"})
	}
	return all
}

// TestReviews: a review gives the gate that follows from it; what is none is rejected;
// the last one before the run is complete stands in run-scored, and later ones are
// taken too.
func TestReviews(t *testing.T) {
	r := newRig(t)
	r.start()
	key, public := bustest.UserPair(t)
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	r.bundle("run-1", "two", content(4))
	r.report("run-1", "two", 0)

	first := r.reviewOf("run-1", "one", 0)
	if d := r.reviewed(first, r.publishReview(first, nil)); d.Before.Gate != shadow.Proceed || d.After.Gate != shadow.Proceed || d.SignedBy != "" || d.BundleID != "b-one" {
		t.Errorf("%+v", d)
	}
	second := r.reviewOf("run-1", "one", 0, missing("sub-task 2", "sub-task 3", "sub-task 4")...)
	seq := r.publishReview(second, key)
	d := r.reviewed(second, seq)
	if d.After.Gate != shadow.Quarantine || d.After.Score.Failed != 4 || d.SignedBy != public || d.In.Sequence != seq || gocmp.Diff(*second, d.Review) != "" {
		t.Errorf("%+v", d)
	}

	for name, c := range map[string]struct {
		change func(*shadow.Review)
		want   shadow.Reason
	}{
		"another report":   {func(v *shadow.Review) { v.ReportDigest = "sha256:" + strings.Repeat("0", 64) }, shadow.ReportUnknown},
		"no such cycle":    {func(v *shadow.Review) { v.Cycle = 1 }, shadow.ReportUnknown},
		"no such domain":   {func(v *shadow.Review) { v.Domain = "three" }, shadow.ReportUnknown},
		"no such run":      {func(v *shadow.Review) { v.RunID = "run-2" }, shadow.ReportUnknown},
		"a fix is awaited": {func(v *shadow.Review) { *v = *r.reviewOf("run-1", "two", 0) }, shadow.ReportNotFinal},
		"no such item": {func(v *shadow.Review) {
			v.Verdict, v.Because, v.Found = shadow.ReviewItems, "", missing("sub-task 9")
		}, shadow.ItemUnknown},
	} {
		v := r.reviewOf("run-1", "one", 0)
		c.change(v)
		t.Log(name)
		r.wantRejected("anna", r.publishReview(v, key), c.want)
	}
	l := layout.Subjects{}
	r.wantRejected("ben", r.send(l.Review("run-1", "one", "ben"), shadow.ReportReviewed, first), shadow.IDMismatch)
	r.wantRejected("anna", r.sendRaw(&nats.Msg{Subject: l.Review("run-1", "one", "anna"),
		Data: []byte(strings.Replace(string(eventBytes("x", shadow.ReportReviewed, first)), `"specversion"`, `"signature":"v1 x y","specversion"`, 1))}), shadow.NotSigned)

	r.fix("run-1", "two", 1, content(2))
	sum := data[shadow.RunData](r, l.RunScored("run-1"))
	if diff := gocmp.Diff(&shadow.ReviewLine{By: "anna", Verdict: shadow.ReviewItems, Gate: shadow.Quarantine, Sequence: seq}, sum.Domains[0].Review); diff != "" || sum.Domains[1].Review != nil {
		t.Errorf("run-scored (-want +got)\n%s", diff)
	}
	late := r.reviewOf("run-1", "two", 1)
	if d := r.reviewed(late, r.publishReview(late, key)); d.Before.Gate != shadow.Warn || d.After.Gate != shadow.Proceed {
		t.Errorf("behind run-scored: %+v", d)
	}
	if n := r.checked(); n[shadow.RunReviewed] != 3 || n[shadow.EventRejected] != 8 {
		t.Errorf("%v", n)
	}
}

// TestReviewOfAnother: where a run is walled, a review without signature is none, and
// where the nkey of a reviewer is known, nor is one in that name that another key
// signed, whoever could publish it. One that was taken stays.
func TestReviewOfAnother(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Settings.WorkspaceIsolation = shadow.IsolationStrict })
	anna, public := bustest.UserPair(t)
	other, next := bustest.UserPair(t)
	known := func(key string) func(*Config) {
		return func(c *Config) {
			c.ReviewKeys = func(name string) []string { return map[string][]string{"anna": {key}}[name] }
		}
	}
	stop := r.start(known(public))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	v := r.reviewOf("run-1", "one", 0)
	r.wantRejected("anna", r.publishReview(v, nil), shadow.NotSigned)
	r.wantRejected("anna", r.publishReview(v, other), shadow.NotSigned)
	taken := r.publishReview(v, anna)
	r.reviewed(v, taken)
	ben := *v
	ben.By = "ben"
	r.reviewed(&ben, r.publishReview(&ben, other))
	r.settle()
	stop()

	// All is read again, and anna has another key.
	bustest.OK(t, r.store.Envelopes.Delete(t.Context(), floorKey))
	r.start(known(next))
	r.settle()
	r.absent(layout.Subjects{}.Rejected("anna", taken))
	if n := checkLog(t, r.store, r.cfg.Key); n[shadow.RunReviewed] != 2 || n[shadow.EventRejected] != 2 {
		t.Errorf("%v", n)
	}
}

// TestForgedReviewIsNone: what follows from a review is signed as a report is. What is
// not does not count for those who have the public key.
func TestForgedReviewIsNone(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(3))
	r.fix("run-1", "one", 1, content(3))
	v := r.reviewOf("run-1", "one", 1, missing("sub-task 7")...)
	seq := r.publishReview(v, nil)
	r.reviewed(v, seq)
	r.settle()
	l := layout.Subjects{}
	signers := []ed25519.PublicKey{testSigning.Public().(ed25519.PublicKey)}
	own := r.await(r.store.Out, l.Reviewed("run-1", "one", seq))
	data, key := eventData(t, own), own.Header.Get(ownHeader)
	forged := strings.ReplaceAll(string(own.Data), fmt.Sprintf(`"sequence":%d`, seq), `"sequence":99`)
	bustest.Must(r.js.PublishMsg(t.Context(), &nats.Msg{Subject: l.Reviewed("run-1", "one", 99), Data: []byte(forged), Header: nats.Header{ownHeader: {key}}}))
	// Behind the report stands another one of the same place.
	report := r.await(r.store.Out, l.GapReport("run-1", "one", 1))
	bustest.Must(r.js.PublishMsg(t.Context(), &nats.Msg{Subject: report.Subject, Data: bytes.Replace(report.Data, []byte(`"failed":4`), []byte(`"failed":0`), 1)}))
	for name, c := range map[string]struct {
		keys []ed25519.PublicKey
		want int
	}{"with the public key": {signers, 1}, "without": {nil, 2}, "with another": {[]ed25519.PublicKey{otherSigning.Public().(ed25519.PublicKey)}, 0}} {
		run := bustest.Must(history.ReadRun(t.Context(), l, r.js, "run-1", c.keys...))
		if last := run.Last("one"); len(run.Reviews) != c.want || run.Digests[last] != v.ReportDigest {
			t.Errorf("%s: %d reviews, want %d; report %s, want %s", name, len(run.Reviews), c.want, run.Digests[last], v.ReportDigest)
		}
		if wrong := attest.Signed(run.Attested["one"], testSigning.Public().(ed25519.PublicKey)); wrong != nil {
			t.Errorf("%s: %v", name, wrong)
		}
		list, err := history.List(t.Context(), l, r.js, c.keys...)
		if err != nil || c.want < 2 && list[0].Reviews["one"].Sequence == 99 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	log := bustest.Must(readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key))
	for i := range log.Out {
		if m := log.Out[i]; bytes.Equal(m.Data, data) {
			m.Signature = ""
		}
	}
	log.Signers = signers
	if found := auditLog(log, nil).Findings; !slices.ContainsFunc(found, func(f audit.Finding) bool {
		return f.Code == audit.SignatureWrong && f.Event == shadow.RunReviewed
	}) {
		t.Errorf("no signature, and found %+v", found)
	}
}

// failing refuses outputs of some names, so many of them.
type failing struct {
	Publisher
	names string
	every int // one of so many gets through; 0: none
}

func (f failing) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if a, _ := (layout.Subjects{}).Parse(m.Subject); strings.Contains(f.names, a.Name) && (f.every == 0 || rand.IntN(f.every) > 0) {
		return nil, errors.New("injected")
	}
	return f.Publisher.PublishMsg(ctx, m, opts...)
}

// TestReviewInTime: run-scored waits for the reviews that stand before what completes
// the run, however long they take, and whichever session comes to them.
func TestReviewInTime(t *testing.T) {
	for name, c := range map[string]struct {
		broken failing // of the first session
		later  bool    // the review and the last bundle come before it begins
	}{
		"a review that takes long":         {failing{names: shadow.RunReviewed, every: 4}, false},
		"both are read at once":            {failing{names: shadow.RunReviewed, every: 4}, true},
		"neither was stored":               {failing{names: shadow.RunReviewed + " " + shadow.RunScored}, false},
		"the review was stored":            {failing{names: shadow.RunScored}, false},
		"only the report was, and is read": {failing{names: shadow.RunReviewed + " " + shadow.DomainSettled}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newStarted(t)
			r.bundle("run-1", "one", content(0))
			v := r.reviewOf("run-1", "one", 0)
			r.ends()
			first := func(c2 *Config) { c.broken.Publisher = r.js; c2.Publisher = c.broken }
			if !c.later {
				r.start(first)
			}
			seq := r.publishReview(v, nil)
			r.bundle("run-1", "two", content(0))
			if c.later {
				r.start(first)
			}
			r.report("run-1", "two", 0)
			if c.broken.every == 0 {
				r.stop()
				r.absent(layout.Subjects{}.RunScored("run-1"))
				r.start()
			}
			sum := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
			if got := sum.Domains[0].Review; got == nil || got.Sequence != seq {
				t.Errorf("run-scored has the review %+v, want the one at %d", got, seq)
			}
			r.checked()
		})
	}
}

// TestAuditOfReviews: a review that is not what was published, or that is passed over,
// is found.
func TestAuditOfReviews(t *testing.T) {
	r := newRig(t)
	r.start()
	key, _ := bustest.UserPair(t)
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(3))
	r.bundle("run-1", "two", content(0))
	r.fix("run-1", "one", 1, content(3))
	v := r.reviewOf("run-1", "one", 1, missing("sub-task 7")...)
	taken := r.publishReview(v, key)
	r.reviewed(v, taken)
	v.ReportDigest = "sha256:" + strings.Repeat("0", 64)
	refused := r.publishReview(v, key)
	r.wantRejected("anna", refused, shadow.ReportUnknown)
	r.settle()

	at := func(all []*audit.Message, name string) int {
		return slices.IndexFunc(all, func(m *audit.Message) bool { return m.Name == name })
	}
	edit := func(m *audit.Message, from, to string) {
		if !strings.Contains(string(m.Data), from) {
			t.Fatalf("%s has no %s: %s", m.Subject, from, m.Data)
		}
		m.Data = []byte(strings.Replace(string(m.Data), from, to, 1))
	}
	for name, c := range map[string]struct {
		change func(*audit.Log)
		want   audit.Code
	}{
		"as it is": {func(*audit.Log) {}, ""},
		"another gate": {func(l *audit.Log) {
			edit(l.Out[at(l.Out, shadow.RunReviewed)], `"gate":"quarantine","reason":"4 of`, `"gate":"proceed","reason":"4 of`)
		}, audit.Differs},
		"another signer": {func(l *audit.Log) {
			edit(l.Out[at(l.Out, shadow.RunReviewed)], `"signed_by":"U`, `"signed_by":"UX`)
		}, audit.Differs},
		"passed over": {func(l *audit.Log) {
			i := at(l.Out, shadow.RunReviewed)
			l.Out = slices.Delete(l.Out, i, i+1)
		}, audit.NoOutcome},
		"taken without a mark": {func(l *audit.Log) { l.Out[at(l.Out, shadow.RunReviewed)].Unmarked = "none" }, audit.NotOwn},
		"no review is there": {func(l *audit.Log) {
			i := at(l.In, shadow.ReportReviewed)
			l.In = slices.Delete(l.In, i, i+1)
		}, audit.Undue},
		"another review is there": {func(l *audit.Log) { l.In[at(l.In, shadow.ReportReviewed)].Review.Found[0].State = shadow.ItemFound }, audit.Differs},
		"the report is another":   {func(l *audit.Log) { l.In[at(l.In, shadow.ReportReviewed)].Review.ReportDigest = v.ReportDigest }, audit.Undue},
		"rejected for nothing": {func(l *audit.Log) {
			l.In[at(l.In, shadow.ReportReviewed)+1].Review.ReportDigest = l.In[at(l.In, shadow.ReportReviewed)].Review.ReportDigest
		}, audit.RejectionWrong},
	} {
		log := bustest.Must(readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key))
		log.Floor = audit.Floor{Events: math.MaxUint64}
		c.change(log)
		var codes []audit.Code
		for _, f := range auditLog(log, nil).Findings {
			if f.Severity == audit.Error {
				codes = append(codes, f.Code)
			}
		}
		if c.want == "" && codes != nil || c.want != "" && !slices.Contains(codes, c.want) {
			t.Errorf("%s: found %q, want %q", name, codes, c.want)
		}
	}
}

// held is a panel that answers once it may.
type held struct {
	Panel
	may chan struct{}
}

func (p held) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	select {
	case <-p.may:
	case <-ctx.Done():
	}
	return p.Panel.Ask(ctx, qs)
}

// TestReviewOfLostReport: a review waits for its report where OUT has lost that, and
// both are made anew.
func TestReviewOfLostReport(t *testing.T) {
	t.Parallel()
	r := newStarted(t)
	r.bundle("run-1", "one", content(0))
	v := r.reviewOf("run-1", "one", 0)
	seq := r.publishReview(v, nil)
	r.reviewed(v, seq)
	r.ends()
	bustest.OK(t, r.js.DeleteStream(t.Context(), layout.StreamOut))
	r.store = r.ensure(r.js)
	p := held{wordPanel{}, make(chan struct{})}
	r.start(func(c *Config) { c.Panel = p })
	bustest.WaitFor(t, "the review to wait", func() bool { return r.engine.Waiting() == 1 })
	close(p.may)
	r.reviewed(v, seq)
	r.bundle("run-1", "two", content(0))
	if line := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1")).Domains[0].Review; line == nil || line.Sequence != seq {
		t.Errorf("run-scored has the review %+v", line)
	}
	r.checked()
}
