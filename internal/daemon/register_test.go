package daemon

import (
	"encoding/json"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/swarmspeed/shadowd/internal/config"
)

// TestRegister: the operator finds the daemon among the services, and nobody else
// does.
func TestRegister(t *testing.T) {
	cfg := config.Default()
	cfg.Bus.Listen, cfg.Bus.DataDir = "", t.TempDir()
	p, err := NewOffline(cfg, nil, nil, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Start(t.Context(), p, slog.New(slog.DiscardHandler), "v1.2.3", false)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := d.server.Conn()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := nc.Request("$SRV.INFO."+serviceName, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var info micro.Info
	if err := json.Unmarshal(reply.Data, &info); err != nil || info.Version != "1.2.3" || info.Metadata["prefix"] != "swarm" {
		t.Errorf("%v %s", err, reply.Data)
	}
	nc.Close()
	anyone, err := d.server.ConnAs(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer anyone.Close()
	if reply, err := anyone.Request("$SRV.INFO."+serviceName, nil, 200*time.Millisecond); err == nil {
		t.Errorf("somebody beyond the wall is told %s", reply.Data)
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
}

func TestSemantic(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.4-0.20261122-e8e3b32": "1.2.4-0.20261122-e8e3b32", "devel": "0.0.0", "v1": "0.0.0"} {
		if got := semantic(version); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}
