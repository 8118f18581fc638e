package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// named are the messages of some that are of one event.
func named(of []*Message, name string) []*Message {
	return slices.DeleteFunc(slices.Clone(of), func(m *Message) bool { return m.Name != name })
}

func (r *Run) commitments() []*Message { return named(r.in, shadow.EnvelopeSealed) }

// seal checks the commitment, what it was made from and what it is about.
func (r *Run) seal() {
	commitments := r.commitments()
	if len(commitments) == 0 {
		r.unsealed()
		return
	}
	m := commitments[0]
	if m.Unreadable != "" || Decode(m, &r.com) != nil {
		return // output said so
	}
	r.commitment = m
	r.done = r.findDecomposition()
	differ(r, m, CommitmentMismatch, "run_id", r.com.RunID, r.ID)
	r.committed()
	r.opened()
	r.leaks()
	if r.settled(r.done) {
		r.timer("", 0, r.com.Policy.RunDeadline(m.Time))
	}
}

// unsealed says what is wrong with a run that has no commitment.
func (r *Run) unsealed() {
	decompositions := named(r.in, shadow.DecompositionDone)
	if r.sealed != nil {
		switch {
		case len(decompositions) > 0 && !slices.ContainsFunc(decompositions, r.settled):
			r.find(decompositions[0], UnderWay, "an envelope without a commitment", "")
		case r.log.FirstIn > 1 && !slices.ContainsFunc(decompositions, r.accepted):
			r.bucket(Expired, "an envelope, and no commitment in IN, whose first message is "+fmt.Sprint(r.log.FirstIn), "")
		default:
			r.bucket(EnvelopeOrphan, "an envelope", "a commitment in IN, or no envelope")
		}
	}
	for _, m := range r.out {
		if m.Name != shadow.GapReport && m.Name != shadow.RunScored && m.Name != shadow.HardeningRequest && m.Name != shadow.BundleQuarantined && m.Name != shadow.Attestation {
			continue
		}
		if r.log.FirstIn > 1 && !slices.ContainsFunc(decompositions, r.accepted) && r.hadInput(m) {
			r.find(m, Expired, fmt.Sprintf("no commitment and nothing to commit to in IN, whose first message is %d", r.log.FirstIn), "")
			return
		}
		r.find(m, NoCommitment, m.Subject, "a commitment in IN before it")
		return
	}
}

// accepted says whether an input was not rejected.
func (r *Run) accepted(m *Message) bool { return len(r.rejections[m.Sequence]) == 0 }

// hadInput says whether what a report was about is there, or has expired. Of
// other outputs it is not asked.
func (r *Run) hadInput(m *Message) bool {
	var rep shadow.Report
	if m.Name != shadow.GapReport || Decode(m, &rep) != nil {
		return true
	}
	in := r.inputs[rep.Swarm.In.Sequence]
	return r.expired(rep.Swarm.In) || in != nil && in.Run == r.ID
}

// findDecomposition is the message that the commitment names, or nil: of
// several copies, the first that was not rejected.
func (r *Run) findDecomposition() *Message {
	var found *Message
	for _, m := range named(r.in, shadow.DecompositionDone) {
		if m.Decomposition == nil || m.Digest != r.com.DecompositionDigest {
			continue
		}
		if r.accepted(m) {
			return m
		}
		if found == nil {
			found = m
		}
	}
	return found
}

// committed holds the commitment against the decomposition.
func (r *Run) committed() {
	m, c := r.commitment, &r.com
	found := r.done
	if found == nil {
		before := func(d *Message) bool { return d.Sequence < m.Sequence }
		if r.log.FirstIn > 1 && !slices.ContainsFunc(named(r.in, shadow.DecompositionDone), before) {
			r.find(m, Expired, "a decomposition that is not in IN any more", "")
			return
		}
		r.find(m, NoDecomposition, "decomposition_digest "+c.DecompositionDigest, "the digest of a decomposition in IN")
		return
	}
	if found.Sequence > m.Sequence {
		r.find(m, CommitmentFirst, fmt.Sprintf("sequence %d, before the decomposition at %d", m.Sequence, found.Sequence), "a sequence after the decomposition's")
	}
	causes := func(o *Message) bool { return o.Digest == found.Digest && o.ID == m.Cause && o.Time.Equal(m.EventTime) }
	if !slices.ContainsFunc(named(r.in, shadow.DecompositionDone), causes) {
		r.caused(m, found.ID, found.Time)
	}
	d := found.Decomposition
	r.domains = d.Domains
	hash, err := d.TaskHash()
	if err != nil {
		hash = err.Error()
	}
	differ(r, m, CommitmentMismatch, "task_hash", c.TaskHash, hash)
	differ(r, m, CommitmentMismatch, "domains", c.Domains, len(d.Domains))
	if d.Scale != "" {
		differ(r, m, CommitmentMismatch, "policy.scale", c.Policy.Scale, strings.ToLower(d.Scale))
	}
}

// opened holds the envelope against the commitment and the decomposition.
func (r *Run) opened() {
	s := r.sealed
	switch {
	case s == nil && r.done != nil && !r.settled(r.done):
		r.find(r.commitment, UnderWay, "a commitment that is newer than what was read of the bucket", "")
		return
	case s == nil:
		r.bucket(EnvelopeMissing, "no envelope", "the envelope of "+r.com.SealedHash)
		return
	case errors.Is(s.Err, shadow.ErrWrongKey):
		r.bucket(EnvelopeClosed, s.Err.Error(), "an envelope that this key opens")
		return
	case s.Err != nil:
		r.bucket(SealBroken, s.Err.Error(), "the envelope of "+r.com.SealedHash)
		return
	case s.Envelope.RunID != r.ID:
		r.bucket(EnvelopeOther, fmt.Sprintf("the envelope of run %q", s.Envelope.RunID), "the envelope of "+r.com.SealedHash)
		return
	}
	exam, err := shadow.NewExam(s.Envelope, &r.com, r.checks)
	switch {
	case errors.Is(err, shadow.ErrSealBroken):
		r.bucket(SealBroken, err.Error(), "the envelope of "+r.com.SealedHash)
		return
	case err != nil:
		r.bucket(EnvelopeContent, "a check that does not compile here", "checks that compile")
		return
	}
	r.exam = exam
	if r.domains == nil {
		r.domains = s.Envelope.Domains
	}
	if s.Time.After(r.commitment.Time) {
		r.bucket(EnvelopeLater, "stored at "+stamp(s.Time), "a time before the commitment's, "+stamp(r.commitment.Time))
	}
	r.content()
}

// content holds the envelope against the decomposition and itself.
func (r *Run) content() {
	e := r.sealed.Envelope
	wrong := func(what, want string) { r.bucket(EnvelopeContent, what, want) }
	if len(e.Criteria) != e.CriteriaCount {
		wrong(fmt.Sprintf("%d criteria", len(e.Criteria)), fmt.Sprint(e.CriteriaCount))
	}
	ids := map[string]bool{}
	for i := range e.Criteria {
		if id := e.Criteria[i].ID; id == "" || ids[id] {
			wrong(fmt.Sprintf("criterion %q twice or without an id", id), "an id of its own for each")
		} else {
			ids[id] = true
		}
	}
	if r.done == nil {
		return
	}
	d := r.done.Decomposition
	// The envelope states the families of the models that the decomposition
	// names, as the sealed map of families has them.
	domains := slices.Clone(d.Domains)
	for i := range domains {
		domains[i].Implementer = e.Families.State(domains[i].Implementer)
	}
	if string(encode(e.Domains)) != string(encode(domains)) {
		wrong("other domains than the decomposition's", "the same")
	}
	// An author that could not read all of a specification marks the envelope too.
	if e.Task != d.Task || d.SpecificationTruncated && !e.SpecTruncated || string(encode(e.Specifier)) != string(encode(e.Families.State(d.Specifier))) {
		wrong("another task or specifier than the decomposition's", "the same")
	}
}
