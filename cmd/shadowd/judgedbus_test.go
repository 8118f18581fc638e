package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// asking writes three criteria for each domain, for judges.
type asking struct{}

func (asking) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "asking", Model: shadow.Model{Family: "rules"}}
}

func (asking) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := map[string]shadow.Draft{}
	for domain := range o.Count {
		var d shadow.Draft
		for i := range 3 {
			d.Criteria = append(d.Criteria, shadow.Material{Category: shadow.EdgeCase, Assertion: fmt.Sprintf("Question %d is answered", i), Expected: fmt.Sprint("an answer to ", i), Basis: "t"})
		}
		drafts[domain] = d
	}
	return drafts, nil
}

// answers is a judge that finds every item, and answers other questions by their
// number: p, f, or anything else for no vote.
type answers struct{ name, letters string }

func (j answers) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: j.name, Model: shadow.Model{Family: j.name}}
}

func (j answers) Vote(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
	if q.Item != nil {
		return shadow.Vote{Outcome: shadow.Passed, Quote: q.Bundle.Content, Calls: 1, Tokens: 10}, nil
	}
	var n int
	if _, err := fmt.Sscanf(q.Criterion.Assertion, "Question %d", &n); err != nil {
		return shadow.Vote{}, err
	}
	switch j.letters[n] {
	case 'p':
		return shadow.Vote{Outcome: shadow.Passed, Quote: q.Bundle.Content, Calls: 1, Tokens: 10}, nil
	case 'f':
		return shadow.Vote{Outcome: shadow.Failed, Actual: "not \x1b[31manswered", Calls: 1, Tokens: 10}, nil
	}
	return shadow.Vote{}, errors.New("out")
}

func panelOfAnswers(letters ...string) *panel.Panel {
	c := panel.Config{Logger: slog.New(slog.DiscardHandler)}
	for i, l := range letters {
		c.Judges = append(c.Judges, answers{fmt.Sprint("judge-", i+1), l})
	}
	return panel.New(c)
}

// judgedBus has a run of two domains: of a, one question is failed and one
// undecided, of b all are passed.
func judgedBus(t *testing.T) (js jetstream.JetStream, env []string) {
	t.Helper()
	broker := bustest.Server(t)
	_, js = broker.Connect(t)
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := key.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "envelope.nk")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.ShadowScoring.Hardening.Enabled = false
	engine := bus.NewEngine(store, bus.Config{
		Settings: cfg.Settings("legacy"), Authors: []shadow.Author{asking{}}, Key: key, Panel: byBundle{panelOfAnswers("pfx", "pfp", "xpf"), panelOfAnswers("ppp")},
		Limits: shadow.Limits{ContentBytes: 1 << 16, WaitingPerRun: 10, SealWait: time.Hour}, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	publish := func(subject, name string, data any) {
		raw, err := json.Marshal(map[string]any{"specversion": "1.0", "id": subject, "source": "/test", "type": shadow.Type(name), "datacontenttype": "application/json", "data": data})
		if err == nil {
			_, err = js.Publish(t.Context(), subject, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	l := layout.Subjects{}
	publish(l.Decomposition("r"), shadow.DecompositionDone, &shadow.Decomposition{RunID: "r", Task: "t", Domains: []shadow.Domain{{Domain: "a", CommanderID: "c1"}, {Domain: "b", CommanderID: "c2"}}})
	stored := func(stream, subject string) {
		s, err := js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		bustest.WaitFor(t, subject, func() bool {
			_, err := s.GetLastMsgForSubject(t.Context(), subject)
			return err == nil
		})
	}
	stored(layout.StreamIn, l.Commitment("r"))
	for domain, commander := range map[string]string{"a": "c1", "b": "c2"} {
		publish(l.Bundle("r", commander), shadow.BundleComplete, map[string]any{"run_id": "r", "bundle_id": "b-" + domain, "domain": domain, "commander_id": commander, "status": "success", "content": "All of " + domain + " is done"})
	}
	stored(layout.StreamOut, l.RunScored("r"))
	stored(layout.StreamOut, l.Quarantined("r", "a"))
	return js, []string{"SHADOWD_BUS_URL=" + broker.URL(), "SHADOWD_ENVELOPE_KEY=" + file, "NO_COLOR=1"}
}

// byBundle asks one panel about domain a and another one about b.
type byBundle struct{ a, b *panel.Panel }

func (p byBundle) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	if qs[0].Bundle.Domain == "a" {
		return p.a.Ask(ctx, qs)
	}
	return p.b.Ask(ctx, qs)
}

// everything is all that is stored, by subject.
func everything(t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for seq := range s.CachedInfo().State.LastSeq {
			if m, err := s.GetMsg(t.Context(), seq+1); err == nil {
				all[m.Subject] = string(m.Data)
			}
		}
	}
	return all
}
