package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// traces looks at what the operator did to the run. It returns true for a run
// that was forgotten: nothing else of it is left to audit.
func (r *Run) traces() (forgotten bool) {
	r.scored = r.one(shadow.RunScored, "", "", 0)
	var note *Message
	for _, m := range named(r.out, shadow.RunForgotten) {
		if m.Unreadable == "" && m.Unmarked == "" && note == nil {
			note = m
		}
	}
	r.openings(note)
	if note == nil {
		return false
	}
	r.erased(note)
	return true
}

// openings lists the looks into the envelope. Their numbers have no gap, or
// one was removed.
func (r *Run) openings(note *Message) {
	var last uint64
	for _, m := range named(r.out, shadow.EnvelopeOpened) {
		var d shadow.OpeningData
		n := m.Address.Sequence
		if m.Unreadable != "" || n > 0 && n == last || Decode(m, &d) != nil {
			continue // it was said already
		}
		// The first ones may have expired.
		if n != last+1 && (last > 0 || r.log.FirstOut <= 1) {
			r.find(m, NoteWrong, fmt.Sprintf("opening %d", n), fmt.Sprintf("opening %d before it: one was removed", last+1))
		}
		last = n
		r.caused(m, "", d.OpenedAt)
		want := d
		want.RunID, want.Opening = r.ID, int(n)
		var c shadow.Commitment
		if sealed := r.commitments(); len(sealed) > 0 && Decode(sealed[0], &c) == nil {
			want.SealedHash = c.SealedHash
		}
		// Of a forgotten run, and of one that has expired, there is no
		// run-scored left to tell.
		expired := r.scored == nil && r.log.FirstOut > 1 && len(r.commitments()) == 0
		if note == nil && !expired {
			want.Finished = r.scored != nil && r.scored.Sequence <= m.Sequence
		}
		r.differ(m, NoteWrong, m.Data, encode(want))
		what := fmt.Sprintf("at %s by %s", stamp(d.OpenedAt), d.By)
		if d.Reason != "" {
			what += ": " + d.Reason
		}
		if !want.Finished {
			r.find(m, OpenedEarly, what, "no opening before the run is scored")
		} else {
			r.find(m, Opened, what, "")
		}
	}
}

// signedNote checks the signature of a note. Without keys only what was signed
// is held against what is said.
func (r *Run) signedNote(m *Message, d *shadow.ForgottenData) {
	if d.Signed == nil && len(r.log.Signers) == 0 {
		return
	}
	switch err := attest.CheckNote(d, r.log.Signers...); {
	case errors.Is(err, attest.ErrOtherNote):
		r.find(m, NoteWrong, err.Error(), "the signed statement of this note")
	case err != nil:
		r.badSignature(m, err)
	}
}

func (r *Run) badSignature(m *Message, err error) {
	want := "a signature"
	if keys := r.log.Signers; len(keys) > 0 {
		want += " by " + attest.KeyID(keys[0]) + ", or one before it"
	}
	r.find(m, SignatureWrong, err.Error(), want)
}

// erased checks that nothing is left of a forgotten run. Events may come
// later; they are rejected like those of a run that nobody decomposed.
func (r *Run) erased(note *Message) {
	var d shadow.ForgottenData
	if Decode(note, &d) != nil {
		return // output said so
	}
	r.com.TaskHash = d.TaskHash
	r.signedNote(note, &d)
	want := d
	want.RunID = r.ID
	r.caused(note, "", d.ForgottenAt)
	r.find(note, Forgotten, fmt.Sprintf("at %s by %s: %s; sealed_hash %s", stamp(d.ForgottenAt), d.By, encode(d.Erased), d.SealedHash), "")
	const again = "nothing of a forgotten run: forget it again"
	if r.sealed != nil {
		r.bucket(NotErased, "its envelope", again)
	}
	for _, m := range slices.Concat(r.in, r.out, r.timers) {
		later := m.Time.After(note.Time) && (m.Stream == In && m.Name != shadow.EnvelopeSealed || m.Name == shadow.EventRejected)
		if m.Name != shadow.EnvelopeOpened && m.Name != shadow.RunForgotten && !later {
			r.find(m, NotErased, m.Subject, again)
		}
		var c shadow.Commitment
		if m.Name == shadow.EnvelopeSealed && Decode(m, &c) == nil {
			want.SealedHash = c.SealedHash
		}
	}
	r.differ(note, NoteWrong, note.Data, encode(want))
}
