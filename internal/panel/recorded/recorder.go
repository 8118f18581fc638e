package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Recorder writes answers to a file. It is safe for concurrent use.
type Recorder struct {
	mu  sync.Mutex
	w   io.WriteCloser
	err error // the first that writing had
}

// Create begins a new file. It is an error if it exists.
func Create(path string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &Recorder{w: f}, nil
}

// Close ends the file. Its error is the first of all writes.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.w.Close(); r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return fmt.Errorf("recording answers: %w", r.err)
	}
	return nil
}

func (r *Recorder) write(l line) {
	raw, err := json.Marshal(l)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.w.Write(append(raw, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// Judge is a judge whose votes are recorded. Those on control questions are not:
// they are of one bundle in one run. Nor is what is no vote, which the next try
// may not repeat.
func (r *Recorder) Judge(j shadow.Judge) shadow.Judge { return recordingJudge{j, r} }

type recordingJudge struct {
	shadow.Judge
	to *Recorder
}

func (j recordingJudge) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	v, err := j.Judge.Vote(ctx, q)
	if err == nil && v.Outcome != shadow.Undecided && q.Control == "" {
		ref := j.Ref()
		j.to.write(line{Judge: ref.Name, Model: ref.Model.Model, Family: ref.Family, Bundle: bundleDigest(q.Bundle), Question: question(q), Outcome: v.Outcome, Quote: v.Quote, Actual: v.Actual})
	}
	return v, err
}

// Reachable is that of the judge, as a panel asks for it. A judge that cannot be
// asked counts as reachable, as it does where it is not recorded.
func (j recordingJudge) Reachable(ctx context.Context) error {
	if r, ok := j.Judge.(interface{ Reachable(context.Context) error }); ok {
		return r.Reachable(ctx)
	}
	return nil
}

// Recorded is that of the judge: answers of a file may be recorded in another.
func (j recordingJudge) Recorded() bool {
	r, ok := j.Judge.(interface{ Recorded() bool })
	return ok && r.Recorded()
}

// Author is an author whose drafts, and what it expects of requirements, are
// recorded.
func (r *Recorder) Author(a shadow.Author) shadow.Author {
	if reader, ok := a.(shadow.Reader); ok {
		return recordingReader{recordingAuthor{a, r}, reader}
	}
	return recordingAuthor{a, r}
}

type recordingAuthor struct {
	shadow.Author
	to *Recorder
}

func (a recordingAuthor) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts, err := a.Author.Write(ctx, o)
	for i := range o.Decomposition.Domains {
		dom := &o.Decomposition.Domains[i]
		if d := drafts[dom.Domain]; len(d.Criteria) > 0 {
			ref := a.Ref()
			a.to.write(line{
				Author: ref.Name, Model: ref.Model.Model, Family: ref.Family, Domain: domainDigest(o.Decomposition, dom),
				Criteria: d.Criteria, Refused: d.Refused, Cut: errors.Is(err, shadow.ErrSpecificationCut),
			})
		}
	}
	return drafts, err
}

type recordingReader struct {
	recordingAuthor
	reader shadow.Reader
}

func (a recordingReader) Expect(ctx context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	table, err := a.reader.Expect(ctx, d)
	if err == nil {
		ref := a.Ref()
		a.to.write(line{Author: ref.Name, Model: ref.Model.Model, Family: ref.Family, Run: runDigest(d), Expect: table})
	}
	return table, err
}
