package bus

import (
	"context"
	"fmt"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// attest stores the signed statement about a final report. Like all that
// follows from a report it is made from the stored bytes alone, and signatures
// have no randomness, so that every daemon with the same key writes the same.
// A report is not signed if shadowd did not write it, or one that it follows
// from.
func (e *Engine) attest(ctx context.Context, rep *storedReport) error {
	if e.cfg.Signer == nil {
		return nil
	}
	subject := e.layout.Attestation(rep.Report.Swarm.RunID, rep.Report.Swarm.Domain)
	if !rep.own {
		e.log.Error("a report is not signed, for nothing shows that shadowd wrote it and those that it follows from", "subject", subject)
		return nil
	}
	// It is not searched for sealed text: of the envelope it repeats digests,
	// numbers and ids of criteria. All else are sentences of shadowd and names,
	// which whoever chose them knows.
	statement, err := shadow.Encode(attest.Of(rep.Report, rep.event.Data()))
	if err != nil {
		return err
	}
	envelope, err := e.cfg.Signer.Sign(statement)
	if err != nil {
		return err
	}
	msg, _, err := e.output(subject, cloudevent.InheritedCause(rep.event), rep.event.Time(), envelope)
	if err != nil {
		return err
	}
	return e.storeIfNew(ctx, msg, subject)
}

// NewestSigner is the id of the key that signed the newest attestation, or empty,
// also where nothing shows that shadowd stored that one.
func NewestSigner(ctx context.Context, s *layout.Store, key nkeys.KeyPair) (string, error) {
	m, err := streams.Last(ctx, s.JS, layout.StreamOut, s.RunWildcard(shadow.Attestation, ""))
	if m == nil || err != nil {
		return "", err
	}
	if own, _ := isOwn(m, key); !own {
		return "", nil
	}
	var envelope attest.Envelope
	if err := readOutput(m, &envelope); err != nil {
		return "", err
	}
	if len(envelope.Signatures) == 0 {
		return "", fmt.Errorf("message %d on %s has no signature", m.Seq, m.Subject)
	}
	return envelope.Signatures[0].KeyID, nil
}
