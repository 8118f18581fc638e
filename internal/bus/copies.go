package bus

import "github.com/swarmspeed/shadowd/internal/shadow"

// awaitJudgement decides about a copy of an event that is being judged: it
// waits for the report, if not too many do. The one that takes the slot is
// never refused, since a refused event takes none.
func (e *Engine) awaitJudgement(sl *slot, in, holder *input) error {
	if _, ok := e.waiting.enter(in); !ok && in.seq != holder.seq {
		return refuse(shadow.TooManyWaiting, "%d events of commander %q in run %q wait already", e.waiting.most, in.addr.Commander, in.submission.RunID)
	}
	e.waiting.behind(in, sl.key())
	return errWait
}

// beingJudged says whether this process is judging a slot.
func (e *Engine) beingJudged(slot string) bool {
	_, ok := e.judging.Load(slot)
	return ok
}
