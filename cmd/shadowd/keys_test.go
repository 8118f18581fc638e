package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/config"
)

// TestEnvelopeKey: a key is created once, and never where the bus holds
// envelopes of another one.
func TestEnvelopeKey(t *testing.T) {
	c := config.Default()
	c.Bus.DataDir = filepath.Join(t.TempDir(), "data")
	first, created, err := envelopeKey(c, "")
	if err != nil || !created {
		t.Fatalf("the first start: created %v, %v", created, err)
	}
	public, err := first.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.Bus.DataDir, "envelope.nk")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
	again, created, err := envelopeKey(c, public)
	if err != nil || created {
		t.Fatalf("the second start: created %v, %v", created, err)
	}
	if p, _ := again.PublicKey(); p != public {
		t.Errorf("the second start has key %s, the first had %s", p, public)
	}

	other, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := envelopeKey(c, foreign); err == nil || !strings.Contains(err.Error(), foreign) {
		t.Errorf("envelopes of another key: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := envelopeKey(c, public); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("the key is gone: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a new key was created over envelopes of another one")
	}
	if err := os.WriteFile(file, []byte("SUAB"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := envelopeKey(c, ""); err == nil || !strings.Contains(err.Error(), "no curve seed") {
		t.Errorf("a file that holds none: %v", err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := envelopeKey(c, ""); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}
