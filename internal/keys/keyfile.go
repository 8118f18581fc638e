package keys

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Set is the keys of a file, of one kind or of both. It is kept as text, in
// lines:
//
//	# a comment
//	SX…                  a curve seed; the first one seals, all of them open
//	lost: ID             a public curve key or a key id that is gone for good
//	-----BEGIN …         a PEM block: the Ed25519 key that signs (PRIVATE KEY),
//	                     and those that signed before it (PUBLIC KEY)
type Set struct {
	text    []byte
	seeds   []nkeys.KeyPair
	signing ed25519.PrivateKey // nil if there is none
	private []byte             // its block in the text
	signed  []ed25519.PublicKey
	lost    []string
}

// ReadPublic reads the signing keys of a file, the newest first. A file with only public
// keys is enough, and others may read it.
func ReadPublic(file string) ([]ed25519.PublicKey, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	k, err := parse(file, text)
	if err == nil && len(k.Public()) == 0 {
		err = fmt.Errorf("%s holds no PUBLIC KEY", file)
	}
	if err != nil {
		return nil, err
	}
	return k.Public(), nil
}

// parse reads the text of a file. Its errors name the line and show nothing of
// it: it may be a secret, if not one of ours.
func parse(file string, text []byte) (*Set, error) {
	k := &Set{text: text}
	for no := 1; len(text) > 0; no++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasPrefix(line, []byte("-----BEGIN ")) {
			block, after := pem.Decode(text)
			// It passes over what it cannot read, seeds too, up to a block that it can.
			if block == nil || bytes.Count(text[:len(text)-len(after)], []byte("-----BEGIN ")) > 1 {
				return nil, fmt.Errorf("%s:%d: a PEM block that does not end, or is damaged", file, no)
			}
			if err := k.block(block); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, no, err)
			}
			if block.Type == "PRIVATE KEY" {
				k.private = text[:len(text)-len(after)]
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
func (k *Set) line(s string) string {
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
	public, err := key.PublicKey()
	if err != nil {
		return "this is no curve seed (SX…)"
	}
	if slices.Contains(k.IDs(Envelope), public) {
		return "the seed is there twice"
	}
	k.seeds = append(k.seeds, key)
	return ""
}

func (k *Set) block(b *pem.Block) error {
	key, err := attest.ParseBlock(b)
	switch key := key.(type) {
	case ed25519.PublicKey:
		k.signed = append(k.signed, key)
	case ed25519.PrivateKey:
		if k.signing != nil {
			return errors.New("a second PRIVATE KEY: of a key that signs no more, the PUBLIC KEY is enough")
		}
		k.signing = key
	}
	return err
}

// has reports whether k holds a secret of the kind.
func (k *Set) has(kind Kind) bool {
	return kind == Envelope && len(k.seeds) > 0 || kind == Signing && k.signing != nil
}

// IDs are the public names of the keys of a kind, the one in use first: public
// curve keys, or the ids of signing keys.
func (k *Set) IDs(kind Kind) (ids []string) {
	if kind == Envelope {
		for _, key := range k.seeds {
			public, _ := key.PublicKey() // line has asked for it
			ids = append(ids, public)
		}
		return ids
	}
	for _, public := range k.Public() {
		ids = append(ids, attest.KeyID(public))
	}
	return ids
}

// Public are the signing keys that reports can be checked with, the one that
// signs first.
func (k *Set) Public() []ed25519.PublicKey {
	var all []ed25519.PublicKey
	if k.signing != nil {
		all = append(all, k.signing.Public().(ed25519.PublicKey))
	}
	return append(all, k.signed...)
}

// Ring makes the key of the seeds, the first of which seals. There must be one.
func (k *Set) Ring() *shadow.Ring { return shadow.NewRing(k.seeds[0], k.seeds[1:]...) }

// Signer signs with the signing key. There must be one.
func (k *Set) Signer() *attest.Signer { return attest.NewSigner(k.signing) }

// fresh is the text of a new key of a kind.
func fresh(kind Kind) ([]byte, error) {
	if kind == Signing {
		_, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			return nil, err
		}
		return attest.PrivatePEM(private), nil
	}
	kp, err := nkeys.CreateCurveKeys()
	if err != nil {
		return nil, err
	}
	seed, err := kp.Seed()
	return append(seed, '\n'), err
}
