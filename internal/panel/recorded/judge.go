package recorded

import (
	"context"
	"path/filepath"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Judge answers from a file. It is safe for concurrent use.
type Judge struct {
	ref   shadow.AuthorRef
	file  string
	votes map[place]shadow.Vote
	// bundles are those that there is an answer about.
	bundles map[string]bool
}

type place struct{ bundle, question string }

// OpenJudge reads the judge of a file, FILE or FILE#NAME, which reports call
// name.
func OpenJudge(word, name string) (*Judge, error) {
	file, who, lines, err := open(word)
	if err != nil {
		return nil, err
	}
	return newJudge(file, who, name, lines)
}

// ParseJudge is [OpenJudge] of a file's bytes.
func ParseJudge(file string, raw []byte, name string) (*Judge, error) {
	lines, err := read(file, raw)
	if err != nil {
		return nil, err
	}
	return newJudge(file, "", name, lines)
}

func newJudge(file, who, name string, lines []line) (*Judge, error) {
	var names []string
	for _, l := range lines {
		if l.Judge != "" {
			names = append(names, l.Judge)
		}
	}
	who, err := choose(file, "a judge", who, names)
	if err != nil {
		return nil, err
	}
	j := &Judge{ref: shadow.AuthorRef{Name: name}, file: filepath.Base(file), votes: map[place]shadow.Vote{}, bundles: map[string]bool{}}
	for _, l := range lines {
		if l.Judge == who {
			j.ref.Model = shadow.Model{Model: l.Model, Family: l.Family}
			j.votes[place{l.Bundle, l.Question}] = shadow.Vote{Outcome: l.Outcome, Quote: l.Quote, Actual: l.Actual}
			j.bundles[l.Bundle] = true
		}
	}
	return j, nil
}

// Ref names the judge, and the model that answered.
func (j *Judge) Ref() shadow.AuthorRef { return j.ref }

// Recorded tells that no control question can be put to the judge.
func (j *Judge) Recorded() bool { return true }

// Vote is the recorded vote, admitted as any other.
func (j *Judge) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	bundle := bundleDigest(q.Bundle)
	v, ok := j.votes[place{bundle, question(q)}]
	switch {
	case !j.bundles[bundle]:
		return shadow.NoVote(j.ref.Name, "%s has no answer about this bundle: record it again", j.file), ctx.Err()
	case !ok:
		return shadow.NoVote(j.ref.Name, "%s has answers about this bundle, but none to this question: record it again", j.file), ctx.Err()
	}
	v.Judge = j.ref.Name
	return q.Admit(v), ctx.Err()
}
