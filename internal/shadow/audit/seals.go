package audit

import (
	"cmp"
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

// commitments are those of the run, first those that shadowd wrote: others count
// for nothing.
func (r *Run) commitments() []*Message {
	all := named(r.in, shadow.EnvelopeSealed)
	slices.SortStableFunc(all, func(a, b *Message) int { return cmp.Compare(min(len(a.Unmarked), 1), min(len(b.Unmarked), 1)) })
	return all
}

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
	r.committed()
	r.opened()
	r.leaks()
}

// unsealed says what is wrong with a run that has no commitment.
func (r *Run) unsealed() {
	decompositions := named(r.in, shadow.DecompositionDone)
	mayExpire := r.log.FirstIn > 1 && !slices.ContainsFunc(decompositions, r.accepted)
	gone := fmt.Sprintf("no commitment and nothing to commit to in IN, whose first message is %d", r.log.FirstIn)
	switch {
	case r.sealed == nil:
	case len(decompositions) > 0 && !slices.ContainsFunc(decompositions, r.processed):
		r.find(decompositions[0], UnderWay, "an envelope without a commitment", "")
	case mayExpire:
		r.bucket(Expired, gone, "")
	default:
		r.bucket(NoCommitment, "an envelope", "a commitment in IN, or no envelope")
		return
	}
	i := slices.IndexFunc(r.out, func(m *Message) bool {
		return !slices.Contains([]string{shadow.EventRejected, shadow.EnvelopeOpened, ""}, m.Name)
	})
	if i < 0 {
		return
	}
	m := r.out[i]
	if rep := r.report(m.Domain, m.Cycle); mayExpire && m.Name == shadow.GapReport && rep != nil {
		in := r.inputs[rep.Swarm.In.Sequence]
		mayExpire = r.expired(rep.Swarm.In) || in != nil && in.Run == r.ID
	}
	if mayExpire {
		r.find(m, Expired, gone, "")
	} else {
		r.find(m, NoCommitment, m.Subject, "a commitment in IN before it")
	}
}

// accepted says whether an input was not rejected.
func (r *Run) accepted(m *Message) bool { return len(r.rejections[m.Sequence]) == 0 }

// findDecomposition is the message that the commitment names, or nil: of
// several copies, the first that was not rejected.
func (r *Run) findDecomposition() *Message {
	copies := slices.DeleteFunc(named(r.in, shadow.DecompositionDone), func(m *Message) bool {
		return m.Decomposition == nil || m.Digest != r.com.DecompositionDigest
	})
	if len(copies) == 0 {
		return nil
	}
	return copies[max(slices.IndexFunc(copies, r.accepted), 0)]
}

// committed holds the commitment against the decomposition.
func (r *Run) committed() {
	m, want := r.commitment, r.com
	want.RunID = r.ID
	decompositions := named(r.in, shadow.DecompositionDone)
	before := func(d *Message) bool { return d.Sequence < m.Sequence }
	switch found := r.done; {
	case found == nil && r.log.FirstIn > 1 && !slices.ContainsFunc(decompositions, before):
		r.find(m, Expired, "a decomposition that is not in IN any more", "")
	case found == nil:
		r.find(m, NoDecomposition, "decomposition_digest "+want.DecompositionDigest, "the digest of a decomposition in IN")
	default:
		if found.Sequence > m.Sequence {
			r.find(m, NoDecomposition, fmt.Sprintf("sequence %d, before the decomposition at %d", m.Sequence, found.Sequence), "a sequence after the decomposition's")
		}
		causes := func(o *Message) bool { return o.Digest == found.Digest && o.ID == m.Cause && o.Time.Equal(m.EventTime) }
		if !slices.ContainsFunc(decompositions, causes) {
			r.caused(m, found.ID, found.Time)
		}
		d := found.Decomposition
		r.domains = d.Domains
		want.TaskHash = d.TaskHash()
		if len(want.CriteriaByDomain) != len(d.Domains) {
			want.CriteriaByDomain = make([]int, len(d.Domains))
		}
		want.Unassigned = d.Unassigned()
		if d.Scale != "" {
			want.Policy.Scale = strings.ToLower(d.Scale)
		}
	}
	r.differ(m, SealDiffers, m.Data, encode(want), "")
}

// opened holds the envelope against the commitment and the decomposition.
func (r *Run) opened() {
	s := r.sealed
	if s == nil && r.done != nil && !r.processed(r.done) {
		r.find(r.commitment, UnderWay, "a commitment that is newer than what was read of the bucket", "")
		return
	}
	if s == nil {
		r.bucket(EnvelopeMissing, "no envelope", "the envelope of "+r.com.SealedHash)
		return
	}
	err := s.Err
	if err == nil {
		r.exam, err = shadow.NewExam(s.Envelope, &r.com)
	}
	switch {
	case err == nil:
	case errors.Is(err, shadow.ErrWrongKey):
		r.bucket(EnvelopeClosed, err.Error(), "an envelope that this key opens")
		return
	case errors.Is(err, shadow.ErrSealBroken):
		r.bucket(SealBroken, err.Error(), "the envelope of "+r.com.SealedHash)
		return
	default:
		r.bucket(SealDiffers, err.Error(), "checks that compile")
		return
	}
	if r.domains == nil {
		r.domains = s.Envelope.Domains
	}
	r.content(s.Envelope)
}

// content holds the envelope against the decomposition and itself.
func (r *Run) content(e *shadow.Envelope) {
	want := *e
	want.CriteriaByDomain = e.Counts()
	ids := map[string]bool{}
	for i := range e.Criteria {
		ids[e.Criteria[i].ID] = true
	}
	if len(ids) != len(e.Criteria) || ids[""] {
		r.bucket(SealDiffers, "a criterion twice, or without an id", "an id of its own for each")
	}
	if r.done != nil {
		d := r.done.Decomposition
		want.Task, want.Specifier, want.Domains = d.Task, d.Specifier, d.Domains
		want.SpecTruncated = d.SpecificationTruncated
	}
	r.differ(r.entry(), SealDiffers, encode(e), encode(want), "")
}

// openings lists the looks into the envelope. Their numbers have no gap, or
// one was removed.
func (r *Run) openings() {
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
		if r.commitment != nil {
			want.SealedHash = r.com.SealedHash
		}
		// Of one that has expired there is no run-scored left to tell.
		expired := r.scored == nil && r.log.FirstOut > 1 && len(r.commitments()) == 0
		if !expired {
			want.Finished = r.scored != nil && r.scored.Sequence <= m.Sequence
		}
		r.differ(m, NoteWrong, m.Data, encode(want), "")
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
