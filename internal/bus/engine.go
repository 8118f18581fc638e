package bus

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/nats-io/nkeys"

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
	// Patience is how long a bundle waits for judges that are out of reach, from the
	// time at which it was stored; 0: it is left to the panel.
	Patience time.Duration
	// Controls puts control questions to the judges.
	Controls bool
	// Key is the curve key that envelopes are encrypted to.
	Key nkeys.KeyPair
	// Signer signs final reports and what follows from reviews; nil: nothing is signed.
	Signer *attest.Signer
	// ReviewKeys are the nkeys one of which the reviews of a name must be signed by; none
	// where that is not known. nil: it never is.
	ReviewKeys func(name string) []string
	// Disabled: this engine takes no part. Events wait in IN.
	Disabled bool
	// Standby: this engine leaves the work to others. It becomes active later than
	// they do, and gives the work back when one of them asks.
	Standby bool
	shadow.Limits
	Logger *slog.Logger
	// Publisher stores the outputs; nil means the JetStream of the store.
	Publisher Publisher
	// Observer is told what the engine does; nil: nobody is.
	Observer Observer
	// now is the clock of the process; nil: time.Now.
	now func() time.Time
}

// Panel puts questions about one bundle to judges.
type Panel interface {
	// Ask returns a ballot for each question, in order. It fails only when ctx ends.
	Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error)
}

// Observer learns what an engine has done. Its methods return at once and may be called
// concurrently. What it keeps must not show sealed text, which reports hold.
type Observer interface {
	// Processed: an event, by its name, has its outcome, and the reason if it was rejected.
	Processed(event string, why shadow.Reason)
	// Failed: an event, by its name, or "run" will be tried again.
	Failed(event string)
	// Stored: the engine stored an output, by its event's name.
	Stored(event string)
	// Sealed: a run's envelope is committed to, which took so long.
	Sealed(took time.Duration, written map[string]int)
	// Judged: a report is stored. Judging took so long, 0 where a deadline made the
	// report. parent is the W3C trace context of the event, if it has one.
	Judged(r *shadow.Report, took time.Duration, parent string)
	// Reviewed: a review was taken.
	Reviewed(v shadow.ReviewVerdict)
	// SealBroken: by [BrokenEnvelope] or [BrokenDecoy].
	SealBroken(how string)
	// Withheld: an output held sealed text and was not stored.
	Withheld()
}

// How a seal is broken: another envelope, or a bundle with the decoy's token.
const (
	BrokenEnvelope = "envelope"
	BrokenDecoy    = "decoy"
)

type nobody struct{}

func (nobody) Processed(string, shadow.Reason)              {}
func (nobody) Failed(string)                                {}
func (nobody) Stored(string)                                {}
func (nobody) Sealed(time.Duration, map[string]int)         {}
func (nobody) Judged(*shadow.Report, time.Duration, string) {}
func (nobody) Reviewed(shadow.ReviewVerdict)                {}
func (nobody) SealBroken(string)                            {}
func (nobody) Withheld()                                    {}

// Engine turns the events of IN into those of OUT, or stands by while another does.
type Engine struct {
	cfg    Config
	store  *layout.Store
	layout layout.Subjects
	out    outbox
	lease  *lease
	log    *slog.Logger

	exams     *lru.Cache[string, *sealedRun] // of open runs
	examBytes atomic.Int64                   // the sum of their sizes

	session atomic.Pointer[session] // nil while it is not active
}

const (
	examsKept  = 1024     // opened envelopes, some 40 KB each
	examsBytes = 64 << 20 // of all of them
)

// NewEngine makes an engine over a store.
func NewEngine(store *layout.Store, cfg Config) *Engine {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Observer == nil {
		cfg.Observer = nobody{}
	}
	if cfg.now == nil {
		cfg.now = time.Now
	}
	e := &Engine{cfg: cfg, store: store, layout: store.Subjects, log: cfg.Logger, lease: newLease(store, cfg.Standby, cfg.Logger)}
	e.out = newOutbox(store.Subjects, store.JS, cfg.Publisher, cfg.Key)
	e.out.active, e.out.stored = e.lease.active, cfg.Observer.Stored
	var err error
	if e.exams, err = lru.NewWithEvict(examsKept, func(_ string, r *sealedRun) { e.examBytes.Add(-r.size) }); err != nil {
		panic(err) // only for a size that is not positive
	}
	return e
}

// Run stands by until this engine is the active one, and then processes events, until
// ctx ends. Its error is that the log was cut, so that nothing may be decided.
func (e *Engine) Run(ctx context.Context) error {
	if e.cfg.Disabled {
		e.log.Warn("shadow scoring is disabled: events wait in IN, and nothing is published")
		<-ctx.Done()
		return nil
	}
	for ctx.Err() == nil && e.lease.take(ctx) == nil {
		e.log.Info("this daemon is active", "id", e.lease.id)
		err := e.serve(ctx)
		e.session.Store(nil)
		e.out.note(nil)
		e.exams.Purge()   // what another has done meanwhile is read anew
		e.lease.release() // who cannot work keeps nobody else from it
		if errors.Is(err, streams.ErrTruncated) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			e.log.Warn("not active any more", "error", err)
			_ = pause(ctx, time.Second)
		}
	}
	return nil
}

// Waiting is how many events wait for something to be stored.
func (e *Engine) Waiting() int {
	if s := e.session.Load(); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.parked
	}
	return 0
}

// Problem is what keeps the engine from its work, or empty. To stand by is none.
func (e *Engine) Problem() string {
	if s := e.session.Load(); s != nil {
		if !s.reader.Alive.Load() {
			return "nothing comes from the bus for " + layout.StreamIn + ": has the stream no leader, or is it gone? See nats stream report"
		}
		return e.out.problem(time.Now())
	}
	if daemon := e.lease.daemon.Load(); !e.cfg.Disabled && (daemon == nil || *daemon == e.lease.id) {
		return "starting"
	}
	return ""
}

// Active says whether this engine is active, and else which other is, if that is known.
func (e *Engine) Active() (active bool, other string) {
	if e.session.Load() != nil {
		return true, ""
	}
	if daemon := e.lease.daemon.Load(); daemon != nil && *daemon != e.lease.id {
		other = *daemon
	}
	return false, other
}
