package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/config"
)

// TestSigningKey: a key is created once, and never where the bus holds
// attestations of another one.
func TestSigningKey(t *testing.T) {
	c := config.Default()
	c.Bus.DataDir = filepath.Join(t.TempDir(), "data")
	first, created, err := signingKey(c, "")
	if err != nil || !created {
		t.Fatalf("the first start: created %v, %v", created, err)
	}
	file := c.SigningKeyFile()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
	k, err := readKeys(file)
	if err != nil {
		t.Fatal(err)
	}
	id := k.signers()[0]
	if again, created, err := signingKey(c, id); err != nil || created || !again.Equal(first) {
		t.Errorf("the second start: created %v, %v", created, err)
	}

	const foreign = "sha256:00"
	if _, _, err := signingKey(c, foreign); err == nil || !strings.Contains(err.Error(), foreign) {
		t.Errorf("attestations of another key: %v", err)
	}
	k.lost = append(k.lost, foreign)
	rewrite(t, c, k)
	if _, _, err := signingKey(c, foreign); err != nil {
		t.Errorf("attestations of a key that is known to be lost: %v", err)
	}
	if err := placeOf(c, signingKind).renew(k); err != nil {
		t.Fatal(err)
	}
	rewrite(t, c, k)
	if key, _, err := signingKey(c, id); err != nil || key.Equal(first) {
		t.Errorf("after a rotation: %v", err)
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := signingKey(c, id); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("the key is gone: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a new key was created over attestations of another one")
	}
}

func rewrite(t *testing.T, c *config.Config, k *keyFile) {
	t.Helper()
	if err := placeOf(c, signingKind).store(k, replaceSecret); err != nil {
		t.Fatal(err)
	}
}

// TestParseKeys: what is wrong with a file is said by line, and nothing of it
// is shown.
func TestParseKeys(t *testing.T) {
	seed, err := newSeed()
	if err != nil {
		t.Fatal(err)
	}
	private, err := newSigning()
	if err != nil {
		t.Fatal(err)
	}
	pem, err := (&keyFile{signing: private}).signingText()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"prose", "hunter2", "f:1: this is no curve seed"},
		{"a public key where a seed belongs", "# x\n\nXB5OTXZMPQXQBWYYYHSWMRJTQVPWJZSSJ4CPCTZWZGGQXZDTMBOOHWAE", "f:3: this is no curve seed"},
		{"twice", seed + "\n" + seed, "f:2: the seed is there twice"},
		{"two that sign", string(pem) + string(pem), "f:4: a second PRIVATE KEY"},
		{"behind a block", string(pem) + "hunter2", "f:4: this is no curve seed"},
		{"cut off", string(pem[:60]), "f:1: a PEM block that does not end"},
		{"another kind", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "f:1: not an Ed25519 key: a block \"CERTIFICATE\""},
		{"another algorithm", ecKey, "f:1: not an Ed25519 key but *ecdsa.PublicKey"},
	} {
		_, err := parseKeys("f", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), seed) {
			t.Errorf("%s: the error shows the content: %v", c.name, err)
		}
	}
}

const ecKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9
q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==
-----END PUBLIC KEY-----
`

// FuzzKeyFile: what is read is written so that it reads the same.
func FuzzKeyFile(f *testing.F) {
	k := &keyFile{}
	c := config.Default()
	for _, p := range keyPlaces(c) {
		for range 2 {
			if err := p.renew(k); err != nil {
				f.Fatal(err)
			}
		}
	}
	signing, err := k.signingText()
	if err != nil {
		f.Fatal(err)
	}
	both := append(k.envelopeText(), signing...)
	f.Add(both)
	f.Add(append([]byte(exportHead), both...))
	f.Add([]byte("lost: sha256:00\nlost: XB\n" + ecKey))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\n-----BEGIN PUBLIC KEY-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := parseKeys("f", bytes.Clone(text))
		if err != nil {
			return
		}
		signing, err := k.signingText()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseKeys("again", append(k.envelopeText(), signing...))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		signed, err := again.signingText()
		if err != nil || !bytes.Equal(signed, signing) || !bytes.Equal(again.envelopeText(), k.envelopeText()) {
			t.Errorf("it reads otherwise: %v", err)
		}
	})
}
