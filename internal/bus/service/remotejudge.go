package service

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// Judge is a judge that answers on the bus, one request a question.
type Judge struct{ *client }

// NewJudge makes the judge that answers on shadow.judge.<service>. It
// asks nobody yet.
func NewJudge(nc *nats.Conn, c Config) *Judge {
	// One short pause only: the bundle waits.
	pauses := []time.Duration{500 * time.Millisecond}
	return &Judge{&client{nc: nc, role: layout.RoleJudge, cfg: c, pauses: pauses}}
}

// judgeRequest is what a judge is asked: about a criterion or about an item. It
// never holds the check, the material, the decoy or another criterion.
type judgeRequest struct {
	Version   int             `json:"version"`
	RunID     string          `json:"run_id"`
	Domain    string          `json:"domain"`
	BundleID  string          `json:"bundle_id"`
	Cycle     int             `json:"cycle"`
	Criterion *askedCriterion `json:"criterion,omitempty"`
	Item      *shadow.Item    `json:"item,omitempty"`
	Task      *askedTask      `json:"task,omitempty"`
	Bundle    askedBundle     `json:"bundle"`
	ReplyKey  string          `json:"reply_key,omitempty"`
}

type askedCriterion struct {
	ID        string          `json:"id"`
	Category  shadow.Category `json:"category"`
	Assertion string          `json:"assertion"`
	Expected  string          `json:"expected"`
}

type askedTask struct {
	Brief        string   `json:"brief,omitempty"`
	SubTasks     []string `json:"sub_tasks,omitempty"`
	Deliverables []string `json:"deliverables,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
}

type askedBundle struct {
	Content   string            `json:"content"`
	Summary   string            `json:"summary,omitempty"`
	Conflicts []shadow.Conflict `json:"conflicts,omitempty"`
}

func newJudgeRequest(q *shadow.Question, replyKey string) judgeRequest {
	b := q.Bundle
	r := judgeRequest{
		Version: version, RunID: q.RunID, Domain: b.Domain, BundleID: b.BundleID, Cycle: q.Cycle,
		Item: q.Item, Bundle: askedBundle{b.Content, b.Summary, b.Conflicts}, ReplyKey: replyKey,
	}
	if c := q.Criterion; c != nil {
		r.Criterion = &askedCriterion{c.ID, c.Category, c.Assertion, c.Expected}
	}
	if d := q.Domain; d != nil {
		r.Task = &askedTask{d.TaskBrief, d.SubTasks, d.Deliverables, d.Constraints}
	}
	return r
}

type judgeReply struct {
	Outcome shadow.Outcome `json:"outcome"`
	Quote   string         `json:"quote"`
	Actual  string         `json:"actual"`
	Why     string         `json:"why"`
	Tokens  int64          `json:"tokens"`
	stated
}

// Vote asks one question. A judge that cannot be reached is an error. A reply
// that cannot be used is no vote. Why says the reason in both cases. Why may
// quote the judge, an error never does.
func (j *Judge) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	began := time.Now()
	key, err := j.replyKey()
	var reply *nats.Msg
	if err == nil {
		reply, err = j.request(ctx, newJudgeRequest(q, key))
	}
	var v shadow.Vote
	if err == nil {
		v = j.read(reply)
	} else {
		v = shadow.NoVote(j.cfg.Name, "%v", err)
	}
	v.Judge, v.Calls, v.Millis = j.cfg.Name, 1, time.Since(began).Milliseconds()
	return v, err
}

// read makes a vote of a reply.
func (j *Judge) read(msg *nats.Msg) shadow.Vote {
	var r judgeReply
	if err := j.decode(msg, schemas.JudgeReply, &r); err != nil {
		return shadow.Vote{Outcome: shadow.Undecided, Why: shadow.Printable(err.Error())}
	}
	j.states(r.stated)
	v := shadow.Vote{Outcome: r.Outcome, Quote: r.Quote, Actual: r.Actual, Tokens: r.Tokens}
	if v.Outcome == shadow.Undecided || v.Outcome == shadow.NotApplicable {
		v.Quote, v.Actual, v.Why = "", "", shadow.Printable(r.Why)
	}
	return v
}
