package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// sealedRun is a run whose envelope is stored and committed to.
type sealedRun struct {
	revision   uint64 // of the envelope in the bucket
	commitment shadow.Commitment
	place      shadow.Place // of the commitment, in IN
	domains    []shadow.Domain
	// exam judges by the envelope; broken says why it must not be trusted.
	// One of the two is set.
	exam   *shadow.Exam
	broken string

	mu sync.Mutex
	// finals remembers final reports by domain. A final report never
	// changes, so this saves reads and cannot be wrong.
	finals map[string]*shadow.Report
}

func (r *sealedRun) policy() *shadow.Policy { return &r.commitment.Policy }

func (r *sealedRun) domain(name string) *shadow.Domain {
	for i := range r.domains {
		if r.domains[i].Domain == name {
			return &r.domains[i]
		}
	}
	return nil
}

func (r *sealedRun) final(domain string) *shadow.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.finals[domain]
}

func (r *sealedRun) keepFinal(rep *shadow.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finals[rep.Swarm.Domain] = rep
}

// errNotSealed: the run has no envelope and commitment yet. It means wait,
// never a broken seal.
var errNotSealed = errors.New("the run is not sealed")

// NewestEnvelope is the envelope that was stored last, encrypted, or nil. What
// was forgotten since left marks behind it, which are none.
func (s *Store) NewestEnvelope(ctx context.Context) ([]byte, error) {
	stream, err := s.js.Stream(ctx, "KV_"+BucketEnvelopes)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", BucketEnvelopes, err)
	}
	state := stream.CachedInfo().State
	for seq := state.LastSeq; seq > 0 && seq >= state.FirstSeq; seq-- {
		m, err := read(stream.GetMsg(ctx, seq))
		if err != nil {
			return nil, err
		}
		if m != nil && m.header.Get("KV-Operation") == "" {
			return m.data, nil
		}
	}
	return nil, nil
}

// sealed returns a run ready to judge. The envelope is decrypted, hashed and
// held against the commitment in the log once per revision of it; the revision
// is read every time, so that a changed envelope never judges unverified.
func (e *Engine) sealed(ctx context.Context, run string) (*sealedRun, error) {
	entry, err := e.store.Envelopes.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return nil, errNotSealed
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope of %s: %w", run, err)
	}
	if r, ok := e.runs.Get(run); ok && r.revision == entry.Revision() {
		return r, nil
	}
	// A run's bundles tend to come together; one of them opens the envelope
	// for all.
	opened, err, _ := e.opening.Do(fmt.Sprint(run, "@", entry.Revision()), func() (any, error) {
		r, err := e.open(ctx, run, entry)
		if err == nil {
			e.runs.Add(run, r)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return opened.(*sealedRun), nil
}

func (e *Engine) open(ctx context.Context, run string, entry jetstream.KeyValueEntry) (*sealedRun, error) {
	// The first one: whoever could store another would else bring every
	// bundle of the run before the seal.
	m, err := next(ctx, e.store, e.layout.Commitment(run), 1)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errNotSealed
	}
	r := &sealedRun{revision: entry.Revision(), place: shadow.Place{Sequence: m.seq, Time: m.time}, finals: map[string]*shadow.Report{}}
	if err := e.readOutput(m, &r.commitment); err != nil {
		return nil, fmt.Errorf("the commitment of run %s cannot be read: %w", run, err)
	}
	envelope, err := shadow.Decrypt(entry.Value(), e.cfg.Key)
	if err == nil {
		r.exam, err = shadow.NewExam(envelope, &r.commitment, e.checks)
	}
	if errors.Is(err, shadow.ErrSealBroken) {
		r.broken = err.Error()
		e.news.broken(run, r.revision)
		e.log.Error("seal broken", "run", run, "reason", r.broken)
		r.domains, err = e.committedDomains(ctx, run, r.commitment.DecompositionDigest)
		return r, err
	}
	if err != nil {
		return nil, fmt.Errorf("opening the envelope of %s: %w", run, err)
	}
	r.domains = envelope.Domains
	return r, nil
}

// committedDomains reads the domains of a run from the decomposition in the
// log, for when the envelope cannot be believed.
func (e *Engine) committedDomains(ctx context.Context, run, digest string) ([]shadow.Domain, error) {
	found, err := e.first(ctx, question{
		key:     "committed " + digest,
		subject: e.layout.Decomposition(run),
		fits:    func(in *input) bool { return in.digest == digest },
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("run %s: the decomposition that was committed to is not in %s", run, StreamIn)
	}
	return found.decomposition.Domains, nil
}

// readOutput decodes the data of one of shadowd's own stored events.
func (e *Engine) readOutput(m *message, into any) error {
	ev, err := Decode(m.header, m.data)
	if err != nil {
		return fmt.Errorf("message %d on %s: %w", m.seq, m.subject, err)
	}
	if err := json.Unmarshal(ev.Data(), into); err != nil {
		return fmt.Errorf("message %d on %s: %w", m.seq, m.subject, err)
	}
	return nil
}
