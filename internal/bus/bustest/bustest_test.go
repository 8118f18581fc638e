package bustest

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func stream(t *testing.T, js jetstream.JetStream, replicas int) jetstream.Stream {
	t.Helper()
	s, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func count(t *testing.T, s jetstream.Stream) uint64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

func TestServerKeepsWhatItStores(t *testing.T) {
	b := Server(t)
	_, js := b.Connect(t)
	s := stream(t, js, 1)
	if _, err := js.Publish(t.Context(), "s.a", nil); err != nil {
		t.Fatal(err)
	}
	url := b.URL()
	b.Stop()
	b.Start(t)
	if b.URL() != url {
		t.Errorf("the server moved from %s to %s", url, b.URL())
	}
	WaitFor(t, "the message after a restart", func() bool {
		info, err := s.Info(t.Context())
		return err == nil && info.State.Msgs == 1
	})
}

func TestFaulty(t *testing.T) {
	b := Server(t)
	_, js := b.Connect(t)
	s := stream(t, js, 1)
	p := NewFaulty(js)
	for _, c := range []struct {
		subject string
		fault   Fault
		fails   bool
		stored  uint64
	}{
		{"s.a", None, false, 1},
		{"s.b", Lost, true, 1},
		{"s.c", Unreported, true, 2},
	} {
		p.Plan(func(m *nats.Msg) Fault {
			if m.Subject == c.subject {
				return c.fault
			}
			return None
		})
		_, err := p.PublishMsg(context.Background(), nats.NewMsg(c.subject))
		if errors.Is(err, ErrInjected) != c.fails || count(t, s) != c.stored {
			t.Errorf("%s: error %v, %d stored, want %d", c.subject, err, count(t, s), c.stored)
		}
	}
	if p.Hits() != 2 {
		t.Errorf("%d publishes failed, want 2", p.Hits())
	}
}

func TestClusterSurvivesItsLeader(t *testing.T) {
	nodes := Cluster(t, 3)
	_, js := nodes.Connect(t)
	s := stream(t, js, 3)
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range nodes {
		if b.Server().Name() == info.Cluster.Leader {
			b.Stop()
		}
	}
	WaitFor(t, "a publish through the remaining nodes", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), deadline/20)
		defer cancel()
		_, err := js.Publish(ctx, "s.a", nil)
		return err == nil
	})
	WaitFor(t, "the message to be counted", func() bool {
		info, err := s.Info(t.Context())
		return err == nil && info.State.Msgs >= 1
	})
}
