package keys

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nats-io/nkeys"
)

// maxFile bounds a file with keys in bytes: several hundred of them.
const maxFile = 64 << 10

// errShared says that a file with a secret is not its owner's alone.
var errShared = errors.New("others can read it")

// ReadSecret reads a file that nobody but its owner may read; it is an error
// if others can. A file of root may also be readable by its group.
func ReadSecret(file string) ([]byte, error) {
	// Before it is opened: a named pipe would wait for somebody to write.
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: a secret is read again and again, so it has to stay where it is", file)
	}
	f, err := os.Open(file)
	if to, linked := os.Readlink(file); linked == nil && errors.Is(err, fs.ErrNotExist) {
		// A volume may not be mounted yet. A key that is made meanwhile would be another one.
		return nil, fmt.Errorf("%s is a link to %s, which is not there: put that file back, or remove the link", file, to)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && !private(mode, owner(info), os.Getuid()) { // which has no such modes
		return nil, fmt.Errorf("%s has mode %04o, %w: chmod 600 it", file, mode, errShared)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d KiB, so it is no file with keys", file, maxFile>>10)
	}
	return text, err
}

// FirstLine is the first line of a file that nobody but its owner may read,
// without a byte order mark.
func FirstLine(file string) (string, error) {
	text, err := ReadSecret(file)
	first, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n"))
	return string(bytes.TrimSuffix(first, []byte("\r"))), err
}

// Password is what a file holds, which is created where there is none: two
// random texts.
func Password(file string) (string, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := createSecret(file, []byte(rand.Text()+rand.Text()+"\n")); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	password, err := FirstLine(file)
	if err == nil && password == "" {
		err = fmt.Errorf("%s has no password in its first line: write one, or remove the file and one is made", file)
	}
	return password, err
}

// private tells whether a file is for the user alone. One of root may be readable by a
// group: so Kubernetes hands secrets to processes that are not root.
func private(mode fs.FileMode, owner, user int) bool {
	return mode&0o077 == 0 || owner == 0 && user != 0 && mode&0o037 == 0
}

// createSecret stores a file that is not there yet, at once, so that two daemons that
// start together agree on one. Its error is fs.ErrExist if another one was first.
func createSecret(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := writeSecret(tmp, text); err != nil {
		return err
	}
	return errors.Join(os.Link(tmp.Name(), file), syncDir(dir))
}

// replaceSecret puts other text in the place of a file, at once and for good.
// Two that try at the same time could lose a key; the second one is refused.
func replaceSecret(file string, text []byte) error {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	next, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s.new is there: another rotation is at work, or one was cut off: then remove it and try again", file)
	}
	if err != nil {
		return err
	}
	defer os.Remove(next.Name())
	info, err := os.Stat(file)
	if err == nil && os.Geteuid() == 0 { // root does it for whoever the file belongs to
		err = next.Chown(owner(info), -1)
	}
	if err := errors.Join(err, writeSecret(next, text)); err != nil {
		return err
	}
	return errors.Join(os.Rename(next.Name(), file), syncDir(filepath.Dir(file)))
}

// writeSecret writes, makes it last and closes.
func writeSecret(f *os.File, text []byte) error {
	_, err := f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes a new name last: an envelope that is sealed with a key whose
// file a power cut takes back would never open again.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // cannot
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

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
	seed, _ := kp.Seed() // it has one
	if err = createSecret(file, append(seed, '\n')); err != nil && !errors.Is(err, fs.ErrExist) {
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
	kp, err := UserKey(file)
	if err != nil {
		return "", err
	}
	return kp.PublicKey()
}

// UserKey is the key of the user whose seed is in a file.
func UserKey(file string) (nkeys.KeyPair, error) {
	seed, err := ReadSecret(file)
	if err != nil {
		return nil, err
	}
	kp, err := nkeys.ParseDecoratedUserNKey(seed)
	if err != nil {
		return nil, fmt.Errorf("%s: it holds no user seed (SU…)", file)
	}
	return kp, nil
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
