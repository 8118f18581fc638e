package layout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// DifferencesError lists everything that keeps shadowd from using what exists:
// the stream or the durable, the setting as the server calls it, what it is and
// has to be, and what to do.
type DifferencesError struct{ Differences []string }

func (e *DifferencesError) Error() string {
	return "what exists on the server breaks promises of shadowd; if it is another program's, give shadowd an account of its own:\n  " + strings.Join(e.Differences, "\n  ")
}

// These may differ: what Ensure brings in line, and what an operator chooses.
// All else has to be as shadowd asks, settings of later servers included.
var (
	streamMayDiffer = strings.Fields(`name description num_replicas max_age max_msg_size republish allow_direct
		mirror_direct placement compression first_seq consumer_limits metadata deny_delete deny_purge`)
	consumerMayDiffer = strings.Fields(`name description num_replicas ack_wait max_ack_pending max_waiting sample_freq
		max_batch max_expires metadata pause_until`)
)

// streamFlags are the flags of "nats stream edit" that set what is wanted. What
// has none can never change.
var streamFlags = map[string]string{
	"subjects":                 `--subjects "%s"`,
	"discard":                  "--discard %s",
	"discard_new_per_subject":  "--no-discard-per-subject",
	"max_msgs":                 "--max-msgs=%s",
	"max_bytes":                "--max-bytes=%s",
	"max_msgs_per_subject":     "--max-msgs-per-subject=%s",
	"duplicate_window":         "--dupe-window %s",
	"no_ack":                   "--ack",
	"allow_rollup_hdrs=true":   "--allow-rollup",
	"allow_rollup_hdrs=false":  "--no-allow-rollup",
	"allow_msg_schedules=true": "--allow-schedules",
	"allow_atomic":             "--no-allow-batch",
	"allow_batched":            "--no-allow-fast",
	"subject_transform":        "--no-transform",
}

// streamDifferences compares what the promises rest on. IN may have any limits,
// since it refuses what is new, and so may the votes, which decide nothing. On
// the others a limit would drop reports whose bundles are still there, which
// would then be judged again.
func streamDifferences(found, want jetstream.StreamConfig) []string {
	if want.Name == StreamIn || want.MaxBytes >= 0 {
		found.MaxBytes, found.MaxMsgs = want.MaxBytes, want.MaxMsgs
	}
	return compare("stream "+want.Name, found, want, streamMayDiffer, func(setting, wanted string) string {
		if flag := cmp.Or(streamFlags[setting], streamFlags[setting+"="+wanted]); flag != "" {
			return "run: nats stream edit " + want.Name + " " + strings.ReplaceAll(flag, "%s", wanted)
		}
		return "keep a copy of what it holds and remove it, shadowd will create it anew: nats stream rm " + want.Name
	})
}

func consumerDifferences(stream string, found, want jetstream.ConsumerConfig) []string {
	if found.FilterSubject != "" { // the server keeps one filter here, and several there
		found.FilterSubject, found.FilterSubjects = "", []string{found.FilterSubject}
	}
	return compare("consumer "+want.Durable+" of "+stream, found, want, consumerMayDiffer, func(string, string) string {
		return "remove it, shadowd will create it anew and read again what it has read, which changes nothing that is stored: nats consumer rm " + stream + " " + want.Durable
	})
}

// compare compares two configurations of one type, setting by setting.
func compare[C any](where string, found, want C, mayDiffer []string, fix func(setting, wanted string) string) []string {
	var all []string
	f, w := reflect.ValueOf(found), reflect.ValueOf(want)
	for i := range f.NumField() {
		setting, _, _ := strings.Cut(f.Type().Field(i).Tag.Get("json"), ",")
		is, wanted := value(f.Field(i).Interface()), value(w.Field(i).Interface())
		if is != wanted && !slices.Contains(mayDiffer, setting) {
			all = append(all, fmt.Sprintf("%s: %s is %s, not %s; to mend it, %s", where, setting, is, wanted, fix(setting, wanted)))
		}
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
