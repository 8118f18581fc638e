package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nkeys"
)

// User is the public key (U…) of a user of the bus whose seed is in a file. The
// key is created where there is no file.
func User(file string) (public string, created bool, err error) {
	public, err = PublicUser(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return public, false, err
	}
	kp, err := nkeys.CreateUser()
	if err != nil {
		return "", false, err
	}
	defer kp.Wipe()
	seed, err := kp.Seed()
	if err != nil {
		return "", false, err
	}
	defer clear(seed)
	if err := createSecret(file, append(seed, '\n')); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", false, err
	}
	public, err = PublicUser(file) // of who was first
	return public, true, err
}

// PublicUser is the public key of the user whose seed is in a file. A file that
// ends in .pub has the public key itself.
func PublicUser(file string) (string, error) {
	if strings.HasSuffix(file, ".pub") {
		return readPublic(file)
	}
	seed, err := ReadSecret(file)
	if err != nil {
		return "", err
	}
	defer clear(seed)
	kp, err := nkeys.ParseDecoratedUserNKey(seed)
	if err != nil {
		return "", fmt.Errorf("%s: it holds no user seed (SU…)", file)
	}
	defer kp.Wipe()
	return kp.PublicKey()
}

// NamedUser is the public key of a user, by the files of a directory: NAME.nk
// with the seed or, where that is kept elsewhere, NAME.pub. Where neither is
// there, both are created.
func NamedUser(dir, name string) (public string, created bool, err error) {
	nk, pub := filepath.Join(dir, name+".nk"), filepath.Join(dir, name+".pub")
	if _, err := os.Stat(nk); errors.Is(err, fs.ErrNotExist) {
		if public, err = readPublic(pub); !errors.Is(err, fs.ErrNotExist) {
			return public, false, err
		}
	}
	public, created, err = User(nk)
	if _, none := os.Stat(pub); err == nil && errors.Is(none, fs.ErrNotExist) {
		err = os.WriteFile(pub, []byte(public+"\n"), 0o644)
	}
	return public, created, err
}

func readPublic(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	public := string(bytes.TrimSpace(text))
	if !nkeys.IsValidPublicUserKey(public) {
		return "", fmt.Errorf("%s holds no public key of a user (U…)", file)
	}
	return public, nil
}
