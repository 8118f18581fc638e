package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// logChecker reads a whole log and holds it against the guarantees. It derives
// everything anew instead of believing what is stored.
type logChecker struct {
	t       testing.TB
	l       Layout
	key     nkeys.KeyPair
	store   *Store
	in, out map[string][]*jetstream.RawStreamMsg // by subject, in order
	exams   map[string]*shadow.Exam
	public  *jsonschema.Schema // nil where the reference data is not there
	// count is how many outputs of each name there are.
	count map[string]int
}

// checkLog checks a log whose inputs have all been processed. It returns how
// many outputs of each name there are.
func checkLog(t testing.TB, store *Store, key nkeys.KeyPair) map[string]int {
	t.Helper()
	c := &logChecker{t: t, l: store.Layout, key: key, store: store, exams: map[string]*shadow.Exam{}, count: map[string]int{}, public: publicSchema(t)}
	c.in, c.out = readAll(t, store.In), readAll(t, store.Out)
	for subject, msgs := range c.out {
		c.outputs(subject, msgs)
	}
	for subject, msgs := range c.in {
		a, err := c.l.Parse(subject)
		if err != nil {
			t.Errorf("IN holds %s: %v", subject, err)
			continue
		}
		if a.Name == shadow.EnvelopeSealed {
			c.commitment(a.Run, msgs)
			continue
		}
		for _, m := range msgs {
			c.input(a, m)
		}
	}
	return c.count
}

func readAll(t testing.TB, s jetstream.Stream) map[string][]*jetstream.RawStreamMsg {
	t.Helper()
	info, err := s.Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]*jetstream.RawStreamMsg{}
	for seq := max(info.State.FirstSeq, 1); seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(context.Background(), seq)
		if err != nil {
			continue // a timer that has fired leaves a gap
		}
		all[m.Subject] = append(all[m.Subject], m)
	}
	return all
}

// publicSchema is the Shadow Score Spec's own schema of reports.
func publicSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "conformance", "shadow-report.schema.json")
	if _, err := os.Stat(file); err != nil {
		t.Logf("the public schema is not here, reports are held against our own only: %v", err)
		return nil
	}
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// exam opens a run's envelope with the operator's key.
func (c *logChecker) exam(run string) *shadow.Exam {
	if x, ok := c.exams[run]; ok {
		return x
	}
	c.exams[run] = nil
	entry, err := c.store.Envelopes.Get(context.Background(), run)
	msgs := c.in[c.l.Commitment(run)]
	if err != nil || len(msgs) == 0 {
		return nil
	}
	var com shadow.Commitment
	if err := json.Unmarshal(eventData(c.t, msgs[0]), &com); err != nil {
		c.t.Errorf("commitment of %s: %v", run, err)
		return nil
	}
	e, err := shadow.Decrypt(entry.Value(), c.key)
	if err == nil {
		c.exams[run], err = shadow.NewExam(e, &com)
	}
	if err != nil {
		c.t.Logf("run %s: %v", run, err)
	}
	return c.exams[run]
}

func (c *logChecker) commitment(run string, msgs []*jetstream.RawStreamMsg) {
	c.count[shadow.EnvelopeSealed]++
	if len(msgs) != 1 {
		c.t.Errorf("run %s has %d commitments", run, len(msgs))
	}
	c.schema(shadow.EnvelopeSealed, msgs[0])
	c.noSealedText(run, msgs[0])
}

// outputs checks what stands on one subject of OUT.
func (c *logChecker) outputs(subject string, msgs []*jetstream.RawStreamMsg) {
	a, err := c.l.Parse(subject)
	if err != nil {
		c.t.Errorf("OUT holds %s: %v", subject, err)
		return
	}
	if len(msgs) != 1 {
		c.t.Errorf("%s is stored %d times", subject, len(msgs))
	}
	if a.Name == Clock {
		return
	}
	c.count[a.Name]++
	m := msgs[0]
	c.schema(a.Name, m)
	if ev, err := Decode(m.Header, m.Data); err != nil || ev.ID() != eventID(c.l, subject) || ev.Type() != shadow.Type(a.Name) {
		c.t.Errorf("%s: event %v, %v", subject, ev, err)
	}
	if a.Name == shadow.GapReport {
		c.report(a, m)
		return
	}
	run := a.Run
	if a.Name == shadow.EventRejected {
		var rej shadow.Rejection
		c.decode(m, &rej)
		run = rej.RunID
	}
	c.noSealedText(run, m)
}

func (c *logChecker) schema(name string, m *jetstream.RawStreamMsg) {
	if err := schemas.Validate(name, eventData(c.t, m)); err != nil {
		c.t.Errorf("%s breaks its schema: %v\n%s", m.Subject, err, m.Data)
	}
}

func (c *logChecker) decode(m *jetstream.RawStreamMsg, v any) {
	if err := json.Unmarshal(eventData(c.t, m), v); err != nil {
		c.t.Errorf("%s: %v", m.Subject, err)
	}
}

// noSealedText searches all of a message, headers included.
func (c *logChecker) noSealedText(run string, m *jetstream.RawStreamMsg) {
	if x := c.exam(run); x != nil && (x.Leaks(string(m.Data)) || x.Leaks(fmt.Sprint(m.Header))) {
		c.t.Errorf("%s holds sealed text: %s", m.Subject, m.Data)
	}
}

// report checks one gap report and all that must follow from it.
func (c *logChecker) report(a Address, m *jetstream.RawStreamMsg) {
	var rep shadow.Report
	c.decode(m, &rep)
	s := &rep.Swarm
	if c.public != nil && !bytes.Contains(m.Data, []byte(`"completeness"`)) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(eventData(c.t, m)))
		if err == nil {
			err = c.public.Validate(doc)
		}
		if err != nil {
			c.t.Errorf("%s breaks the public schema: %v", m.Subject, err)
		}
	}
	if s.SealBroken == "" {
		c.derived(a, &rep, m)
	}
	if s.Hardening.Requested {
		c.request(&rep, m)
	}
	if n := shadow.Notice(&rep); (n != nil) != (c.out[c.l.Quarantined(a.Run, a.Domain)] != nil) && s.Final {
		c.t.Errorf("%s: quarantine notice expected: %v", m.Subject, n != nil)
	}
}

// derived judges the bundle of a report again and wants the same bytes.
func (c *logChecker) derived(a Address, rep *shadow.Report, m *jetstream.RawStreamMsg) {
	x := c.exam(a.Run)
	if x == nil {
		return
	}
	var prev *shadow.Report
	var prevTime = m.Time
	if a.Cycle > 0 {
		msgs := c.out[c.l.GapReport(a.Run, a.Domain, a.Cycle-1)]
		if len(msgs) == 0 {
			c.t.Errorf("%s: no report of the cycle before", m.Subject)
			return
		}
		prev, prevTime = &shadow.Report{}, msgs[0].Time
		c.decode(msgs[0], prev)
	}
	deadline := x.Envelope.Policy.FixDeadline(prevTime)
	var again *shadow.Report
	if rep.Swarm.Hardening.TimedOut {
		again = shadow.TimedOut(&x.Envelope.Policy, prev, deadline, "")
	} else {
		raw, err := c.store.In.GetMsg(context.Background(), rep.Swarm.In.Sequence)
		if err != nil {
			c.t.Errorf("%s names sequence %d: %v", m.Subject, rep.Swarm.In.Sequence, err)
			return
		}
		data := eventData(c.t, raw)
		in, _ := c.l.Parse(raw.Subject)
		sub, err := shadow.Decode(in.Name, data)
		if err != nil {
			c.t.Errorf("%s: %v", m.Subject, err)
			return
		}
		if a.Cycle > 0 && raw.Time.After(deadline) {
			c.t.Errorf("%s judges a late fix", m.Subject)
		}
		again = x.Decide(shadow.Evidence{
			Submission: sub.(*shadow.Submission), Raw: data, Digest: shadow.Digest(data),
			In:         shadow.Place{Sequence: raw.Sequence, Time: raw.Time.UTC()},
			BeforeSeal: raw.Sequence < c.in[c.l.Commitment(a.Run)][0].Sequence,
		}, prev, deadline)
	}
	want, err := marshal(again)
	if err != nil {
		c.t.Fatal(err)
	}
	if got := eventData(c.t, m); !bytes.Equal(got, want) {
		c.t.Errorf("%s is not what its bundle gives:\n%s\n%s", m.Subject, got, want)
	}
}

// request checks that a hardening request is the one that its report asks for.
func (c *logChecker) request(rep *shadow.Report, m *jetstream.RawStreamMsg) {
	s := &rep.Swarm
	msgs := c.out[c.l.HardeningRequest(s.CommanderID, s.RunID, s.Domain, s.Cycle+1)]
	if len(msgs) != 1 {
		c.t.Errorf("%s asks for a fix, %d requests are stored", m.Subject, len(msgs))
		return
	}
	if x := c.exam(s.RunID); x != nil {
		want, _ := marshal(shadow.Request(rep, &x.Envelope.Policy, m.Time))
		if got := eventData(c.t, msgs[0]); !bytes.Equal(got, want) {
			c.t.Errorf("%s:\n%s\n%s", msgs[0].Subject, got, want)
		}
	}
	// Asked now, since a timer may have fired after the log was read.
	timer, fired := c.l.DomainTimer(s.RunID, s.Domain, s.Cycle+1), c.l.DomainFired(s.RunID, s.Domain, s.Cycle+1)
	for _, subject := range []string{timer, fired} {
		if found, err := last(context.Background(), c.store.Out, subject); err != nil {
			c.t.Error(err)
		} else if found != nil {
			return
		}
	}
	c.t.Errorf("%s asks for a fix, and neither %s nor %s is stored", m.Subject, timer, fired)
}

// input checks that an event has exactly one outcome.
func (c *logChecker) input(a Address, m *jetstream.RawStreamMsg) {
	rejected := 0
	for subject := range c.out {
		if o, err := c.l.Parse(subject); err == nil && o.Name == shadow.EventRejected && o.Sequence == m.Sequence {
			rejected++
		}
	}
	accepted := 0
	if ev, err := Decode(m.Header, m.Data); err == nil {
		accepted = c.accepted(a, shadow.Digest(ev.Data()), ev.Data())
	}
	if rejected+accepted != 1 {
		c.t.Errorf("event %d on %s has %d rejections and %d outcomes", m.Sequence, m.Subject, rejected, accepted)
	}
}

func (c *logChecker) accepted(a Address, digest string, data []byte) int {
	if a.Name == shadow.DecompositionDone {
		for _, m := range c.in[c.l.Commitment(a.Run)] {
			var com shadow.Commitment
			if c.decode(m, &com); com.DecompositionDigest == digest {
				return 1
			}
		}
		return 0
	}
	sub, err := shadow.Decode(a.Name, data)
	if err != nil {
		return 0
	}
	s := sub.(*shadow.Submission)
	for _, m := range c.out[c.l.GapReport(a.Run, s.Bundle.Domain, s.Cycle)] {
		var rep shadow.Report
		if c.decode(m, &rep); rep.Swarm.BundleDigest == digest && !rep.Swarm.Hardening.TimedOut && rep.Swarm.CommanderID == a.Commander {
			return 1
		}
	}
	return 0
}
