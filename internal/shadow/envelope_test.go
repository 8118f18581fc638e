package shadow

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

func curveKey(t testing.TB) nkeys.KeyPair {
	t.Helper()
	kp, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	return kp
}

func TestEnvelopeRoundTrip(t *testing.T) {
	key, d := curveKey(t), decomposition()
	e := mustSeal(t, d, settings())
	c := e.Commitment()
	stored, err := Encrypt(e, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sealed assertion", "sealed expectation", "alpha", e.Salt, e.Decoy.Token} {
		if bytes.Contains(stored, []byte(secret)) {
			t.Errorf("the stored envelope shows %q", secret)
		}
	}
	opened, err := Decrypt(stored, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Verify(&c); err != nil {
		t.Errorf("after a round trip: %v", err)
	}
	if _, err := Decrypt(stored, curveKey(t)); !errors.Is(err, ErrWrongKey) {
		t.Errorf("another key: %v, want ErrWrongKey", err)
	}
}

// TestTamperedBox: whatever is changed in the store, it is either a broken
// seal or a key that does not fit, and never an envelope.
func TestTamperedBox(t *testing.T) {
	key := curveKey(t)
	stored, err := Encrypt(mustSeal(t, decomposition(), settings()), key)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(stored); i += 7 {
		changed := bytes.Clone(stored)
		changed[i] ^= 1
		if e, err := Decrypt(changed, key); err == nil && !sameBox(stored, changed) {
			t.Fatalf("byte %d changed: an envelope of %d criteria", i, len(e.Criteria))
		} else if err != nil && !errors.Is(err, ErrSealBroken) && !errors.Is(err, ErrWrongKey) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
}

// sameBox tells whether the same bytes are stored: the last letter of base64
// may have bits that say nothing.
func sameBox(a, b []byte) bool {
	var x, y box
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x.SealedBy == y.SealedBy && bytes.Equal(x.Box, y.Box)
}

// TestVerify changes each part of an envelope: all of it is committed to.
func TestVerify(t *testing.T) {
	for name, change := range map[string]func(*Envelope){
		"assertion": func(e *Envelope) { e.Criteria[3].Assertion += "!" },
		"expected":  func(e *Envelope) { e.Criteria[0].Expected = "anything" },
		"check":     func(e *Envelope) { e.Criteria[0].Check = "true" },
		"message": func(e *Envelope) {
			m := e.Criteria[0].Material["one"]
			m.Message = "x"
			e.Criteria[0].Material["one"] = m
		},
		"material":  func(e *Envelope) { e.Criteria[0].Material["one"].Data["word"] = "e" },
		"removed":   func(e *Envelope) { e.Criteria = e.Criteria[1:] },
		"order":     func(e *Envelope) { e.Criteria[0], e.Criteria[1] = e.Criteria[1], e.Criteria[0] },
		"salt":      func(e *Envelope) { e.Salt = strings.Repeat("0", 64) },
		"decoy":     func(e *Envelope) { e.Decoy.Token = "zq-0" },
		"policy":    func(e *Envelope) { e.Policy.Threshold = 99 },
		"commander": func(e *Envelope) { e.Domains[0].CommanderID = "cmd-2" },
		"run":       func(e *Envelope) { e.RunID = "run-2" },
	} {
		e := mustSeal(t, decomposition(), settings())
		c := e.Commitment()
		change(e)
		if err := e.Verify(&c); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed: %v", name, err)
		}
		// One who changes the envelope may hash it again.
		e.SealedHash, _ = e.Hash()
		if err := e.Verify(&c); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed and hashed again: %v", name, err)
		}
		if _, err := NewExam(e, &c, nil); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed: an exam came of it: %v", name, err)
		}
	}
}

// TestCommitmentTellsNothing: two envelopes of one decomposition commit to
// different hashes, and a commitment holds no sealed word.
func TestCommitmentTellsNothing(t *testing.T) {
	a, b := mustSeal(t, decomposition(), settings()), mustSeal(t, decomposition(), settings())
	if a.SealedHash == b.SealedHash {
		t.Error("two seals of the same criteria have one hash: the salt does nothing")
	}
	if a.TaskHash != b.TaskHash {
		t.Error("the same task has two task hashes")
	}
	other := decomposition()
	other.RunID = "run-2"
	if mustSeal(t, other, settings()).TaskHash != a.TaskHash {
		t.Error("the task hash depends on the run id")
	}
	raw, err := json.Marshal(a.Commitment())
	if err != nil {
		t.Fatal(err)
	}
	if a.Commitment().CriteriaCount != 8 || guardOf(a).Contains(string(raw)) {
		t.Errorf("the commitment says too much or too little: %s", raw)
	}
}

// TestShuffle: over many seals every id is given to every category.
func TestShuffle(t *testing.T) {
	seen := map[string]map[Category]bool{}
	for range 200 {
		for i, c := range mustSeal(t, decomposition(), settings()).Criteria {
			if i == 0 && c.ID != "sc-01" {
				t.Fatalf("the first id is %s", c.ID)
			}
			if seen[c.ID] == nil {
				seen[c.ID] = map[Category]bool{}
			}
			seen[c.ID][c.Category] = true
		}
	}
	for id, cs := range seen {
		if len(cs) != 4 {
			t.Errorf("%s was only ever of %v", id, cs)
		}
	}
}

func TestScales(t *testing.T) {
	for scale, want := range map[string]struct{ criteria, cycles int }{
		"ss-50": {6, 0}, "SS-50": {6, 0}, "ss-100": {8, 1}, "": {8, 1}, "Ss-250": {10, 1},
	} {
		d := decomposition()
		d.Scale = scale
		e := mustSeal(t, d, settings())
		if len(e.Criteria) != want.criteria || e.Policy.MaxCycles != want.cycles {
			t.Errorf("%q: %d criteria and %d cycles, want %+v", scale, len(e.Criteria), e.Policy.MaxCycles, want)
		}
	}
	s := settings()
	s.MaxCriteria = 7
	if n := len(mustSeal(t, decomposition(), s).Criteria); n != 7 {
		t.Errorf("bounded by 7: %d", n)
	}
}

// TestSealRefuses lists what an author may not do.
func TestSealRefuses(t *testing.T) {
	first := func(f func(*Criterion)) func([]Criterion) []Criterion {
		return func(cs []Criterion) []Criterion { f(&cs[0]); return cs }
	}
	say := func(msg string) func([]Criterion) []Criterion {
		return first(func(c *Criterion) { c.Material["one"] = Material{Message: msg, Data: map[string]any{"word": "x"}} })
	}
	for name, c := range map[string]struct {
		mangle func([]Criterion) []Criterion
		want   string
	}{
		"one too few":         {func(cs []Criterion) []Criterion { return cs[1:] }, "8 criteria wanted, 7 written"},
		"other category":      {first(func(c *Criterion) { c.Category = Security }), "security"},
		"no assertion":        {first(func(c *Criterion) { c.Assertion = " " }), "must both say something"},
		"no expectation":      {first(func(c *Criterion) { c.Expected = "" }), "must both say something"},
		"the same twice":      {func(cs []Criterion) []Criterion { cs[1].Assertion = cs[0].Assertion + " !"; return cs }, "asks what another one asks"},
		"check does not read": {first(func(c *Criterion) { c.Check = "text.contains(" }), "does not compile at column 15"},
		"check cannot run":    {first(func(c *Criterion) { c.Check = "text.contains(material.nothing)" }), "fails on an empty bundle"},
		"no message":          {say(""), "no failure message"},
		"message is the assertion": {first(func(c *Criterion) {
			c.Material["one"] = Material{Message: "Sorry: " + strings.ToUpper(c.Assertion), Data: map[string]any{"word": "x"}}
		}), "repeats the criterion"},
		"message is the expectation": {say("Show the sealed, expectation of 'alpha'!"), "repeats the criterion"},
		"asks nothing":               {first(func(c *Criterion) { c.Material = nil }), "asks nothing of any domain"},
		"another run's domain":       {first(func(c *Criterion) { c.Material["three"] = Material{Message: "m"} }), `domain "three": there is no such domain`},
		"a delivery of nothing":      {first(func(c *Criterion) { c.Check, c.Delivery = "", true }), "names no item"},
		"a delivery with a check":    {first(func(c *Criterion) { c.Delivery = true }), "has no check"},
		"an item that is not there": {first(func(c *Criterion) {
			c.Material["one"] = Material{Message: "m", Items: []ItemRef{{SubTask, 2}}, Data: map[string]any{"word": "x"}}
		}), "it rests on sub-task 3, which is not there"},
	} {
		_, err := Seal(context.Background(), decomposition(), SealInput{Settings: settings(), Filler: scripted{words: words, mangle: c.mangle}, Now: time.Unix(1, 0), Rand: rand.Reader})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// TestSize: the size of an exam grows with the texts of the decomposition.
func TestSize(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	before := x.Size()
	x.Envelope.Task += "123"
	x.Envelope.Domains[0].SubTasks = append(x.Envelope.Domains[0].SubTasks, "4567")
	if got := x.Size() - before; before <= 0 || got != 7 {
		t.Errorf("%d bytes, and %d more", before, got)
	}
}
