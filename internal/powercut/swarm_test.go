//go:build linux

package powercut

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// swarm plays runs, several at once, whatever becomes of the daemon. What it was
// told is stored, it forgets; all else it publishes again.
type swarm struct {
	log          *storedLog
	acknowledged atomic.Int64
	events       atomic.Int64
	runs         atomic.Int64
	players      sync.WaitGroup
	stop         chan struct{}
	ctx          context.Context
	cancel       context.CancelFunc

	mu    sync.Mutex
	err   error
	life  *life         // nil while there is no power
	power chan struct{} // closed when there is
}

// players is how many runs are played at once. Those that only wait for their end
// are not counted, so that there is work at any moment.
const players = 4

func newSwarm(t *testing.T, log *storedLog) *swarm {
	s := &swarm{log: log, stop: make(chan struct{}), power: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for range players {
		s.players.Go(s.play)
	}
	t.Cleanup(func() { s.cancel(); s.players.Wait() })
	return s
}

// meet has the swarm publish to a daemon.
func (s *swarm) meet(v *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life = v
	close(s.power)
}

// part tells the swarm that the daemon is gone.
func (s *swarm) part() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != nil {
		s.life, s.power = nil, make(chan struct{})
	}
}

// finish lets the runs end that have begun, and returns how many there were.
func (s *swarm) finish() (int64, error) {
	close(s.stop)
	late := time.AfterFunc(patience, s.cancel)
	defer late.Stop()
	s.players.Wait()
	return s.runs.Load(), s.err
}

func (s *swarm) play() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.ctx.Done():
			return
		default:
		}
		n := int(s.runs.Add(1))
		run := fmt.Sprintf("run-%d", n)
		err := s.playRun(run, n%kinds)
		s.players.Go(func() {
			if err == nil {
				err = s.log.await(s.ctx, "swarm.run-scored."+run)
			}
			if err != nil {
				s.mu.Lock()
				s.err = errors.Join(s.err, fmt.Errorf("%s, whose kind is %d, does not end: %w", run, n%kinds, err))
				s.mu.Unlock()
			}
		})
	}
}

// kinds of runs: how a commander behaves.
const (
	atOnce    = iota // a good bundle
	fixes            // a bad bundle, and a fix
	misses           // a bad bundle, and no fix: its deadline passes
	absent           // no bundle: the run's deadline passes
	impatient        // a bundle that does not wait for the seal
	wrong            // something that is rejected, and then a good bundle
	kinds
)

func (s *swarm) playRun(run string, kind int) error {
	err := s.publish("decomposition-done."+run, "decomposition-done", map[string]any{
		"run_id": run, "scale": "ss-100", "task": "Renew the back office without an interruption of sales",
		"domains": []any{assignment("first"), assignment("second")},
	})
	if err == nil && kind != impatient {
		err = s.log.await(s.ctx, commitment+run)
	}
	if err == nil {
		err = s.publish("bundle-complete."+run+".cmd-first", "bundle-complete", bundle(run, "first", "success"))
	}
	if err == nil && kind != absent {
		err = s.second(run, kind)
	}
	return err
}

// second is the commander of the second domain.
func (s *swarm) second(run string, kind int) error {
	if kind == wrong {
		if err := s.publish("bundle-complete."+run+".cmd-second", "bundle-complete", map[string]any{"run_id": run}); err != nil {
			return err
		}
	}
	status := "success"
	if kind == fixes || kind == misses {
		status = "failed"
	}
	if err := s.publish("bundle-complete."+run+".cmd-second", "bundle-complete", bundle(run, "second", status)); err != nil || status == "success" {
		return err
	}
	// There is no request if the power was away until the run's deadline.
	if err := s.log.await(s.ctx, "swarm.hardening-request.cmd-second."+run+".second.1", "swarm.run-scored."+run); err != nil || kind == misses {
		return err
	}
	return s.publish("fix-submitted."+run+".cmd-second", "fix-submitted", map[string]any{
		"run_id": run, "bundle_id": "b-second", "domain": "second", "commander_id": "cmd-second", "cycle": 1, "bundle": bundle(run, "second", "success"),
	})
}

func assignment(domain string) map[string]any {
	return map[string]any{"domain": domain, "commander_id": "cmd-" + domain, "sub_tasks": []string{
		"Implement retries in the " + domain + " mail queue for at most 500 tenants",
		"Write a runbook for the " + domain + " price cache",
		"Measure the latency of the " + domain + " search index within 30 seconds",
	}}
}

func bundle(run, domain, status string) map[string]any {
	return map[string]any{
		"run_id": run, "bundle_id": "b-" + domain, "domain": domain, "commander_id": "cmd-" + domain, "status": status,
		"content": "# Report\n\nRetries in the mail queue are implemented for 500 tenants. The runbook for the price cache is in the wiki, and the latency of the search index is 12 seconds.\n",
	}
}

// publish publishes an event until it is acknowledged.
func (s *swarm) publish(subject, name string, data any) error {
	raw, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": fmt.Sprint("e-", s.events.Add(1)), "source": "/test", "type": "dev.swarmspeed." + name + ".v1", "data": data,
	})
	if err != nil {
		return err
	}
	for {
		s.mu.Lock()
		v, power := s.life, s.power
		s.mu.Unlock()
		if v == nil {
			select {
			case <-power:
				continue
			case <-s.ctx.Done():
				return fmt.Errorf("publishing %s: %w", subject, s.ctx.Err())
			}
		}
		ctx, cancel := context.WithTimeout(v.ctx, 10*time.Second)
		ack, err := v.js.Publish(ctx, "swarm."+subject, raw, jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			s.acknowledged.Add(1)
			s.log.note(place{streamIn, ack.Sequence}, message{"swarm." + subject, string(raw)})
			return nil
		}
		if s.ctx.Err() != nil {
			return fmt.Errorf("publishing %s: %w", subject, err)
		}
	}
}
