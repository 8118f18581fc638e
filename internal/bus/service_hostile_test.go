package bus

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

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
	judge := func(timeout time.Duration) *ServiceJudge {
		j, err := NewServiceJudge(w.connect("operator"), ServiceConfig{Service: "strict", Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	vote := func(outcome shadow.Outcome) []byte {
		return fmt.Appendf(nil, `{"outcome":%q,"quote":"It returns 429.","actual":"nothing","model":"m"}`, outcome)
	}
	late := vote(shadow.Passed)
	if v, err := judge(100*time.Millisecond).Vote(t.Context(), aQuestion()); err == nil || v.Outcome != shadow.Undecided {
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
			v, _ := patientJudge.Vote(t.Context(), aQuestion())
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

// TestDiscoverIsShort: a service that says more about itself than fits into a
// log is cut short.
func TestDiscoverIsShort(t *testing.T) {
	long := strings.Repeat("é\u202e", 50_000)
	info := micro.Info{Type: micro.InfoResponseType, Endpoints: []micro.EndpointInfo{{Subject: "shadow.judge.s"}}, Description: long}
	info.Metadata = map[string]string{"a": long}
	for i := range 1000 {
		info.Metadata[fmt.Sprint("b", i)] = "x"
	}
	raw, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	found, err := readInfo(raw, "shadow.judge.s")
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(fmt.Sprint(found))); n > 1100 || len([]rune(found.Description+found.Metadata["a"])) > 2100 || len(found.Metadata) > 20 {
		t.Errorf("%d characters, %d and %d, and %d data", n, len(found.Description), len(found.Metadata["a"]), len(found.Metadata))
	}
}
