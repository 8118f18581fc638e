package keys

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// TestOpen: a key is created once, and never where the bus is claimed for another one,
// unless that is known to be lost. A rotated key knows the one before it.
func TestOpen(t *testing.T) {
	for kind, foreign := range map[Kind]string{Signing: "sha256:00", Envelope: "XB5OTXZMPQXQBWYYYHSWMRJTQVPWJZSSJ4CPCTZWZGGQXZDTMBOOHWAE"} {
		p := At(kind, "", filepath.Join(t.TempDir(), "data"))
		first, created, err := p.Open("")
		if err != nil || !created {
			t.Fatalf("the first start: created %v, %v", created, err)
		}
		if info, err := os.Stat(p.file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the key file: %v, %v", info, err)
		}
		id := first.IDs(kind)[0]
		if again, created, err := p.Open(id); err != nil || created || again.IDs(kind)[0] != id {
			t.Errorf("the second start: created %v, %v", created, err)
		}
		if _, _, err := p.Open(foreign); err == nil || !strings.Contains(err.Error(), foreign) {
			t.Errorf("another key: %v", err)
		}
		text, err := os.ReadFile(p.file)
		if err == nil {
			err = os.WriteFile(p.file, append(text, "lost: "+foreign...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Open(foreign); err != nil {
			t.Errorf("a key that is known to be lost: %v", err)
		}
		if _, err := p.Rotate(); err != nil {
			t.Fatal(err)
		}
		if key, _, err := p.Open(id); err != nil || key.IDs(kind)[0] == id {
			t.Errorf("after a rotation: %v", err)
		}
		if err := os.Remove(p.file); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Open(id); err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("the key is gone: %v", err)
		}
		if _, err := os.Stat(p.file); err == nil {
			t.Error("a new key was created in the place of another one")
		}
	}
}

// TestRotateKeepsTheRest: of a file that has both keys, comments and what is lost,
// a rotation changes one key, and an old signing key for its public part.
func TestRotateKeepsTheRest(t *testing.T) {
	k, seed, private := both(t)
	const head = "# from the safe\n# -----BEGIN PRIVATE KEY-----\n"
	rest := "# the spare one\r\n\r\n" + earlierKey + "lost: sha256:00\nlost: XB"
	file := filepath.Join(t.TempDir(), "both.keys")
	if err := os.WriteFile(file, []byte(head+seed+"\n"+string(private)+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{Envelope, Signing} {
		if _, err := At(kind, file, "").Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	now, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	if ids := now.IDs(Envelope); len(ids) != 2 || ids[1] != k.IDs(Envelope)[0] {
		t.Errorf("envelope keys %q", ids)
	}
	if ids := now.IDs(Signing); len(ids) != 3 || ids[1] != k.IDs(Signing)[0] || ids[0] == ids[1] {
		t.Errorf("signing keys %q", ids)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := head + seed + "\n" + string(attest.PublicPEM(k.Public()[0])) + rest
	if !strings.HasSuffix(string(text), kept) || bytes.Contains(text, private) {
		t.Errorf("the file is\n%s\nand should end with\n%s", text, kept)
	}
}

// TestRotateKeepsTheOwner: what root rotates stays with the user that runs shadowd.
func TestRotateKeepsTheOwner(t *testing.T) {
	const user = 1234
	p := At(Envelope, "", t.TempDir())
	if _, _, err := p.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(p.file, user, -1); err != nil {
		t.Skip("this is not root, or not a system with owners: ", err)
	}
	if _, err := p.Rotate(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(p.file); err != nil || owner(info) != user || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestUnreadable: a file that belongs to somebody else is not restored over.
func TestUnreadable(t *testing.T) {
	p := At(Envelope, "", t.TempDir())
	if err := os.WriteFile(p.file, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(); !errors.Is(err, fs.ErrPermission) {
		t.Skip("whoever runs this reads everything: ", err)
	}
	_, err := p.Check()
	if h, ok := errors.AsType[*hint.Error](err); !ok || h.Hint != "give it to the user that runs shadowd" {
		t.Errorf("%v", err)
	}
}

// TestPassword: one is made once, what Windows puts around one is no part of it, and
// an empty file has none.
func TestPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "made", "password")
	first, err := Password(file)
	again, err2 := Password(file)
	if err != nil || err2 != nil || len(first) != 52 || again != first {
		t.Errorf("%q and %q, %v, %v", first, again, err, err2)
	}
	for text, want := range map[string]string{"\n": "", "\ufeffhunter2 \r\nmore": "hunter2 "} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Password(file); got != want || (err == nil) != (want != "") {
			t.Errorf("%q has %q, %v", text, got, err)
		}
	}
}

// TestNamedUser: the public key of a user is written again where it is missing.
func TestNamedUser(t *testing.T) {
	dir := t.TempDir()
	first, created, err := NamedUser(dir, "u")
	if err != nil || !created {
		t.Fatal(created, err)
	}
	for _, gone := range []string{"u.pub", "u.nk"} { // the second: its seed is kept elsewhere
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
		again, created, err := NamedUser(dir, "u")
		if written, _ := readPublic(filepath.Join(dir, "u.pub")); err != nil || created || again != first || written != first {
			t.Errorf("without %s: %s, created %v, %v", gone, written, created, err)
		}
	}
	for _, name := range []string{"u.pub", "u.nk"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := PublicUser(file); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s with nonsense: %v", name, err)
		}
	}
}

// earlierKey is the public part of a signing key that signed before.
const earlierKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAhX9yLAk3ho7LOih8VdUSGLl4WZIE2W5rX5I1xzHSF10=
-----END PUBLIC KEY-----
`

// both are new keys of the two kinds, and their texts.
func both(t testing.TB) (k *Set, seed string, private []byte) {
	t.Helper()
	text, err := fresh(Envelope)
	if err == nil {
		private, err = fresh(Signing)
	}
	if err == nil {
		k, err = parse("f", slices.Concat(text, private))
	}
	if err != nil {
		t.Fatal(err)
	}
	return k, strings.TrimSpace(string(text)), private
}

// TestParseKeys: what is wrong with a file is said by line, and nothing of it
// is shown.
func TestParseKeys(t *testing.T) {
	_, seed, pem := both(t)
	for _, c := range []struct{ name, text, want string }{
		{"prose", "hunter2", "f:1: this is no curve seed"},
		{"a public key where a seed belongs", "# x\n\nXB5OTXZMPQXQBWYYYHSWMRJTQVPWJZSSJ4CPCTZWZGGQXZDTMBOOHWAE", "f:3: this is no curve seed"},
		{"twice", seed + "\n" + seed, "f:2: the seed is there twice"},
		{"two that sign", string(pem) + string(pem), "f:4: a second PRIVATE KEY"},
		{"behind a block", string(pem) + "hunter2", "f:4: this is no curve seed"},
		{"cut off", string(pem[:60]), "f:1: a PEM block that does not end"},
		{"cut off before another", string(pem[:60]) + "\n" + seed + "\n" + earlierKey, "f:1: a PEM block that does not end"},
		{"damaged before another", "# x\n" + strings.Replace(earlierKey, "MC", "!!", 1) + seed + "\n" + string(pem), "f:2: a PEM block that does not end"},
		{"another kind", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "f:1: not an Ed25519 key: a block \"CERTIFICATE\""},
		{"another algorithm", ecKey, "f:1: not an Ed25519 key but *ecdsa.PublicKey"},
	} {
		_, err := parse("f", []byte(c.text))
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

// FuzzKeyFile: an error names the file, and a set has what its file has, each
// once.
func FuzzKeyFile(f *testing.F) {
	_, seed, private := both(f)
	f.Add(private)
	f.Add([]byte("# a comment\n" + seed + "\n" + earlierKey + string(private)))
	f.Add([]byte("lost: sha256:00\nlost: XB\n" + ecKey))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\n-----BEGIN PUBLIC KEY-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := parse("f", bytes.Clone(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v", err)
			}
			return
		}
		if n := len(k.IDs(Envelope)) + len(k.IDs(Signing)) + len(k.lost); n > 1+bytes.Count(text, []byte("\n")) {
			t.Errorf("%d keys of %q", n, text)
		}
	})
}

// TestBadFile: what holds no key, or is no secret, is said.
func TestBadFile(t *testing.T) {
	p := At(Envelope, "", t.TempDir())
	for mode, want := range map[os.FileMode]string{0o600: "no curve seed", 0o640: "chmod 600"} {
		if err := errors.Join(os.WriteFile(p.file, []byte("SUAB"), 0o600), os.Chmod(p.file, mode)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Open(""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mode %o: %v, want %s", mode, err, want)
		}
	}
	if _, err := ReadSecret(filepath.Dir(p.file)); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// TestKeyBehindLink: a link is followed, by a rotation too, and what it leads to
// must be private and there: no key is made in the place of one that is gone.
func TestKeyBehindLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "volume", "key")
	p := At(Envelope, "", filepath.Join(dir, "data"))
	if err := os.Mkdir(filepath.Dir(p.file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, p.file); err != nil {
		t.Skip("no links here: ", err)
	}
	_, _, err := p.Open("")
	if h, ok := errors.AsType[*hint.Error](err); !ok || !strings.Contains(err.Error(), "link to "+target+", which is not there") || !strings.Contains(h.Hint, "from its backup") {
		t.Errorf("a link to nothing: %v", err)
	}
	if _, _, err := p.Create(); err == nil || !strings.Contains(err.Error(), target) {
		t.Errorf("a key that is made behind a link to nothing: %v", err)
	}
	if _, err := Password(p.file); err == nil || !strings.Contains(err.Error(), target) {
		t.Errorf("a password that is made behind a link to nothing: %v", err)
	}

	first, _, err := At(Envelope, "", filepath.Dir(target)).Create()
	if err == nil {
		err = os.Rename(filepath.Join(filepath.Dir(target), "envelope.nk"), target)
	}
	if err != nil {
		t.Fatal(err)
	}
	if k, created, err := p.Open(""); err != nil || created || k.IDs(Envelope)[0] != first.IDs(Envelope)[0] {
		t.Errorf("a key behind a link: created %v, %v", created, err)
	}
	if _, err := p.Rotate(); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(p.file); err != nil || to != target {
		t.Errorf("after a rotation it is a link to %q, %v", to, err)
	}
	if k, err := read(target); err != nil || len(k.IDs(Envelope)) != 2 || k.IDs(Envelope)[1] != first.IDs(Envelope)[0] {
		t.Errorf("after a rotation: %v", err)
	}
	if err := os.Chmod(target, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Open(""); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("behind a link a file that others can read: %v", err)
	}
}

// TestPrivate: only root's files may be readable by a group, and only for
// somebody who is not root.
func TestPrivate(t *testing.T) {
	for _, c := range []struct {
		mode        fs.FileMode
		owner, user int
		want        bool
	}{
		{0o600, 1000, 1000, true}, {0o400, 0, 0, true},
		{0o440, 0, 65532, true}, {0o640, 0, 65532, true},
		{0o440, 0, 0, false}, {0o440, 1000, 1000, false}, {0o440, -1, 65532, false},
		{0o460, 0, 65532, false}, {0o444, 0, 65532, false}, {0o604, 0, 65532, false},
	} {
		if got := private(c.mode, c.owner, c.user); got != c.want {
			t.Errorf("mode %o of %d for %d: %t", c.mode, c.owner, c.user, got)
		}
	}
}

// read reads a file with keys that nobody but its owner may read.
func read(file string) (*Set, error) {
	text, err := ReadSecret(file)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	return parse(file, text)
}
