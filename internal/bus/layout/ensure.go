package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Store holds the handles of everything that shadowd stores and reads.
type Store struct {
	Subjects
	JS               jetstream.JetStream
	In, Out          jetstream.Stream
	Envelopes, Lease jetstream.KeyValue
	lease            jetstream.StreamConfig
}

// Ensure creates what is absent of the streams, the buckets and the durables of
// readers, and checks what is there. Settings that keep no promise are brought in
// line; limits and replicas are raised and never lowered. What breaks a promise is left
// as it is, and the error lists every such setting. Daemons that start at the same time
// agree on the result.
func Ensure(ctx context.Context, l Subjects, js jetstream.JetStream, c StorageConfig) (*Store, error) {
	if err := CheckPrefix(l.prefix()); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if _, err := Retry(ctx, func(ctx context.Context) (any, error) { return nil, checkServer(ctx, js, c.MaxEventBytes) }); err != nil {
		return nil, err
	}
	s := &Store{Subjects: l, JS: js, lease: c.lease()}
	var differences []string
	// Two streams reserve storage, and IN is the second: if it does not fit,
	// the free storage is what it could have.
	for _, want := range []jetstream.StreamConfig{l.in(c), l.out(c), c.envelopes(), s.lease} {
		stream, err := Retry(ctx, func(ctx context.Context) (jetstream.Stream, error) { return ensureStream(ctx, js, want) })
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", want.Name, advised(err))
		}
		differences = append(differences, streamDifferences(stream.CachedInfo().Config, want)...)
		switch want.Name {
		case StreamIn:
			s.In = stream
		case StreamOut:
			s.Out = stream
		}
	}
	if differences != nil {
		return nil, fmt.Errorf("what exists on the server breaks promises of shadowd:\n  %s\n"+
			"if it is another program's, give shadowd an account of its own; else change the setting (nats stream edit), "+
			"or keep a copy of what the stream holds and remove it (nats stream rm): shadowd creates it anew", strings.Join(differences, "\n  "))
	}
	if err := EnsureReaders(ctx, s, c.Users); err != nil {
		return nil, err
	}
	return s, s.openBuckets(ctx)
}

// EnsureReaders makes the durables by which users read. Those of users who have
// gone stay, with their place in the stream.
func EnsureReaders(ctx context.Context, s *Store, users []User) error {
	for _, stream := range []jetstream.Stream{s.In, s.Out} {
		name := stream.CachedInfo().Config.Name
		for _, want := range s.readers(name, users) {
			_, err := Retry(ctx, func(ctx context.Context) (any, error) { return stream.CreateOrUpdateConsumer(ctx, want) })
			if err != nil {
				return fmt.Errorf("consumer %s of %s: %w", want.Durable, name, advised(err))
			}
		}
	}
	return nil
}

// OpenLease makes the bucket of leases anew where it is gone: a server that was
// started again has forgotten it.
func (s *Store) OpenLease(ctx context.Context) error {
	_, err := ensureStream(ctx, s.JS, s.lease)
	return err
}

// openBuckets makes the handles of the buckets. They remember whether direct
// reads are on, so they are made last.
func (s *Store) openBuckets(ctx context.Context) error {
	for name, handle := range map[string]*jetstream.KeyValue{BucketEnvelopes: &s.Envelopes, BucketLease: &s.Lease} {
		bucket, err := Retry(ctx, func(ctx context.Context) (jetstream.KeyValue, error) { return s.JS.KeyValue(ctx, name) })
		if err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
		*handle = bucket
	}
	return nil
}

// The first try has tryTimeout, the second twice as long, and so on up to maxTry: a
// busy server answers late, and never if it is not waited for.
const (
	tryTimeout = 2 * time.Second
	maxTry     = 10 * time.Second
	tryPause   = 500 * time.Millisecond
	tries      = 12
)

// Retry does f again when no answer comes or JetStream is away. A cluster does
// not answer requests about a stream while its servers elect a leader. A daemon
// sees this if it starts together with another one, or after a server was lost.
func Retry[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	for try := 1; ; try++ {
		c, cancel := context.WithTimeout(ctx, min(time.Duration(try)*tryTimeout, maxTry))
		v, err := f(c)
		cancel()
		var e *jetstream.APIError
		away := errors.As(err, &e) && e.ErrorCode == codeUnavailable
		silent := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
		silent = silent || errors.Is(err, jetstream.ErrBucketNotFound) // that another server of the cluster has just made
		if !away && !silent || ctx.Err() != nil || try == tries {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(tryPause):
		}
	}
}

// ensureStream returns the stream as it stands afterwards.
func ensureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			// Another daemon was quicker, with another configuration.
			stream, err = js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, err
	}
	found := stream.CachedInfo().Config
	if repaired, changed := repairStream(found, want); changed && streamDifferences(found, want) == nil {
		return js.UpdateStream(ctx, repaired)
	}
	return stream, nil
}

// repairStream brings found in line with want where that breaks nothing. Limits
// are never lowered: that could drop what is stored.
func repairStream(found, want jetstream.StreamConfig) (jetstream.StreamConfig, bool) {
	m := found
	m.Description = want.Description
	m.AllowDirect = false
	m.MaxAge = want.MaxAge
	m.MaxBytes = larger(found.MaxBytes, want.MaxBytes)
	if want.Name == StreamIn {
		m.MaxMsgs = inMaxMsgs(m.MaxBytes)
	}
	m.MaxMsgSize = larger(found.MaxMsgSize, want.MaxMsgSize)
	m.Replicas = max(found.Replicas, want.Replicas)
	m.RePublish = want.RePublish
	return m, !reflect.DeepEqual(m, found)
}

// larger is the larger of two limits; -1 means no limit.
func larger[N int32 | int64](a, b N) N {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// ErrStorage: the server has too little storage for a stream.
var ErrStorage = errors.New("the server has too little storage for it")

// Errors of the server that pass, or that an operator can do something about.
const (
	codeUnavailable           jetstream.ErrorCode = 10008
	codeInsufficientResources jetstream.ErrorCode = 10023
	codeStorageExceeded       jetstream.ErrorCode = 10047
	codeConsumerStore         jetstream.ErrorCode = 10012
	codeMaxBytesRequired      jetstream.ErrorCode = 10113
)

// Unstored adds to the error of a publish what to do about it.
func Unstored(err error) error {
	var e *jetstream.APIError
	if errors.As(err, &e) && e.ErrorCode == codeInsufficientResources {
		return fmt.Errorf("%w: the server had too little room when it started: make room on its disk (bus.data_dir of the server inside shadowd; max_file of another one bounds it too), and start it again", err)
	}
	return err
}

// advised adds to an error of the server what to do about it.
func advised(err error) error {
	var e *jetstream.APIError
	if !errors.As(err, &e) {
		return err
	}
	switch e.ErrorCode {
	case codeStorageExceeded, codeInsufficientResources:
		return fmt.Errorf("%w: %w", err, ErrStorage)
	case codeConsumerStore:
		if strings.Contains(e.Description, "no space left on device") {
			return fmt.Errorf("%w: the server's disk is full: make room there (bus.data_dir of the server inside shadowd), and start again; nothing that was acknowledged is lost", err)
		}
		return fmt.Errorf("%w: what the server keeps of this consumer is damaged, as by a power cut: stop the server, remove the consumer's folder (streams/STREAM/obs/CONSUMER under jetstream/ACCOUNT in the store, bus.data_dir of the server inside shadowd), and start again; only its place is lost: it delivers again what is stored", err)
	case codeMaxBytesRequired:
		return fmt.Errorf("%w: this account asks for a bound of each stream: set bus.out_max_bytes, which bounds OUT and the bucket of envelopes", err)
	}
	return err
}

// streamMayDiffer are what Ensure brings in line, and what an operator chooses. All
// else has to be as shadowd asks, settings of later servers included.
var streamMayDiffer = strings.Fields(`name description num_replicas max_age max_msg_size republish allow_direct
	mirror_direct placement compression first_seq consumer_limits metadata deny_delete deny_purge`)

// streamDifferences compares what the promises rest on. What refuses what is new may
// have any limits, and so may the votes, which decide nothing. A limit that drops
// what is old would drop reports whose bundles are still there, which would then be
// judged again.
func streamDifferences(found, want jetstream.StreamConfig) []string {
	if want.Discard == jetstream.DiscardNew || want.MaxBytes >= 0 {
		found.MaxBytes, found.MaxMsgs = want.MaxBytes, want.MaxMsgs
	}
	var all []string
	f, w := reflect.ValueOf(found), reflect.ValueOf(want)
	for i := range f.NumField() {
		setting, _, _ := strings.Cut(f.Type().Field(i).Tag.Get("json"), ",")
		is, wanted := value(f.Field(i).Interface()), value(w.Field(i).Interface())
		if is == wanted || slices.Contains(streamMayDiffer, setting) {
			continue
		}
		all = append(all, fmt.Sprintf("stream %s: %s is %s, not %s", want.Name, setting, is, wanted))
	}
	return all
}

// value is what a setting is, in the server's words.
func value(of any) string {
	switch of := of.(type) {
	case time.Duration:
		return of.String()
	case []string:
		return strings.Join(slices.Sorted(slices.Values(of)), ",")
	}
	text, err := json.Marshal(of)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(text), `"`)
}

// The oldest server that shadowd is tried with.
const minMajor, minMinor = 2, 12

// checkServer refuses a server that cannot keep the promises. It has to take
// messages of largest bytes.
func checkServer(ctx context.Context, js jetstream.JetStream, largest int32) error {
	nc := js.Conn()
	if err := CheckVersion(nc.ConnectedServerVersion()); err != nil {
		return err
	}
	if maxPayload := nc.MaxPayload(); maxPayload < int64(largest) {
		return fmt.Errorf("%s takes messages of %d bytes (max_payload), and limits.event_bytes is %d: raise the one in the server's configuration, or lower the other", nc.ConnectedUrlRedacted(), maxPayload, largest)
	}
	err := CheckAllowed(ctx, nc)
	if errors.Is(err, ErrNotAllowed) {
		return fmt.Errorf("%w: log in as the user that is meant for shadowd, with bus.nkey or bus.credentials", err)
	}
	if err != nil {
		return fmt.Errorf("asking %s for JetStream: %w", nc.ConnectedUrlRedacted(), err)
	}
	_, err = js.AccountInfo(ctx)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("JetStream is not enabled for this account of %s: add a jetstream {} block to the server's configuration, and jetstream: enabled to the account if accounts are used: %w", nc.ConnectedUrlRedacted(), err)
	}
	if err != nil {
		return fmt.Errorf("asking %s for its JetStream account: %w", nc.ConnectedUrlRedacted(), err)
	}
	return nil
}

// allowedTimeout bounds the wait for the word that a request is not allowed.
const allowedTimeout = 10 * time.Second

// ErrNotAllowed is the error of [CheckAllowed].
var ErrNotAllowed = errors.New("does not let this user read the streams")

// CheckAllowed says whether the user of nc may use JetStream at all. Who may
// not gets no answer to any request about it, however long it waits.
func CheckAllowed(ctx context.Context, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, allowedTimeout)
	defer cancel()
	answers, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = answers.Unsubscribe() }()
	before := nc.LastError()
	// What is not allowed is refused before the answer to a ping.
	if err := errors.Join(nc.PublishRequest("$JS.API.INFO", answers.Subject, nil), nc.FlushWithContext(ctx)); err != nil {
		return err
	}
	//nolint:errorlint // whether it is a new error of the connection, whatever it says
	if last := nc.LastError(); last != before && errors.Is(last, nats.ErrPermissionViolation) {
		return fmt.Errorf("%s %w", nc.ConnectedUrlRedacted(), ErrNotAllowed)
	}
	return nil
}

// CheckVersion refuses a server that is too old.
func CheckVersion(v string) error {
	var major, minor int
	if _, err := fmt.Sscanf(v, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("nats-server names its version %.60q: shadowd needs %d.%d or later", v, minMajor, minMinor)
	}
	if major < minMajor || major == minMajor && minor < minMinor {
		return fmt.Errorf("nats-server is %s, but shadowd needs %d.%d or later", v, minMajor, minMinor)
	}
	return nil
}
