package shadow

import (
	"errors"
	"strings"
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
	otherPublic, err := other.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := Encrypt(mustSeal(t, decomposition(), settings()), ring)
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, _ := strings.Cut(marks[2], " ")
	if !strings.HasPrefix(marks[2], otherPublic) || !strings.HasPrefix(marks[1], public) {
		t.Errorf("marks name other keys: %q", marks)
	}
	for name, c := range map[string]struct {
		mark, words string
		unknown     bool
	}{
		"other words":                    {marks[1], words + "d", false},
		"another key":                    {marks[2], words, true},
		"another key in the name of one": {public + " " + foreign, words, false},
		"an envelope":                    {string(envelope), words, false},
		"no mark":                        {"", words, false},
		"no mark of nothing":             {"", "", false},
		"a name alone":                   {public, words, false},
		"a mark that was cut":            {marks[1][:len(marks[1])-6], words, false},
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
