// Package keys keeps shadowd's keys in files: the envelope key, the signing
// key, and those of the users of a bus. It creates and rotates them. Every file has mode 0600, no error shows anything of a
// secret, and no key is ever overwritten but by a rotation, which keeps it.
// A crash leaves the old file or the new one.
//
// It does not protect keys from who can read the files: encrypt the disk.
package keys

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Kind is what a key is for.
type Kind string

// The kinds: envelopes are encrypted to the envelope key, final reports are
// signed with the signing key.
const (
	Envelope Kind = "envelope"
	Signing  Kind = "signing"
)

// Place is where a key is kept.
type Place struct {
	Kind Kind
	file string
	// named: the configuration names the file. A daemon does not create it,
	// since a typing mistake must not lock every envelope away.
	named bool
}

// At is the place of a key: the file that is named, else one in dir.
func At(kind Kind, named, dir string) Place {
	if named != "" {
		return Place{kind, named, true}
	}
	return Place{kind, filepath.Join(dir, map[Kind]string{Envelope: "envelope.nk", Signing: "signing.pem"}[kind]), false}
}

// String names the place for people.
func (p Place) String() string { return p.file }

// Public is [ReadPublic] of the place.
func (p Place) Public() ([]ed25519.PublicKey, error) { return ReadPublic(p.file) }

// Check returns why the key cannot be read, and whether it is missing. Then it is
// created at the first start, unless the configuration names its place.
func (p Place) Check() (missing bool, err error) {
	_, err = p.Read()
	missing = Missing(err)
	if err == nil || missing && !p.named {
		return missing, nil
	}
	what := fmt.Sprintf("restore it from its backup, or name another file in keys.%s", p.Kind)
	switch {
	case errors.Is(err, errShared):
		what = "if somebody may have read it, make a new one as well: shadowd keys rotate " + string(p.Kind)
	case errors.Is(err, fs.ErrPermission):
		what = "give it to the user that runs shadowd"
	case missing:
		what = fmt.Sprintf("name the file, or leave keys.%s empty to have one created in bus.data_dir", p.Kind)
	}
	return missing, hint.Usage(fmt.Errorf("keys.%s: %w", p.Kind, errors.Unwrap(err)), what)
}

// Missing says of an error that a file is not there, whatever is in the place of
// its directory.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Read reads the key. Its error says which key is meant, and is fs.ErrNotExist
// where there is no file.
func (p Place) Read() (k *Set, err error) {
	text, err := ReadSecret(p.file)
	if err == nil {
		k, err = parse(p.file, text)
	}
	if err == nil && !k.has(p.Kind) {
		err = fmt.Errorf("%s holds no %s key", p.file, p.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s key: %w", p.Kind, err)
	}
	return k, nil
}

// Open reads the key for a daemon, and creates it where the configuration
// names no file. last is the id of the key that the bus was claimed for last, or
// empty: without that key runs under way cannot be judged, so its lack is an error.
func (p Place) Open(last string) (k *Set, created bool, err error) {
	restore := fmt.Sprintf("restore the key from its backup, or point keys.%s at the key of the other daemons on this bus; docs/keys.md says what to do if it is lost", p.Kind)
	missing, err := p.Check()
	switch {
	case err != nil:
		return nil, false, err
	case missing && last != "":
		return nil, false, hint.Failed(fmt.Errorf("%s key: %s is missing, and the bus is claimed for %s", p.Kind, p.file, last), restore)
	case missing:
		return p.Create()
	}
	if k, err = p.Read(); err != nil {
		return nil, false, err
	}
	if ids := k.IDs(p.Kind); last != "" && !slices.Contains(ids, last) && !slices.Contains(k.lost, last) {
		return nil, false, hint.Failed(fmt.Errorf("%s key: %s holds %s, but the daemons of this bus use %s", p.Kind, p.file, ids[0], last), restore)
	}
	return k, false, nil
}

// Create stores a new key, or reads the one that is there.
func (p Place) Create() (k *Set, created bool, err error) {
	k, err = p.Read()
	if !errors.Is(err, fs.ErrNotExist) {
		return k, false, err
	}
	text, err := fresh(p.Kind)
	if err == nil {
		err = createSecret(p.file, text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, false, fmt.Errorf("storing the %s key: %w", p.Kind, err)
	}
	created = err == nil // else another daemon was first
	k, err = p.Read()
	return k, created, err
}

// Rotate puts a new key in front of what is there. All that stands in the file
// stays: keys of the other kind, ids that are lost, comments. Only of the key
// that signed until then the public part alone is kept.
func (p Place) Rotate() (*Set, error) {
	old, err := p.Read()
	if err != nil {
		return nil, err
	}
	all, err := fresh(p.Kind)
	if err != nil {
		return nil, fmt.Errorf("making the new key: %w", err)
	}
	rest := old.text
	if p.Kind == Signing {
		rest = bytes.Replace(rest, old.private, attest.PublicPEM(old.Public()[0]), 1)
	}
	all = append(all, rest...)
	k, err := parse(p.file, all)
	if err == nil {
		err = replaceSecret(p.file, all)
	}
	if err != nil {
		return nil, fmt.Errorf("storing the %s key: %w", p.Kind, err)
	}
	return k, nil
}
