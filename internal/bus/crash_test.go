package bus

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
)

var (
	killRuns    = flag.Int("kill.runs", 16, "runs that TestKill plays, at least")
	killKills   = flag.Int("kill.kills", 8, "kills of daemons in TestKill, at least")
	killDaemons = flag.Int("kill.daemons", 2, "daemons on the bus that stays up in TestKill")
	killSeed    = flag.Uint64("kill.seed", 1, "seed of the moments at which TestKill kills")
)

// TestKill plays runs while daemons, the real program in processes of their
// own, are killed with SIGKILL at random moments and started again. In the end
// the whole log is checked. On a bus that stays up only daemons die; with the
// embedded server there is one daemon, and JetStream dies with it.
//
// This is the small size. The full one takes some minutes:
//
//	go test ./internal/bus -run 'TestKill$' -timeout 1h -v -kill.runs 500 -kill.kills 200
func TestKill(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	bin := buildShadowd(t)
	t.Run("bus stays up", func(t *testing.T) {
		t.Parallel()
		broker := bustest.Server(t)
		k := &killing{t: t, daemons: *killDaemons, runs: *killRuns, kills: *killKills, in: install(t, bin, fmt.Sprintf("url: %q", broker.URL()))}
		k.play(broker.URL())
		_, js := broker.Connect(t)
		k.verify(js)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		address := fmt.Sprintf("127.0.0.1:%d", fixedPort(t))
		k := &killing{t: t, daemons: 1, runs: *killRuns, kills: *killKills, in: install(t, bin, fmt.Sprintf("listen: %q", address))}
		k.play("nats://"+address, k.in.operator())
		server := bustest.Must(broker.Start(broker.Options{DataDir: k.in.dir, MaxPayload: 8 << 20, Logger: slog.New(slog.DiscardHandler)}))
		defer server.Shutdown()
		nc := bustest.Must(server.Conn())
		defer nc.Close()
		js := bustest.Must(jetstream.New(nc))
		k.verify(js)
	})
}

// killing is one go of TestKill.
type killing struct {
	t           *testing.T
	in          *installation
	daemons     int
	runs, kills int // at least
	swarm       *swarm
	// others kills what else there is, and returns when that was enough. It
	// may be nil.
	others func(context.Context) error

	mu             sync.Mutex
	done, starting int // kills in all, and those of a daemon that was not ready
	othersDone     bool
}

// play plays the runs and kills the while. In the end nothing is left to do
// and the daemons are stopped.
func (k *killing) play(url string, opts ...nats.Option) {
	t := k.t
	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if end, ok := t.Deadline(); ok {
		// Fail while there is time to kill the daemon: it would outlive us.
		ctx, cancel = context.WithDeadline(ctx, end.Add(-10*time.Second))
		defer cancel()
	}
	l, closeLink, err := connect(url, opts...)
	bustest.OK(t, err)
	defer closeLink()
	k.swarm = &swarm{
		link: l, stored: map[uint64][]byte{}, fixes: map[string]int{},
		in:  newWatch(l, layout.StreamIn, layout.Subjects{}.Commitment("*")),
		out: newWatch(l, layout.StreamOut, "swarm.>"),
	}
	if k.others != nil {
		// Servers that are away have events come again after up to 30 s, over
		// and over.
		k.swarm.in.patience, k.swarm.out.patience = 5*patience, 5*patience
	}
	watching, stopWatching := context.WithCancel(ctx)
	var watches sync.WaitGroup
	watches.Go(func() { k.swarm.in.run(watching) })
	watches.Go(func() { k.swarm.out.run(watching) })
	defer watches.Wait()
	defer stopWatching()

	last := make([]*process, k.daemons)
	errs := make([]error, k.daemons)
	var killers sync.WaitGroup
	for i := range last {
		killers.Go(func() {
			if last[i], errs[i] = k.killer(ctx, uint64(i)); errs[i] != nil {
				cancel() // a daemon is missing: what it had to do may never be done
			}
		})
	}
	killers.Go(func() {
		var err error
		if k.others != nil {
			err = k.others(ctx)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.othersDone = true
		if err != nil {
			errs = append(errs, err)
			cancel()
		}
	})
	err = k.playRuns(ctx)
	killers.Wait()
	if err = errors.Join(append(errs, err)...); err != nil {
		for _, p := range last {
			if p != nil {
				t.Logf("a daemon says:\n%s", p.said())
			}
		}
		t.Fatal(err)
	}
	k.settle(ctx, last[0])
	for _, p := range last {
		code, err := p.stop(ctx)
		if err != nil || code != 0 {
			t.Errorf("stopped with exit code %d, %v\n%s", code, err, p.said())
		}
	}
	s := k.swarm
	if len(s.fixes) == 0 {
		t.Error("nobody was asked for a fix, so fixes were not tried")
	}
	t.Logf("%d daemons, %d runs, %d events published in %d tries, %d kills, %d of them before the daemon was ready, answers to hardening requests %v, in %s",
		k.daemons, len(s.run), s.events.Load(), s.tries.Load(), k.done, k.starting, s.fixes, time.Since(began).Round(time.Second))
}

// playRuns plays runs, several at a time, until there were enough of them and
// enough kills.
func (k *killing) playRuns(ctx context.Context) error {
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
	for n := 0; ctx.Err() == nil && (n < k.runs || !k.enough()); n++ {
		next <- n
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

func (k *killing) enough() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.done >= k.kills && k.othersDone
}

// killer kills a daemon until there were as many kills as asked, and returns
// one that lives.
func (k *killing) killer(ctx context.Context, number uint64) (*process, error) {
	rnd := rand.New(rand.NewPCG(*killSeed, 3+number))
	var startup time.Duration
	for {
		began := time.Now()
		p, err := k.in.start()
		if err != nil {
			return nil, err
		}
		if k.enough() {
			return p, k.untilReady(ctx, p, nil)
		}
		// A third of the kills strike while the daemon starts, the others
		// while it works: after some more outputs and a moment.
		var early <-chan time.Time
		if startup > 0 && rnd.IntN(3) == 0 {
			early = time.After(time.Duration(rnd.Int64N(int64(startup))))
		}
		if err := k.untilReady(ctx, p, early); err != nil {
			return p, err
		}
		if early == nil {
			startup = time.Since(began)
			if err := k.untilBusy(ctx, p, rnd); err != nil {
				return p, err
			}
		}
		p.kill()
		if f := p.fault(); f != "" {
			k.t.Errorf("the daemon says: %s", f)
		}
		k.mu.Lock()
		k.done++
		select {
		case <-p.ready:
		default:
			k.starting++
		}
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
		<-busy //nolint:errcheck // it was cut off
		return p.gone()
	}
	select {
	case <-time.After(time.Duration(rnd.Int64N(int64(20 * time.Millisecond)))):
	case <-p.exited:
		return p.gone()
	}
	return nil
}

// settle waits until every event has its outcome.
func (k *killing) settle(ctx context.Context, p *process) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	js := k.swarm.link.js
	if err := k.swarm.link.retry(ctx, func(ctx context.Context) error {
		in, err := js.Stream(ctx, layout.StreamIn)
		if err != nil {
			return err
		}
		floor, err := Floor(ctx, js)
		if last := in.CachedInfo().State.LastSeq; err == nil && floor.Events < last {
			err = fmt.Errorf("%d of %d events have an outcome", floor.Events, last)
		}
		return err
	}); err != nil {
		k.t.Fatalf("not every event has its outcome: %v\n%s", err, p.said())
	}
}
