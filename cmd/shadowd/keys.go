package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/nats-io/nkeys"
)

// envelopeKey reads the curve key that envelopes are encrypted to. sealedBy is
// the public key that sealed the newest envelope on the bus, or empty: a
// daemon with another one could judge none of the runs that are under way.
//
// Where the configuration names no file, the key is in the data directory and
// created there once. A named file that is missing is an error, since a typing
// mistake must not lock every envelope away.
func envelopeKey(c *Config, sealedBy string) (key nkeys.KeyPair, created bool, err error) {
	file := c.envelopeKeyFile()
	const restore = "restore the key from its backup, or point keys.envelope at the key of the other daemons on this bus"
	seed, err := readSecret(file)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case c.Keys.Envelope != "":
			return nil, false, usageError(fmt.Errorf("keys.envelope: %w", err), "name the file with the curve seed, or leave keys.envelope empty to have one created in bus.data_dir")
		case sealedBy != "":
			return nil, false, failed(fmt.Errorf("envelope key: %s is missing, and the bus holds envelopes sealed by %s", file, sealedBy), restore)
		}
		created = true
		seed, err = createKey(file, nkeys.CreateCurveKeys)
	}
	if err != nil {
		return nil, false, fmt.Errorf("envelope key: %w", err)
	}
	defer wipe(seed)
	key, err = nkeys.FromCurveSeed(bytes.TrimSpace(seed))
	if err != nil {
		return nil, false, fmt.Errorf("envelope key: %s holds no curve seed (SX…): %w", file, err)
	}
	if public, err := key.PublicKey(); err != nil {
		return nil, false, fmt.Errorf("envelope key: %w", err)
	} else if sealedBy != "" && public != sealedBy {
		return nil, false, failed(fmt.Errorf("envelope key: %s holds %s, but the newest envelope on the bus was sealed by %s", file, public, sealedBy), restore)
	}
	return key, created, nil
}

// readSecret reads a file that nobody but its owner may read.
func readSecret(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" { // which has no such modes
		return nil, fmt.Errorf("%s has mode %04o, others can read it: chmod 600 it", file, mode)
	}
	return os.ReadFile(file)
}

// createKey stores the seed of a new key. It is written beside the file and then
// linked to its name, so that two daemons that start at once agree on one and
// a crash leaves no half a key.
func createKey(file string, create func() (nkeys.KeyPair, error)) ([]byte, error) {
	kp, err := create()
	if err != nil {
		return nil, err
	}
	defer kp.Wipe()
	seed, err := kp.Seed()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(append(seed, '\n')); err != nil {
		return nil, errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readSecret(file)
}

func wipe(b []byte) {
	for i := range b {
		b[i] = 0
	}
}
