package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// keyFile is what a file with keys holds: that of the envelope key, that of
// the signing key, or an export of both. It is text, in lines:
//
//	# a comment
//	SX…                  a curve seed; the first one seals, all of them open
//	lost: ID             a public curve key or a key id that is gone for good
//	-----BEGIN …         a PEM block: the Ed25519 key that signs (PRIVATE KEY),
//	                     and those that signed before it (PUBLIC KEY)
type keyFile struct {
	seeds   []string
	signing ed25519.PrivateKey // nil if there is none
	signed  []ed25519.PublicKey
	lost    []string
}

// readKeys reads a file with keys that nobody but its owner may read.
func readKeys(file string) (*keyFile, error) {
	text, err := readSecret(file)
	if err != nil {
		return nil, err
	}
	defer wipe(text)
	return parseKeys(file, text)
}

// parseKeys reads the text of a file. Its errors name the line and show
// nothing of it: it may be a secret, if not one of ours.
func parseKeys(file string, text []byte) (*keyFile, error) {
	k := &keyFile{}
	for no := 1; len(text) > 0; no++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasPrefix(line, []byte("-----BEGIN ")) {
			block, after := pem.Decode(text)
			if block == nil {
				return nil, fmt.Errorf("%s:%d: a PEM block that does not end, or is damaged", file, no)
			}
			if err := k.block(block); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, no, err)
			}
			no += bytes.Count(text[:len(text)-len(after)], []byte("\n")) - 1
			text = after
			continue
		}
		if problem := k.line(strings.TrimSpace(string(line))); problem != "" {
			return nil, fmt.Errorf("%s:%d: %s", file, no, problem)
		}
		text = rest
	}
	return k, nil
}

// line takes in a line that is no PEM and returns what is wrong with it.
func (k *keyFile) line(s string) string {
	if id, ok := strings.CutPrefix(s, "lost:"); ok {
		k.lost = append(k.lost, strings.TrimSpace(id))
		return ""
	}
	if s == "" || s[0] == '#' {
		return ""
	}
	key, err := nkeys.FromCurveSeed([]byte(s))
	if err != nil {
		return "this is no curve seed (SX…), PEM block, \"lost: ID\" or comment"
	}
	key.Wipe()
	if slices.Contains(k.seeds, s) {
		return "the seed is there twice"
	}
	k.seeds = append(k.seeds, s)
	return ""
}

func (k *keyFile) block(b *pem.Block) error {
	private, public, err := attest.ParseBlock(b)
	if public == nil { // which lies in the block, where a private key does not
		wipe(b.Bytes)
	}
	switch {
	case err != nil:
		return err
	case public != nil:
		k.signed = append(k.signed, public)
	case k.signing != nil:
		return errors.New("a second PRIVATE KEY: of a key that signs no more, the PUBLIC KEY is enough")
	default:
		k.signing = private
	}
	return nil
}

// envelopeText and signingText write the two kinds of keys as they are kept.
// What is lost is with both: the ids tell for themselves.
func (k *keyFile) envelopeText() []byte {
	var b bytes.Buffer
	for _, seed := range k.seeds {
		fmt.Fprintln(&b, seed)
	}
	k.writeLost(&b, func(id string) bool { return !isKeyID(id) })
	return b.Bytes()
}

func (k *keyFile) signingText() ([]byte, error) {
	var b bytes.Buffer
	if k.signing != nil {
		text, err := attest.PrivatePEM(k.signing)
		if err != nil {
			return nil, err
		}
		b.Write(text)
		wipe(text)
	}
	for _, public := range k.signed {
		b.Write(attest.PublicPEM(public))
	}
	k.writeLost(&b, isKeyID)
	return b.Bytes(), nil
}

func (k *keyFile) writeLost(w io.Writer, of func(id string) bool) {
	for _, id := range k.lost {
		if of(id) {
			fmt.Fprintln(w, "lost:", id)
		}
	}
}

// isKeyID tells the id of a signing key from a public curve key.
func isKeyID(id string) bool { return strings.HasPrefix(id, "sha256:") }

// newSeed and newSigning make keys.
func newSeed() (string, error) {
	kp, err := nkeys.CreateCurveKeys()
	if err != nil {
		return "", err
	}
	defer kp.Wipe()
	seed, err := kp.Seed()
	return string(seed), err
}

func newSigning() (ed25519.PrivateKey, error) {
	_, private, err := ed25519.GenerateKey(nil)
	return private, err
}
