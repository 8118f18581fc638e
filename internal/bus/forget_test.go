package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

func (r *rig) operator() *Operator {
	return &Operator{JS: r.js, Key: shadow.NewRing(r.cfg.Key), By: "op@host", Signer: testSigner(r.t), Now: func() time.Time { return time.Unix(1e9, 5) }}
}

// finished plays a run with a fix and a rejection to its end.
func (r *rig) finished(run string) {
	r.t.Helper()
	r.sealRun(run)
	r.bundle(run, "one", content(5))
	r.report(run, "one", 0)
	r.fix(run, "one", 1, content(4))
	r.wantRejected("cmd-1", r.bundle(run, "one", content(2)), shadow.SlotTaken)
	r.bundle(run, "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored(run))
	r.settle()
}

// holds lists what is stored that has to do with a run, by subject.
func (r *rig) holds(run string) []string {
	r.t.Helper()
	var found []string
	for _, stream := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes} {
		err := streams.Read(r.t.Context(), r.js, stream, nil, func(m *streams.Message) error {
			if strings.Contains(m.Subject+string(m.Data), run) {
				found = append(found, m.Subject)
			}
			return nil
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return found
}

func (r *rig) codes(runs ...string) map[audit.Code]int {
	r.t.Helper()
	a, err := Audit(r.t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil, runs...)
	if err != nil {
		r.t.Fatal(err)
	}
	codes := map[audit.Code]int{}
	for _, f := range a.Findings {
		codes[f.Code]++
	}
	return codes
}

// TestForget: nothing of the run is left but the note and the openings, and
// other runs are as they were.
func TestForget(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("keep")
	r.bundle("keep", "one", content(0))
	o := r.operator()
	if _, _, err := o.Forget(t.Context(), "keep", ""); !errors.Is(err, ErrNotFinished) {
		t.Errorf("a run that is not finished: %v", err)
	}
	if _, _, err := o.Forget(t.Context(), "nobody", ""); !errors.Is(err, history.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
	r.finished("gone")
	if _, err := o.recordOpening(t.Context(), "gone", "", false); err != nil {
		t.Fatal(err)
	}
	before := r.holds("keep")
	hash := r.report("gone", "one", 1).Report.SealedHash
	note, _, err := o.Forget(t.Context(), "gone", "it holds\na secret")
	if err != nil {
		t.Fatal(err)
	}
	if note.SealedHash != hash || note.By != "op@host" || note.Reason != "it holds a secret" || len(note.Reports) != 2 ||
		note.Erased[shadow.BundleComplete] != 3 || note.Erased[shadow.GapReport] != 3 || note.Erased[shadow.EventRejected] != 1 || note.Erased[shadow.Clock] != 2 {
		t.Errorf("the note: %+v", note)
	}
	left := r.holds("gone")
	slices.Sort(left)
	want := []string{"swarm.envelope-opened.gone.1", "swarm.run-forgotten.gone"}
	if !slices.Equal(left, want) {
		t.Errorf("left is %v, want %v", left, want)
	}
	if _, err := r.store.Envelopes.Get(t.Context(), "gone"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("the envelope: %v", err)
	}
	if after := r.holds("keep"); !slices.Equal(before, after) {
		t.Errorf("the other run had %v, and has %v", before, after)
	}
	if codes := r.codes(); codes[audit.Forgotten] != 1 || codes[audit.Opened] != 1 || codes[audit.UnderWay] != 1 || codes[audit.SameTask] != 1 || len(codes) != 4 {
		t.Errorf("findings: %v", codes)
	}
	// Its name is not free again, and nobody's work on it starts over.
	r.wantRejected(layout.AuthorNexus, r.decompose(twoDomains("gone")), shadow.OtherContent)
	r.absent(layout.Subjects{}.RunScored("gone"))
	if codes := r.codes("gone"); codes[audit.NotErased] != 0 {
		t.Errorf("findings: %v", codes)
	}
	again, _, err := o.Forget(t.Context(), "gone", "once more")
	if err != nil || again.Reason != note.Reason {
		t.Errorf("forgotten twice: %+v, %v", again, err)
	}
}

// TestForgetWantsOwnEnd: what somebody else calls the end of a run is none. The run
// ends as if it were not there, and then it can be forgotten.
func TestForgetWantsOwnEnd(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	scored := r.store.RunScored("run-1")
	r.sendRaw(&nats.Msg{Subject: scored, Data: eventBytes(t, "x", shadow.RunScored, shadow.RunData{RunID: "run-1"})})
	o := r.operator()
	if _, _, err := o.Forget(t.Context(), "run-1", ""); !errors.Is(err, ErrNotFinished) {
		t.Errorf("forget says %v", err)
	}
	if _, err := o.recordOpening(t.Context(), "run-1", "", false); !errors.Is(err, ErrNotFinished) {
		t.Errorf("an opening: %v", err)
	}
	r.settle()
	stop()
	r.start()
	r.bundle("run-1", "two", content(0))
	own := func() (*streams.Message, error) {
		m, _, err := firstOwn(t.Context(), r.js, scored, r.cfg.Key)
		return m, err
	}
	bustest.WaitFor(t, "the end of the run", func() bool {
		m, err := own()
		return err == nil && m != nil
	})
	r.settle()
	m, err := own()
	if err != nil {
		t.Fatal(err)
	}
	if codes := r.codes("run-1"); codes[audit.NotOwn] != 1 || codes[audit.Differs] != 0 || codes[audit.Missing] != 0 {
		t.Errorf("the audit finds %v", codes)
	}
	forged := shadow.Report{Swarm: shadow.Swarm{RunID: "run-1", Domain: "two", Cycle: 1, Final: true}}
	r.sendRaw(&nats.Msg{Subject: r.store.GapReport("run-1", "two", 1), Data: eventBytes(t, "y", shadow.GapReport, forged)})
	note, _, err := o.Forget(t.Context(), "run-1", "")
	if err != nil || note.Erased[shadow.RunScored] != 2 || len(note.Reports) != 2 {
		t.Fatalf("%+v, %v", note, err)
	}
	sum := &shadow.RunData{}
	if ev, err := readEvent(m, sum); err != nil || note.ScoredDigest != shadow.Digest(ev.Data()) {
		t.Errorf("the note names %s, %v", note.ScoredDigest, err)
	}
}

// TestForgetAsksFirst: where the server lets nobody erase a message, nothing is
// erased, and no note says so.
func TestForgetAsksFirst(t *testing.T) {
	for _, stream := range []string{layout.StreamIn, layout.StreamOut} {
		r := newRig(t)
		r.start()
		r.finished("gone")
		before := r.holds("gone")
		s, err := r.js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		config := s.CachedInfo().Config
		config.DenyDelete = true
		if _, err := r.js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.operator().Forget(t.Context(), "gone", ""); !errors.Is(err, ErrMayNotErase) || !strings.Contains(err.Error(), stream) {
			t.Errorf("it says %v", err)
		}
		if after := r.holds("gone"); !slices.Equal(before, after) {
			t.Errorf("there was %v, and is %v", before, after)
		}
	}
}

// onDisk counts how often the files in a directory hold a text.
func onDisk(t *testing.T, dir string, text []byte) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		stored, err := os.ReadFile(path)
		n += bytes.Count(stored, text)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a file that the server has replaced meanwhile
		t.Fatal(err)
	}
	return n
}

// TestForgetOnDisk: the server's files hold nothing of the texts of a forgotten
// run, nor its envelope, beside a run that stays.
func TestForgetOnDisk(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stop := r.start()
	dir := r.broker.Server().JetStreamConfig().StoreDir
	const task, work, vote = "Text of the task.", "Text of the work.", "Text of a vote."
	for _, run := range []string{"gone", "keep"} {
		d := twoDomains(run)
		d.Task = task + run
		r.decompose(d)
		r.await(r.store.In, r.store.Commitment(run))
		r.bundle(run, "one", work+run)
		r.bundle(run, "two", content(0))
		r.wantRejected("cmd-2", r.bundle(run, "two", work+run), shadow.SlotTaken)
		r.report(run, "one", 0)
		r.fix(run, "one", 1, work+run)
		r.await(r.store.Out, r.store.RunScored(run))
		if _, err := r.store.Votes.Put(t.Context(), run+".aa", []byte(vote+run)); err != nil {
			t.Fatal(err)
		}
	}
	r.settle()
	entry, err := r.store.Envelopes.Get(t.Context(), "gone")
	if err != nil {
		t.Fatal(err)
	}
	request, err := r.store.Out.GetLastMsgForSubject(t.Context(), r.store.HardeningRequest("cmd-1", "gone", "one", 1))
	if err != nil {
		t.Fatal(err)
	}
	texts := [][]byte{[]byte(task + "gone"), []byte(work + "gone"), []byte(vote + "gone"), entry.Value(), request.Data}
	bustest.WaitFor(t, "the texts to be written", func() bool {
		return !slices.ContainsFunc(texts, func(text []byte) bool { return onDisk(t, dir, text) == 0 })
	})
	if _, removed, err := r.operator().Forget(t.Context(), "gone", ""); err != nil || removed != 0 {
		t.Fatalf("%d not overwritten, %v", removed, err)
	}
	check := func(when string) {
		for _, text := range texts {
			if n := onDisk(t, dir, text); n != 0 {
				t.Errorf("%s %.30q is on disk %d times", when, text, n)
			}
		}
		if onDisk(t, dir, []byte(work+"keep")) != 3 {
			t.Errorf("%s the other run is not there", when)
		}
	}
	check("when it is forgotten,")
	stop()
	r.broker.Stop()
	check("when the server has stopped,")
}

// failing fails at one operation, done or not.
type failing struct {
	jetstream.JetStream
	at   int // the operation that fails, from 1
	done bool
	n    int
}

var errInjected = errors.New("injected")

func (f *failing) do(op func() error) error {
	if f.n++; f.n != f.at {
		return op()
	}
	if f.done {
		return errors.Join(op(), errInjected)
	}
	return errInjected
}

func (f *failing) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (ack *jetstream.PubAck, err error) {
	err = f.do(func() (err error) { ack, err = f.JetStream.PublishMsg(ctx, m, opts...); return err })
	return ack, err
}

func (f *failing) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := f.JetStream.Stream(ctx, name)
	return failingStream{s, f}, err
}

type failingStream struct {
	jetstream.Stream
	f *failing
}

func (s failingStream) SecureDeleteMsg(ctx context.Context, seq uint64) error {
	return s.f.do(func() error { return s.Stream.SecureDeleteMsg(ctx, seq) })
}

// TestForgetIsRepaired fails at every third step, before and after it is done. What
// is then there is either the whole run or a note with the rest, and doing it
// again erases the rest.
func TestForgetIsRepaired(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		t.Run(fmt.Sprint("done ", done), func(t *testing.T) {
			r := newRig(t)
			r.start()
			steps := 0
			for at := 1; ; at += 3 {
				run := fmt.Sprint("gone-", at)
				r.finished(run)
				o := r.operator()
				f := &failing{JetStream: r.js, at: at, done: done}
				o.JS = f
				_, _, err := o.Forget(t.Context(), run, "")
				if f.n < at {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				steps++
				// What was erased all the same is no failure.
				if !errors.Is(err, errInjected) && (err != nil || !done || at == 1) {
					t.Fatalf("step %d: %v", at, err)
				}
				for code := range r.codes(run) {
					if code != audit.Forgotten && code != audit.NotErased || at == 1 && !done {
						t.Errorf("after a failure in step %d: %s", at, code)
					}
				}
				if _, _, err := r.operator().Forget(t.Context(), run, ""); err != nil {
					t.Fatalf("after a failure in step %d: %v", at, err)
				}
				if codes := r.codes(run); codes[audit.Forgotten] != 1 || len(codes) != 1 {
					t.Errorf("repaired after step %d: %v", at, codes)
				}
			}
			if steps < 7 {
				t.Errorf("only %d steps", steps)
			}
		})
	}
}

// TestForgottenTimers: timers of a forgotten run never fire. A later timer of
// another run shows that theirs would have.
func TestForgottenTimers(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.RunTimeout = 6 * time.Second })
	r.start()
	r.finished("gone")
	if _, _, err := r.operator().Forget(t.Context(), "gone", ""); err != nil {
		t.Fatal(err)
	}
	r.sealRun("later")
	r.await(r.store.Out, layout.Subjects{}.RunTimer("later").Fired)
	r.absent(layout.Subjects{}.RunTimer("gone").Fired)
	r.settle()
}

// TestOpenings: each look is on the log before it is taken, with a number of
// its own; an early one has to be forced and is found.
func TestOpenings(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	o := r.operator()
	if _, err := o.recordOpening(t.Context(), "run-1", "", false); !errors.Is(err, ErrNotFinished) {
		t.Errorf("early: %v", err)
	}
	if _, err := o.recordOpening(t.Context(), "run-2", "", true); !errors.Is(err, history.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
	early, err := o.recordOpening(t.Context(), "run-1", "", true)
	if err != nil || early.Opening != 1 || !early.Forced || early.Finished {
		t.Errorf("forced: %+v, %v", early, err)
	}
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	// The acknowledgement of a trace that was stored is lost: trying again
	// makes another trace, never none.
	faulty := newFaulty(r.js)
	faulty.Plan(func(*nats.Msg) loss { return unreported })
	o.Publisher = faulty
	if _, err := o.recordOpening(t.Context(), "run-1", "", false); err == nil {
		t.Error("a lost acknowledgement is no error")
	}
	o.Publisher = nil
	second, err := o.recordOpening(t.Context(), "run-1", "a complaint", true)
	if err != nil || second.Opening != 3 || second.Forced || !second.Finished {
		t.Errorf("later: %+v, %v", second, err)
	}
	// Who reads after the commitment has expired leaves a trace as well.
	if err := r.store.In.Purge(t.Context(), jetstream.WithPurgeSubject(o.Commitment("run-1"))); err != nil {
		t.Fatal(err)
	}
	if late, err := o.recordOpening(t.Context(), "run-1", strings.Repeat("why ", 999), false); err != nil || late.SealedHash != second.SealedHash {
		t.Errorf("without a commitment: %+v, %v", late, err)
	}
	if codes := r.codes("run-1"); codes[audit.BadOutput] != 0 || codes[audit.NoCommitment] != 1 {
		t.Errorf("findings: %v", codes)
	}
}

// TestEarlyOpeningIsFound: an opening before the end is an error for good, one
// after it is not.
func TestEarlyOpeningIsFound(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	o := r.operator()
	if _, err := o.recordOpening(t.Context(), "run-1", "", true); err != nil {
		t.Fatal(err)
	}
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	for range 2 {
		if _, err := o.recordOpening(t.Context(), "run-1", "", false); err != nil {
			t.Fatal(err)
		}
	}
	if codes := r.codes("run-1"); codes[audit.OpenedEarly] != 1 || codes[audit.Opened] != 2 || len(codes) != 2 {
		t.Errorf("findings: %v", codes)
	}
}
