//go:build linux

// Package powercut cuts the power of a disk on which shadowd works, starts it on
// what is left, and looks whether anything that was acknowledged is gone. It has
// tests alone, and sees shadowd from outside: the program, the bus and the disk.
//
// A power cut is a moment: nothing that the daemon writes after it is acknowledged. So what publishers and readers
// know must be on the disk. There are two disks, which forget differently:
//
//   - an ext4 file system in an image behind a loop device (ext4_test.go). The
//     daemon is stopped with all of its threads. What is left is what the kernel
//     wrote to the device. It needs root;
//   - a file system that keeps only what was synced, and by chance a part of the
//     rest (forgetful_test.go). The cut may come within a write, and all that the
//     daemon writes after it fails. It needs /dev/fuse.
package powercut

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	cuts = flag.Int("powercut.cuts", 20, "how often the power is cut")
	work = flag.Duration("powercut.work", time.Second, "how long the daemon works before a cut, at most")
	told = regexp.MustCompile(`the daemon before was not stopped in order, and bus\.sync was .* may be gone|as by a power cut`)
)

// patience is how long something is waited for. It is reached only when the test has failed.
const patience = 2 * time.Minute

// TestPowerCut: with bus.sync always, a series of power cuts loses nothing that was acknowledged or read, every run
// ends as if there had been none, and the audit of all runs finds no error.
func TestPowerCut(t *testing.T) {
	eachDisk(t, func(t *testing.T, open func(*testing.T) disk) {
		s := newSeries(t, open(t), "always")
		for range *cuts {
			s.work()
			s.cut()
		}
		s.work()
		s.end()
	})
}

// TestPowerCutByInterval: with an interval a power cut loses what was acknowledged within it, and the daemon says so,
// or does not start. So the cuts of this package are such that something can be lost. Each is of a disk of its own.
func TestPowerCutByInterval(t *testing.T) {
	eachDisk(t, func(t *testing.T, open func(*testing.T) disk) {
		for range *cuts {
			s := newSeries(t, open(t), "500ms")
			s.work()
			s.cut()
			s.swarm.cancel()
			s.swarm.players.Wait()
			s.daemon = startDaemon(t, s.disk.dir(), s.sync)
			err := s.attach()
			lost := 0
			if err == nil {
				lost = len(s.life.lost)
				s.life.end()
			}
			s.daemon.kill()
			s.disk.unmount()
			if err == nil && lost == 0 {
				continue
			}
			t.Logf("of %d events and what followed from them %d are lost; %v", s.swarm.acknowledged.Load(), lost, err)
			if !told.MatchString(s.daemon.said()) {
				t.Errorf("the daemon does not say that something is gone:\n%s", s.daemon.said())
			}
			return
		}
		t.Errorf("%d cuts lost nothing", *cuts)
	})
}

// series is one installation through its power cuts.
type series struct {
	t      *testing.T
	disk   disk
	sync   string
	number int // of cuts so far
	log    *storedLog
	swarm  *swarm
	daemon *daemon
	life   *life
}

func newSeries(t *testing.T, d disk, sync string) *series {
	log := newStoredLog()
	return &series{t: t, disk: d, sync: sync, log: log, swarm: newSwarm(t, log)}
}

// work starts the daemon and has it work until a moment that nobody knows. One
// time in four that moment comes while it starts.
func (s *series) work() {
	s.t.Helper()
	s.daemon = startDaemon(s.t, s.disk.dir(), s.sync)
	if s.number%4 == 3 && s.number < *cuts {
		select {
		case <-time.After(rand.N(500 * time.Millisecond)):
			return
		case <-s.daemon.exited:
			s.t.Fatalf("after cut %d the daemon ended by itself:\n%s", s.number, s.daemon.said())
		}
	}
	if err := s.attach(); err != nil {
		s.t.Fatal(err)
	}
	if s.sync == "always" {
		s.wantAll()
	}
	s.swarm.meet(s.life)
	<-time.After(rand.N(*work))
}

// attach connects to the daemon as its operator, and reads all that it has. It
// fails if the daemon does not start, or ends at once.
func (s *series) attach() error {
	url, err := s.daemon.ready()
	if err == nil {
		s.life, err = s.log.attach(url, s.disk.dir())
	}
	if err != nil {
		select {
		case <-s.daemon.exited: // and has said why
		case <-time.After(10 * time.Second):
		}
		return fmt.Errorf("after cut %d: %w\n%s", s.number, err, s.daemon.said())
	}
	return nil
}

// wantAll: all that was acknowledged or read before is there, and so are the envelope
// of each commitment and the commitment of each run that has a report.
func (s *series) wantAll() {
	s.t.Helper()
	if lost := s.life.lost; len(lost) > 0 {
		s.t.Errorf("cut %d lost %d messages: %s\n%s", s.number, len(lost), strings.Join(lost[:min(10, len(lost))], ", "), s.daemon.said())
	}
	for _, what := range s.life.disorder() {
		s.t.Errorf("after cut %d: %s", s.number, what)
	}
	if bad := s.log.conflicts(); len(bad) > 0 {
		s.t.Errorf("after cut %d there are two of what there is one of: %s", s.number, strings.Join(bad, ", "))
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// cut cuts the power, and mounts what is left.
func (s *series) cut() {
	s.t.Helper()
	s.number++
	s.disk.cut(s.daemon)
	s.swarm.part()
	if s.life != nil {
		s.life.end()
		s.life = nil
	}
	s.daemon.kill()
	s.disk.mount()
}

// end has every run end, and audits them all.
func (s *series) end() {
	s.t.Helper()
	runs, err := s.swarm.finish()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.daemon.said())
	}
	s.life.end()
	if out, err := s.daemon.audit(s.disk.dir()); err != nil {
		s.t.Errorf("%v\n%s", err, out)
	}
	s.t.Logf("%d cuts, %d runs, %d events acknowledged", s.number, runs, s.swarm.acknowledged.Load())
}
