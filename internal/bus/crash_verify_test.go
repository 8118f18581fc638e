package bus

import (
	"crypto/ed25519"
	"encoding/pem"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// verify reads the whole log: nothing acknowledged is gone, each run is sealed and
// scored once, and the audit, signatures included, finds nothing amiss. No run may be
// open.
func (k *killing) verify(js jetstream.JetStream) {
	t, ctx := k.t, k.t.Context()
	key := readKey(t, k.in.keyFile())
	defer key.Wipe()
	store := bustest.Must(layout.Ensure(ctx, layout.Subjects{}, js, layout.StorageConfig{}))
	if err := k.swarm.kept(ctx, store); err != nil {
		t.Error(err)
	}
	got := checkLog(t, store, key)
	runs, domains := len(k.swarm.run), 0
	for _, d := range k.swarm.run {
		domains += len(d.Domains)
	}
	if got[shadow.EnvelopeSealed] != runs || got[shadow.RunScored] != runs || got[shadow.DomainSettled] != domains || got[shadow.GapReport] != domains+got[shadow.HardeningRequest] {
		t.Errorf("%d runs of %d domains, and in the log %v", runs, domains, got)
	}
	log := bustest.Must(readLog(ctx, layout.Subjects{}, js, key))
	if len(log.Envelopes) != runs {
		t.Errorf("%d envelopes for %d runs", len(log.Envelopes), runs)
	}
	log.Signers, log.Floor = []ed25519.PublicKey{k.signedBy()}, audit.Floor{Events: math.MaxUint64, Runs: math.MaxUint64}
	if a := auditLog(log, nil); a.Errors > 0 {
		t.Errorf("with signatures the audit finds %+v", a.Findings)
	}
	t.Logf("in the log: %v", got)
}

// signedBy is the public part of the daemon's signing key.
func (k *killing) signedBy() ed25519.PublicKey {
	k.t.Helper()
	text := bustest.Must(os.ReadFile(filepath.Join(k.in.dir, "signing.pem")))
	block, _ := pem.Decode(text)
	private, err := attest.ParseBlock(block)
	bustest.OK(k.t, err)
	return private.(ed25519.PrivateKey).Public().(ed25519.PublicKey)
}

func readKey(t testing.TB, file string) nkeys.KeyPair {
	t.Helper()
	seed := bustest.Must(os.ReadFile(file))
	key, err := nkeys.FromCurveSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return key
}
