package bus

import (
	"context"
	"time"
)

// question asks for the first event on a subject of IN that fits and was not
// rejected: the one that counts, whichever copy is in hand and whoever asks.
type question struct {
	// key names the question. The same key must always mean the same
	// subject, fits and until: what did not fit then is not looked at again.
	key     string
	subject string
	fits    func(*input) bool
	// until bounds the time of the event, if it is set.
	until time.Time
	// known is an event of the subject that was read already, or nil; it
	// saves reading it again.
	known *input
}

// decompositionOf asks for the decomposition of a run.
func (e *Engine) decompositionOf(run string, known *input) question {
	return question{key: "run", subject: e.layout.Decomposition(run), fits: func(*input) bool { return true }, known: known}
}

// submissionOf asks for the submission that takes a slot.
func (e *Engine) submissionOf(sl *slot, known *input) question {
	return question{key: sl.name(), subject: sl.subject(e.layout), fits: sl.fits, until: sl.deadline, known: known}
}

// first answers a question, with nil if there is no such event.
//
// It remembers how far the answer is no, and goes on from there. Otherwise one
// author could make every event of its own cost a reading of all that it ever
// sent, and so stop everybody else's. Those who ask at the same time share one
// answer for the same reason.
func (e *Engine) first(ctx context.Context, q question) (*input, error) {
	found, err, _ := e.asking.Do(q.id(), func() (any, error) { return e.firstNow(ctx, q) })
	in := found.(*input)
	if in == nil && err == nil && q.known != nil {
		return e.firstNow(ctx, q) // a shared answer may be older than what is in hand
	}
	return in, err
}

// firstNow is first for who must know of all that was stored up to now: the
// answer is not shared with anybody who asked earlier.
func (e *Engine) firstNow(ctx context.Context, q question) (*input, error) {
	from, _ := e.asked.Get(q.id())
	in, from, err := e.search(ctx, q, max(from, 1))
	e.asked.Add(q.id(), from)
	return in, err
}

func (q *question) id() string { return q.subject + " " + q.key }

// search looks for an answer from a sequence on. It returns the answer, if
// any, and the sequence before which there is none.
func (e *Engine) search(ctx context.Context, q question, from uint64) (*input, uint64, error) {
	for {
		m, err := next(ctx, e.store, q.subject, from)
		if err != nil || m == nil {
			return nil, from, err
		}
		if !q.until.IsZero() && m.time.After(q.until) {
			return nil, from, nil // and so is all that follows
		}
		in := q.known
		if in == nil || in.seq != m.seq {
			// What is not well formed is passed over: it is rejected
			// when its own turn comes.
			if in, err = e.take(m); err != nil {
				from = m.seq + 1
				continue
			}
		}
		if q.fits(in) {
			rejected, err := e.rejected(ctx, in)
			if err != nil {
				return nil, from, err
			}
			if !rejected {
				return in, m.seq, nil
			}
		}
		from = m.seq + 1
	}
}
