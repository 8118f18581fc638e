package bus

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

var (
	killRuns  = flag.Int("kill.runs", 40, "runs that TestKill plays, at least")
	killKills = flag.Int("kill.kills", 20, "kills of the daemon in TestKill, at least")
	killSeed  = flag.Uint64("kill.seed", 1, "seed of the moments at which TestKill kills")
)

// TestKill plays runs while the daemon, the real program in a process of its
// own, is killed with SIGKILL at random moments and started again. In the end
// the whole log is checked. On a bus that stays up only the daemon dies; with
// the embedded server, JetStream dies with it.
//
// This is the small size. The full one takes some minutes:
//
//	go test ./internal/bus -run 'TestKill$' -timeout 1h -v -kill.runs 500 -kill.kills 200
func TestKill(t *testing.T) {
	bin := buildShadowd(t)
	t.Run("bus stays up", func(t *testing.T) {
		t.Parallel()
		broker := bustest.Server(t)
		k := &killing{t: t, in: install(t, bin, fmt.Sprintf("url: %q", broker.URL()))}
		k.play(broker.URL())
		_, js := broker.Connect(t)
		k.verify(js)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		address := fmt.Sprintf("127.0.0.1:%d", fixedPort(t))
		k := &killing{t: t, in: install(t, bin, fmt.Sprintf("listen: %q", address))}
		k.play("nats://" + address)
		server, err := StartServer(ServerOptions{DataDir: k.in.dir, MaxPayload: 8 << 20, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Shutdown()
		nc, err := server.Conn()
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		k.verify(js)
	})
}

// killing is one go of TestKill.
type killing struct {
	t     testing.TB
	in    *installation
	swarm *swarm

	mu              sync.Mutex
	kills, starting int // kills in all, and those of a daemon that was not ready
	startup         time.Duration
}

// killedInTime bounds a go, for the case that it hangs.
const killedInTime = 30 * time.Minute

// play plays the runs and kills the while. In the end nothing is left to do
// and the daemon is stopped.
func (k *killing) play(url string) {
	t := k.t
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), killedInTime)
	defer cancel()
	l, closeLink, err := connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer closeLink()
	k.swarm = &swarm{
		link: l, stored: map[uint64][]byte{}, fixes: map[string]int{},
		in:  newWatch(l, StreamIn, Layout{}.Commitment("*")),
		out: newWatch(l, StreamOut, "swarm.>"),
	}
	watching, stopWatching := context.WithCancel(ctx)
	var watches sync.WaitGroup
	watches.Go(func() { k.swarm.in.run(watching) })
	watches.Go(func() { k.swarm.out.run(watching) })
	defer watches.Wait()
	defer stopWatching()

	last := make(chan *process, 1)
	killed := make(chan error, 1)
	go func() {
		p, err := k.killer(ctx)
		if err != nil {
			cancel() // no daemon any more: nothing to wait for
		}
		killed <- err
		last <- p
	}()
	err = k.runs(ctx)
	if err = errors.Join(<-killed, err); err != nil {
		t.Fatal(err)
	}
	p := <-last
	k.settle(ctx, p)
	code, err := p.stop(ctx)
	if err != nil || code != 0 {
		t.Errorf("stopped with exit code %d, %v\n%s", code, err, p.said())
	}
	s := k.swarm
	t.Logf("%d runs, %d events published in %d tries, %d kills, %d of them before the daemon was ready, answers to hardening requests %v, in %s",
		len(s.run), s.events.Load(), s.tries.Load(), k.kills, k.starting, s.fixes, time.Since(began).Round(time.Second))
}

// runs plays runs, several at a time, until there were enough of them and
// enough kills.
func (k *killing) runs(ctx context.Context) error {
	const atOnce = 12
	next := make(chan int)
	errs := make([]error, atOnce)
	var wg sync.WaitGroup
	for i := range atOnce {
		wg.Go(func() {
			for n := range next {
				if err := k.swarm.play(ctx, n); err != nil {
					errs[i] = errors.Join(errs[i], fmt.Errorf("run %d: %w", n, err))
				}
			}
		})
	}
	for n := 0; ctx.Err() == nil && (n < *killRuns || k.count() < *killKills); n++ {
		next <- n
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

func (k *killing) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kills
}

// killer kills the daemon as often as asked and returns one that lives.
func (k *killing) killer(ctx context.Context) (*process, error) {
	rnd := rand.New(rand.NewPCG(*killSeed, 3))
	for {
		began := time.Now()
		p, err := k.in.start()
		if err != nil {
			return nil, err
		}
		if k.count() == *killKills {
			return p, errors.Join(k.untilReady(ctx, p, nil), k.impatient(ctx))
		}
		// A third of the kills strike while the daemon starts, the others
		// while it works: after some more outputs and a moment.
		var early <-chan time.Time
		if k.startup > 0 && rnd.IntN(3) == 0 {
			early = time.After(time.Duration(rnd.Int64N(int64(k.startup))))
		}
		if err := k.untilReady(ctx, p, early); err != nil {
			return p, err
		}
		if early == nil {
			k.startup = time.Since(began)
			if err := errors.Join(k.impatient(ctx), k.untilBusy(ctx, p, rnd)); err != nil {
				return p, err
			}
		}
		p.kill()
		select {
		case <-p.ready:
		default:
			k.starting++
		}
		if f := p.fault(); f != "" {
			k.t.Errorf("the daemon says: %s", f)
		}
		k.mu.Lock()
		k.kills++
		k.mu.Unlock()
	}
}

// untilReady waits until the daemon is ready, or until enough.
func (k *killing) untilReady(ctx context.Context, p *process, enough <-chan time.Time) error {
	select {
	case <-p.ready:
		return nil
	case <-enough:
		return nil
	case <-p.exited:
		return p.gone()
	case <-ctx.Done():
		return fmt.Errorf("the daemon is not ready: %w\n%s", ctx.Err(), p.said())
	}
}

// impatient makes the durables deliver again soon what a killed daemon had in
// hand. Each start of a daemon sets the time that it wants.
func (k *killing) impatient(ctx context.Context) error {
	js := k.swarm.link.js
	for stream, durables := range map[string][]string{StreamIn: {DurableSeal, DurableJudge}, StreamOut: {DurableClock}} {
		for _, name := range durables {
			err := k.swarm.link.retry(ctx, func(ctx context.Context) error {
				c, err := js.Consumer(ctx, stream, name)
				if err != nil {
					return err
				}
				config := c.CachedInfo().Config
				config.AckWait = 2 * time.Second
				_, err = js.UpdateConsumer(ctx, stream, config)
				return err
			})
			if err != nil {
				return fmt.Errorf("changing the consumer %s: %w", name, err)
			}
		}
	}
	return nil
}

// untilBusy waits until the daemon has stored some more and a moment longer.
func (k *killing) untilBusy(ctx context.Context, p *process, rnd *rand.Rand) error {
	busy := make(chan error, 1)
	waiting, cancel := context.WithCancel(ctx)
	go func() { busy <- k.swarm.out.more(waiting, 1+rnd.IntN(40)) }()
	select {
	case err := <-busy:
		cancel()
		if err != nil {
			return err
		}
	case <-p.exited:
		cancel()
		<-busy
		return p.gone()
	}
	select {
	case <-time.After(time.Duration(rnd.Int64N(int64(20 * time.Millisecond)))):
	case <-p.exited:
		return p.gone()
	}
	return nil
}

// settle waits until every event and every timer that fired has its outcome.
func (k *killing) settle(ctx context.Context, p *process) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	js := k.swarm.link.js
	for stream, durables := range map[string][]string{StreamIn: {DurableSeal, DurableJudge}, StreamOut: {DurableClock}} {
		for _, name := range durables {
			err := k.swarm.link.retry(ctx, func(ctx context.Context) error {
				c, err := js.Consumer(ctx, stream, name)
				if err != nil {
					return err
				}
				if i := c.CachedInfo(); i.NumPending > 0 || i.NumAckPending > 0 {
					return fmt.Errorf("%d pending and %d in hand", i.NumPending, i.NumAckPending)
				}
				return nil
			})
			if err != nil {
				k.t.Fatalf("consumer %s does not settle: %v\n%s", name, err, p.said())
			}
		}
	}
}

// verify reads the whole log.
func (k *killing) verify(js jetstream.JetStream) {
	t, ctx := k.t, k.t.Context()
	key := readKey(t, k.in.keyFile())
	defer key.Wipe()
	store, err := (Layout{}).Ensure(ctx, js, StorageConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.swarm.kept(ctx, store); err != nil {
		t.Error(err)
	}
	want := map[string]int{}
	for _, d := range k.swarm.run {
		k.verifyRun(store, key, d, want)
	}
	got := checkLog(t, store, key)
	for _, name := range []string{shadow.EnvelopeSealed, shadow.GapReport, shadow.HardeningRequest, shadow.RunScored} {
		if got[name] != want[name] {
			t.Errorf("%d of %s, want %d", got[name], name, want[name])
		}
	}
	bucket, err := store.Envelopes.Status(ctx)
	if err != nil || bucket.Values() != uint64(len(k.swarm.run)) {
		t.Errorf("%v envelopes for %d runs, %v", bucket, len(k.swarm.run), err)
	}
	t.Logf("in the log: %v", got)
}

// verifyRun checks that a run has all that it should, and adds what that is
// to want.
func (k *killing) verifyRun(store *Store, key nkeys.KeyPair, d *shadow.Decomposition, want map[string]int) {
	t, l := k.t, Layout{}
	get := func(s jetstream.Stream, subject string, into any) bool {
		m, err := s.GetLastMsgForSubject(t.Context(), subject)
		if err == nil {
			err = json.Unmarshal(eventData(t, m), into)
		}
		if err != nil {
			t.Errorf("%s: %v", subject, err)
		}
		return err == nil
	}
	var c shadow.Commitment
	if get(store.In, l.Commitment(d.RunID), &c) {
		entry, err := store.Envelopes.Get(t.Context(), d.RunID)
		if err != nil {
			t.Fatalf("the envelope of %s: %v", d.RunID, err)
		}
		envelope, err := shadow.Decrypt(entry.Value(), key)
		if err == nil {
			_, err = shadow.NewExam(envelope, &c)
		}
		if err != nil {
			t.Errorf("the envelope of %s is not what was committed to: %v", d.RunID, err)
		}
	}
	want[shadow.EnvelopeSealed]++
	want[shadow.RunScored]++
	finals := make([]*shadow.Report, len(d.Domains))
	for i := range d.Domains {
		for cycle := 0; ; cycle++ {
			finals[i] = &shadow.Report{}
			if !get(store.Out, l.GapReport(d.RunID, d.Domains[i].Domain, cycle), finals[i]) {
				return
			}
			want[shadow.GapReport]++
			if finals[i].Swarm.Final {
				break
			}
			want[shadow.HardeningRequest]++
		}
	}
	var sum json.RawMessage
	if get(store.Out, l.RunScored(d.RunID), &sum) {
		again, err := marshal(shadow.Sum(&c, d.Domains, finals))
		if err != nil || string(again) != string(sum) {
			t.Errorf("run-scored of %s is not what its reports give, %v:\n%s\n%s", d.RunID, err, sum, again)
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

// TestKillNewKey kills first starts in the moment in which the envelope key is
// created: it is there, whole and for good, or it is not there.
func TestKillNewKey(t *testing.T) {
	bin := buildShadowd(t)
	broker := bustest.Server(t)
	found := map[bool]int{}
	for n := range 8 {
		in := install(t, bin, fmt.Sprintf("url: %q", broker.URL()))
		p, err := in.start()
		if err != nil {
			t.Fatal(err)
		}
		untilKeyFile(t, p, in.dir)
		select {
		case <-time.After(time.Duration(n) * 100 * time.Microsecond):
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
	tick := time.NewTicker(50 * time.Microsecond)
	defer tick.Stop()
	for {
		files, err := filepath.Glob(filepath.Join(dir, "*envelope*"))
		if err != nil {
			t.Fatal(err)
		}
		if hidden, _ := filepath.Glob(filepath.Join(dir, ".envelope*")); len(files)+len(hidden) > 0 {
			return
		}
		select {
		case <-tick.C:
		case <-p.exited:
			t.Fatal(p.gone())
		}
	}
}
