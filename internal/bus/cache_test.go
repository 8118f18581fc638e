package bus

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

var someVote = shadow.Vote{Judge: "gpt", Outcome: shadow.Passed, Quote: "all about alpha and bravo", Millis: 812, Calls: 2, Tokens: 640}

// A vote is found by its key and no other one, and what is stored tells
// nothing of it.
func TestVoteCache(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t)
	c := NewVoteCache(r.store, r.cfg.Key, slog.New(slog.NewTextHandler(&log, nil)))
	if _, ok := c.Vote(t.Context(), "run-1", "aa"); ok || log.Len() > 0 {
		t.Errorf("a vote that was never kept, or a word about it: %s", &log)
	}
	c.Keep(t.Context(), "run-1", "aa", someVote)
	got, ok := c.Vote(t.Context(), "run-1", "aa")
	if diff := cmp.Diff(someVote, got); !ok || diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, other := range [][2]string{{"run-1", "bb"}, {"run-2", "aa"}} {
		if _, ok := c.Vote(t.Context(), other[0], other[1]); ok {
			t.Errorf("the vote is found as %v", other)
		}
	}
	entry, err := r.store.Votes.Get(t.Context(), "run-1.aa")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(entry.Value()), "alpha") || strings.Contains(string(entry.Value()), "gpt") {
		t.Errorf("stored as %s", entry.Value())
	}
	if log.Len() > 0 {
		t.Errorf("it complains: %s", &log)
	}
	// In another place, changed, or of another key it is none.
	for name, stored := range map[string][]byte{
		"in another's place": entry.Value(), "cut": entry.Value()[:80], "not JSON": []byte("x"), "empty": nil,
		"changed": bytes.Replace(entry.Value(), []byte(`"box":"`), []byte(`"box":"AAAA`), 1),
		"plain":   []byte(`{"place":"run-1.cc","vote":{"outcome":"passed"}}`),
	} {
		if _, err := r.store.Votes.Put(t.Context(), "run-1.cc", stored); err != nil {
			t.Fatal(err)
		}
		if v, ok := c.Vote(t.Context(), "run-1", "cc"); ok {
			t.Errorf("%s: %+v", name, v)
		}
	}
	other, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := NewVoteCache(r.store, other, r.cfg.Logger).Vote(t.Context(), "run-1", "aa"); ok {
		t.Error("another key opens it")
	}
	// A key that was rotated still does.
	if _, ok := NewVoteCache(r.store, shadow.NewRing(other, r.cfg.Key), r.cfg.Logger).Vote(t.Context(), "run-1", "aa"); !ok {
		t.Error("the older key of a ring does not open it")
	}
	if said := log.String(); !strings.Contains(said, "a judge is asked instead") || strings.Contains(said, "alpha") {
		t.Errorf("the log: %s", said)
	}
}

// Without the bucket there is a cache that keeps nothing.
func TestVoteCacheIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := r.js.DeleteKeyValue(t.Context(), layout.BucketVotes); err != nil {
		t.Fatal(err)
	}
	c := NewVoteCache(r.store, r.cfg.Key, r.cfg.Logger)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), ended} {
		c.Keep(ctx, "run-1", "aa", someVote)
		if _, ok := c.Vote(ctx, "run-1", "aa"); ok {
			t.Error("a vote is found")
		}
	}
	// An engine judges without it.
	judges := bench(reads)
	store := r.ensure(r.js)
	if err := r.js.DeleteKeyValue(t.Context(), layout.BucketVotes); err != nil {
		t.Fatal(err)
	}
	cfg := r.cfg
	r.judged(judges)(&cfg)
	r.serve(NewEngine(store, cfg))
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	if s := r.report("run-1", "one", 0).Swarm; s.Score.Failed != 0 || s.Cost.Calls != 7 {
		t.Errorf("%+v", s)
	}
}

// The bucket is made as the others are, but lets go of what is old.
func TestVotesExpire(t *testing.T) {
	r := newRig(t)
	s, err := r.js.Stream(t.Context(), "KV_"+layout.BucketVotes)
	if err != nil {
		t.Fatal(err)
	}
	c := s.CachedInfo().Config
	if c.MaxAge != 24*time.Hour || c.MaxMsgsPerSubject != 1 || c.AllowDirect || c.Storage != jetstream.FileStorage || c.MaxBytes <= 0 || c.Discard != jetstream.DiscardOld {
		t.Errorf("%+v", c)
	}
	// One that an older daemon, or an operator, made smaller is mended.
	c.MaxBytes, c.MaxAge = 1<<20, time.Hour
	if _, err := r.js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	r.ensure(r.js)
	if s, err = r.js.Stream(t.Context(), "KV_"+layout.BucketVotes); err != nil || s.CachedInfo().Config.MaxAge != 24*time.Hour {
		t.Errorf("%+v, %v", s.CachedInfo().Config, err)
	}
	_, err = r.store.Votes.Put(t.Context(), "run-1.big", make([]byte, 65<<10))
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		t.Errorf("a vote of 65 KiB: %v", err)
	}
}
