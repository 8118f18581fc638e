package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/service"
)

// honest are the services of the wall's tests, each run by the user of its
// name. A question is "sealed question for USER: …", so that whoever hears one
// can be told from whom it is for.
type honest struct {
	mu      sync.Mutex
	strange []string // what reached a service and is no question for it
	// reply gets where the reply to a question with "hold" goes, and the
	// service answers once it can send on answer.
	reply  chan string
	answer chan struct{}
}

const secret = "sealed question for "

// serve starts a service for each judge and author among the users.
func (w *walled) serve() {
	w.t.Helper()
	w.honest = &honest{reply: make(chan string, 1000), answer: make(chan struct{}, 1000)}
	for _, u := range w.users {
		if u.Service() == "" {
			continue
		}
		nc := w.connect(u.Name)
		_, err := micro.AddService(nc, micro.Config{
			Name: layout.ServiceName(u.Role, u.Service()), Version: "1.2.3", Metadata: map[string]string{"model": "m-1"},
			Endpoint: &micro.EndpointConfig{Subject: layout.ServiceSubject(u.Role, u.Service()), Handler: w.honest.of(u.Name)},
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			w.t.Fatal(err)
		}
		if err := nc.LastError(); err != nil {
			w.t.Fatalf("%s may not serve: %v", u.Name, err)
		}
	}
}

func (h *honest) of(name string) micro.HandlerFunc {
	return func(r micro.Request) {
		if !strings.HasPrefix(string(r.Data()), secret+name) {
			h.mu.Lock()
			h.strange = append(h.strange, fmt.Sprintf("%s was asked %.100q", name, r.Data()))
			h.mu.Unlock()
		}
		if strings.Contains(string(r.Data()), "hold") {
			h.reply <- r.Reply()
			<-h.answer
		}
		_ = r.Respond([]byte("answer of " + name))
	}
}

// consult has shadowd ask every service, and look who it is.
func (w *walled) consult() {
	w.t.Helper()
	operator := w.connect("operator")
	defer operator.Close()
	for _, u := range w.users {
		if u.Service() == "" {
			continue
		}
		if got := w.question(operator, u.Name); got != "answer of "+u.Name {
			w.t.Errorf("%s says %q", u.Name, got)
		}
		info, err := service.Find(w.t.Context(), operator, u.Role, u.Service())
		if err != nil || info.Version != "1.2.3" || info.Metadata["model"] != "m-1" {
			w.t.Errorf("%s is %+v, %v", u.Name, info, err)
		}
	}
	w.honest.mu.Lock()
	defer w.honest.mu.Unlock()
	for _, s := range w.honest.strange {
		w.t.Error(s)
	}
}

func (w *walled) question(operator *nats.Conn, name string) string {
	m, err := operator.Request(w.subjectOf(name), []byte(secret+name), patience)
	if err != nil {
		return err.Error()
	}
	return string(m.Data)
}

func (w *walled) subjectOf(name string) string {
	for _, u := range w.users {
		if u.Name == name {
			return layout.ServiceSubject(u.Role, u.Service())
		}
	}
	return ""
}

// serviceAttacks are those on judges and authors, and those by them.
func serviceAttacks() []attack {
	var all []attack
	listening := []string{"shadow.judge.strict", "shadow.judge.*", "shadow.>", "$SRV.INFO.judge-strict", "$SRV.PING", "$SRV.>", ">", "_INBOX_operator.>", "_R_.>"}
	for by := range beyond {
		if by == "judge-strict" {
			continue
		}
		for _, subject := range listening {
			for _, queue := range []string{"", micro.DefaultQueueGroup} {
				name := fmt.Sprintf("answer on %s in queue group %q", subject, queue)
				all = append(all, attack{by, name, subject == "shadow.judge.strict" || subject == "$SRV.INFO.judge-strict",
					func(w *walled, nc *nats.Conn) string { return impersonate(w, nc, subject, queue) }})
			}
		}
		all = append(all, attack{by, "forge a reply", true, forgeReply})
	}
	for _, by := range []string{"judge-kind", "author-legal"} {
		all = append(all, attack{by, "reply with more than a reply", true, poisonReply})
	}
	return all
}

// impersonate answers what it hears while shadowd asks a judge.
func impersonate(w *walled, nc *nats.Conn, subject, queue string) string {
	heard := make(chan string, 1000)
	_, err := nc.QueueSubscribe(subject, queue, func(m *nats.Msg) {
		if strings.Contains(string(m.Data), secret+"judge-strict") {
			heard <- m.Subject
		}
		_ = m.Respond([]byte("forged"))
	})
	if err != nil || nc.Flush() != nil {
		return ""
	}
	operator := w.connect("operator")
	defer operator.Close()
	for range 3 {
		if got := w.question(operator, "judge-strict"); got != "answer of judge-strict" {
			return "its reply through: " + got
		}
		if info, err := service.Find(w.t.Context(), operator, layout.RoleJudge, "strict"); err != nil || info.Version != "1.2.3" {
			return fmt.Sprintf("the judge mistaken: %+v, %v", info, err)
		}
	}
	if nc.Flush() == nil && len(heard) > 0 {
		return "a question on " + <-heard
	}
	return ""
}

// forgeReply knows where a judge's reply goes, at either end of the door, and
// sends one before the judge does.
func forgeReply(w *walled, nc *nats.Conn) string {
	operator := w.connect("operator")
	defer operator.Close()
	inbox := "_INBOX_operator.reply-to-strict"
	sub, err := operator.SubscribeSync(inbox)
	if err != nil {
		return err.Error()
	}
	if err := operator.PublishRequest("shadow.judge.strict", inbox, []byte(secret+"judge-strict: hold")); err != nil {
		return err.Error()
	}
	if err := operator.Flush(); err != nil {
		return err.Error()
	}
	var door string
	select {
	case door = <-w.honest.reply:
	case <-time.After(patience):
		return "the question away from the judge"
	}
	for _, subject := range []string{door, inbox} {
		_ = nc.Publish(subject, []byte("forged"))
		_ = nc.PublishRequest("shadow.judge.strict", subject, []byte(secret+"judge-strict"))
	}
	_ = nc.FlushTimeout(time.Second)
	w.honest.answer <- struct{}{}
	m, err := sub.NextMsg(patience)
	if err != nil || string(m.Data) != "answer of judge-strict" {
		return fmt.Sprintf("%v, %+v", err, m)
	}
	return ""
}

// poisonReply is a service that answers with all that a message can carry.
func poisonReply(w *walled, nc *nats.Conn) string {
	name := nc.Opts.InboxPrefix[len("_INBOX_"):]
	targets := []string{kvKey, "swarm.gap-report.run-1.two.0", "$JS.API.STREAM.PURGE.OUT", "shadow.judge.strict"}
	done := make(chan struct{}, 100)
	_, err := nc.Subscribe(w.subjectOf(name), func(m *nats.Msg) {
		for _, target := range targets {
			_ = nc.PublishMsg(&nats.Msg{Subject: m.Reply, Reply: target, Data: []byte("{}"), Header: nats.Header{"Nats-Trace-Dest": {target}}})
			_ = nc.PublishMsg(&nats.Msg{Subject: target, Data: []byte("{}")})
		}
		done <- struct{}{}
	})
	if err != nil || nc.Flush() != nil {
		return "no subscription of its own"
	}
	operator := w.connect("operator")
	defer operator.Close()
	// The operator's server may not know of the subscription yet.
	for end := time.After(patience); ; {
		_ = w.question(operator, name)
		select {
		case <-done:
			_ = nc.Flush()
			return ""
		case <-end:
			return "no question of its own"
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// asksItself says whether a subject is one of the attacker's own service, which
// it may well ask.
func asksItself(by, subject string) bool {
	role, own, _ := strings.Cut(by, "-")
	if role != string(layout.RoleJudge) && role != string(layout.RoleAuthor) {
		return false
	}
	u := layout.User{Name: by, Role: layout.Role(role)}
	return own != "" && slices.Contains(append(u.ServiceSubjects(), "$SRV.PING", "$SRV.INFO"), subject)
}

// Without users whoever connects is anonymous. None of them hears a question or
// can answer it, even where shadowd asks.
func TestNoServicesInDevelopmentMode(t *testing.T) {
	s, err := broker.Start(broker.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Shutdown)
	own, err := s.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	anonymous, err := nats.Connect(s.ClientURL(), nats.Timeout(patience), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer anonymous.Close()
	for _, subject := range []string{"shadow.judge.strict", "shadow.>", ">", "$SRV.>"} {
		if _, err := anonymous.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond([]byte("forged")) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := anonymous.Flush(); err != nil {
		t.Fatal(err)
	}
	if m, err := own.Request("shadow.judge.strict", []byte(secret), patience); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("%v, %+v", err, m)
	}
	if _, err := service.Find(t.Context(), own, layout.RoleJudge, "strict"); !errors.Is(err, service.ErrNone) {
		t.Error(err)
	}
	if layout.Serves(s.Users(), layout.RoleJudge, "strict") {
		t.Error("somebody serves")
	}
}
