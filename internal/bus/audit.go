package bus

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Audited is the outcome of an audit.
type Audited struct {
	Runs, Events, Outputs int
	Findings              []audit.Finding
}

// Audit re-derives what is stored of the runs, or of all runs if none is
// named, and lists what is not as it must be. It changes nothing. key opens
// the envelopes. A run that is named and not there is not a finding; Runs then
// counts fewer than were named. Signatures must be by one of the signers; without
// signers they are not looked at.
func Audit(ctx context.Context, l layout.Layout, js jetstream.JetStream, key nkeys.KeyPair, signers []ed25519.PublicKey, runs ...string) (*Audited, error) {
	log, err := ReadLog(ctx, l, js, key, runs...)
	if err != nil {
		return nil, err
	}
	log.Signers = signers
	return auditLog(log, runs), nil
}

// auditLog audits the runs of a log, several at a time: each is a matter of its
// own, and judging again is most of the work.
func auditLog(log *audit.Log, runs []string) *Audited {
	a := &Audited{Events: len(log.In), Outputs: len(log.Out)}
	all := audit.Split(log)
	if len(runs) > 0 {
		// Rejections name no run in their subject, so those of others were
		// read too.
		all = slices.DeleteFunc(all, func(r *audit.Run) bool { return !slices.Contains(runs, r.ID) })
	}
	found := make([][]audit.Finding, len(all))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				found[i] = all[i].Audit()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, r := range all {
		if r.ID != "" {
			a.Runs++
		}
		a.Findings = append(a.Findings, found[i]...)
	}
	a.Findings = append(a.Findings, audit.Shared(all)...)
	audit.Sort(a.Findings)
	return a
}

// ReadLog reads what is stored of the runs, or everything if none is named,
// each stream once from front to back. Without a key envelopes stay closed.
//
// The order makes an audit of a bus that is at work right: what shadowd had
// acknowledged before OUT was read has its outcome there; what OUT tells of is
// in IN, which is read last, and so is the decomposition of each envelope.
func ReadLog(ctx context.Context, l layout.Layout, js jetstream.JetStream, key nkeys.KeyPair, runs ...string) (*audit.Log, error) {
	log := &audit.Log{Envelopes: map[string]*audit.Sealed{}, Whole: len(runs) == 0}
	var err error
	if log.Settled, err = settledBy(ctx, js); err != nil {
		return nil, err
	}
	in, out, bucket := auditFilters(l, runs)
	if err = readStream(ctx, js, layout.StreamOut, out, func(m *message) { log.Out = append(log.Out, auditOutput(l, layout.StreamOut, m)) }); err != nil {
		return nil, err
	}
	err = readStream(ctx, js, "KV_"+layout.BucketEnvelopes, bucket, func(m *message) {
		if ofNoRun(m.subject) {
			return
		}
		run := strings.TrimPrefix(m.subject, "$KV."+layout.BucketEnvelopes+".")
		delete(log.Envelopes, run)
		if m.header.Get("KV-Operation") != "" {
			return // deleted or purged
		}
		s := &audit.Sealed{Revision: m.seq, Time: m.time}
		if key != nil {
			s.Envelope, s.Err = shadow.Decrypt(m.data, key)
		}
		log.Envelopes[run] = s
	})
	if err != nil {
		return nil, err
	}
	reader := auditReader(l)
	if err = readStream(ctx, js, layout.StreamIn, in, func(m *message) { log.In = append(log.In, auditInput(reader, m)) }); err != nil {
		return nil, err
	}
	if log.FirstIn, log.KeptSince, err = firstKept(ctx, js, layout.StreamIn); err == nil {
		log.FirstOut, _, err = firstKept(ctx, js, layout.StreamOut)
	}
	return log, err
}

// auditFilters are the subjects of the runs in the three streams; none means
// all.
func auditFilters(l layout.Layout, runs []string) (in, out, bucket []string) {
	for _, run := range runs {
		in = append(in, l.Decomposition(run), l.Commitment(run), l.Bundle(run, "*"), l.Fix(run, "*"))
		out = append(append(out, l.RunOutputs(run)...), l.RunClock(run), l.DomainClocks(run), l.Openings(run), l.Forgotten(run))
		bucket = append(bucket, "$KV."+layout.BucketEnvelopes+"."+run)
	}
	if len(runs) > 0 {
		out = append(out, l.Rejections())
	}
	return in, out, bucket
}

// auditReader takes events in as an engine does, but for limits that may have
// been others when the events came.
func auditReader(l layout.Layout) *Engine {
	scales := map[string]shadow.Scale{"ss-50": {}, "ss-100": {}, "ss-250": {}}
	return &Engine{layout: l, cfg: Config{ContentBytes: math.MaxInt, Settings: shadow.Settings{Scales: scales, DefaultScale: "ss-100"}}}
}

// auditInput is a message of IN as an audit takes it.
func auditInput(reader *Engine, m *message) *audit.Message {
	if a, err := reader.layout.Parse(m.subject); err == nil && a.Name == shadow.EnvelopeSealed {
		return auditOutput(reader.layout, layout.StreamIn, m)
	}
	in, err := reader.take(m)
	am := auditMessage(layout.StreamIn, m, in.addr)
	if r := asRefusal(err); r != nil {
		am.Refusal = &audit.Refusal{Reason: r.reason, Message: r.message}
	}
	am.ID, am.Type, am.Data = in.event.ID(), in.event.Type(), in.event.Data()
	am.Digest = shadow.Digest(am.Data)
	am.Decomposition, am.Submission = in.decomposition, in.submission
	return am
}

// auditOutput is an event of shadowd's own, or a timer, as an audit takes it.
func auditOutput(l layout.Layout, stream string, m *message) *audit.Message {
	a, err := l.Parse(m.subject)
	am := auditMessage(stream, m, a)
	if err != nil {
		am.Foreign = err.Error()
		return am
	}
	am.Raw = m.data
	for name, values := range m.header {
		am.Raw = append(am.Raw[:len(am.Raw):len(am.Raw)], "\n"+name+": "+strings.Join(values, ", ")...)
	}
	if a.Name == layout.Clock {
		if at, ok := strings.CutPrefix(m.header.Get("Nats-Schedule"), "@at "); ok {
			am.Schedule, _ = time.Parse(time.RFC3339Nano, at)
		}
		return am
	}
	ev, err := cloudevent.Decode(m.header, m.data)
	if err != nil {
		am.Unreadable = err.Error()
		return am
	}
	am.ID, am.WantID, am.Type, am.EventTime, am.Data = ev.ID(), l.EventID(m.subject), ev.Type(), ev.Time(), ev.Data()
	cause := cloudevent.HandedOn(ev)
	am.Cause = cause.ID
	// Whatever else an event could say is not said, so written again it is
	// the same.
	if again, err := cloudevent.New(l, m.subject, cause, ev.Time(), ev.Data()); err != nil {
		am.Unreadable = err.Error()
	} else if msg, err := cloudevent.Encode(again); err != nil || !bytes.Equal(msg.Data, m.data) {
		am.Unreadable = "an event with other attributes, or in other words, than shadowd writes"
	}
	return am
}

func auditMessage(stream string, m *message, a layout.Address) *audit.Message {
	return &audit.Message{Stream: stream, Sequence: m.seq, Time: m.time, Subject: m.subject, Address: audit.Address(a)}
}
