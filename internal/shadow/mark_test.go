package shadow

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestMark: a mark holds for its words and by a key of the ring, and nothing
// that others can make or find passes for one.
func TestMark(t *testing.T) {
	old, young, other := curveKey(t), curveKey(t), curveKey(t)
	ring := NewRing(young, old)
	const words = "sha256:abc"
	var marks []string
	for _, key := range []*Ring{NewRing(old), ring, NewRing(other)} {
		m, err := Mark(words, key)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, m)
	}
	for i, m := range marks[:2] {
		if own, err := Marked(m, words, ring); !own || err != nil {
			t.Errorf("mark %d of the ring's own does not hold: %v", i, err)
		}
	}
	public, err := young.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	// What can be made with the public key alone: sealed to it by another key.
	foreign := func(named string) string {
		sealed, err := other.Seal([]byte(words), public)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(box{SealedBy: named, Box: sealed})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	otherPublic, err := other.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := Encrypt(mustSeal(t, decomposition(), settings()), ring)
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := Mark("", ring)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		mark, words string
		unknown     bool
	}{
		"other words":                    {marks[1], words + "d", false},
		"another key":                    {marks[2], words, true},
		"sealed to the key":              {foreign(otherPublic), words, true},
		"sealed to the key, in its name": {foreign(public), words, false},
		"an envelope":                    {string(envelope), words, false},
		"an envelope, and of nothing":    {string(envelope), "", false},
		"a mark of nothing":              {nothing, "", false},
		"no mark":                        {"", words, false},
		"no mark of nothing":             {"", "", false},
		"a mark that was cut":            {marks[1][:len(marks[1])-6] + `"}`, words, false},
	} {
		own, err := Marked(c.mark, c.words, ring)
		if own {
			t.Errorf("%s passes for a mark", name)
		}
		// Of a key that is not there, nobody here can tell.
		if errors.Is(err, ErrWrongKey) != c.unknown {
			t.Errorf("%s: %v", name, err)
		}
	}
}
