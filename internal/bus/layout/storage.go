package layout

import (
	"cmp"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// StorageConfig is what an operator chooses about the streams and the bucket.
// Zero values mean the default that the field names.
type StorageConfig struct {
	// Replicas of each stream: 1 (default), 3 or 5. More than one needs a
	// cluster of as many servers.
	Replicas int
	// MaxAge is how long IN keeps an event; 0 (default) is forever. OUT and
	// the bucket keep theirs twice as long, so that a report and an envelope
	// outlive every event that could ask for them again.
	MaxAge time.Duration
	// InMaxBytes bounds IN, in which an event counts as [MinEventBytes] at least.
	// When it is full, publishers get an error and nothing that is stored is
	// lost. The server keeps that much of its disk free for it, and refuses to
	// create IN where it cannot. Default no bound.
	InMaxBytes int64
	// OutMaxBytes bounds OUT and the bucket of envelopes, each, for an account that
	// asks for bounds. When one is full, shadowd waits until there is room. Default
	// no bound.
	OutMaxBytes int64
	// MaxEventBytes bounds an event of IN, headers included. Default 1 MiB,
	// which is also what a NATS server lets through unless told otherwise.
	MaxEventBytes int32
	// Users are those who read through durables of their own.
	Users []User
}

func (c StorageConfig) withDefaults() StorageConfig {
	c.Replicas = cmp.Or(c.Replicas, 1)
	c.InMaxBytes, c.OutMaxBytes = cmp.Or(c.InMaxBytes, -1), cmp.Or(c.OutMaxBytes, -1)
	c.MaxEventBytes = cmp.Or(c.MaxEventBytes, 1<<20)
	return c
}

// dupeWindow is the shortest that the server takes; zero would mean two
// minutes. Message ids count for a whole stream, so with a longer window one
// publisher could suppress the event of another by using its id first.
const dupeWindow = 100 * time.Millisecond

// ackWait is how long a reader may hold a message before it is delivered again.
const ackWait = 30 * time.Second

// common is what all streams share. AllowDirect stays off: direct reads
// are answered by followers too, which may not have an acknowledged write yet.
func (c StorageConfig) common() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Retention:         jetstream.LimitsPolicy,
		Storage:           jetstream.FileStorage,
		Replicas:          c.Replicas,
		MaxAge:            c.MaxAge,
		Duplicates:        dupeWindow,
		MaxConsumers:      -1,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgsPerSubject: -1,
		MaxMsgSize:        -1,
	}
}

// in is the stream that others may publish to. A publisher can send control
// headers, so no feature is on that a header could use against the stream.
func (l Subjects) in(c StorageConfig) jetstream.StreamConfig {
	s := c.common()
	s.Name = StreamIn
	s.Description = "what the swarm says to shadowd, and shadowd's commitments"
	s.Subjects = l.Wildcards(shadow.DecompositionDone, shadow.EnvelopeSealed, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed, shadow.Tick)
	s.Discard = jetstream.DiscardNew
	s.MaxBytes = c.InMaxBytes
	s.MaxMsgs = inMaxMsgs(c.InMaxBytes)
	s.MaxMsgSize = c.MaxEventBytes
	s.RePublish = l.republish(l.Subject(shadow.EnvelopeSealed, ">"))
	return s
}

// out is the stream that shadowd alone publishes to.
func (l Subjects) out(c StorageConfig) jetstream.StreamConfig {
	s := c.common()
	s.Name = StreamOut
	s.Description = "what shadowd says"
	s.Subjects = l.Wildcards(shadow.GapReport, shadow.HardeningRequest, shadow.BundleQuarantined,
		shadow.DomainSettled, shadow.RunScored, shadow.RunReviewed, shadow.EventRejected, shadow.EnvelopeOpened)
	s.Discard = jetstream.DiscardNew
	s.MaxAge = 2 * c.MaxAge
	s.MaxBytes = c.OutMaxBytes
	s.RePublish = l.republish(l.Subject(">"))
	return s
}

// MinEventBytes is what an event of IN counts as at least, in bytes. Even an empty
// one costs memory of the server, for its subject, and a rejection in OUT.
const MinEventBytes = 1 << 10

// InUsed is how many of its bytes IN has used.
func InUsed(s jetstream.StreamState) uint64 { return max(s.Bytes, s.Msgs*MinEventBytes) }

// inMaxMsgs is how many events IN takes with a bound in bytes; -1 is none.
func inMaxMsgs(bytes int64) int64 {
	if bytes < 0 {
		return -1
	}
	return max(bytes/MinEventBytes, 1) // 0 would be no bound
}

// republish copies what a stream has stored. Whoever listened to the subjects
// themselves would also hear what the stream then refuses.
func (l Subjects) republish(subjects string) *jetstream.RePublish {
	return &jetstream.RePublish{Source: subjects, Destination: l.Live(subjects)}
}

// bucket is the stream under a bucket, as the client's key-value API expects it. It
// is created as a stream because that API always turns AllowDirect on.
func (c StorageConfig) bucket(name, description string) jetstream.StreamConfig {
	s := c.common()
	s.Name = "KV_" + name
	s.Description = description
	s.Subjects = []string{"$KV." + name + ".>"}
	s.Discard = jetstream.DiscardNew
	s.MaxMsgsPerSubject = 1
	s.AllowRollup = true
	return s
}

func (c StorageConfig) envelopes() jetstream.StreamConfig {
	s := c.bucket(BucketEnvelopes, "the sealed envelopes, encrypted")
	s.MaxAge, s.MaxBytes = 2*c.MaxAge, c.OutMaxBytes
	return s
}

// leaseMaxBytes is there since an account may ask for bounds.
const leaseMaxBytes = 1 << 20

func (c StorageConfig) lease() jetstream.StreamConfig {
	s := c.bucket(BucketLease, "which daemon is active")
	s.Storage = jetstream.MemoryStorage
	s.MaxAge, s.MaxBytes = 0, leaseMaxBytes
	return s
}

// Wildcards are the subjects of all events of some names.
func (l Subjects) Wildcards(names ...string) []string {
	var subjects []string
	for _, name := range names {
		subjects = append(subjects, l.RunWildcard(name, ""))
	}
	return subjects
}

func durable(name, description string, filters ...string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:        name,
		Description:    description,
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        ackWait,
		MaxDeliver:     -1,
		MaxAckPending:  -1,
		FilterSubjects: filters,
	}
}
