package bus

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// commit stores an envelope for the decomposition and then its commitment. A crash after
// either is repaired by doing the same again: a stored envelope wins over a new one.
// again: the run has a commitment already, which is to be read.
func (s *session) commit(it *item, in *input) (again bool, err error) {
	r := it.run
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.sealing = false
		if again {
			r.loaded, r.committed = false, false
		}
	}()
	began, run := time.Now(), in.decomposition.RunID
	envelope, err := s.storedEnvelope(run)
	if err == nil && envelope == nil {
		envelope, err = s.write(it, in)
	}
	if err != nil {
		return false, err
	}
	if envelope.DecompositionDigest != in.digest {
		return false, shadow.Refuse(shadow.OtherContent, "run %q is sealed with another decomposition", envelope.RunID)
	}
	// The first bundle finds the envelope opened.
	exam := envelope.Exam()
	c := exam.Envelope.Commitment // a run must not hold on to the exam
	s.keepOpen(run, &sealedRun{commitment: &c, domains: withoutTexts(envelope.Domains), exam: exam, size: exam.Size()})
	s.mu.Lock()
	r.committed = true
	s.mu.Unlock()
	msg, _, err := s.out.output(s.layout.Commitment(run), cloudevent.CauseOf(in.event), in.Time, envelope.Commitment)
	if err != nil {
		return false, err
	}
	stored, err := s.out.own(s.work, layout.StreamIn, msg)
	if !stored || err != nil {
		s.exams.Remove(run)
		return err == nil, err
	}
	s.cfg.Observer.Sealed(time.Since(began), envelope.Written())
	var authors []string
	for _, a := range envelope.Authors {
		authors = append(authors, a.Name)
	}
	s.log.Info("sealed", "run", run, "authors", authors, "criteria", len(envelope.Criteria), "domains", len(envelope.Domains), "hash", envelope.SealedHash)
	return false, nil
}

// write has the envelope of a decomposition written, and stores it. The bucket takes
// one a run: what is there wins.
func (s *session) write(it *item, in *input) (*shadow.Envelope, error) {
	if len(s.cfg.Authors) > 0 {
		asked, err := s.asks(it, in)
		if err != nil {
			return nil, err
		}
		defer asked()
	}
	run := in.decomposition.RunID
	envelope, err := shadow.Seal(s.ctx, in.decomposition, shadow.SealInput{
		Digest:   in.digest,
		Settings: &s.cfg.Settings,
		Files:    s.cfg.Files,
		Authors:  s.cfg.Authors,
		Notices:  in.ignored,
		Now:      time.Now(),
		Rand:     rand.Reader,
	})
	if err != nil {
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		return nil, shadow.Refuse(shadow.CannotSeal, "%v", err)
	}
	box, err := shadow.Encrypt(envelope, s.cfg.Key)
	if err != nil {
		return nil, err
	}
	if !s.lease.active() {
		return nil, errNotActive
	}
	_, err = s.store.Envelopes.Create(s.work, run, box)
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		envelope, err = s.storedEnvelope(run)
		if err == nil && envelope == nil {
			err = notIn("the envelope of run " + run)
		}
		return envelope, err
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, shadow.Refuse(shadow.CannotSeal, "the envelope has %d bytes, more than the server takes: split the run or raise max_payload", len(box))
	case err != nil:
		return nil, fmt.Errorf("storing the envelope of %s: %w", run, err)
	}
	for _, note := range envelope.Notes {
		s.log.Warn("sealing", "run", run, "note", shadow.Printable(note))
	}
	for _, notice := range envelope.Notices {
		s.log.Info("sealing", "run", run, "notice", shadow.Printable(notice))
	}
	return envelope, nil
}

// asks counts an event among what is with authors or judges, who take minutes, until
// the function that it returns is called.
func (s *session) asks(it *item, in *input) (asked func(), err error) {
	size := min(int64(len(in.Data))+4096, askingBytes)
	if err := s.asking.Acquire(s.ctx, size); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave(it)
	return func() { s.asking.Release(size) }, nil
}

// storedEnvelope is the envelope of a run, or nil if there is none.
func (s *session) storedEnvelope(run string) (*shadow.Envelope, error) {
	entry, err := s.store.Envelopes.Get(s.work, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope of %s: %w", run, err)
	}
	return shadow.Decrypt(entry.Value(), s.cfg.Key)
}

// sealedRun is a run whose envelope is stored and committed to.
type sealedRun struct {
	commitment *shadow.Commitment
	domains    []shadow.Domain // as withoutTexts leaves them
	exam       *shadow.Exam    // nil where the envelope must not be trusted
	size       int64           // of the exam, in bytes
	broken     string          // why
}

// errNoEnvelope is no broken seal: events wait until the envelope is back.
var errNoEnvelope = errors.New("its envelope is gone from the bucket " + layout.BucketEnvelopes + ": restore the bucket from a backup; the events of the run wait")

// open returns a run ready to judge, whose commitment is in its view, and gives the view
// its domains. The envelope is compared with the commitment, and then kept for a while.
func (s *session) open(r *run) (*sealedRun, error) {
	opened, ok := s.exams.Get(r.id)
	if !ok {
		// A run's bundles tend to come together; one of them opens the envelope for
		// all.
		r.opening.Lock()
		defer r.opening.Unlock()
		if opened, ok = s.exams.Get(r.id); !ok {
			var err error
			if opened, err = s.openEnvelope(r); err != nil {
				return nil, err
			}
			s.keepOpen(r.id, opened)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.view.Domains == nil {
		r.view.Domains = opened.domains
	}
	return opened, nil
}

func (s *session) openEnvelope(r *run) (*sealedRun, error) {
	o := &sealedRun{commitment: r.view.Commitment}
	envelope, err := s.storedEnvelope(r.id)
	if err == nil && envelope == nil {
		return nil, errNoEnvelope
	}
	if err == nil {
		s.compute(func() { o.exam, err = shadow.NewExam(envelope, o.commitment) })
	}
	if errors.Is(err, shadow.ErrSealBroken) {
		o.broken, o.exam = err.Error(), nil
		s.cfg.Observer.SealBroken(BrokenEnvelope)
		s.log.Error("seal broken", "run", r.id, "reason", o.broken)
		o.domains, err = s.committedDomains(r.id, o.commitment.DecompositionDigest)
		return o, err
	}
	if err != nil {
		return nil, fmt.Errorf("opening the envelope of %s: %w", r.id, err)
	}
	o.domains, o.size = withoutTexts(envelope.Domains), o.exam.Size()
	return o, nil
}

// keepOpen keeps a run for its next bundle, and drops others where all are too large.
func (s *session) keepOpen(run string, r *sealedRun) {
	if known, _ := s.exams.Peek(run); known != r {
		s.exams.Remove(run)
		s.examBytes.Add(r.size)
		s.exams.Add(run, r)
	}
	for s.examBytes.Load() > examsBytes && s.exams.Len() > 1 {
		s.exams.RemoveOldest()
	}
}

// withoutTexts are the domains without what the exam alone reads: a view keeps
// them longer.
func withoutTexts(domains []shadow.Domain) []shadow.Domain {
	all := slices.Clone(domains)
	for i := range all {
		all[i].TaskBrief, all[i].SubTasks, all[i].Deliverables, all[i].Constraints = "", nil, nil, nil
	}
	return all
}

// committedDomains reads the domains of a run, whose seal is broken, from the log.
func (s *session) committedDomains(run, digest string) ([]shadow.Domain, error) {
	for seq := uint64(1); ; seq++ {
		m, err := streams.Next(s.work, s.store.JS, layout.StreamIn, s.layout.Decomposition(run), seq)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, fmt.Errorf("run %s: the decomposition that was committed to is not in %s", run, layout.StreamIn)
		}
		in, err := takeInput(s.layout, &s.cfg, m)
		if seq = m.Seq; err == nil && in.digest == digest {
			return withoutTexts(in.decomposition.Domains), nil
		}
	}
}

// readOutput decodes the data of one of shadowd's own stored events.
func readOutput(m *streams.Message, into any) (event.Event, error) {
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err == nil {
		err = json.Unmarshal(ev.Data(), into)
	}
	if err != nil {
		err = fmt.Errorf("message %d on %s: %w", m.Seq, m.Subject, err)
	}
	return ev, err
}
