package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Difference is a setting of a stream or a durable that breaks a promise.
type Difference struct {
	// Where is the stream or the durable.
	Where string
	// Setting is what it is called, Found and Wanted its values.
	Setting, Found, Wanted string
	// Why says what would go wrong, and Mend what to do.
	Why, Mend string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s is %s, not %s: %s; to mend it, %s", d.Where, d.Setting, d.Found, d.Wanted, d.Why, d.Mend)
}

// DifferencesError lists everything that keeps shadowd from using what exists.
type DifferencesError struct{ Differences []Difference }

func (e *DifferencesError) Error() string {
	lines := []string{"what exists on the server breaks promises of shadowd; if it is another program's, give shadowd an account of its own:"}
	for _, d := range e.Differences {
		lines = append(lines, "  "+d.String())
	}
	return strings.Join(lines, "\n")
}

// setting is one row of what must be as wanted. An edit is the flag of
// "nats stream edit" that sets the wanted value; without one, a setting can
// never change.
type setting[C any] struct {
	name string
	of   func(C) any
	why  string
	edit func(C) string
}

const (
	whyVanish  = "events could vanish without a trace"
	whyControl = "a publisher could use its headers against the stream"
	whyForeign = "events would be stored that are not as their authors published them"
	whyAck     = "publishers could not tell whether their event was stored"
)

var streamSettings = []setting[jetstream.StreamConfig]{
	{"subjects", func(c jetstream.StreamConfig) any { return sorted(c.Subjects) }, "subjects must have exact numbers of tokens, since permissions are granted by subject",
		func(c jetstream.StreamConfig) string { return `--subjects "` + strings.Join(c.Subjects, ",") + `"` }},
	{"storage", func(c jetstream.StreamConfig) any { return c.Storage }, "a restart of the server would lose it", nil},
	{"retention", func(c jetstream.StreamConfig) any { return c.Retention }, whyVanish, nil},
	{"discard", func(c jetstream.StreamConfig) any { return c.Discard }, "what happens when it is full decides what is lost",
		func(c jetstream.StreamConfig) string {
			return "--discard " + strings.TrimPrefix(strings.ToLower(c.Discard.String()), "discard")
		}},
	{"discard new per subject", func(c jetstream.StreamConfig) any { return c.DiscardNewPerSubject }, "a second event of an author would be refused", edit("--no-discard-per-subject")},
	{"largest number of messages per subject", func(c jetstream.StreamConfig) any { return c.MaxMsgsPerSubject }, whyVanish,
		func(c jetstream.StreamConfig) string {
			return fmt.Sprintf("--max-msgs-per-subject=%d", c.MaxMsgsPerSubject)
		}},
	{"largest number of consumers", func(c jetstream.StreamConfig) any { return c.MaxConsumers }, "shadowd and readers need durables of their own", nil},
	{"duplicate window", func(c jetstream.StreamConfig) any { return c.Duplicates }, "one publisher could suppress another's event by using its message id first",
		func(c jetstream.StreamConfig) string { return "--dupe-window " + c.Duplicates.String() }},
	{"acknowledgements off", func(c jetstream.StreamConfig) any { return c.NoAck }, whyAck, edit("--ack")},
	{"rollup", func(c jetstream.StreamConfig) any { return c.AllowRollup }, whyControl,
		func(c jetstream.StreamConfig) string { return negatable("allow-rollup", c.AllowRollup) }},
	{"message TTL", func(c jetstream.StreamConfig) any { return c.AllowMsgTTL }, whyControl, nil},
	{"message schedules", func(c jetstream.StreamConfig) any { return c.AllowMsgSchedules }, "deadlines need them on OUT, and elsewhere a publisher could use them against the stream",
		func(c jetstream.StreamConfig) string {
			if !c.AllowMsgSchedules {
				return ""
			}
			return "--allow-schedules"
		}},
	{"message counter", func(c jetstream.StreamConfig) any { return c.AllowMsgCounter }, whyForeign, nil},
	{"atomic batches", func(c jetstream.StreamConfig) any { return c.AllowAtomicPublish }, whyControl, edit("--no-allow-batch")},
	{"fast batches", func(c jetstream.StreamConfig) any { return c.AllowBatchPublish }, whyControl, edit("--no-allow-fast")},
	{"persist mode", func(c jetstream.StreamConfig) any { return c.PersistMode }, "a crash would lose events that were acknowledged", nil},
	{"mirror", func(c jetstream.StreamConfig) any { return c.Mirror != nil }, whyForeign, nil},
	{"sources", func(c jetstream.StreamConfig) any { return len(c.Sources) }, whyForeign, nil},
	{"subject transform", func(c jetstream.StreamConfig) any { return c.SubjectTransform != nil }, whyForeign, edit("--no-transform")},
	{"sealed", func(c jetstream.StreamConfig) any { return c.Sealed }, "nothing more can be stored", nil},
}

// limitSettings are of streams that have no limit.
var limitSettings = []setting[jetstream.StreamConfig]{
	{"largest number of messages", func(c jetstream.StreamConfig) any { return c.MaxMsgs }, whyVanish, edit("--max-msgs=-1")},
	{"largest size in bytes", func(c jetstream.StreamConfig) any { return c.MaxBytes }, whyVanish, edit("--max-bytes=-1")},
}

// streamDifferences compares what the promises rest on. IN may have limits in
// messages and bytes, since it refuses what is new; on the others a limit would
// drop reports whose bundles are still there, which would then be judged again.
func streamDifferences(found, want jetstream.StreamConfig) []Difference {
	settings := streamSettings
	if want.MaxBytes < 0 && want.Name != StreamIn {
		settings = slices.Concat(settings, limitSettings)
	}
	return compare("stream "+want.Name, found, want, settings, func(flag string) string {
		if flag == "" {
			return "keep a copy of what it holds and remove it, shadowd will create it anew: nats stream rm " + want.Name
		}
		return "run: nats stream edit " + want.Name + " " + flag
	})
}

var consumerSettings = []setting[jetstream.ConsumerConfig]{
	{"filter", func(c jetstream.ConsumerConfig) any { return filters(c) }, "shadowd would miss events, or get others", nil},
	{"deliver policy", func(c jetstream.ConsumerConfig) any { return c.DeliverPolicy }, "earlier events would never be read", nil},
	{"ack policy", func(c jetstream.ConsumerConfig) any { return c.AckPolicy }, "a crash would lose what was in hand", nil},
	{"largest number of deliveries", func(c jetstream.ConsumerConfig) any { return c.MaxDeliver }, "an event that waits long would be dropped", nil},
	{"backoff", func(c jetstream.ConsumerConfig) any { return len(c.BackOff) }, "shadowd decides itself how long an event waits", nil},
	{"deliver subject", func(c jetstream.ConsumerConfig) any { return fmt.Sprintf("%.60q", c.DeliverSubject) }, "shadowd pulls", nil},
	{"headers only", func(c jetstream.ConsumerConfig) any { return c.HeadersOnly }, "shadowd needs the events' data", nil},
	{"replay policy", func(c jetstream.ConsumerConfig) any { return c.ReplayPolicy }, "events would come late", nil},
	{"rate limit", func(c jetstream.ConsumerConfig) any { return c.RateLimit }, "events would come late", nil},
	{"memory storage", func(c jetstream.ConsumerConfig) any { return c.MemoryStorage }, "a restart of the server would lose its place", nil},
	{"removal when inactive", func(c jetstream.ConsumerConfig) any { return c.InactiveThreshold }, "it would lose its place while shadowd is down", nil},
	{"priority groups", func(c jetstream.ConsumerConfig) any { return len(c.PriorityGroups) }, "workers share it as equals", nil},
}

func consumerDifferences(stream string, found, want jetstream.ConsumerConfig) []Difference {
	return compare("consumer "+want.Durable+" of "+stream, found, want, consumerSettings, func(string) string {
		return "remove it, shadowd will create it anew and read again what it has read, which changes nothing that is stored: nats consumer rm " + stream + " " + want.Durable
	})
}

func compare[C any](where string, found, want C, settings []setting[C], mend func(flag string) string) []Difference {
	var all []Difference
	for _, s := range settings {
		f, w := fmt.Sprint(s.of(found)), fmt.Sprint(s.of(want))
		if f == w {
			continue
		}
		flag := ""
		if s.edit != nil {
			flag = s.edit(want)
		}
		all = append(all, Difference{where, s.name, f, w, s.why, mend(flag)})
	}
	return all
}

func edit(flag string) func(jetstream.StreamConfig) string {
	return func(jetstream.StreamConfig) string { return flag }
}

func negatable(flag string, on bool) string {
	if on {
		return "--" + flag
	}
	return "--no-" + flag
}

// filters are those of a consumer, which the server keeps in one of two
// places depending on their number.
func filters(c jetstream.ConsumerConfig) []string {
	if c.FilterSubject != "" {
		return []string{c.FilterSubject}
	}
	return sorted(c.FilterSubjects)
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
