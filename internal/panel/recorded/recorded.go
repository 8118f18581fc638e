// Package recorded keeps what judges and authors answer in a file, and answers
// from one. A line is one answer, a JSON object:
//
//	{"judge":"gpt","bundle":"sha256:…","question":"sub-task 1: …","outcome":"passed","quote":"…"}
//	{"author":"gpt","domain":"sha256:…","criteria":[…]}
//	{"author":"gpt","run":"sha256:…","expect":{"R1":{"at_most":"1 hour"}}}
//
// An answer is found by the bundle's content and summary, or by what a domain was asked
// for, and by the question: a file serves while prompts change. Of two answers the later
// one counts, so that files may be joined. What is not there is no vote, or no criterion.
package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// line is an answer as it stands in a file.
type line struct {
	Judge    string         `json:"judge,omitempty"`
	Model    string         `json:"model,omitempty"`
	Family   string         `json:"family,omitempty"`
	Bundle   string         `json:"bundle,omitempty"`
	Question string         `json:"question,omitempty"`
	Outcome  shadow.Outcome `json:"outcome,omitempty"`
	Quote    string         `json:"quote,omitempty"`
	Actual   string         `json:"actual,omitempty"`

	Author   string            `json:"author,omitempty"`
	Domain   string            `json:"domain,omitempty"`
	Criteria []shadow.Material `json:"criteria,omitempty"`
	// Refused is what of the author's reply could not be used.
	Refused []string `json:"refused,omitempty"`

	// Run names the task and its requirements, of which Expect says what the
	// author expects.
	Run    string                        `json:"run,omitempty"`
	Expect map[string]shadow.Expectation `json:"expect,omitempty"`
}

// check says what is wrong with a line, or returns nil.
func (l *line) check() error {
	judged := l.Bundle != "" && l.Question != "" && (l.Outcome == shadow.Passed || l.Outcome == shadow.Failed)
	wrote := l.Domain != "" && len(l.Criteria) > 0 && l.Run == ""
	expects := l.Run != "" && l.Domain == ""
	switch {
	case (l.Judge == "") == (l.Author == ""):
		return errors.New("an answer is of a judge or of an author: name one of them")
	case l.Judge != "" && !judged:
		return errors.New("a judge's answer has bundle, question and outcome, which is passed or failed")
	case l.Author != "" && !wrote && !expects:
		return errors.New("an author's answer has domain and criteria, or run and expect")
	}
	for id, e := range l.Expect {
		if !e.Comparable() {
			return fmt.Errorf("expect %.40q: give bounds of a figure, at_least and at_most, or one_of", id)
		}
	}
	return nil
}

// digest names what some texts say.
func digest(parts ...string) string {
	raw, _ := json.Marshal(parts) // it cannot fail on strings, and keeps them apart
	return shadow.Digest(raw)
}

func bundleDigest(b *shadow.Bundle) string { return digest(b.Content, b.Summary) }

// question is a question as a file names it.
func question(q *shadow.Question) string {
	if q.Item != nil {
		return q.Item.Name + ": " + q.Item.Text
	}
	return q.Criterion.Assertion
}

// domainDigest names what a domain was asked for.
func domainDigest(d *shadow.Decomposition, dom *shadow.Domain) string {
	parts := []string{d.Task, d.Specification, dom.TaskBrief}
	for _, it := range d.Items(dom) {
		parts = append(parts, it.Name, it.Text)
	}
	return digest(parts...)
}

// runDigest names what the requirements of a run are read from.
func runDigest(d *shadow.Decomposition) string {
	parts := []string{d.Task, d.Specification}
	for _, r := range d.Requirements {
		parts = append(parts, r.ID, r.Text)
	}
	return digest(parts...)
}

// file is what is read of FILE or FILE#NAME: the answers of one judge or author.
type file struct {
	base  string // the file's name
	ref   shadow.AuthorRef
	lines []line
}

// open reads the file of a word, FILE or FILE#NAME.
func open(word, name, what string) (file, error) {
	path, _, _ := strings.Cut(word, "#")
	raw, err := os.ReadFile(path)
	if err != nil {
		return file{}, fmt.Errorf("recorded answers: %w", err)
	}
	return parse(word, raw, name, what)
}

const aJudge, anAuthor = "a judge", "an author"

// parse reads the answers of the one whom a word names, or of the only one that
// there is, whom reports call name.
func parse(word string, raw []byte, name, what string) (f file, err error) {
	path, who, _ := strings.Cut(word, "#")
	byName := map[string][]line{}
	for no, text := range input.Lines(raw) {
		var l line
		if err = input.Strict(text, &l); err == nil {
			err = l.check()
		}
		if err != nil {
			return f, fmt.Errorf("%s:%d: this is no recorded answer: %w", path, no, err)
		}
		of := l.Judge
		if what == anAuthor {
			of = l.Author
		}
		if of != "" {
			byName[of] = append(byName[of], l)
		}
	}
	names := slices.Sorted(maps.Keys(byName))
	if who == "" && len(names) == 1 {
		who = names[0]
	}
	mine := byName[who]
	switch {
	case len(names) == 0:
		return f, fmt.Errorf("%s holds no answers of %s", path, what)
	case mine == nil:
		return f, fmt.Errorf("%s holds answers of %s: say whose are meant, recorded:%s#NAME", path, strings.Join(names, ", "), path)
	}
	last := &mine[len(mine)-1]
	return file{filepath.Base(path), shadow.AuthorRef{Name: name, Model: shadow.Model{Model: last.Model, Family: last.Family}}, mine}, nil
}

// Judge answers from a file. It is safe for concurrent use.
type Judge struct {
	file
	votes map[place]shadow.Vote
}

type place struct{ bundle, question string }

// OpenJudge reads the judge of a file, FILE or FILE#NAME, which reports call
// name.
func OpenJudge(word, name string) (*Judge, error) {
	f, err := open(word, name, aJudge)
	return newJudge(f), err
}

// ParseJudge is [OpenJudge] of a file's bytes.
func ParseJudge(path string, raw []byte, name string) (*Judge, error) {
	f, err := parse(path, raw, name, aJudge)
	return newJudge(f), err
}

func newJudge(f file) *Judge {
	j := &Judge{f, map[place]shadow.Vote{}}
	for _, l := range f.lines {
		j.votes[place{l.Bundle, l.Question}] = shadow.Vote{Judge: f.ref.Name, Outcome: l.Outcome, Quote: l.Quote, Actual: l.Actual}
	}
	return j
}

// Ref names who answers, and the model that answered.
func (f *file) Ref() shadow.AuthorRef { return f.ref }

// Recorded says that no control question can be put to the judge.
func (j *Judge) Recorded() bool { return true }

// Vote is the recorded vote, admitted as any other.
func (j *Judge) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	v, ok := j.votes[place{bundleDigest(q.Bundle), question(q)}]
	if !ok {
		return shadow.NoVote(j.ref.Name, "%s has no answer to this question about this bundle: record it again", j.base), ctx.Err()
	}
	return q.Admit(v), ctx.Err()
}

// Author answers from a file.
type Author struct {
	file
	drafts map[string]line                          // by the domain's digest
	expect map[string]map[string]shadow.Expectation // by the run's
}

// OpenAuthor reads the author of a file, FILE or FILE#NAME, which envelopes call
// name.
func OpenAuthor(word, name string) (*Author, error) {
	f, err := open(word, name, anAuthor)
	a := &Author{f, map[string]line{}, map[string]map[string]shadow.Expectation{}}
	for _, l := range f.lines {
		if l.Run != "" {
			a.expect[l.Run] = l.Expect
		} else {
			a.drafts[l.Domain] = l
		}
	}
	return a, err
}

// Write gives what is recorded for each domain.
func (a *Author) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := map[string]shadow.Draft{}
	for i := range o.Decomposition.Domains {
		dom := &o.Decomposition.Domains[i]
		l, ok := a.drafts[domainDigest(o.Decomposition, dom)]
		if !ok {
			l.Refused = []string{a.base + " has no answer for this assignment: record it again"}
		}
		drafts[dom.Domain] = shadow.Draft{Criteria: l.Criteria, Refused: l.Refused}
	}
	return drafts, nil
}

// Expect gives what is recorded of the run's requirements.
func (a *Author) Expect(_ context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	table, ok := a.expect[runDigest(d)]
	if !ok {
		return nil, fmt.Errorf("%s does not say what is expected of the requirements of this run", a.base)
	}
	return table, nil
}

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

// Judge is a judge whose votes are recorded, but for those on control questions, which
// are of one bundle in one run.
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

// Reachable is that of the judge, as a panel asks for it.
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
func (r *Recorder) Author(a shadow.Reader) shadow.Reader { return recordingAuthor{a, r} }

type recordingAuthor struct {
	shadow.Reader
	to *Recorder
}

// line begins one of the author's.
func (a recordingAuthor) line() line {
	ref := a.Ref()
	return line{Author: ref.Name, Model: ref.Model.Model, Family: ref.Family}
}

func (a recordingAuthor) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts, err := a.Reader.Write(ctx, o)
	for i := range o.Decomposition.Domains {
		dom := &o.Decomposition.Domains[i]
		if d := drafts[dom.Domain]; len(d.Criteria) > 0 {
			l := a.line()
			l.Domain, l.Criteria, l.Refused = domainDigest(o.Decomposition, dom), d.Criteria, d.Refused
			a.to.write(l)
		}
	}
	return drafts, err
}

func (a recordingAuthor) Expect(ctx context.Context, d *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	table, err := a.Reader.Expect(ctx, d)
	if err == nil {
		l := a.line()
		l.Run, l.Expect = runDigest(d), table
		a.to.write(l)
	}
	return table, err
}
