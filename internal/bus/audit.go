package bus

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Audit re-derives what is stored of the runs, or of all if none is named, and lists what
// is not as it must be. key opens the envelopes. Signatures must be by one of the signers;
// without signers they are not looked at. Runs counts those that are there.
func Audit(ctx context.Context, l layout.Subjects, js jetstream.JetStream, key nkeys.KeyPair, signers []ed25519.PublicKey, runs ...string) (*audit.Result, error) {
	log, err := readLog(ctx, l, js, key, runs...)
	if err != nil {
		return nil, err
	}
	log.Signers = signers
	return auditLog(log, runs), nil
}

// auditLog audits the runs of a log, several at a time: each is a matter of its
// own, and judging again is most of the work.
func auditLog(log *audit.Log, runs []string) *audit.Result {
	a := &audit.Result{Events: len(log.In), Outputs: len(log.Out), Findings: []audit.Finding{}}
	all := audit.Split(log)
	if len(runs) > 0 {
		// Rejections name no run in their subject, so those of others were
		// read too.
		all = slices.DeleteFunc(all, func(r *audit.Run) bool { return !slices.Contains(runs, r.ID) })
	}
	found := make([][]audit.Finding, len(all))
	var auditing errgroup.Group
	auditing.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		auditing.Go(func() error {
			found[i] = all[i].Audit()
			return nil
		})
	}
	_ = auditing.Wait() // no run is an error
	for i, r := range all {
		if r.Begun() {
			a.Runs++
		}
		a.Findings = append(a.Findings, found[i]...)
	}
	a.Findings = append(a.Findings, audit.Shared(all)...)
	if len(runs) == 0 {
		a.Findings = append(a.Findings, log.Gaps()...)
	}
	audit.Sort(a.Findings)
	for _, f := range a.Findings {
		if f.Severity == audit.Error {
			a.Errors++
		} else {
			a.Notes++
		}
	}
	return a
}

// readLog reads what is stored of the runs, or everything if none is named. Without a key
// envelopes stay closed. The order makes an audit of a bus at work right: what OUT and the
// envelopes tell of is in IN, which is read last.
func readLog(ctx context.Context, l layout.Subjects, js jetstream.JetStream, key nkeys.KeyPair, runs ...string) (*audit.Log, error) {
	f, err := Floor(ctx, js)
	if err != nil {
		return nil, err
	}
	log := &audit.Log{Envelopes: map[string]*audit.Sealed{}, Floor: audit.Floor(f)}
	in, out, bucket := auditFilters(l, runs)
	if err = streams.Read(ctx, js, layout.StreamOut, out, func(m *streams.Message) error {
		log.Out = append(log.Out, auditOutput(l, key, layout.StreamOut, m))
		return nil
	}); err != nil {
		return nil, err
	}
	err = streams.Read(ctx, js, "KV_"+layout.BucketEnvelopes, bucket, func(m *streams.Message) error {
		if isReserved(m.Subject) {
			return nil
		}
		run := strings.TrimPrefix(m.Subject, "$KV."+layout.BucketEnvelopes+".")
		delete(log.Envelopes, run)
		if m.Header.Get("KV-Operation") != "" {
			return nil // deleted or purged
		}
		s := &audit.Sealed{Revision: m.Seq, Time: m.Time}
		if key != nil {
			s.Envelope, s.Err = shadow.Decrypt(m.Data, key)
		}
		log.Envelopes[run] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	limits := auditLimits(key)
	if err = streams.Read(ctx, js, layout.StreamIn, in, func(m *streams.Message) error {
		log.In = append(log.In, auditInput(l, limits, m))
		return nil
	}); err != nil {
		return nil, err
	}
	if log.FirstIn, log.KeptSince, log.GapsIn, err = firstKept(ctx, js, layout.StreamIn); err == nil {
		log.FirstOut, _, log.GapsOut, err = firstKept(ctx, js, layout.StreamOut)
	}
	return log, err
}

// auditFilters are the subjects of the runs in the three streams; none means
// all.
func auditFilters(l layout.Subjects, runs []string) (in, out, bucket []string) {
	for _, run := range runs {
		in = append(in, l.Decomposition(run), l.Commitment(run), l.Bundle(run, "*"), l.Fix(run, "*"), l.RunWildcard(shadow.ReportReviewed, run))
		out = append(out, append(l.RunOutputs(run), l.Openings(run))...)
		bucket = append(bucket, "$KV."+layout.BucketEnvelopes+"."+run)
	}
	if len(runs) > 0 {
		in = append(in, l.Subject(shadow.Tick, "*"))
		out = append(out, l.RunWildcard(shadow.EventRejected, ""))
	}
	return in, out, bucket
}

// auditLimits are as an engine has them, but for those that may have been others
// when the events came.
func auditLimits(key nkeys.KeyPair) *Config {
	scales := map[string]shadow.Scale{"ss-50": {}, "ss-100": {}, "ss-250": {}}
	return &Config{Key: key, Limits: shadow.Limits{ContentBytes: math.MaxInt}, Settings: shadow.Settings{Scales: scales, DefaultScale: "ss-100"}}
}

func auditInput(l layout.Subjects, limits *Config, m *streams.Message) *audit.Message {
	if a, err := l.Parse(m.Subject); err == nil && (a.Name == shadow.EnvelopeSealed || a.Name == shadow.Tick) {
		return auditOutput(l, limits.Key, layout.StreamIn, m)
	}
	in, err := takeInput(l, limits, m)
	am := auditMessage(layout.StreamIn, m, in.addr)
	am.Refusal, _ = errors.AsType[*shadow.Refusal](err)
	am.ID, am.Type, am.Data = in.event.ID(), in.event.Type(), in.event.Data()
	am.Digest = shadow.Digest(am.Data)
	am.Decomposition, am.Submission, am.Ignored = in.decomposition, in.submission, in.ignored
	am.Review, am.SignedBy = in.review, in.signedBy
	return am
}

// auditOutput is an event of shadowd's own as an audit takes it.
// Without a key nobody looks at its mark.
func auditOutput(l layout.Subjects, key nkeys.KeyPair, stream string, m *streams.Message) *audit.Message {
	a, err := l.Parse(m.Subject)
	am := auditMessage(stream, m, a)
	if err != nil {
		am.Foreign = err.Error()
		return am
	}
	am.Raw = m.Data
	for name, values := range m.Header {
		am.Raw = append(slices.Clip(am.Raw), "\n"+name+": "+strings.Join(values, ", ")...)
	}
	if key != nil {
		if own, err := isOwn(m, key); err != nil {
			am.Unmarked = err.Error()
		} else if !own {
			am.Unmarked = fmt.Sprintf("the mark %.200q", m.Header.Get(ownHeader))
		}
	}
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err != nil {
		am.Unreadable = err.Error()
		return am
	}
	am.ID, am.WantID, am.Type, am.EventTime, am.Data = ev.ID(), l.EventID(m.Subject), ev.Type(), ev.Time(), ev.Data()
	cause := cloudevent.InheritedCause(ev)
	cause.Signature = cloudevent.SignatureOf(ev)
	am.Cause, am.Signature = cause.ID, cause.Signature
	// Whatever else an event could say is not said, so written again it is
	// the same.
	if again, _, err := cloudevent.New(l, m.Subject, cause, ev.Time(), ev.Data()); err != nil {
		am.Unreadable = err.Error()
	} else if !bytes.Equal(again.Data, m.Data) {
		am.Unreadable = "an event with other attributes, or in other words, than shadowd writes"
	}
	return am
}

func auditMessage(stream string, m *streams.Message, a shadow.Address) *audit.Message {
	return &audit.Message{Stream: stream, Sequence: m.Seq, Time: m.Time, Subject: m.Subject, Address: a}
}

// firstKept is the sequence below which messages of a stream may have expired, and the
// moment before which those were stored; else what is not there was removed. gaps counts
// the sequences from the first on that have no message.
func firstKept(ctx context.Context, js jetstream.JetStream, stream string) (first uint64, since time.Time, gaps uint64, err error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return 0, time.Time{}, 0, fmt.Errorf("stream %s: %w", stream, err)
	}
	info := s.CachedInfo()
	first = 1
	if info.Config.MaxAge > 0 {
		first, since = max(info.State.FirstSeq, 1), info.TimeStamp.Add(-info.Config.MaxAge)
	}
	return first, since, info.State.LastSeq + 1 - first - info.State.Msgs, nil
}
