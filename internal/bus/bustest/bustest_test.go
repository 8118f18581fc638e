package bustest

import (
	"context"
	"testing"

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
