package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/singleflight"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Config is what an Engine is given.
type Config struct {
	Settings shadow.Settings
	// Authors and Filler write the criteria; see [shadow.SealInput].
	Authors []shadow.Author
	Filler  shadow.Author
	// Panel judges what the checks leave open; nil: that stays undecided.
	Panel Panel
	// Key is the curve key that envelopes are encrypted to.
	Key nkeys.KeyPair
	// Signer signs what is said about final reports; nil: nothing is signed.
	Signer *attest.Signer
	// Disabled: inputs are acknowledged unread and nothing is published.
	Disabled bool
	// ContentBytes is the most that a bundle's content may have.
	ContentBytes int
	// WaitingPerRun is how many events of one commander may wait in one run,
	// and in all runs together that nobody has decomposed.
	WaitingPerRun int
	// SealWait is how long an event waits for a run that nobody decomposed.
	SealWait time.Duration
	Logger   *slog.Logger
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
	Ask(ctx context.Context, qs []shadow.Question) (shadow.Panel, error)
}

// Engine turns the events of IN into those of OUT. Any number of engines, in
// any number of processes, may serve the same store.
type Engine struct {
	cfg     Config
	store   *Store
	layout  Layout
	pub     Publisher
	runs    *lru.Cache[string, *sealedRun]
	opening singleflight.Group
	asked   *lru.Cache[string, uint64]
	asking  singleflight.Group
	judging sync.Map // the keys of the slots that are being judged here
	waiting *waitingBook
	news    *news
	loops   atomic.Pointer[[]*loop]
	checks  *shadow.Checks
	log     *slog.Logger
}

// runsKept is how many open runs stay in memory, some 50 KB each.
const runsKept = 1024

// questionsKept is how many answers of Engine.first are remembered.
const questionsKept = 16 * runsKept

// NewEngine makes an engine over a store.
func NewEngine(store *Store, cfg Config) *Engine {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Publisher == nil {
		cfg.Publisher = store.js
	}
	runs, err := lru.New[string, *sealedRun](runsKept)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	asked, err := lru.New[string, uint64](questionsKept)
	if err != nil {
		panic(err)
	}
	return &Engine{
		cfg:     cfg,
		store:   store,
		layout:  store.Layout,
		pub:     cfg.Publisher,
		runs:    runs,
		asked:   asked,
		waiting: newWaitingBook(cfg.WaitingPerRun, cfg.SealWait),
		news:    newNews(cfg.Observer, store.Layout),
		checks:  shadow.NewChecks(),
		log:     cfg.Logger,
	}
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
		{name: DurableSeal, js: e.store.js, consumer: e.store.Seal, handle: e.seal, workers: patient, window: 64},
		newJudgeLoop(e.store, e.judge, e.cfg.Panel != nil),
	}
	for _, l := range loops {
		l.giveUp, l.news = e.giveUp, e.news
	}
	if e.cfg.Disabled {
		for _, l := range loops {
			l.handle, l.news = func(context.Context, *message) error { return nil }, nil
		}
	} else {
		// Timers keep while disabled, or their domains would never end.
		loops = append(loops, &loop{name: DurableClock, js: e.store.js, consumer: e.store.Clock, handle: e.clock, workers: 8, window: 64, news: e.news})
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
	return errors.Join(errs...)
}

// patient is how many workers there are where one may wait for models.
const patient = 128

// newJudgeLoop serves bundles and fixes. Handlers mostly wait for the server,
// or for judges, so there are more of them than processors.
func newJudgeLoop(s *Store, handle func(context.Context, *message) error, judges bool) *loop {
	many := 16 * runtime.GOMAXPROCS(0)
	l := &loop{name: DurableJudge, js: s.js, consumer: s.Judge, handle: handle, workers: many, window: 8 * many}
	if judges {
		l.workers = max(many, patient)
	}
	return l
}

// giveUp rejects an event that makes the engine fail.
func (e *Engine) giveUp(ctx context.Context, m *message) error {
	in := &input{message: m}
	in.addr, _ = e.layout.Parse(m.subject)
	return e.refused(ctx, in, refuse(shadow.CannotProcess, "shadowd fails on it"))
}

// refused settles the outcome of an input: a refusal is stored as
// event-rejected, and what has an outcome no longer waits.
func (e *Engine) refused(ctx context.Context, in *input, err error) error {
	if r := asRefusal(err); r != nil {
		if stored := e.reject(ctx, in, r); stored != nil {
			return stored
		}
		e.log.Warn("event rejected", "subject", shadow.Printable(in.subject), "sequence", in.seq, "reason", string(r.reason), "why", shadow.Printable(r.message))
	} else if err != nil {
		return err
	}
	e.waiting.leave(in.addr, in.seq)
	return err
}
