package shadow

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Questions are those that are left to a panel: criteria without a check,
// those whose check could not be evaluated, and items that the rules leave
// unread. A bundle that breaks the seal is not worth a question.
func (x *Exam) Questions(ev *Evidence) []Question {
	bare := *ev
	bare.Panel = Panel{}
	j := x.Judge(&bare)
	if j.SealBroken != "" {
		return nil
	}
	b := &ev.Submission.Bundle
	ask := Question{
		RunID: ev.Submission.RunID, Cycle: ev.Submission.Cycle, BundleDigest: ev.Digest, Bundle: b, Content: passage.New(b.Content),
		Domain: x.Envelope.Domains.Find(b.Domain),
	}
	var qs []Question
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.Outcome == Undecided {
			ask.Criterion, ask.Item = v.Criterion, nil
			qs = append(qs, ask)
		}
	}
	for i := range j.Items {
		if it := &j.Items[i]; it.Verdict == reading.Unread {
			ask.Criterion, ask.Item = nil, &Item{it.ItemRef, it.Text}
			qs = append(qs, ask)
		}
	}
	return qs
}

// settleItems puts what a panel decided in the place of what the rules left
// unread.
func (j *Judgement) settleItems(ballots []Ballot, b *Bundle) {
	if len(ballots) == 0 {
		return
	}
	content := passage.New(b.Content)
	for i := range j.Items {
		it := &j.Items[i]
		ballot := BallotOn(ballots, it.ItemRef.String())
		if ballot == nil || it.Verdict != reading.Unread {
			continue
		}
		j.Ballots = append(j.Ballots, *ballot)
		agreed, quote := ballot.agreed()
		switch ballot.Outcome {
		case Passed:
			it.Verdict = reading.Found
		case Failed:
			it.Verdict = reading.Missing
			it.why = ballot.found()
		default:
			if ballot.Split() {
				j.Split++
			} else {
				j.Unvoted++
			}
			agreed = ballot.asked()
		}
		place, _ := content.Find(quote)
		it.By, it.Line = strings.Join(agreed, ", "), place.Line
	}
}

// settle puts what a panel decided in the place of what the checks left open.
// Ballots on anything else count for nothing.
func (x *Exam) settle(j *Judgement, bundle *Bundle, ballots []Ballot) {
	var counted []Ballot
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		b := BallotOn(ballots, v.Criterion.ID)
		if b == nil || v.Outcome != Undecided {
			continue
		}
		counted = append(counted, *b)
		*v = Verdict{Criterion: v.Criterion, Outcome: b.Outcome, Expected: v.Criterion.Expected}
		switch b.Outcome {
		case Failed:
			v.Actual = b.found()
			v.Message = x.message(v.Criterion, bundle, v.Actual)
		case Undecided:
			v.Actual = b.words()
		}
	}
	j.Ballots = append(counted, j.Ballots...)
}

// agreed names the judges that say what the ballot says, and gives the first
// quote of theirs.
func (b *Ballot) agreed() (names []string, quote string) {
	for i := range b.Votes {
		if v := &b.Votes[i]; v.Outcome == b.Outcome {
			names = append(names, v.Judge)
			if quote == "" {
				quote = v.Quote
			}
		}
	}
	return names, quote
}

func (b *Ballot) asked() (names []string) {
	for i := range b.Votes {
		names = append(names, b.Votes[i].Judge)
	}
	return names
}

// found is what the judges who fail a criterion found instead.
func (b *Ballot) found() string {
	var said []string
	for i := range b.Votes {
		if b.Votes[i].Outcome == Failed {
			said = appendNew(said, b.Votes[i].Actual)
		}
	}
	return list(said, maxActual)
}

// words tells why a panel could not decide.
func (b *Ballot) words() string {
	if b.Cast == 0 {
		return "no judge had a vote: " + list(b.silent(), maxActual)
	}
	out := fmt.Sprintf("no majority of the %d judges: %d passed, %d failed", b.Configured, votesFor(b.Votes, Passed), votesFor(b.Votes, Failed))
	if n := votesFor(b.Votes, NotApplicable); n > 0 {
		out += fmt.Sprintf(", %d not applicable", n)
	}
	if why := b.silent(); len(why) > 0 {
		out += "; no vote of " + list(why, maxActual)
	}
	return out
}

// silent says of each judge without a vote why it has none.
func (b *Ballot) silent() (why []string) {
	for i := range b.Votes {
		if v := &b.Votes[i]; v.Outcome == Undecided {
			why = append(why, v.Judge+": "+v.Why)
		}
	}
	return why
}

// About names what the question is about: a criterion's id, or an item.
func (q *Question) About() string {
	if q.Item != nil {
		return q.Item.ItemRef.String()
	}
	return q.Criterion.ID
}

// About names what the panel was asked about: a criterion's id, or an item.
func (b *Ballot) About() string {
	if b.Item != nil {
		return b.Item.String()
	}
	return b.TestName
}
