package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// lease says which daemon is active for a prefix. Its invariant: nobody publishes
// later than leaseValid after its last renewal, and nobody else takes a lease that
// has changed within leaseExpires of its own clock. So two are never active at
// once, unless a process is stopped between its look at the lease and its publish;
// then what it publishes is refused, since the other has stored it.
//
// No clocks are compared: each process measures time by its own.
type lease struct {
	store *layout.Store
	log   *slog.Logger
	key   string
	id    string
	// standby: this daemon takes the lease later than others, and gives it back.
	standby  bool
	revision uint64
	began    time.Time
	renewed  atomic.Int64           // the last renewal, since began; 0: it is not held
	daemon   atomic.Pointer[string] // as far as it is known
}

const (
	leaseRenew   = 500 * time.Millisecond
	leaseValid   = 2 * time.Second
	leaseExpires = 3 * time.Second
	leaseLook    = 200 * time.Millisecond
	leaseTimeout = time.Second
)

// leaseData is what stands under the key. It is free where Daemon is empty.
type leaseData struct {
	Daemon  string `json:"daemon"`
	Standby bool   `json:"standby,omitempty"` // that daemon gives it back when asked
	Wanted  bool   `json:"wanted,omitempty"`  // it is asked
}

var errLeaseGiven = errors.New("it stands by for a daemon that is back")

func newLease(s *layout.Store, standby bool, log *slog.Logger) *lease {
	host, _ := os.Hostname() // by which a person finds it
	return &lease{store: s, log: log, key: s.EventID(s.Subject("")) + "lease", id: host + "/" + nuid.Next(), standby: standby, began: time.Now()}
}

// active says whether this daemon may publish.
func (l *lease) active() bool {
	at := l.renewed.Load()
	return at > 0 && time.Since(l.began)-time.Duration(at) < leaseValid
}

func (l *lease) read(ctx context.Context) (leaseData, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
	defer cancel()
	var d leaseData
	entry, err := l.store.Lease.Get(ctx, l.key)
	if err != nil {
		return d, 0, err
	}
	if err := json.Unmarshal(entry.Value(), &d); err != nil {
		d = leaseData{Daemon: "unreadable"}
	}
	daemon := d.Daemon
	l.daemon.Store(&daemon)
	return d, entry.Revision(), nil
}

// write puts d in the place of a revision.
func (l *lease) write(ctx context.Context, d leaseData, revision uint64) error {
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
	defer cancel()
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	asked := time.Since(l.began)
	if revision == 0 {
		revision, err = l.store.Lease.Create(ctx, l.key, text)
	} else {
		revision, err = l.store.Lease.Update(ctx, l.key, text, revision)
	}
	if err != nil {
		return err
	}
	if d.Daemon == l.id {
		l.revision = revision
		l.renewed.Store(int64(max(asked, 1)))
		l.daemon.Store(&l.id)
	}
	return nil
}

// take waits until the lease is this daemon's.
func (l *lease) take(ctx context.Context) error {
	l.renewed.Store(0)
	expires := leaseExpires
	if l.standby {
		expires *= 2
	}
	var seen uint64
	since, standing, failed := time.Now(), false, ""
	mine := leaseData{Daemon: l.id, Standby: l.standby}
	for {
		d, revision, err := l.read(ctx)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			err = l.write(ctx, mine, 0)
		case errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse):
			err = errors.Join(err, l.store.OpenLease(ctx))
		case err != nil:
		case d.Daemon == "" || d.Daemon == l.id:
			err = l.write(ctx, mine, revision)
		case revision != seen:
			seen, since = revision, time.Now()
			if !l.standby && d.Standby && !d.Wanted {
				d.Wanted = true
				err = l.write(ctx, d, revision)
			}
		case time.Since(since) >= expires:
			err = l.write(ctx, mine, revision)
		}
		if l.renewed.Load() > 0 {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && !standing {
			standing = true
			l.log.Info("another daemon is active; this one stands by", "active", d.Daemon)
		}
		if err != nil && !errors.Is(err, jetstream.ErrKeyExists) && failed != err.Error() {
			failed = err.Error()
			l.log.Warn("the lease cannot be asked for, will be tried again", "error", err)
		}
		if err := pause(ctx, leaseLook); err != nil {
			return err
		}
	}
}

// keep renews the lease until ctx ends. Its error says why it is lost.
func (l *lease) keep(ctx context.Context) error {
	mine := leaseData{Daemon: l.id, Standby: l.standby}
	for {
		if err := pause(ctx, leaseRenew); err != nil {
			return nil
		}
		err := l.write(ctx, mine, l.revision)
		if err == nil {
			continue
		}
		// It may be that the renewal was stored and its answer got lost, or that it
		// is wanted by another.
		d, revision, readErr := l.read(ctx)
		switch {
		case readErr == nil && d.Daemon == l.id && d.Wanted:
			l.revision = revision
			return errLeaseGiven
		case readErr == nil && d.Daemon == l.id:
			if err = l.write(ctx, mine, revision); err == nil {
				continue
			}
		case readErr == nil:
			l.renewed.Store(0)
			return fmt.Errorf("the lease could not be renewed: %s has it", d.Daemon)
		}
		if ctx.Err() != nil {
			return nil
		}
		if !l.active() {
			return fmt.Errorf("the lease could not be renewed: %w", err)
		}
	}
}

// release gives the lease away, so that whoever stands by need not wait.
func (l *lease) release() {
	if l.renewed.Swap(0) == 0 {
		return
	}
	if err := l.write(context.Background(), leaseData{}, l.revision); err != nil {
		l.log.Debug("the lease was not given back", "error", err)
	}
}
