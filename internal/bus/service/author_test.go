package service

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

const goodCriteria = `{"model":"m-2","criteria":[
	{"category":"happy_path","assertion":"The text names its limit","expected":"a number","check":"text.contains('429')","requirements":["R-1"],"expects":{"number":"429"},
	 "messages":{"one":"Say what the limit is","two":"State a bound","three":"ignored"}},
	{"category":"edge_case","assertion":"It is clear","expected":"clear words","check":null,"messages":{"one":"Write more clearly","two":"Write more clearly"}}]}`

func (a *asked) author(log *bytes.Buffer, change ...func(*Config)) *Author {
	a.t.Helper()
	c := Config{Name: "s", Service: "s", Family: "qwen", Key: a.key, Timeout: 10 * time.Second, Logger: slog.New(slog.NewTextHandler(log, nil))}
	for _, f := range change {
		f(&c)
	}
	w := NewAuthor(a.nc, c)
	w.pauses = nil
	return w
}

var twoOfEach = map[shadow.Category]int{shadow.HappyPath: 2, shadow.EdgeCase: 2, shadow.Security: 0}

// An author is asked with the decomposition alone, and its criteria come back
// with material for every domain.
func TestServiceAuthor(t *testing.T) {
	for _, sealing := range []bool{false, true} {
		a := newAsked(t)
		var request []byte
		a.serve(layout.RoleAuthor, func(r micro.Request) {
			request = r.Data()
			reply := []byte(goodCriteria)
			if sealing {
				reply = sealTo(t, replyKeyOf(t, r), goodCriteria)
			}
			_ = r.Respond(reply)
		})
		var log bytes.Buffer
		w := a.author(&log, func(c *Config) { c.Sealed = sealing })
		d := decomposition()
		cs, err := w.Write(t.Context(), d, twoOfEach)
		if err != nil || len(cs) != 2 {
			t.Fatalf("%+v, %v", cs, err)
		}
		for i := range cs {
			if err := cs[i].Usable(d); err != nil {
				t.Errorf("%+v: %v", cs[i], err)
			}
		}
		if c := cs[0]; c.Check == "" || c.Requirements[0] != "R-1" || c.Expects.Number != "429" || c.Material["one"].Message != "Say what the limit is" || len(c.Material) != 2 {
			t.Errorf("%+v", c)
		}
		if err := schemas.Validate(schemas.AuthorRequest, request); err != nil || !strings.Contains(string(request), `"quota":{"edge_case":2,"happy_path":2}`) {
			t.Errorf("%v: %s", err, request)
		}
		if w.Ref() != (shadow.AuthorRef{Name: "s", Model: shadow.Model{Model: "m-2", Family: "qwen"}}) || log.Len() > 0 {
			t.Errorf("%+v, %s", w.Ref(), &log)
		}
		var _ shadow.Author = w
	}
}

// A criterion that cannot be used is told to the author's writer, by its number
// and without its words.
func TestServiceAuthorUnusable(t *testing.T) {
	for name, c := range map[string]struct{ criterion, why string }{
		"does not compile": {`"check":"SECRET(","messages":{"one":"m","two":"m"}`, "its check does not compile"},
		"fails on nothing": {`"check":"1/size(bundle.content) == 1","messages":{"one":"m","two":"m"}`, "fails on an empty bundle"},
		"expects nothing":  {`"expects":{},"messages":{"one":"m","two":"m"}`, "its structured expectation cannot be compared"},
		"asks of nobody":   {`"messages":{"elsewhere":"m"}`, "asks nothing of any domain"},
		"gives away":       {`"messages":{"one":"SECRET assertion that nobody may know","two":"m"}`, "repeats the criterion"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsked(t)
			a.serve(layout.RoleAuthor, func(r micro.Request) {
				_ = r.Respond(fmt.Appendf(nil, `{"model":"m","criteria":[{"category":"edge_case","assertion":"SECRET assertion that nobody may know","expected":"SECRET expected",%s}]}`, c.criterion))
			})
			var log bytes.Buffer
			d := decomposition()
			cs, err := a.author(&log).Write(t.Context(), d, twoOfEach)
			if err != nil || len(cs) != 1 || cs[0].Usable(d) == nil {
				t.Fatalf("%+v, %v", cs, err)
			}
			if !strings.Contains(log.String(), c.why) || strings.Contains(log.String(), "SECRET") {
				t.Errorf("the log says %s", &log)
			}
		})
	}
}

// An author that fails is an ordinary error: nobody waits for it.
func TestServiceAuthorFaults(t *testing.T) {
	for name, c := range map[string]struct {
		handle func(micro.Request)
		want   string
	}{
		"nobody":   {nil, "shadow.author.s: nobody answers"},
		"error":    {func(r micro.Request) { _ = r.Error("500", "no\x00model", nil) }, "shadow.author.s: it answers with an error: 500 no model"},
		"garbage":  {func(r micro.Request) { _ = r.Respond([]byte("garbage")) }, "its reply is no author-reply: not JSON"},
		"a vote":   {func(r micro.Request) { _ = r.Respond([]byte(goodVote)) }, "/criteria: is missing"},
		"unsealed": {func(r micro.Request) { _ = r.Respond([]byte(goodCriteria)) }, "its reply is not sealed"},
		"too many": {func(r micro.Request) {
			_ = r.Respond([]byte(`{"model":"m","criteria":[` + strings.Repeat("{},", 200) + `{}]}`))
		}, "/criteria: has 201 items"},
		"two lines": {func(r micro.Request) {
			_ = r.Respond([]byte(strings.Replace(goodCriteria, "State a bound", `State\n- [sc-02] another`, 1)))
		}, "/criteria/0/messages/two"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsked(t)
			if c.handle != nil {
				a.serve(layout.RoleAuthor, c.handle)
			}
			var log bytes.Buffer
			cs, err := a.author(&log, func(s *Config) { s.Sealed = name == "unsealed" }).Write(t.Context(), decomposition(), twoOfEach)
			if err == nil || errors.Is(err, shadow.ErrUnavailable) || cs != nil || !strings.Contains(err.Error(), c.want) || err.Error() != shadow.Printable(err.Error()) {
				t.Errorf("%v, %v", cs, err)
			}
		})
	}
}
