package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/singleflight"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Config is what an Engine is given.
type Config struct {
	Settings shadow.Settings
	// Files and Authors write criteria; see [shadow.SealInput].
	Files, Authors []shadow.Author
	// Panel judges what programs do not decide; nil: that stays unread.
	Panel Panel
	// Controls puts control questions to the judges.
	Controls bool
	// Key is the curve key that envelopes are encrypted to.
	Key nkeys.KeyPair
	// Signer signs what is said about final reports; nil: nothing is signed.
	Signer *attest.Signer
	// Disabled: inputs are acknowledged unread and nothing is published.
	Disabled bool
	shadow.Limits
	Logger *slog.Logger
	// Rand is the source of secrets; nil means crypto/rand.
	Rand io.Reader
	// Publisher stores the outputs; nil means the JetStream of the store.
	Publisher Publisher
	// Observer is told what the engine does; nil: nobody is.
	Observer Observer
}

// Panel puts questions about one bundle to judges.
type Panel interface {
	// Ask returns a ballot for each question, in their order, however long
	// that takes. It fails only when ctx ends.
	Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error)
}

// Engine turns the events of IN into those of OUT. Any number of engines, in
// any number of processes, may serve the same store.
type Engine struct {
	cfg    Config
	store  *layout.Store
	layout layout.Subjects
	pub    Publisher
	views  *views
	runs   *lru.Cache[string, *sealedRun]
	// runsSize is the sum of their sizes.
	runsSize atomic.Int64
	// loading and opening are the views and envelopes that are being read.
	loading, opening singleflight.Group
	notifier         *notifier
	loops            atomic.Pointer[[]*loop]
	// followers are those of IN, OUT and the bucket.
	followers atomic.Pointer[[]*streams.Reader]
	bucket    bucket
	lookahead *lookahead
	checks    *shadow.Checks
	log       *slog.Logger
}

// runsKept is how many open runs stay in memory, some 40 KB each. Those that were
// used last stay if their texts have runsBytes together at most.
const (
	runsKept  = 1024
	runsBytes = 64 << 20
)

// NewEngine makes an engine over a store.
func NewEngine(store *layout.Store, cfg Config) *Engine {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Publisher == nil {
		cfg.Publisher = store.JS
	}
	e := &Engine{
		cfg:      cfg,
		store:    store,
		layout:   store.Subjects,
		pub:      cfg.Publisher,
		views:    newViews(store.Subjects, &cfg),
		notifier: newNotifier(cfg.Observer, store.Subjects),
		checks:   shadow.NewChecks(),
		log:      cfg.Logger,
	}
	var err error
	if e.runs, err = lru.NewWithEvict(runsKept, func(_ string, r *sealedRun) { e.runsSize.Add(-r.size) }); err != nil {
		panic(err) // only for a size that is not positive
	}
	e.lookahead = newLookahead(e)
	return e
}

// Run processes events until ctx ends, then hands back what is not finished
// and returns nil. It returns an error when a consumer is lost for good.
func (e *Engine) Run(ctx context.Context) error {
	if e.cfg.Disabled {
		e.log.Warn("shadow scoring is disabled: events are acknowledged unread and nothing is published")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loops := []*loop{
		// Authors may take minutes, so one run must not hold up the others.
		{name: layout.DurableSeal, js: e.store.JS, consumer: e.store.Seal, handle: e.event, workers: judgeWorkers, window: 64},
		newJudgeLoop(e.store, e.event, e.cfg.Panel != nil),
	}
	for _, l := range loops {
		l.giveUp, l.notifier, l.views = e.giveUp, e.notifier, e.views
	}
	loops[1].onDelivery = e.lookahead.noteDelivery
	if e.cfg.Disabled {
		for _, l := range loops {
			l.handle, l.notifier = func(context.Context, *message) error { return nil }, nil
		}
	} else {
		stop, err := e.startFollowing(ctx)
		for n := 0; err != nil && ctx.Err() == nil && !errors.Is(err, streams.ErrTruncated) && n < startTries; n++ {
			e.log.Warn("will be tried again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(startPause):
			}
			stop, err = e.startFollowing(ctx)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		defer stop() // after the loops, whose workers may not be through
		// Timers keep while disabled, or their domains would never end.
		loops = append(loops, &loop{name: layout.DurableClock, js: e.store.JS, consumer: e.store.Clock, handle: e.clock, workers: 8, window: 64, notifier: e.notifier, views: e.views})
	}
	e.loops.Store(&loops)
	errs := make([]error, len(loops))
	var wg sync.WaitGroup
	for i, l := range loops {
		l.log = e.log.With("consumer", l.name)
		wg.Go(func() {
			errs[i] = l.run(ctx)
			cancel()
		})
	}
	wg.Wait()
	err := errors.Join(errs...)
	if truncated := e.Truncated(); err != nil && truncated != nil {
		return truncated // then a start helps nothing
	}
	return err
}

// startFollowing looks whether the log is whole, follows it and waits until the
// view knows what IN and OUT hold. What is in OUT need not be made again. Nothing
// at the end of IN is decided before IN is followed, and to work on its front
// meanwhile would only delay that.
func (e *Engine) startFollowing(ctx context.Context) (stop func(), err error) {
	if err := e.checkTruncated(ctx); err != nil {
		return nil, err
	}
	following, cancel := context.WithCancel(context.WithoutCancel(ctx))
	wait, err := e.follow(following)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("following the log: %w", err)
	}
	stop = func() {
		cancel()
		wait()
	}
	info, err := e.store.In.Info(ctx)
	if err == nil {
		e.views.need(info.State.LastSeq)
		err = (*e.followers.Load())[0].Current(ctx, info.State.LastSeq)
	}
	if err == nil {
		err = (*e.followers.Load())[1].Current(ctx, 0)
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("following the log: %w", err)
	}
	return stop, nil
}

// startTries is how often an engine tries again to follow the log, startPause
// apart: the bus may be lost in that very moment.
const (
	startTries = 30
	startPause = time.Second
)

// judgeWorkers is how many workers there are where one may wait for models.
const judgeWorkers = 128

// newJudgeLoop serves bundles and fixes. Handlers mostly wait for the server,
// or for judges, so there are more of them than processors.
func newJudgeLoop(s *layout.Store, handle func(context.Context, *message) error, judges bool) *loop {
	many := 16 * runtime.GOMAXPROCS(0)
	l := &loop{name: layout.DurableJudge, js: s.JS, consumer: s.Judge, handle: handle, workers: many, window: 8 * many}
	if judges {
		l.workers = max(many, judgeWorkers)
	}
	return l
}

// giveUp rejects an event that makes the engine fail. The error may hold sealed
// text, unless the message is too large.
func (e *Engine) giveUp(ctx context.Context, m *message, err error) error {
	in := &input{message: m}
	in.addr, _ = e.layout.Parse(m.Subject)
	why := "shadowd fails on it"
	if errors.Is(err, nats.ErrMaxPayload) {
		why = "its report is larger than the server takes, max_payload: its domain has too many or too long items"
	}
	return e.refused(ctx, in, shadow.Refuse(shadow.CannotProcess, "%s", why))
}

// refused settles the outcome of an input: a refusal is stored as
// event-rejected.
func (e *Engine) refused(ctx context.Context, in *input, err error) error {
	if r := asRefusal(err); r != nil {
		if stored := e.reject(ctx, in, r); stored != nil {
			return stored
		}
		e.log.Warn("event rejected", "subject", shadow.Printable(in.Subject), "sequence", in.Seq, "reason", string(r.Reason), "why", shadow.Printable(r.Message))
	}
	return err
}

// Silent are the names of the consumers that the engine should serve and does
// not, and of the streams that it should follow and does not: it has not begun
// or has ended, or the server gives no sign of life.
func (e *Engine) Silent() (names []string) {
	loops := e.loops.Load()
	if loops == nil {
		return []string{layout.DurableSeal, layout.DurableJudge, layout.DurableClock}
	}
	for _, l := range *loops {
		if !l.alive.Load() {
			names = append(names, l.name)
		}
	}
	if followers := e.followers.Load(); followers != nil {
		for _, f := range *followers {
			if !f.Alive.Load() {
				names = append(names, f.Stream)
			}
		}
	}
	return names
}
