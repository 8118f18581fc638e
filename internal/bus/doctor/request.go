package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// request is one that was sent.
type request struct {
	tried, subject string
	wanted         bool
	shows          string // what an answer has to hold to count; empty if any counts
	answers        chan *nats.Msg
	sub            *nats.Subscription
}

// request sends a request. Its answer, whatever it says, shows that the request
// has arrived where it should or should not.
func (x *examination) request(tried, subject, body string, header nats.Header, wanted bool) *request {
	r := &request{tried: tried, subject: subject, wanted: wanted, answers: make(chan *nats.Msg, 16)}
	x.asked = append(x.asked, r)
	inbox := x.nc.NewInbox()
	var err error
	if r.sub, err = x.nc.ChanSubscribe(inbox, r.answers); err == nil {
		err = x.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox, Data: []byte(body), Header: header})
	}
	if err != nil {
		x.err = errors.Join(x.err, fmt.Errorf("examining as %s: %s: %w", x.user.Name, tried, err))
	}
	return r
}

// collect waits for the answers to all requests together.
func (x *examination) collect() {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	for _, r := range x.asked {
		m := x.answer(ctx, r)
		_ = r.sub.Unsubscribe()
		note := ""
		if m != nil && r.wanted && strings.Contains(string(m.Data), "not found") {
			note = notYet
		}
		x.add(r.tried, r.wanted, m != nil && strings.Contains(string(m.Data), r.shows), note)
	}
	x.asked = nil
}

// answer gives what answered a request, or nil if it was refused, nobody was
// there, or ctx ends.
func (x *examination) answer(ctx context.Context, r *request) *nats.Msg {
	refused := x.refusal(r.subject)
	var second <-chan time.Time // fires when no second answer came
	for {
		select {
		case m := <-r.answers:
			if isAnswer(m) {
				return m
			}
			if m.Header.Get("Status") != "" {
				return nil
			}
			second = time.After(secondWait)
		case <-refused:
			return nil
		case <-second:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// refuse notes what the server refuses.
func (x *examination) refuse(_ *nats.Conn, _ *nats.Subscription, err error) {
	if _, after, found := strings.Cut(err.Error(), `Publish to "`); errors.Is(err, nats.ErrPermissionViolation) && found {
		subject, _, _ := strings.Cut(after, `"`)
		c := x.refusal(subject)
		select {
		case <-c: // it was refused before
		default:
			close(c)
		}
	}
}

// refusal is closed once requests on a subject are refused.
func (x *examination) refusal(subject string) chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.refused[subject] == nil {
		x.refused[subject] = make(chan struct{})
	}
	return x.refused[subject]
}

// isAnswer tells an answer of JetStream from the word that nobody is there, or
// that this account has no JetStream.
func isAnswer(m *nats.Msg) bool {
	if m.Header.Get("Status") == "503" {
		return false
	}
	var answer struct {
		Error struct {
			Code int `json:"err_code"`
		} `json:"error"`
	}
	const notEnabled, notEnabledForAccount = 10076, 10039
	err := json.Unmarshal(m.Data, &answer)
	return err != nil || answer.Error.Code != notEnabled && answer.Error.Code != notEnabledForAccount
}
