package shadow

import (
	"fmt"
	"time"
)

// MaxCriteria is the most criteria that a run can have. A report that counts
// more is forged, and nobody may list them one by one.
const MaxCriteria = 50

// Limits bound what one event, one commander and one run may take. A limit is a
// setting of limits in the configuration, has its default in [DefaultLimits]
// and its range in [Limits.Ranges], and refuses with [TooLarge] or
// [TooManyWaiting] by a method, which an audit asks again with the number that
// the rejection names.
type Limits struct {
	// EventBytes is the largest event, ContentBytes the largest content of a
	// bundle within it.
	EventBytes   int `yaml:"event_bytes"`
	ContentBytes int `yaml:"content_bytes"`
	// WaitingPerRun is how many events of one commander may wait for the
	// seal of a run, and for all runs together that nobody has decomposed.
	WaitingPerRun int `yaml:"waiting_per_run"`
	// SealWait is how long a bundle waits for a run that nobody decomposed.
	SealWait time.Duration `yaml:"seal_wait"`
}

// DefaultLimits hold where a configuration says nothing.
func DefaultLimits() Limits {
	return Limits{EventBytes: 1 << 20, ContentBytes: 256 << 10, WaitingPerRun: 1000, SealWait: 2 * time.Minute}
}

// Range is what a limit may be.
type Range struct {
	Setting string
	Value   any // of the limit, in its unit
	OK      bool
	Allowed string // in the words of a configuration
}

// Ranges lists the limits that have a unit, in which a schema cannot say a
// range.
func (l *Limits) Ranges() []Range {
	const lowest, highest = 1 << 10, 8 << 20
	return []Range{
		{"event_bytes", l.EventBytes, l.EventBytes >= lowest && l.EventBytes <= highest, "1KiB to 8MiB"},
		{"content_bytes", l.ContentBytes, l.ContentBytes >= lowest && l.ContentBytes <= highest, "1KiB to 8MiB"},
		{"seal_wait", l.SealWait, l.SealWait >= time.Second && l.SealWait <= 24*time.Hour, "1s to 24h"},
	}
}

// Bundle refuses a bundle that is beyond a limit. It is nil for others.
func (l *Limits) Bundle(b *Bundle) *Refusal {
	if n := len(b.Content); n > l.ContentBytes {
		return limited(TooLarge, l.ContentBytes, "the bundle's content has %d bytes, %d are allowed", n, l.ContentBytes)
	}
	return nil
}

// Waiting refuses one more event of a commander that has so many waiting in a
// run, or in all runs together that nobody has decomposed if run is empty. It is
// nil for others.
func (l *Limits) Waiting(n int, commander, run string) *Refusal {
	where := "for runs that nobody has decomposed"
	if run != "" {
		where = fmt.Sprintf("in run %q", run)
	}
	if n >= l.WaitingPerRun {
		return limited(TooManyWaiting, l.WaitingPerRun, "%d events of commander %q wait already %s", l.WaitingPerRun, commander, where)
	}
	return nil
}

func limited(reason Reason, limit int, format string, args ...any) *Refusal {
	r := Refuse(reason, format, args...)
	r.Limit = limit
	return r
}
