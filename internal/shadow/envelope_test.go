package shadow

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

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
	e := mustSeal(t, d, settings(), scripted{})
	c := e.Commitment
	stored, err := Encrypt(e, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sealed assertion", "sealed expectation", "secret0", "alpha", e.Salt, e.Decoy.Token} {
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
	material := func(change func(*Material)) func(*Envelope) {
		return func(e *Envelope) {
			m := e.Criteria[0].Material["one"]
			change(&m)
			e.Criteria[0].Material["one"] = m
		}
	}
	for name, change := range map[string]func(*Envelope){
		"assertion": material(func(m *Material) { m.Assertion += "!" }),
		"expected":  material(func(m *Material) { m.Expected = "anything" }),
		"check":     material(func(m *Material) { m.Check = "true" }),
		"items":     material(func(m *Material) { m.Items = []string{"sub-task 99"} }),
		"basis":     material(func(m *Material) { m.Basis = "x" }),
		"taken":     func(e *Envelope) { delete(e.Criteria[0].Material, "one") },
		"counts":    func(e *Envelope) { e.CriteriaByDomain[0]++ },
		"removed":   func(e *Envelope) { e.Criteria = e.Criteria[1:] },
		"order":     func(e *Envelope) { e.Criteria[0], e.Criteria[1] = e.Criteria[1], e.Criteria[0] },
		"salt":      func(e *Envelope) { e.Salt = strings.Repeat("0", 64) },
		"decoy":     func(e *Envelope) { e.Decoy.Token = "zq-0" },
		"policy":    func(e *Envelope) { e.Policy.Threshold = 99 },
		"commander": func(e *Envelope) { e.Domains[0].CommanderID = "cmd-2" },
		"run":       func(e *Envelope) { e.RunID = "run-2" },
	} {
		e := mustSeal(t, decomposition(), settings())
		c := e.Commitment
		change(e)
		if err := e.Verify(&c); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed: %v", name, err)
		}
		// One who changes the envelope may hash it again.
		e.SealedHash, _ = e.Hash()
		if err := e.Verify(&c); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed and hashed again: %v", name, err)
		}
		if _, err := NewExam(e, &c); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s changed: an exam came of it: %v", name, err)
		}
	}
}

// TestCommitmentTellsNothing: two envelopes of one decomposition commit to
// different hashes, and a commitment holds no sealed word.
func TestCommitmentTellsNothing(t *testing.T) {
	a, b := mustSeal(t, decomposition(), settings(), scripted{}), mustSeal(t, decomposition(), settings(), scripted{})
	if a.SealedHash == b.SealedHash {
		t.Error("two seals of the same criteria have one hash: the salt does nothing")
	}
	if a.TaskHash != b.TaskHash {
		t.Error("the same task has two task hashes")
	}
	raw, err := json.Marshal(a.Commitment)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Commitment.CriteriaByDomain, []int{8, 8}) || guardOf(a).Contains(string(raw)) {
		t.Errorf("the commitment says too much or too little: %s", raw)
	}
}

// TestTaskHash: who repeats a task cannot hide it by what a reader does not see, nor by
// what stands beside the task.
func TestTaskHash(t *testing.T) {
	hash := func(task string, change func(*Decomposition)) string {
		d := decomposition()
		if d.Task = task; change != nil {
			change(d)
		}
		return d.TaskHash()
	}
	same := hash("Translate the café manual into German", nil)
	for _, task := range []string{"translate  THE\ncafe\u0301 manual into German.", "Translate the café man\u00adual into Ger\u200bman\x00", "Tr\u0430nslate the café manual into Germ\u0430n", "\uff34ranslate the café manual, into German!"} {
		if hash(task, nil) != same {
			t.Errorf("%q is another task", task)
		}
	}
	for name, change := range map[string]func(*Decomposition){
		"run": func(d *Decomposition) { d.RunID = "run-2" }, "scale": func(d *Decomposition) { d.Scale = "ss-250" }, "specification": func(d *Decomposition) { d.Specification += "x" },
		"order": func(d *Decomposition) { slices.Reverse(d.Domains) }, "items": func(d *Decomposition) { d.Domains[0].SubTasks = append(d.Domains[0].SubTasks, "More") },
		"specifier": func(d *Decomposition) { d.Specifier = &Model{Model: "m"} },
	} {
		if hash("Translate the café manual into German", change) != same {
			t.Errorf("with another %s it is another task", name)
		}
	}
	if hash("Translate the café manual into French", nil) == same || hash("!", nil) == hash("?", nil) {
		t.Error("other tasks are the same")
	}
}

// TestMark: a mark holds for its words and by a key of the ring, and nothing
// that others can make or find passes for one.
func TestMark(t *testing.T) {
	old, young, other := curveKey(t), curveKey(t), curveKey(t)
	ring := NewRing(young, old)
	const subject, words = "swarm.gap-report.run-1.one.0", "sha256:abc"
	var marks []string
	for _, key := range []*Ring{NewRing(old), ring, NewRing(other)} {
		m, err := Mark(subject, words, key)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, m)
	}
	for i, m := range marks[:2] {
		if digest, err := Marked(m, subject, ring); digest != words || err != nil {
			t.Errorf("mark %d of the ring's own does not hold: %v", i, err)
		}
	}
	envelope, err := Encrypt(mustSeal(t, decomposition(), settings()), ring)
	if err != nil {
		t.Fatal(err)
	}
	own, foreign := strings.Split(marks[1], " "), strings.Split(marks[2], " ")
	for what, c := range map[string]struct {
		mark, subject string
		unknown       bool
	}{
		"another subject":                {marks[1], subject + "0", false},
		"another digest":                 {strings.Replace(marks[1], words, words+"d", 1), subject, false},
		"another key":                    {marks[2], subject, true},
		"another key in the name of one": {words + " " + own[1] + " " + foreign[2], subject, false},
		"an envelope":                    {string(envelope), subject, false},
		"no mark":                        {"", subject, false},
		"no mark of nothing":             {"", "", false},
		"a name alone":                   {words + " " + own[1], subject, false},
		"a mark that was cut":            {marks[1][:len(marks[1])-6], subject, false},
	} {
		digest, err := Marked(c.mark, c.subject, ring)
		if digest != "" {
			t.Errorf("%s passes for a mark", what)
		}
		// Of a key that is not there, nobody here can tell.
		if errors.Is(err, ErrWrongKey) != c.unknown {
			t.Errorf("%s: %v", what, err)
		}
	}
}
