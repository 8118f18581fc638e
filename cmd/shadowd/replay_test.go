package main

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// smallRun holds a run of two domains; the second one's bundle is poor, and its fix good.
var smallRun = filepath.Join("testdata", "replay", "small.jsonl")

// unfixed is the small run without its fix.
func unfixed(t *testing.T) string {
	t.Helper()
	text := readFile(t, smallRun)
	return written(t, "unfixed.jsonl", text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1])
}

// plainWords keeps letters and digits, so that quoting and escaping hide nothing.
func plainWords(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " "))
}

// envelopes opens all envelopes of a data directory with its key.
func envelopes(t *testing.T, dir string) []*shadow.Envelope {
	t.Helper()
	seed, err := keys.ReadSecret(filepath.Join(dir, "envelope.nk"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := nkeys.FromCurveSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := broker.Start(broker.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	nc, err := srv.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), layout.BucketEnvelopes)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := kv.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []*shadow.Envelope
	for _, run := range runs {
		if strings.Contains(run, ".") {
			continue // no id of a run: which keys the bus is used with
		}
		entry, err := kv.Get(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		e, err := shadow.Decrypt(entry.Value(), key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}
