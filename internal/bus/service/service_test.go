package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// aQuestion is one with all its parts.
func aQuestion() *shadow.Question {
	return &shadow.Question{
		RunID: "run-1", Cycle: 1, BundleDigest: "sha256:00",
		Bundle: &shadow.Bundle{BundleID: "b-1", Domain: "one", CommanderID: "cmd-1", Content: "# Limits\n\nIt returns 429.", Summary: "done",
			Conflicts: []shadow.Conflict{{Description: "who", Resolution: "both"}}},
		Domain: &shadow.Domain{Domain: "one", CommanderID: "cmd-1", TaskBrief: "limit", SubTasks: []string{"a"}, Deliverables: []string{"b"}, Constraints: []string{"c"}},
		Criterion: &shadow.Criterion{ID: "sc-01", Category: shadow.EdgeCase, Assertion: "It says what happens at the limit", Expected: "429", Check: "SECRET-CHECK",
			Material: map[string]shadow.Material{"one": {Message: "SECRET-MESSAGE", Data: map[string]any{"x": "SECRET-DATA"}}}, Author: "SECRET-AUTHOR"},
	}
}

func decomposition() *shadow.Decomposition {
	return &shadow.Decomposition{RunID: "run-1", Task: "Build it", Domains: []shadow.Domain{
		{Domain: "one", CommanderID: "cmd-1"}, {Domain: "two", CommanderID: "cmd-2"},
	}}
}

// asked is a service under test on a server of its own.
type asked struct {
	t      testing.TB
	broker *bustest.Broker
	nc     *nats.Conn // shadowd's
	key    nkeys.KeyPair
}

func newAsked(t testing.TB) *asked {
	t.Helper()
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	b := bustest.Plain(t)
	nc, _ := b.Connect(t)
	return &asked{t, b, nc, key}
}

// serve answers with what handle does.
func (a *asked) serve(role layout.Role, handle func(micro.Request)) *nats.Conn {
	a.t.Helper()
	nc, _ := a.broker.Connect(a.t)
	_, err := micro.AddService(nc, micro.Config{
		Name: layout.ServiceName(role, "s"), Version: "1.2.3", Description: "a \x1b[31mservice", Metadata: map[string]string{"model": "m-1", "prompt": "sha256:" + strings.Repeat("a", 64)},
		Endpoint: &micro.EndpointConfig{Subject: layout.ServiceSubject(role, "s"), Handler: micro.HandlerFunc(handle)},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		a.t.Fatal(err)
	}
	return nc
}

func (a *asked) judge(change ...func(*Config)) *Judge {
	a.t.Helper()
	c := Config{Name: "s", Service: "s", Family: "qwen", Key: a.key, Timeout: 10 * time.Second}
	for _, f := range change {
		f(&c)
	}
	j := NewJudge(a.nc, c)
	j.pauses = []time.Duration{time.Millisecond}
	return j
}

func sealed(c *Config) { c.Sealed = true }

const goodVote = `{"outcome":"passed","quote":"It returns 429.","model":"m-2","prompt":"sha256:` + goodDigest + `","tokens":12,"more":true}`
const goodDigest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// sealTo is a reply sealed with a key made for it.
func sealTo(t testing.TB, to, reply string) []byte {
	t.Helper()
	own, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	public, err := own.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	box, err := own.Seal([]byte(reply), to)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"sealed_by":%q,"box":%q}`, public, base64.StdEncoding.EncodeToString(box))
}

func replyKeyOf(t testing.TB, r micro.Request) string {
	var q struct {
		ReplyKey string `json:"reply_key"`
	}
	if err := json.Unmarshal(r.Data(), &q); err != nil {
		t.Error(err)
	}
	return q.ReplyKey
}

// A judge is asked what its schema says and no more, and its vote comes back.
func TestServiceJudge(t *testing.T) {
	a := newAsked(t)
	var request []byte
	a.serve(layout.RoleJudge, func(r micro.Request) {
		request = r.Data()
		_ = r.Respond([]byte(goodVote))
	})
	j := a.judge(func(c *Config) { c.Name = "strict" })
	q := aQuestion()
	v, err := j.Vote(t.Context(), q)
	if err != nil || v.Judge != "strict" || v.Outcome != shadow.Passed || v.Quote != "It returns 429." || v.Tokens != 12 || v.Calls != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if v := q.Admit(v); v.Outcome != shadow.Passed {
		t.Errorf("not admitted: %+v", v)
	}
	want := shadow.AuthorRef{Name: "strict", Model: shadow.Model{Model: "m-2", Family: "qwen"}, Prompt: "sha256:" + goodDigest}
	if j.Ref() != want {
		t.Errorf("it is %+v", j.Ref())
	}
	if err := schemas.Validate(schemas.JudgeRequest, request); err != nil {
		t.Errorf("the request is none: %v", err)
	}
	if strings.Contains(string(request), "SECRET") || strings.Contains(string(request), "cmd-1") {
		t.Errorf("the request says too much: %s", request)
	}
	// Every field that the schema has is used.
	for _, field := range []string{`"limit"`, `"a"`, `"b"`, `"c"`, `"who"`, `"both"`, `"cycle":1`, `"done"`, `"sc-01"`, `"edge_case"`, `"version":1`, `"reply_key":"X`} {
		if !strings.Contains(string(request), field) {
			t.Errorf("the request lacks %s: %s", field, request)
		}
	}
	q.Domain, q.Bundle.Conflicts = nil, nil
	if _, err := j.Vote(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(schemas.JudgeRequest, request); err != nil {
		t.Errorf("the shortest request is none: %v", err)
	}
}

// A question about an item holds the item and no criterion.
func TestServiceJudgeItem(t *testing.T) {
	a := newAsked(t)
	var request []byte
	reply := goodVote
	a.serve(layout.RoleJudge, func(r micro.Request) {
		request = r.Data()
		_ = r.Respond([]byte(reply))
	})
	q := aQuestion()
	q.Criterion, q.Item = nil, &shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.Deliverable, Index: 2}, Text: "A page on limits"}
	v, err := a.judge().Vote(t.Context(), q)
	if err != nil || q.Admit(v).Outcome != shadow.Passed {
		t.Errorf("%+v, %v", v, err)
	}
	if err := schemas.Validate(schemas.JudgeRequest, request); err != nil {
		t.Errorf("the request is none: %v", err)
	}
	if !strings.Contains(string(request), `"item":{"kind":"deliverable","index":2,"text":"A page on limits"}`) || strings.Contains(string(request), "criterion") {
		t.Errorf("the request is %s", request)
	}
	// An item is always applicable, and a criterion need not be.
	reply = `{"outcome":"not_applicable","quote":"x","why":"The task has no limits.","model":"m-2"}`
	if v, err := a.judge().Vote(t.Context(), q); err != nil || q.Admit(v).Outcome != shadow.Undecided {
		t.Errorf("%+v, %v", v, err)
	}
	q = aQuestion()
	if v, err := a.judge().Vote(t.Context(), q); err != nil || q.Admit(v).Outcome != shadow.NotApplicable || v.Why != "The task has no limits." {
		t.Errorf("%+v, %v", v, err)
	}
	// A request about both or about nothing is none.
	for _, text := range []string{`{"version":1,"run_id":"r","domain":"d","bundle_id":"b","cycle":0,"bundle":{"content":"x"}}`,
		`{"version":1,"run_id":"r","domain":"d","bundle_id":"b","cycle":0,"bundle":{"content":"x"},"item":{"kind":"sub_task","index":0,"text":"x"},"criterion":{"id":"sc-01","category":"edge_case","assertion":"x","expected":"y"}}`} {
		if err := schemas.Validate(schemas.JudgeRequest, []byte(text)); err == nil {
			t.Errorf("%s is a request", text)
		}
	}
}

// Whatever comes back that is no reply is no vote, for a reason in one line.
func TestServiceJudgeFaults(t *testing.T) {
	other, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	otherKey, err := other.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	say := func(s string) func(micro.Request) {
		return func(r micro.Request) { _ = r.Respond([]byte(s)) }
	}
	for _, c := range []struct {
		name   string
		handle func(micro.Request)
		change func(*Config)
		want   string // empty: a vote
	}{
		{"plain", say(goodVote), nil, ""},
		{"sealed", func(r micro.Request) { _ = r.Respond(sealTo(t, replyKeyOf(t, r), goodVote)) }, nil, ""},
		{"sealed as it must be", func(r micro.Request) { _ = r.Respond(sealTo(t, replyKeyOf(t, r), goodVote)) }, sealed, ""},
		{"two replies", func(r micro.Request) { _ = r.Respond([]byte(goodVote)); _ = r.Respond([]byte(`{"outcome":"failed"}`)) }, nil, ""},
		{"not sealed", say(goodVote), sealed, "its reply is not sealed, and has to be"},
		{"sealed to another", func(r micro.Request) { _ = r.Respond(sealTo(t, otherKey, goodVote)) }, sealed, "its reply does not open"},
		{"sealed without need, and no key", func(r micro.Request) { _ = r.Respond(sealTo(t, otherKey, goodVote)) }, func(c *Config) { c.Key = nil }, "there is no key to open it with"},
		{"a box of garbage", say(`{"sealed_by":"` + otherKey + `","box":"eGt2MWdhcmJhZ2U="}`), nil, "its reply does not open"},
		{"sealed garbage", func(r micro.Request) { _ = r.Respond(sealTo(t, replyKeyOf(t, r), "garbage")) }, sealed, "its reply is no judge-reply: not JSON"},
		{"sealed in a seal", func(r micro.Request) {
			k := replyKeyOf(t, r)
			_ = r.Respond(sealTo(t, k, string(sealTo(t, k, goodVote))))
		}, sealed, "its reply is no judge-reply"},
		{"an error", func(r micro.Request) { _ = r.Error("429", "slow\x1b[31m\ndown", []byte(goodVote)) }, nil, "it answers with an error: 429 slow [31m down"},
		{"nothing", say(""), nil, "its reply is no judge-reply: the data is empty"},
		{"garbage", say("\xff\x00"), nil, "not JSON at byte 1"},
		{"cut", say(goodVote[:40]), nil, "not JSON"},
		{"two values", say(goodVote + goodVote), nil, "not JSON"},
		{"a list", say("[" + goodVote + "]"), nil, "must be object"},
		{"no outcome", say(`{"model":"m"}`), nil, "/outcome: is missing"},
		{"another word", say(`{"outcome":"PASS","model":"m"}`), nil, `/outcome: "PASS" is none of`},
		{"an outcome twice", say(`{"outcome":"failed","outcome":"passed","model":"m","quote":"It returns 429."}`), nil, "outcome"},
		{"no model", say(`{"outcome":"passed","quote":"It returns 429."}`), nil, "/model: is missing"},
		{"negative tokens", say(`{"outcome":"failed","actual":"x","model":"m","tokens":-1}`), nil, "/tokens"},
		{"over-long", say(`{"outcome":"failed","actual":"` + strings.Repeat("x", 3000) + `","model":"m"}`), nil, "/actual: has 3000 characters"},
		{"far too long", say(strings.Repeat(" ", maxReply) + goodVote), nil, "more than 1048576"},
		{"undecided", say(`{"outcome":"undecided","why":"two\nlines","model":"m"}`), nil, "two lines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAsked(t)
			if strings.HasPrefix(c.name, "far") {
				a = newAskedWith(t, func(o *server.Options) { o.MaxPayload = 8 << 20 })
			}
			a.serve(layout.RoleJudge, c.handle)
			j := a.judge()
			if c.change != nil {
				j = a.judge(c.change)
			}
			v, err := j.Vote(t.Context(), aQuestion())
			if err != nil {
				t.Fatalf("an error: %v", err)
			}
			if c.want == "" {
				if v.Outcome != shadow.Passed || v.Why != "" {
					t.Errorf("%+v", v)
				}
				return
			}
			if v.Outcome != shadow.Undecided || v.Quote != "" || v.Actual != "" || !strings.Contains(v.Why, c.want) || v.Why != shadow.Printable(v.Why) {
				t.Errorf("%+v", v)
			}
		})
	}
}

func newAskedWith(t testing.TB, change func(*server.Options)) *asked {
	a := newAsked(t)
	a.broker = bustest.ServerWith(t, "debug: false", change)
	a.nc, _ = a.broker.Connect(t)
	return a
}

// A judge that cannot be reached is an error that quotes nothing.
func TestServiceUnreachable(t *testing.T) {
	a := newAsked(t)
	j := a.judge()
	if v, err := j.Vote(t.Context(), aQuestion()); !errors.Is(err, ErrNone) || v.Outcome != shadow.Undecided || !strings.Contains(v.Why, "shadow.judge.s: nobody answers") {
		t.Errorf("nobody there: %+v, %v", v, err)
	}
	if _, err := Find(t.Context(), a.nc, layout.RoleJudge, "s"); !errors.Is(err, ErrNone) {
		t.Errorf("nobody there is found: %v", err)
	}

	release := make(chan struct{})
	slow := a.serve(layout.RoleJudge, func(r micro.Request) { <-release })
	hasty := a.judge(func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if v, err := hasty.Vote(t.Context(), aQuestion()); err == nil || !strings.Contains(v.Why, "no reply within 50ms") {
		t.Errorf("slow: %+v, %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Vote(ctx, aQuestion()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	close(release)
	slow.Close()

	a = newAskedWith(t, func(o *server.Options) { o.MaxPayload = 1000 })
	a.serve(layout.RoleJudge, func(r micro.Request) { _ = r.Respond([]byte(goodVote)) })
	q := aQuestion()
	q.Bundle.Content = strings.Repeat("x", 2000)
	if v, err := a.judge().Vote(t.Context(), q); err == nil || !strings.Contains(v.Why, "and the bus takes 1000 at most") || strings.Contains(v.Why, "xxx") {
		t.Errorf("too large: %+v, %v", v, err)
	}

	a.nc.Close()
	if v, err := a.judge().Vote(t.Context(), aQuestion()); err == nil || v.Outcome != shadow.Undecided {
		t.Errorf("closed: %+v, %v", v, err)
	}
}

// A question that is asked while the bus is away is put once it is back, and so
// is one that is asked while the service is.
func TestServiceComesBack(t *testing.T) {
	a := newAsked(t)
	service := a.serve(layout.RoleJudge, func(r micro.Request) { _ = r.Respond([]byte(goodVote)) })
	j := a.judge()
	a.broker.Stop()
	bustest.WaitFor(t, "the connection to be lost", func() bool { return a.nc.IsReconnecting() && service.IsReconnecting() })
	a.broker.Start(t)
	bustest.WaitFor(t, "a vote", func() bool {
		v, _ := j.Vote(t.Context(), aQuestion())
		return v.Outcome == shadow.Passed
	})

	service.Close()
	// Until the server has noticed, it hands questions to the one that is gone.
	bustest.WaitFor(t, "the service to be gone", func() bool {
		_, err := a.nc.Request(layout.ServiceSubject(layout.RoleJudge, "s"), nil, 100*time.Millisecond)
		return errors.Is(err, nats.ErrNoResponders)
	})
	j.pauses = slices.Repeat([]time.Duration{time.Millisecond}, 10_000)
	voted := make(chan shadow.Vote)
	go func() {
		v, _ := j.Vote(context.Background(), aQuestion())
		voted <- v
	}()
	a.serve(layout.RoleJudge, func(r micro.Request) { _ = r.Respond([]byte(goodVote)) })
	if v := <-voted; v.Outcome != shadow.Passed {
		t.Errorf("%+v", v)
	}
}

// What a service says about itself is fit to print.
func TestFind(t *testing.T) {
	a := newAsked(t)
	a.serve(layout.RoleJudge, func(r micro.Request) {})
	info, err := Find(t.Context(), a.nc, layout.RoleJudge, "s")
	if err != nil || info.String() != "version 1.2.3, a  [31mservice, model=m-1, prompt=sha256:"+strings.Repeat("a", 64) {
		t.Errorf("%s, %v", info, err)
	}
	for data, want := range map[string]string{
		`{}`: "something else", `garbage`: "something else",
		`{"type":"io.nats.micro.v1.info_response","endpoints":[{"subject":"shadow.judge.other"}]}`: "none of its 1 endpoints has the subject shadow.judge.s",
	} {
		if _, err := readInfo([]byte(data), "shadow.judge.s"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// FuzzServiceReply: whatever a service replies, a vote is whole or none, and
// the reason is fit to print.
func FuzzServiceReply(f *testing.F) {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		f.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{goodVote, goodCriteria, `{"outcome":"undecided","why":null,"model":"m","tokens":null}`, "", "null", string(sealTo(f, public, goodVote))} {
		f.Add([]byte(s), false, "")
		f.Add([]byte(s), true, "400")
	}
	q := aQuestion()
	f.Fuzz(func(t *testing.T, data []byte, mustSeal bool, code string) {
		for _, role := range []layout.Role{layout.RoleJudge, layout.RoleAuthor} {
			s := &client{role: role, cfg: Config{Service: "s", Key: key, Sealed: mustSeal, Logger: slog.New(slog.DiscardHandler)}}
			msg := &nats.Msg{Data: data}
			if code != "" {
				msg.Header = nats.Header{micro.ErrorCodeHeader: {code}}
			}
			if role == layout.RoleAuthor {
				_, _ = (&Author{s}).criteria(msg, decomposition()) // it must not panic
				continue
			}
			v := (&Judge{s}).read(msg)
			if v.Outcome == shadow.Undecided && (v.Why != shadow.Printable(v.Why) || v.Quote+v.Actual != "") {
				t.Errorf("%+v", v)
			}
			if code != "" && v.Outcome != shadow.Undecided || mustSeal && v.Outcome != shadow.Undecided && !strings.Contains(string(data), "box") {
				t.Errorf("%+v", v)
			}
			q.Admit(v)
		}
	})
}
