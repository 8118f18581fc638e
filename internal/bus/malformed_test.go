package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// malformed is an event that is rejected as it comes in.
type malformed struct {
	subject, header, data string // the header in lines of NAME:VALUE
	reason                shadow.Reason
	message               string // a part of the rejection's: what is wrong, and where
}

func (k malformed) String() string {
	return fmt.Sprintf("%.80q %.80q %.120q", k.subject, k.header, k.data)
}

// Well-formed data of the inputs. Malformed ones differ from these in one thing.
const (
	goodDecomposition = `{"run_id":"run-1","scale":"ss-100","task":"Build it","requirements":[{"id":"R-1","text":"t"},{"id":"R-2","text":"u"}],` +
		`"domains":[{"domain":"one","commander_id":"cmd-1","sub_tasks":["s"]},{"domain":"two","commander_id":"cmd-2"}]}`
	goodBundle  = `{"run_id":"run-1",` + goodContent + `}`
	goodFix     = `{"run_id":"run-1","bundle_id":"b-one","domain":"one","commander_id":"cmd-1","cycle":1,"bundle":{` + goodContent + `}}`
	goodContent = `"bundle_id":"b-one","domain":"one","commander_id":"cmd-1","status":"success","content":"words","summary":"s","atoms_merged":3,"confidence":0.5`
)

var (
	goodData    = map[string]string{shadow.DecompositionDone: goodDecomposition, shadow.BundleComplete: goodBundle, shadow.FixSubmitted: goodFix}
	goodSubject = map[string]string{
		shadow.DecompositionDone: layout.Subjects{}.Decomposition("run-1"),
		shadow.BundleComplete:    layout.Subjects{}.Bundle("run-1", "cmd-1"),
		shadow.FixSubmitted:      layout.Subjects{}.Fix("run-1", "cmd-1"),
	}
)

func structured(name, data string) string {
	return `{"specversion":"1.0","id":"e-1","source":"/test","type":"` + shadow.Type(name) + `","data":` + data + "}"
}

// binary is the header of a binary event.
func binary(name string) string {
	return "ce-specversion:1.0\nce-id:e-1\nce-source:/test\nce-type:" + shadow.Type(name) + "\n"
}

// inShape is an event in one of the four shapes that are taken.
func inShape(shape int, name, data string) malformed {
	k := malformed{subject: goodSubject[name], data: data}
	switch shape % 4 {
	case 0:
		k.header, k.data = "Content-Type:application/cloudevents+json\n", structured(name, data)
	case 1:
		k.data = structured(name, data)
	case 2:
		k.header = binary(name) + "ce-subject:Gr%C3%BC%C3%9Fe 100%25\n"
	case 3:
		k.header = binary(name) + "ce-subject:Grüße\n"
	}
	return k
}

func parseHeader(lines string) nats.Header {
	h := nats.Header{}
	for line := range strings.Lines(lines) {
		k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h[k] = append(h[k], v)
	}
	return h
}

// swap replaces the first place in s that reads old.
func swap(s, old, with string) string {
	if !strings.Contains(s, old) {
		panic(fmt.Sprintf("%q is not in %.200s", old, s))
	}
	return strings.Replace(s, old, with, 1)
}

// malformedKinds are one or two of each kind. The packages cloudevent, shadow and
// strict test what they refuse; here all of it becomes a rejection.
func malformedKinds() []malformed {
	const decomposition, bundle, fix = shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted
	good, subject := structured(bundle, goodBundle), goodSubject[bundle]
	long := strings.Repeat("x", cloudevent.MaxAttributeValue+1)
	var kinds []malformed
	for _, k := range []struct{ header, data, message string }{
		{"", "", "the message is empty"},
		{"", "The bundle is done.", `the message is not JSON: byte 1: invalid character 'T'`},
		{"", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "not valid UTF-8"},
		{"", good[:len(good)/2], "unexpected EOF"},
		{"", good + good, "something stands behind the value"},
		{"", "[" + good + "]", "the message is JSON, but not an object"},
		{"", goodBundle, `"specversion" is missing: send a JSON object with specversion, or ce-* headers`},
		{"", swap(good, `"words"`, strings.Repeat("[", 20000)+strings.Repeat("]", 20000)), "exceeded max depth"},
		{"", swap(good, `"e-1"`, `"a\u001b[31mred"`), `"id": "a\x1b[31mred" has a control character`},
		{"", swap(good, `"e-1"`, `"`+long+`"`), `"id": 1025 bytes are too many: at most 1024`},
		{"", swap(good, `"e-1"`, `"e-1","\u0069d":"e-2"`), `"id" is there twice`},
		{"", swap(good, shadow.Type(bundle), "com.example.thing"), `type is "com.example.thing", but events on this subject are of type "dev.swarmspeed.bundle-complete.v1"`},
		{"", swap(good, shadow.Type(bundle), shadow.Type(fix)), `type is "dev.swarmspeed.fix-submitted.v1", but`},
		{"", swap(good, shadow.Type(bundle), shadow.Type(shadow.GapReport)), `type is "dev.swarmspeed.gap-report.v1", but`},
		{"", swap(good, shadow.Type(bundle), `\u202edev`), `type is "\u202edev", but`},
		{"Content-Type:application/cloudevents-batch+json\n", "[" + good + "]", "a batch of events: send each event in a message of its own"},
		{"Content-Type:application/cloudevents+json\ncontent-type:text/plain\n", good, `header "content-type" is there twice`},
		{binary(bundle), "", "the data are missing"},
		{binary(bundle), "words", "the data are not JSON: byte 1: invalid character 'w'"},
		{binary(bundle) + "ce-subject:\xff\n", goodBundle, `header "ce-subject": not valid UTF-8`},
		{binary(bundle) + "ce-subject:a%0D%0Ace-id: e-2\n", goodBundle, `header "ce-subject": "a\r\nce-id: e-2" has a control character`},
		{binary(bundle) + "ce-subject:" + strings.Repeat("x", 60_000) + "\n", goodBundle, `header "ce-subject": too long: at most 1024 bytes`},
		{binary(bundle) + "CE-ID:e-2\n", goodBundle, `header "ce-id" is there twice`},
		{swap(binary(bundle), "bundle-complete", "fix-submitted"), goodBundle, `type is "dev.swarmspeed.fix-submitted.v1", but`},
		{"ce-traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n", goodBundle, `header "ce-specversion" is missing`},
	} {
		kinds = append(kinds, malformed{subject, k.header, k.data, shadow.NotAnEvent, k.message})
	}
	const noID = ` is not a name of A-Z, a-z, 0-9, _ and -, at most 64`
	const inner = `"bundle":{"bundle_id":"b-one","domain":"one","commander_id":"cmd-1"`
	for i, k := range []struct {
		event, old, with, message string
	}{
		{decomposition, `"task":"Build it",`, ``, `/task: is missing`},
		{decomposition, `"run-1"`, `1`, `/run_id: is of type number, must be a name`},
		{decomposition, `"domains":[`, `"domains":[],"rest":[`, `/domains: has 0 items, at least 1 are needed`},
		{decomposition, `["s"]`, `["s"` + strings.Repeat(`,"s"`, 1000) + `]`, `/domains/0/sub_tasks: has 1001 items, at most 1000`},
		{decomposition, `["s"]`, `["` + strings.Repeat("x", 16_385) + `"]`, `/domains/0/sub_tasks/0: has 16385 characters`},
		{decomposition, `"Build it"`, `" \n\t"`, `/task: is empty`},
		{decomposition, `"ss-100"`, `"ss-100\n"`, `/scale: "ss-100\n" is not one of ss-50`},
		{decomposition, `"cmd-2"`, `"cmd.2"`, `/domains/1/commander_id: "cmd.2"` + noID},
		{decomposition, `"task":`, `"ta\u017fk":`, `/taſk: is spelt "task": names are case-sensitive`},
		{decomposition, `"commander_id":"cmd-2"`, `"commander_id":"cmd-2","commander_id":"cmd-1"`, `/domains/1/commander_id: the name is there twice`},
		{decomposition, `"two"`, `"one"`, `/domains/1/domain: "one" is there twice: each domain has one commander`},
		{decomposition, `"run-1"`, `"Run-1"`, `the subject names run "run-1", the data run "Run-1"`},
		{bundle, goodBundle, `[]`, "is of type array, must be object"},
		{bundle, goodBundle, structured(bundle, goodBundle), "/bundle_id: is missing"},
		{bundle, `"words"`, `null`, `/content: is of type null, must be string`},
		{bundle, `0.5`, `95`, `/confidence: 95 is above the maximum, 1`},
		{bundle, `0.5`, `1e999`, `/confidence: 1e999 is out of the range`},
		{bundle, `3`, strings.Repeat("9", 400), `/atoms_merged: ` + strings.Repeat("9", 60) + `… is out of the range`},
		{bundle, `"success"`, `"SUCCESS"`, `/status: "SUCCESS" is none of "success", "partial", "failed"`},
		{bundle, `"b-one"`, `"b\u0000one"`, `/bundle_id: "b\x00one"` + noID},
		{bundle, `"b-one"`, `"` + strings.Repeat("b", 65) + `"`, `/bundle_id: "` + strings.Repeat("b", 60) + `…"` + noID},
		{bundle, `"one"`, `"оne"`, `/domain: "оne"` + noID},
		{bundle, `"content":`, `"c\u006fntent":"other","content":`, `/content: the name is there twice`},
		{bundle, `"words"`, `"words","Content":"other"`, `/Content: is spelt "content": names are case-sensitive`},
		{bundle, `"words"`, `"\udc00\ud800"`, "/content: invalid surrogate pair `\\udc00\\ud800`"},
		{bundle, `"run_id":"run-1",`, `"\u001b[31m\u202e":1,`, `/run_id: is missing`},
		{bundle, `"words"`, `"` + strings.Repeat(`\u20ac`, 22_000) + `"`, `the bundle's content has 66000 bytes, 65536 are allowed`},
		{bundle, `"cmd-1"`, `"cmd-2"`, `the subject names commander "cmd-1", the data commander "cmd-2"`},
		{fix, goodFix, `{}`, "/bundle: is missing, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle"},
		{fix, `"cycle":1`, `"cycle":0`, `/cycle: 0 is below the minimum, 1`},
		{fix, `"cycle":1`, `"cycle":1.0`, `/cycle: 1.0 must be an integer, written without fraction and exponent`},
		{fix, `"cycle":1`, `"cycle":"1"`, `/cycle: is of type string, must be integer`},
		{fix, inner, strings.Replace(inner, `"one"`, `"One"`, 1), `/domain: is "one", but in bundle it is "One": send the same id in both`},
		{fix, inner, strings.Replace(inner, `"cmd-1"`, `"cmd-2"`, 1), `/commander_id: is "cmd-1", but in bundle it is "cmd-2"`},
		{fix, goodFix, strings.ReplaceAll(goodFix, "cmd-1", "cmd-2"), `the subject names commander "cmd-1", the data commander "cmd-2"`},
		{fix, `"words"`, `"` + strings.Repeat("x", 64<<10+1) + `"`, `the bundle's content has 65537 bytes, 65536 are allowed`},
	} {
		m := inShape(i, k.event, swap(goodData[k.event], k.old, k.with))
		m.reason, m.message = shadow.InvalidData, k.message
		switch {
		case strings.HasPrefix(k.message, "the subject names"):
			m.reason = shadow.IDMismatch
		case strings.HasPrefix(k.message, "the bundle's content has"):
			m.reason = shadow.TooLarge
		}
		kinds = append(kinds, m)
	}
	// The server takes wildcards for plain letters when they are published to.
	for i, k := range []struct{ event, tokens, message string }{
		{decomposition, ">", `">" cannot be the run of decomposition-done`},
		{decomposition, strings.Repeat("r", 65), `" cannot be the run of decomposition-done: it has 65 characters; use 1 to 64 letters`},
		{decomposition, "гun-1", `"гun-1" cannot be the run`},
		{decomposition, `<img/src=x>`, `"<img/src=x>" cannot be the run`},
		{bundle, "*.cmd-1", `"*" cannot be the run of bundle-complete`},
		{bundle, "run-1.>", `">" cannot be the commander of bundle-complete`},
		{bundle, "run-1." + strings.Repeat("c", 2000), `"` + strings.Repeat("c", 60) + `" cannot be the commander`},
		{bundle, "run-1.cmd-\xe9", `"cmd-\xe9" cannot be the commander`},
		{fix, "*.*", `"*" cannot be the run of fix-submitted`},
		{fix, "run-1.cmd\x1b[31m", `"cmd\x1b[31m" cannot be the commander`},
		{fix, "run-1.$JS", `"$JS" cannot be the commander`},
	} {
		m := inShape(i, k.event, goodData[k.event])
		m.subject, m.reason, m.message = layout.DefaultPrefix+"."+k.event+"."+k.tokens, shadow.IDMismatch, k.message
		kinds = append(kinds, m)
	}
	return kinds
}

// goodEvents are well-formed, each in all shapes.
func goodEvents() (all []malformed) {
	for name, data := range goodData {
		for shape := range 4 {
			all = append(all, inShape(shape, name, data))
		}
	}
	return all
}

// serverless is an engine that can take events and write rejections.
func serverless() *Engine {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		panic(err)
	}
	return NewEngine(&layout.Store{}, Config{Key: key, Settings: testSettings(), Limits: shadow.Limits{ContentBytes: 64 << 10}})
}

// take is what becomes of an event: an input, or a refusal and its rejection.
func (k malformed) take(t testing.TB, e *Engine) (*input, *shadow.Refusal, *nats.Msg) {
	t.Helper()
	in, err := takeInput(e.layout, &e.cfg, &streams.Message{Subject: k.subject, Header: parseHeader(k.header), Data: []byte(k.data), Seq: 1 << 40, Time: time.Unix(1, 0)})
	if err == nil {
		return in, nil, nil
	}
	refused, ok := errors.AsType[*shadow.Refusal](err)
	if !ok {
		t.Fatalf("%v: not a refusal: %v", k, err)
	}
	msg, err := e.rejection(in, refused)
	if err != nil {
		t.Fatalf("%v: %v cannot be rejected: %v", k, refused, err)
	}
	return in, refused, msg
}

// TestRejectionsAreSmall: what an author can have stored in OUT is at most four times
// what its events count as in IN.
func TestRejectionsAreSmall(t *testing.T) {
	e, subject := serverless(), goodSubject[shadow.BundleComplete]
	escaped := func(n int) string { return strings.Repeat(`\`, n) } // each has two bytes in JSON
	header := binary(shadow.BundleComplete) + "ce-traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nce-tracestate:" + escaped(512) + "\n"
	for _, k := range []malformed{
		{subject: subject},
		{subject: subject, data: "{}"},
		{subject: "swarm.bundle-complete." + strings.Repeat("r", 900) + ".c"},
		{subject: subject, data: "{}", header: swap(header, "e-1", escaped(1000))},
	} {
		size := len(k.subject) + len(k.header) + len(k.data)
		_, _, out := k.take(t, e)
		if out.Size() > 4*max(size, layout.MinEventBytes) || k.header == "" && out.Size() > 2*layout.MinEventBytes {
			t.Errorf("%d bytes have a rejection of %d: %s", size, out.Size(), out.Data)
		}
	}
}

// TestMalformedIsRejected: each malformed event has its rejection, and the run that
// all of them were about goes on as if they had not been.
func TestMalformedIsRejected(t *testing.T) {
	t.Parallel()
	e := serverless()
	for _, k := range goodEvents() {
		if _, err, _ := k.take(t, e); err != nil {
			t.Errorf("what the kinds differ from is malformed itself: %v: %v", k, err)
		}
	}
	r := malformedRig(t)
	kinds := malformedKinds()
	r.rejectsAll(kinds)
	info := bustest.Must(r.store.Out.Info(t.Context(), jetstream.WithSubjectFilter(">")))
	if len(info.State.Subjects) != len(kinds) || info.State.LastSeq != uint64(len(kinds)) {
		t.Errorf("OUT has %d subjects and has had %d messages, want %d rejections", len(info.State.Subjects), info.State.LastSeq, len(kinds))
	}
	r.playsOn("run-1")
}

// malformedRig is a rig with a running engine. What is taken in by mistake is
// rejected too, for another reason.
func malformedRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, func(c *Config) { c.SealWait = 0 })
	r.start()
	return r
}

// playsOn plays a run to its end.
func (r *rig) playsOn(run string) {
	r.t.Helper()
	r.sealRun(run)
	r.bundle(run, "one", content(0))
	r.bundle(run, "two", content(0))
	data[shadow.RunData](r, layout.Subjects{}.RunScored(run))
	r.checked()
}

// rejectsAll publishes malformed events and checks the outcome of each.
func (r *rig) rejectsAll(kinds []malformed) {
	r.t.Helper()
	var seqs []uint64
	for _, k := range kinds {
		seqs = append(seqs, r.sendRaw(&nats.Msg{Subject: k.subject, Header: parseHeader(k.header), Data: []byte(k.data)}))
	}
	r.settle()
	for i, k := range kinds {
		r.isRejected(k, seqs[i])
	}
}

// isRejected checks the rejection of one event.
func (r *rig) isRejected(k malformed, seq uint64) {
	r.t.Helper()
	a, _ := (layout.Subjects{}).Parse(k.subject)
	m, err := r.store.Out.GetLastMsgForSubject(r.t.Context(), layout.Subjects{}.Rejected(a.Author, seq))
	if err != nil {
		r.t.Errorf("%v: no rejection: %v", k, err)
		return
	}
	rej := fitRejection(r.t, m.Header, m.Data)
	if rej.Reason != k.reason || !strings.Contains(rej.Message, k.message) {
		r.t.Errorf("%v\n got %s: %s\nwant %s: %s", k, rej.Reason, rej.Message, k.reason, k.message)
	}
	if rej.In.Sequence != seq || rej.Stream != layout.StreamIn || rej.Subject != shadow.Printable(k.subject) || rej.Resubmit != k.reason.Hint() || rej.RunID != a.Run {
		r.t.Errorf("%v: %+v", k, rej)
	}
}

// fitRejection reads a rejection, all of which is for others to read.
func fitRejection(t testing.TB, header nats.Header, msg []byte) (rej shadow.Rejection) {
	t.Helper()
	ev, err := cloudevent.Decode(header, msg)
	if err == nil {
		err = errors.Join(shadow.Validate(shadow.EventRejected, ev.Data()), json.Unmarshal(ev.Data(), &rej))
	}
	if err != nil || len(msg) > 8<<10 || rej.Resubmit == "" {
		t.Fatalf("%d bytes, %v: %s", len(msg), err, msg)
	}
	for _, s := range []string{string(msg), rej.Message, rej.Subject, rej.EventID, rej.Resubmit} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Fatalf("not printable: %q", s)
		}
	}
	return rej
}

// FuzzIntake: whatever is on IN, it is either an input of the very author that
// the subject names, or refused with an event-rejected that can be stored.
func FuzzIntake(f *testing.F) {
	quotes := func(n int) string { return strings.Repeat(`\"`, n) } // a rejection repeats them
	longest := structured(shadow.BundleComplete, fmt.Sprintf(`{"run_id":"%[1]s","bundle_id":"%[1]s","status":"%[1]s"}`, quotes(100)))
	longest = swap(longest, `"e-1"`, `"`+quotes(cloudevent.MaxAttributeValue)+`","tracestate":"`+quotes(512)+`"`)
	seeds := slices.Concat(malformedKinds(), goodEvents(), []malformed{{subject: goodSubject[shadow.BundleComplete], data: longest}})
	for _, s := range seeds {
		if len(s.data) < 8<<10 { // large ones only slow the fuzzer down
			f.Add(s.subject, s.header, []byte(s.data))
		}
	}
	e := serverless()
	f.Fuzz(func(t *testing.T, subject, header string, body []byte) {
		k := malformed{subject: subject, header: header, data: string(body)}
		in, refused, msg := k.take(t, e)
		if refused == nil {
			isInput(t, e, in)
			return
		}
		if _, again, _ := k.take(t, e); again == nil || again.Error() != refused.Error() {
			t.Fatalf("two answers:\n%v\n%v", refused, again)
		}
		fitRejection(t, msg.Header, msg.Data)
		if a, err := e.layout.Parse(msg.Subject); err != nil || a.Sequence != 1<<40 {
			t.Fatalf("rejected on %q", msg.Subject)
		}
	})
}

// isInput holds an input that was taken to what the engine goes on to believe.
func isInput(t *testing.T, e *Engine, in *input) {
	t.Helper()
	var want, author string
	l, ok := layout.Subjects{}, true
	switch d, s := in.decomposition, in.submission; {
	case d != nil && s == nil:
		want, author = l.Decomposition(d.RunID), layout.AuthorNexus
	case d == nil && s != nil:
		if want, author = l.Fix(s.RunID, s.Bundle.CommanderID), s.Bundle.CommanderID; s.Cycle == 0 {
			want = l.Bundle(s.RunID, s.Bundle.CommanderID)
		}
		ok = layout.ValidID(s.Bundle.BundleID) && layout.ValidID(s.Bundle.Domain) && len(s.Bundle.Content) <= e.cfg.ContentBytes
	}
	if !ok || in.Subject != want || in.addr.Author != author || in.digest != shadow.Digest(in.event.Data()) || in.event.Type() != shadow.Type(in.addr.Name) {
		t.Fatalf("%+v", in)
	}
}
