package bus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// TestKillNewKey kills first starts in the moment in which the envelope key is
// created: it is there, whole and for good, or it is not there.
func TestKillNewKey(t *testing.T) {
	t.Parallel()
	bin := buildShadowd(t)
	found := map[bool]int{}
	for n := range 4 {
		broker := bustest.Server(t) // a bus has one key
		in := install(t, bin, fmt.Sprintf("url: %q", broker.URL()))
		p, err := in.start()
		if err != nil {
			t.Fatal(err)
		}
		untilKeyFile(t, p, in.dir)
		select {
		case <-time.After(time.Duration(n) * 200 * time.Microsecond):
		case <-p.exited:
		}
		p.kill()
		before, err := os.ReadFile(in.keyFile())
		there := !errors.Is(err, fs.ErrNotExist)
		found[there]++
		if there {
			readKey(t, in.keyFile()).Wipe()
		}

		if p, err = in.start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.ready:
		case <-p.exited:
			t.Fatal(p.gone())
		case <-time.After(patience):
			t.Fatalf("the daemon is not ready:\n%s", p.said())
		}
		after, err := os.ReadFile(in.keyFile())
		if err != nil || there && string(before) != string(after) {
			t.Errorf("the key was replaced: %v", err)
		}
		readKey(t, in.keyFile()).Wipe()
		if code, err := p.stop(t.Context()); code != 0 || err != nil {
			t.Errorf("exit code %d, %v\n%s", code, err, p.said())
		}
	}
	t.Logf("killed before the key stood %d times, after it %d times", found[false], found[true])
}

// untilKeyFile returns as soon as the daemon has made a file for its key.
func untilKeyFile(t testing.TB, p *process, dir string) {
	t.Helper()
	for {
		files, err := filepath.Glob(filepath.Join(dir, "*envelope*"))
		if err != nil {
			t.Fatal(err)
		}
		if hidden, _ := filepath.Glob(filepath.Join(dir, ".envelope*")); len(files)+len(hidden) > 0 {
			return
		}
		select {
		case <-p.exited:
			t.Fatal(p.gone())
		default: // without a pause: the moment is short
		}
	}
}

func readKey(t testing.TB, file string) nkeys.KeyPair {
	t.Helper()
	seed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v, %v", file, info.Mode(), err)
	}
	key, err := nkeys.FromCurveSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return key
}
