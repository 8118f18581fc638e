package bus

import (
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// verify reads the whole log.
func (k *killing) verify(js jetstream.JetStream) {
	t, ctx := k.t, k.t.Context()
	key := readKey(t, k.in.keyFile())
	defer key.Wipe()
	store, err := layout.Ensure(ctx, layout.Subjects{}, js, layout.StorageConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.swarm.kept(ctx, store); err != nil {
		t.Error(err)
	}
	want := map[string]int{}
	for _, d := range k.swarm.run {
		k.verifyRun(store, key, d, want)
	}
	got := checkLog(t, store, key)
	for _, name := range []string{shadow.EnvelopeSealed, shadow.GapReport, shadow.HardeningRequest, shadow.DomainSettled, shadow.RunScored} {
		if got[name] != want[name] {
			t.Errorf("%d of %s, want %d", got[name], name, want[name])
		}
	}
	keys, err := store.Envelopes.ListKeys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	envelopes := 0
	for key := range keys.Keys() {
		if !isReserved("$KV." + layout.BucketEnvelopes + "." + key) {
			envelopes++
		}
	}
	if envelopes != len(k.swarm.run) {
		t.Errorf("%d envelopes for %d runs", envelopes, len(k.swarm.run))
	}
	t.Logf("in the log: %v", got)
}

// signedBy is the public part of the daemon's signing key.
func (k *killing) signedBy() ed25519.PublicKey {
	k.t.Helper()
	text, err := os.ReadFile(filepath.Join(k.in.dir, "signing.pem"))
	if err != nil {
		k.t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	private, _, err := attest.ParseBlock(block)
	if err != nil {
		k.t.Fatal(err)
	}
	return private.Public().(ed25519.PublicKey)
}

// verifySignature checks what is signed of a final report.
func (k *killing) verifySignature(store *layout.Store, subject string, rep *shadow.Report) {
	m, err := store.Out.GetLastMsgForSubject(k.t.Context(), subject)
	if err != nil {
		k.t.Fatal(err)
	}
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err != nil {
		k.t.Fatal(err)
	}
	e, err := attest.FromReport(rep, ev.Data(), cloudevent.SignatureOf(ev))
	if err == nil {
		_, _, err = attest.Open(e, k.signedBy())
	}
	if err != nil {
		k.t.Errorf("the signature of %s: %v", subject, err)
	}
}

// verifyRun checks that a run has all that it should, and adds what that is
// to want.
func (k *killing) verifyRun(store *layout.Store, key nkeys.KeyPair, d *shadow.Decomposition, want map[string]int) {
	t, l := k.t, layout.Subjects{}
	get := func(s jetstream.Stream, subject string, into any) bool {
		m, err := s.GetLastMsgForSubject(t.Context(), subject)
		if err == nil {
			err = json.Unmarshal(eventData(t, m), into)
		}
		if err != nil {
			t.Errorf("%s: %v", subject, err)
		}
		return err == nil
	}
	var c shadow.Commitment
	if get(store.In, l.Commitment(d.RunID), &c) {
		entry, err := store.Envelopes.Get(t.Context(), d.RunID)
		if err != nil {
			t.Fatalf("the envelope of %s: %v", d.RunID, err)
		}
		envelope, err := shadow.Decrypt(entry.Value(), key)
		if err == nil {
			_, err = shadow.NewExam(envelope, &c)
		}
		if err != nil {
			t.Errorf("the envelope of %s is not what was committed to: %v", d.RunID, err)
		}
	}
	want[shadow.EnvelopeSealed]++
	want[shadow.RunScored]++
	want[shadow.DomainSettled] += len(shadow.SettledDomains(d.RunID, d.Domains, time.Time{}))
	finals, stored := make([]*shadow.Report, len(d.Domains)), make([]*shadow.StoredReport, len(d.Domains))
	for i := range d.Domains {
		for cycle := 0; ; cycle++ {
			finals[i] = &shadow.Report{}
			subject := l.GapReport(d.RunID, d.Domains[i].Domain, cycle)
			if !get(store.Out, subject, finals[i]) {
				return
			}
			want[shadow.GapReport]++
			if finals[i].Swarm.Final {
				k.verifySignature(store, subject, finals[i])
				stored[i] = shadow.Stored(finals[i], shadow.Place{})
				break
			}
			want[shadow.HardeningRequest]++
		}
	}
	var sum json.RawMessage
	if get(store.Out, l.RunScored(d.RunID), &sum) {
		again, err := shadow.Encode(shadow.Sum(&c, d.Domains, stored, nil))
		if err != nil || string(again) != string(sum) {
			t.Errorf("run-scored of %s is not what its reports give, %v:\n%s\n%s", d.RunID, err, sum, again)
		}
	}
}
