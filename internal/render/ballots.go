package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Ballot is what a panel of judges said to one criterion, in words that are
// fit to be shown.
type Ballot struct {
	Head  string   // "sc-01: passed, 2 of 3 judges agree"
	Votes []string // one a judge that was asked
}

// ballots are those of a panel, where one was asked.
func (s *Subject) ballots() []Ballot {
	if s.Swarm == nil {
		return nil
	}
	var out []Ballot
	for i := range s.Swarm.Ballots {
		b := &s.Swarm.Ballots[i]
		text := Ballot{Head: inert(shadow.Printable(b.TestName) + ": " + Agreement(b))}
		for j := range b.Votes {
			text.Votes = append(text.Votes, inert(voteText(&b.Votes[j])))
		}
		out = append(out, text)
	}
	return out
}

// Agreement says in words how a ballot was decided.
func Agreement(b *shadow.Ballot) string {
	if b.Outcome == shadow.Undecided {
		return fmt.Sprintf("undecided, no majority of %s: %d cast a vote, %d agree", count(b.Configured, "judge"), b.Cast, b.Agreed)
	}
	return fmt.Sprintf("%s, %d of %s agree, %d cast a vote", shadow.Printable(string(b.Outcome)), b.Agreed, count(b.Configured, "judge"), b.Cast)
}

func voteText(v *shadow.Vote) string {
	var what string
	switch v.Outcome {
	case shadow.Passed:
		what = fmt.Sprintf("passed, for it says %q", short(shadow.Printable(v.Quote)))
	case shadow.Failed:
		what = "failed: " + short(shadow.Printable(v.Actual))
	default:
		what = "no vote: " + short(shadow.Printable(v.Why))
	}
	if v.Cached {
		what += " (known from before)"
	}
	return shadow.Printable(v.Judge) + ": " + what
}

// judgesTitle heads the ballots: who voted, and what that cost.
func (s *Subject) judgesTitle() string {
	if s.Swarm == nil || len(s.Swarm.Judges) == 0 {
		return ""
	}
	var names []string
	for i := range s.Swarm.Judges[1:] {
		names = append(names, JudgeText(&s.Swarm.Judges[i+1]))
	}
	text := strings.Join(names, ", ") + " read what the checks leave open"
	if c := s.Swarm.Cost; c != nil {
		text += ", at a cost of " + CostText(c)
	}
	return text
}

// JudgeText names a judge with its model and family.
func JudgeText(j *shadow.AuthorRef) string {
	of := slices.DeleteFunc([]string{j.Model.Model, j.Family}, func(s string) bool { return s == "" })
	if len(of) == 0 {
		return shadow.Printable(j.Name)
	}
	return shadow.Printable(j.Name) + " (" + joinedWith(of, ", ") + ")"
}

// CostText says what votes took, such as "4 calls and 1740 tokens".
func CostText(c *shadow.Cost) string {
	text := fmt.Sprintf("%s and %s", count(c.Calls, "call"), count(int(c.Tokens), "token"))
	if c.Cached > 0 {
		text += fmt.Sprintf(", with %s known from before", count(c.Cached, "vote"))
	}
	return text
}
