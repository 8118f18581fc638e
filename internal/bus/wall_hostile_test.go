package bus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/service"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestAnswersOfOtherQuestions: an answer is one to its own question, and only
// as long as that is open. A judge that answers late, twice, at once with
// others or with more than it may has at most the one vote that it was asked
// for.
func TestAnswersOfOtherQuestions(t *testing.T) {
	w := newWalled(t)
	strict, kind := w.connect("judge-strict"), w.connect("judge-kind")
	questions := make(chan *nats.Msg, 10)
	if _, err := strict.Subscribe("shadow.judge.strict", func(m *nats.Msg) { questions <- m }); err != nil {
		t.Fatal(err)
	}
	if err := strict.Flush(); err != nil {
		t.Fatal(err)
	}
	judge := func(timeout time.Duration) *service.Judge {
		return service.NewJudge(w.connect("operator"), service.Config{Name: "strict", Service: "strict", Timeout: timeout})
	}
	vote := func(outcome shadow.Outcome) []byte {
		return fmt.Appendf(nil, `{"outcome":%q,"quote":"It returns 429.","actual":"nothing","model":"m"}`, outcome)
	}
	late := vote(shadow.Passed)
	if v, err := judge(100*time.Millisecond).Vote(t.Context(), limitQuestion()); err == nil || v.Outcome != shadow.Undecided {
		t.Fatalf("no answer: %+v, %v", v, err)
	}
	old := []string{(<-questions).Reply}
	patientJudge := judge(time.Minute)
	for _, c := range []struct {
		name   string
		answer func(to *nats.Msg)
		want   string
	}{
		{"late ones, then two of its own", func(m *nats.Msg) {
			_ = m.Respond(vote(shadow.Failed))
			_ = m.Respond(late)
		}, "failed"},
		{"a colleague's, then its own", func(m *nats.Msg) {
			for _, nc := range []*nats.Conn{kind, strict} {
				_ = nc.Publish("shadow.judge.strict", late)
			}
			_ = kind.Publish(m.Reply, late)
			_ = kind.Flush()
			_ = m.Respond(vote(shadow.Failed))
		}, "failed"},
		{"the word that nobody is there, to be asked again", func(m *nats.Msg) {
			_ = m.RespondMsg(&nats.Msg{Header: nats.Header{"Status": {"503"}}})
			_ = (<-questions).Respond(vote(shadow.Failed))
		}, "failed"},
		{"more than a reply may have", func(m *nats.Msg) {
			_ = m.Respond([]byte(`{"outcome":"passed","model":"m","x":` + strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19-100) + "}"))
		}, "undecided"},
	} {
		voted := make(chan shadow.Vote)
		go func() {
			v, _ := patientJudge.Vote(t.Context(), limitQuestion())
			voted <- v
		}()
		m := <-questions
		for _, reply := range old {
			_ = strict.Publish(reply, late)
			_ = kind.Publish(reply, late)
		}
		c.answer(m)
		old = append(old, m.Reply)
		if v := <-voted; string(v.Outcome) != c.want {
			t.Errorf("%s: %+v", c.name, v)
		}
		for len(questions) > 0 {
			<-questions
		}
	}
}

// limitQuestion asks whether a bundle says what happens at the limit.
func limitQuestion() *shadow.Question {
	return &shadow.Question{
		RunID: "run-1", Cycle: 1, BundleDigest: "sha256:00",
		Bundle:    &shadow.Bundle{BundleID: "b-1", Domain: "one", CommanderID: "cmd-1", Content: "# Limits\n\nIt returns 429.", Summary: "done"},
		Domain:    &shadow.Domain{Domain: "one", CommanderID: "cmd-1", TaskBrief: "limit", SubTasks: []string{"a"}},
		Criterion: &shadow.Criterion{ID: "sc-01", Category: shadow.EdgeCase, Assertion: "It says what happens at the limit", Expected: "429"},
	}
}
