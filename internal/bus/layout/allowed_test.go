package layout

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// A user who may not use JetStream is told so at once: its requests have no
// answer, and waiting for one would look like a hang.
func TestEnsureAsSomebodyElse(t *testing.T) {
	b := bustest.ServerWith(t, `jetstream {}
	authorization {users: [
		{user: shadowd, password: p, permissions: {publish: {deny: "other"}}}
		{user: sender, password: p, permissions: {publish: "swarm.>", subscribe: "_INBOX.>"}}
		{user: deaf, password: p, permissions: {publish: ">", subscribe: "_INBOX_deaf.>"}}
	]}`)
	for _, name := range []string{"sender", "deaf"} {
		_, js := b.Connect(t, nats.UserInfo(name, "p"))
		_, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{})
		if !errors.Is(err, ErrNotAllowed) || !strings.Contains(err.Error(), "bus.nkey") {
			t.Errorf("%s: %v", name, err)
		}
	}
	nc, js := b.Connect(t, nats.UserInfo("shadowd", "p"))
	// An earlier refusal of something else is none of this.
	if err := errors.Join(nc.Publish("other", nil), nc.Flush()); err != nil || nc.LastError() == nil {
		t.Fatalf("%v, %v", err, nc.LastError())
	}
	if _, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{}); err != nil {
		t.Error(err)
	}
}
