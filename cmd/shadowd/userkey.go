package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nkeys"
)

// userKey is the public key of a user, by the files of a directory: NAME.nk
// with the seed or, where that is kept elsewhere, NAME.pub. If neither is
// there, both are created.
func userKey(dir, name string) (public string, created bool, err error) {
	nk, pub := filepath.Join(dir, name+".nk"), filepath.Join(dir, name+".pub")
	seed, err := readSecret(nk)
	if errors.Is(err, fs.ErrNotExist) {
		text, err := os.ReadFile(pub)
		if err == nil {
			public = string(bytes.TrimSpace(text))
			if !nkeys.IsValidPublicUserKey(public) {
				return "", false, fmt.Errorf("%s holds no public key of a user (U…)", pub)
			}
			return public, false, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", false, err
		}
		created = true
		if seed, err = createKey(nk, nkeys.CreateUser); err != nil {
			return "", false, err
		}
	} else if err != nil {
		return "", false, err
	}
	defer wipe(seed)
	if public, err = publicKey(seed); err != nil {
		return "", false, fmt.Errorf("%s: %w", nk, err)
	}
	if created {
		err = os.WriteFile(pub, []byte(public+"\n"), 0o644)
	}
	return public, created, err
}
