package bus

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// words are those of the seven sub-tasks of each domain, a criterion each; the
// eighth criterion asks for figures.
var words = []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"}

func subTasks() (list []string) {
	for _, w := range words {
		list = append(list, "Write the part on "+w)
	}
	return list
}

// content has something on all words but the first n, so that n criteria fail.
func content(n int) string {
	var b strings.Builder
	b.WriteString("# Bundle\n\n")
	for _, w := range words[min(n, len(words)):] {
		b.WriteString("What there is to say on " + w + " is said here in full.\n")
	}
	return b.String()
}

// wordPanel is one judge, who finds an item where the content has its last word.
type wordPanel struct{}

var wordJudge = shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: "words", Model: shadow.Model{Model: "words-1", Family: "words"}}}

func (wordPanel) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	p := shadow.PanelVotes{Judges: []shadow.JudgeRef{wordJudge}}
	for i := range qs {
		q := &qs[i]
		asked := strings.Fields(q.Text())
		word := strings.TrimRight(asked[len(asked)-1], ".")
		v := shadow.Vote{Judge: "words", Outcome: shadow.Failed, Actual: "there is nothing on " + word, Calls: 1}
		if at := strings.Index(q.Bundle.Content, word); at >= 0 {
			v = shadow.Vote{Judge: "words", Outcome: shadow.Passed, Quote: lineAt(q.Bundle.Content, at), Calls: 1}
		}
		p.Ballots = append(p.Ballots, shadow.NewBallot(q, []shadow.Vote{q.Admit(v)}, 1))
	}
	return p, ctx.Err()
}

// sealedAuthor writes criteria in words that stand nowhere else, one on each of a
// few words.
type sealedAuthor struct{}

func (sealedAuthor) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "sealed", Model: shadow.Model{Model: "sealed-1", Family: "sealed"}}
}

func (sealedAuthor) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := map[string]shadow.Draft{}
	for domain, n := range o.Count {
		var d shadow.Draft
		for _, w := range []string{"alpha", "bravo", "delta"}[:min(n, 3)] {
			d.Criteria = append(d.Criteria, shadow.Material{Category: shadow.EdgeCase,
				Assertion: "Sealed assertion that the bundle names " + w, Expected: "sealed expectation: the word " + w})
		}
		drafts[domain] = d
	}
	return drafts, nil
}

// writesSealed has the criteria of sealedAuthor sealed.
func writesSealed(c *Config) { c.Authors = []shadow.Author{sealedAuthor{}} }

// tooMuch is a file of the operator with more criteria than fit, for the runs
// that when says; nil: all.
type tooMuch struct {
	when func(*shadow.Decomposition) bool
}

func (tooMuch) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "file", Model: shadow.Model{Family: "rules"}}
}

func (a tooMuch) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := map[string]shadow.Draft{}
	for domain := range o.Count {
		if a.when != nil && !a.when(o.Decomposition) {
			continue
		}
		var d shadow.Draft
		for i := range 9 {
			d.Criteria = append(d.Criteria, shadow.Material{Category: shadow.EdgeCase, Assertion: fmt.Sprintf("There are exactly %d parts", i), Expected: "that many parts"})
		}
		drafts[domain] = d
	}
	return drafts, nil
}

// lineAt is the line of a text that a byte of it stands on.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

func testSettings() shadow.Settings {
	return shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy", MaxCycles: 1, Threshold: 15, EnforceGates: true, Unread: shadow.Warn, Undecided: shadow.Quarantine, Missing: 100},
		MaxCriteria: 10, FixTimeout: time.Hour, RunTimeout: 24 * time.Hour, DefaultScale: "ss-100",
		Categories: []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness},
		Scales:     map[string]shadow.Scale{"ss-50": {Criteria: 6}, "ss-100": {Criteria: 8, Hardening: true}, "ss-250": {Criteria: 10, Hardening: true}},
	}
}

// rig is a broker with the store set up, and any number of engines on it.
type rig struct {
	t      testing.TB
	broker *bustest.Broker
	js     jetstream.JetStream
	store  *layout.Store
	cfg    Config
	engine *Engine // that was started last
	stop   func()  // stops it
	sent   atomic.Int64
}

// newRig sets a bus up; change adapts the configuration of its engines. When
// the test ends, the whole log is checked.
func newRig(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	return newRigOn(t, bustest.Server(t), change...)
}

func newRigOn(t testing.TB, broker *bustest.Broker, change ...func(*Config)) *rig {
	t.Helper()
	_, js := broker.Connect(t)
	r := newRigOver(t, js, change...)
	r.broker = broker
	return r
}

// newRigOver is a rig without a broker of its own.
func newRigOver(t testing.TB, js jetstream.JetStream, change ...func(*Config)) *rig {
	key := bustest.Must(nkeys.CreateCurveKeys())
	r := &rig{t: t, js: js, cfg: Config{
		Settings: testSettings(), Panel: wordPanel{}, Key: key, Signer: testSigner(),
		Limits: shadow.Limits{ContentBytes: 64 << 10, WaitingPerRun: 100, SealWait: time.Hour},
		Logger: testLog(),
	}}
	for _, f := range change {
		f(&r.cfg)
	}
	r.store = r.ensure(js)
	return r
}

// testSigner signs with a key that everybody knows.
func testSigner() *attest.Signer { return attest.NewSigner(testSigning) }

var testSigning = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

func ensure(t *testing.T, js jetstream.JetStream, c layout.StorageConfig) *layout.Store {
	return bustest.Must(layout.Ensure(t.Context(), layout.Subjects{}, js, c))
}

func (r *rig) ensure(js jetstream.JetStream) *layout.Store {
	return bustest.Must(layout.Ensure(r.t.Context(), layout.Subjects{}, js, layout.StorageConfig{MaxEventBytes: int32(js.Conn().MaxPayload())}))
}

// start runs an engine over a connection of its own. The function that it
// returns stops the engine and waits for it; the test's end does too.
func (r *rig) start(change ...func(*Config)) (stop func()) {
	r.t.Helper()
	_, js := r.broker.Connect(r.t)
	cfg := r.cfg
	for _, f := range change {
		f(&cfg)
	}
	return r.serve(NewEngine(r.ensure(js), cfg))
}

// serve runs an engine as start does.
func (r *rig) serve(engine *Engine) (stop func()) {
	r.t.Helper()
	r.engine = engine
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	stopped := false
	stop = func() {
		cancel()
		if !stopped {
			stopped = true
			if err := <-done; err != nil {
				r.t.Errorf("the engine ended with %v", err)
			}
		}
	}
	r.t.Cleanup(stop)
	r.stop = stop
	return stop
}

// ends stops the engine that was started last, once every event has its outcome.
func (r *rig) ends() {
	r.t.Helper()
	r.settle()
	r.stop()
}

// send publishes data as an event called name and returns its sequence.
func (r *rig) send(subject, name string, data any) uint64 {
	return r.sendRaw(&nats.Msg{Subject: subject, Data: eventBytes(fmt.Sprintf("ev-%d", r.sent.Add(1)), name, data)})
}

func eventBytes(id, name string, data any) []byte {
	return bustest.Must(json.Marshal(map[string]any{
		"specversion": "1.0", "id": id, "source": "/test", "type": shadow.Type(name),
		"datacontenttype": "application/json", "data": data,
	}))
}

func (r *rig) sendRaw(m *nats.Msg) uint64 {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	ack := bustest.Must(r.js.PublishMsg(ctx, m))
	return ack.Sequence
}

// twoDomains is a decomposition of domains one and two, of cmd-1 and cmd-2.
func twoDomains(run string) *shadow.Decomposition {
	return &shadow.Decomposition{RunID: run, Task: "Build it", Domains: []shadow.Domain{
		{Domain: "one", CommanderID: "cmd-1", SubTasks: subTasks()}, {Domain: "two", CommanderID: "cmd-2", SubTasks: subTasks()},
	}}
}

func (r *rig) decompose(d *shadow.Decomposition) uint64 {
	return r.send(layout.Subjects{}.Decomposition(d.RunID), shadow.DecompositionDone, d)
}

// sealRun decomposes a run of two domains and waits for its commitment.
func (r *rig) sealRun(run string) {
	r.t.Helper()
	r.decompose(twoDomains(run))
	r.await(r.store.In, layout.Subjects{}.Commitment(run))
}

func bundleOf(domain, text string) shadow.Bundle {
	return shadow.Bundle{BundleID: "b-" + domain, Domain: domain, CommanderID: commanderOf(domain), Status: "success", Content: text}
}

func commanderOf(domain string) string {
	return map[string]string{"one": "cmd-1", "two": "cmd-2"}[domain]
}

func (r *rig) bundle(run, domain, text string) uint64 {
	return r.bundleAs(run, bundleOf(domain, text))
}

func (r *rig) bundleAs(run string, b shadow.Bundle) uint64 {
	return r.send(layout.Subjects{}.Bundle(run, b.CommanderID), shadow.BundleComplete, bundleData(run, b))
}

func bundleData(run string, b shadow.Bundle) any {
	return struct {
		RunID string `json:"run_id"`
		shadow.Bundle
	}{run, b}
}

func (r *rig) fix(run, domain string, cycle int, text string) uint64 {
	return r.fixAs(run, cycle, bundleOf(domain, text))
}

func (r *rig) fixAs(run string, cycle int, b shadow.Bundle) uint64 {
	return r.send(layout.Subjects{}.Fix(run, b.CommanderID), shadow.FixSubmitted, fixData(run, cycle, b))
}

func fixData(run string, cycle int, b shadow.Bundle) map[string]any {
	return map[string]any{"run_id": run, "bundle_id": b.BundleID, "domain": b.Domain, "commander_id": b.CommanderID, "cycle": cycle, "bundle": b}
}

// await waits until a message stands on a subject and returns the last one.
func (r *rig) await(s jetstream.Stream, subject string) *jetstream.RawStreamMsg {
	r.t.Helper()
	var m *jetstream.RawStreamMsg
	bustest.WaitFor(r.t, subject, func() bool {
		var err error
		m, err = s.GetLastMsgForSubject(context.Background(), subject)
		return err == nil
	})
	return m
}

// data waits for an output and decodes its data.
func data[T any](r *rig, subject string) *T {
	r.t.Helper()
	v := new(T)
	bustest.OK(r.t, json.Unmarshal(eventData(r.t, r.await(r.store.Out, subject)), v))
	return v
}

func eventData(t testing.TB, m *jetstream.RawStreamMsg) []byte {
	t.Helper()
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err != nil {
		t.Fatalf("%s: %v", m.Subject, err)
	}
	return ev.Data()
}

func (r *rig) report(run, domain string, cycle int) *shadow.Report {
	r.t.Helper()
	return data[shadow.Report](r, layout.Subjects{}.GapReport(run, domain, cycle))
}

func (r *rig) rejection(author string, seq uint64) *shadow.Rejection {
	r.t.Helper()
	return data[shadow.Rejection](r, layout.Subjects{}.Rejected(author, seq))
}

func (r *rig) wantRejected(author string, seq uint64, reason shadow.Reason) {
	r.t.Helper()
	if rej := r.rejection(author, seq); rej.Reason != reason {
		r.t.Errorf("event %d of %s was rejected as %s (%s), want %s", seq, author, rej.Reason, rej.Message, reason)
	} else if rej.Resubmit == "" || rej.In.Sequence != seq || rej.Stream != layout.StreamIn {
		r.t.Errorf("rejection %+v", rej)
	}
}

// absent checks that nothing stands on a subject. It proves something only
// once whatever might have put it there is over.
func (r *rig) absent(subject string) {
	r.t.Helper()
	if m, err := r.store.Out.GetLastMsgForSubject(context.Background(), subject); !errors.Is(err, jetstream.ErrMsgNotFound) {
		r.t.Errorf("%s: %v, want nothing there, found %v", subject, err, m)
	}
}

// settle waits until every event that is stored by now has its outcome.
func (r *rig) settle() {
	r.t.Helper()
	ctx := context.Background()
	info := bustest.Must(r.store.In.Info(ctx))
	bustest.WaitFor(r.t, "events to have their outcome", func() bool {
		p, err := Floor(ctx, r.js)
		return err == nil && p.Events >= info.State.LastSeq
	})
}

// testLog discards, unless the environment asks for the log.
func testLog() *slog.Logger {
	if os.Getenv("SHADOWD_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// passes waits until what is stored counts as so much later than an output, whose
// time is the server's.
func (r *rig) passes(subject string, d time.Duration) {
	r.t.Helper()
	at := r.await(r.store.Out, subject).Time.Add(d)
	bustest.WaitFor(r.t, "a deadline to pass", func() bool { return time.Now().After(at) })
}
