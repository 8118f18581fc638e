package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runFile is the real run, where it is at hand, or a small one of ours.
func runFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "runs", "jwt-ss100.jsonl")
	if _, err := os.Stat(file); err != nil {
		t.Logf("the real run is not here, playing a small one: %v", err)
		return smallRun
	}
	return file
}

// smallRun holds a run of two domains; the second one's bundle is poor, and
// its fix good.
var smallRun = filepath.Join("testdata", "replay", "small.jsonl")

// smallAnswers are the recorded answers of a judge about its bundles.
var smallAnswers = filepath.Join("testdata", "replay", "answers.jsonl")

// unfixed is the small run without its fix.
func unfixed(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "unfixed.jsonl")
	text := readFile(t, smallRun)
	if err := os.WriteFile(file, []byte(text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReplayJSON plays runs on the replay's own bus.
func TestReplayJSON(t *testing.T) {
	t.Parallel()
	for _, file := range []string{runFile(t), smallRun} {
		args := []string{"replay", "--format", "json", "--hardening-timeout", "1s", file}
		if file == smallRun {
			args = append(args, "--judge", "recorded:"+smallAnswers)
		}
		c := count(t, outputEvents(t, shadowd(t, args...)))
		requested := 0
		for _, rep := range c.first {
			if rep.Swarm.Score.Total != 8 {
				t.Errorf("%s: %s has %d criteria", file, rep.Swarm.Domain, rep.Swarm.Score.Total)
			}
			// Above 15 % of 8 is 2 and more.
			if rep.Swarm.Hardening.Requested != (rep.Swarm.Score.Failed >= 2) {
				t.Errorf("%s: %s has score %v, a fix is requested: %v", file, rep.Swarm.Domain, rep.Swarm.Score, rep.Swarm.Hardening.Requested)
			}
			if rep.Swarm.Hardening.Requested {
				requested++
			}
		}
		want := map[string]int{
			shadow.EnvelopeSealed: 1, shadow.RunScored: 1, shadow.GapReport: len(c.first) + requested, shadow.DomainSettled: len(c.first),
			shadow.HardeningRequest: requested, shadow.BundleQuarantined: c.names[shadow.BundleQuarantined],
		}
		maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
		if diff := cmp.Diff(want, c.names); diff != "" || len(c.first) != len(c.last) || len(c.first) < 2 || file == smallRun && requested != 1 {
			t.Errorf("%s: %d first reports, %d final ones, %d requests (-want +got)\n%s", file, len(c.first), len(c.last), requested, diff)
		}
	}
}

// TestReplayTwice plays a run twice against a daemon that runs: the second
// time stores nothing but the events themselves.
func TestReplayTwice(t *testing.T) {
	t.Parallel()
	for _, file := range []string{runFile(t), smallRun} {
		dir := t.TempDir()
		r := startRun(t, reading(t, embedded(dir)))
		url := r.url()
		config := operatorConfig(t, url, dir)
		operator, err := nats.NkeyOptionFromSeed(filepath.Join(dir, "operator.nk"))
		if err != nil {
			t.Fatal(err)
		}
		nc, err := connect(url, operator)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		play := func() map[string]int {
			out := shadowd(t, "replay", "--config", config, "--server", url, "--format", "json", file)
			settle(t, js)
			return count(t, outputEvents(t, out)).names
		}
		played := play()
		before := stored(t, js)
		if again := play(); !cmp.Equal(again, played) {
			t.Errorf("%s: the second time shows other outputs: %s", file, cmp.Diff(played, again))
		}
		if diff := cmp.Diff(before, stored(t, js)); diff != "" || len(before) < 5 {
			t.Errorf("%s: the second time changed what is stored (-first +second)\n%s", file, diff)
		}
	}
}

// settle waits until all events have their outcome.
func settle(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	bustest.WaitFor(t, "the outcome of all events", func() bool {
		in, err := js.Stream(t.Context(), layout.StreamIn)
		if err != nil {
			t.Fatal(err)
		}
		floor, err := bus.Floor(t.Context(), js)
		if err != nil {
			t.Fatal(err)
		}
		return floor.Events == in.CachedInfo().State.LastSeq
	})
}

// stored tells what shadowd has stored: its commitments, outputs and
// envelopes, each subject with its last sequence and how many there are.
func stored(t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		if err != nil {
			t.Fatal(err)
		}
		for subject, n := range info.State.Subjects {
			a, err := layout.Subjects{}.Parse(subject)
			if err == nil && name == layout.StreamIn && a.Name != shadow.EnvelopeSealed || strings.HasSuffix(subject, ".shadowd.floor") {
				continue
			}
			m, err := s.GetLastMsgForSubject(t.Context(), subject)
			if err != nil {
				t.Fatal(err)
			}
			all[subject] = fmt.Sprintf("%d message(s), last at %d", n, m.Sequence)
		}
	}
	return all
}

// TestLogHoldsNothingSealed plays a run against a daemon that logs all it can
// and looks for sealed text in its log.
func TestLogHoldsNothingSealed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := startRun(t, reading(t, embedded(dir)))
	url := r.url()
	config := operatorConfig(t, url, dir)
	for _, file := range []string{runFile(t), smallRun} {
		shadowd(t, "replay", "--config", config, "--server", url, file)
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	wantJSON(t, r.log())
	log := plainWords(r.log())
	if !strings.Contains(log, "run small") || !strings.Contains(log, "judged") {
		t.Fatalf("the log says nothing of the run:\n%s", r.log())
	}
	secrets, least := 0, 0
	for _, e := range envelopes(t, dir) {
		least += 2 + 2*len(e.Criteria) // each criterion asserts and expects something
		for _, s := range sealedTexts(e) {
			// The end of a text may be cut off in a log.
			words := plainWords(s)
			secret := words[:min(len(words), 40)]
			if len(secret) < 12 {
				continue
			}
			secrets++
			if strings.Contains(log, secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	}
	if secrets < least || least < 2+2*8 {
		t.Errorf("%d sealed texts were looked for, want %d or more", secrets, least)
	}
}

// plainWords keeps letters and digits, so that quoting and escaping hide
// nothing.
func plainWords(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " "))
}

// envelopes opens all envelopes of a data directory with its key.
func envelopes(t *testing.T, dir string) []*shadow.Envelope {
	t.Helper()
	seed, err := keys.ReadSecret(filepath.Join(dir, "envelope.nk"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := nkeys.FromCurveSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := broker.Start(broker.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	nc, err := srv.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), layout.BucketEnvelopes)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := kv.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []*shadow.Envelope
	for _, run := range runs {
		if strings.Contains(run, ".") {
			continue // no id of a run: which keys the bus is used with
		}
		entry, err := kv.Get(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		e, err := shadow.Decrypt(entry.Value(), key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestReplayLeavesPrivateFiles: what a replay leaves behind holds its key.
func TestReplayLeavesPrivateFiles(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dirs := func() []string {
		found, err := filepath.Glob(filepath.Join(tmp, "shadowd-replay-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	a := &app{Stdin: nil, Stdout: io.Discard, Stderr: os.Stderr}
	if code := run(t.Context(), []string{"replay", "--judge", "recorded:" + smallAnswers, "--no-wait", smallRun}, a); code != hint.ExitClean {
		t.Fatalf("exit code %d", code)
	}
	if len(dirs()) != 1 {
		t.Fatalf("it left %v", dirs())
	}
	info, err := os.Stat(dirs()[0])
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	key, err := os.Stat(filepath.Join(dirs()[0], "envelope.nk"))
	if err != nil || key.Mode().Perm() != fs.FileMode(0o600) {
		t.Errorf("%v, mode %v", err, key.Mode())
	}
}
