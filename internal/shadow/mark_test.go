package shadow

import (
	"encoding/json"
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
	if !Marked(marks[0], words, ring) || !Marked(marks[1], words, ring) {
		t.Error("a mark of the ring's own does not hold")
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
	for name, c := range map[string]struct{ mark, words string }{
		"other words":                    {marks[1], words + "d"},
		"another key":                    {marks[2], words},
		"sealed to the key":              {foreign(otherPublic), words},
		"sealed to the key, in its name": {foreign(public), words},
		"an envelope":                    {string(envelope), words},
		"an envelope, and of nothing":    {string(envelope), ""},
		"a mark of nothing":              {nothing, ""},
		"no mark":                        {"", words},
		"no mark of nothing":             {"", ""},
		"a mark that was cut":            {marks[1][:len(marks[1])-6] + `"}`, words},
	} {
		if Marked(c.mark, c.words, ring) {
			t.Errorf("%s passes for a mark", name)
		}
	}
}
