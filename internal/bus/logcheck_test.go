package bus

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// checkLog audits a log whose inputs have all been processed, and holds its
// reports against the public schema. It returns how many outputs of each name
// there are.
func checkLog(t testing.TB, store *layout.Store, key nkeys.KeyPair) map[string]int {
	t.Helper()
	log := bustest.Must(readLog(t.Context(), store.Subjects, store.JS, key))
	// Every event has its outcome.
	log.Floor = audit.Floor{Events: math.MaxUint64}
	for _, f := range auditLog(log, nil).Findings {
		if f.Severity == audit.Error || f.Code == audit.CopyRejected {
			t.Errorf("%+v", f)
		}
	}
	public := publicSchema(t)
	count := map[string]int{}
	for _, m := range append(log.Out, log.In...) {
		if m.Stream == layout.StreamIn && m.Name != shadow.EnvelopeSealed {
			continue
		}
		count[m.Name]++
		if public == nil || m.Name != shadow.GapReport || bytes.Contains(m.Data, []byte(`"completeness"`)) {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Data))
		if err == nil {
			err = public.Validate(doc)
		}
		if err != nil {
			t.Errorf("%s breaks the public schema: %v", m.Subject, err)
		}
	}
	return count
}

// checked waits until all has its outcome, and checks the log as [checkLog] does.
func (r *rig) checked() map[string]int {
	r.t.Helper()
	r.settle()
	return checkLog(r.t, r.store, r.cfg.Key)
}

func readAll(t testing.TB, s jetstream.Stream) map[string][]*jetstream.RawStreamMsg {
	t.Helper()
	info := bustest.Must(s.Info(context.Background()))
	all := map[string][]*jetstream.RawStreamMsg{}
	for seq := max(info.State.FirstSeq, 1); seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(context.Background(), seq)
		if err != nil {
			continue // somebody removed it
		}
		all[m.Subject] = append(all[m.Subject], m)
	}
	return all
}

// publicSchema is the Shadow Score Spec's own schema of reports.
func publicSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "conformance", "shadow-report.schema.json")
	if _, err := os.Stat(file); err != nil {
		t.Logf("the public schema is not here, reports are held against our own only: %v", err)
		return nil
	}
	return bustest.Must(jsonschema.NewCompiler().Compile(file))
}
