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
	envelope, err := Encrypt(mustSeal(t, decomposition(), settings()), ring)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(marks[1], " ")
	_, foreign, _ := strings.Cut(marks[2], " ")
	for what, c := range map[string]struct {
		mark, words string
		unknown     bool
	}{
		"other words":                    {marks[1], words + "d", false},
		"another key":                    {marks[2], words, true},
		"another key in the name of one": {name + " " + foreign, words, false},
		"an envelope":                    {string(envelope), words, false},
		"no mark":                        {"", words, false},
		"no mark of nothing":             {"", "", false},
		"a name alone":                   {name, words, false},
		"a mark that was cut":            {marks[1][:len(marks[1])-6], words, false},
	} {
		own, err := Marked(c.mark, c.words, ring)
		if own {
			t.Errorf("%s passes for a mark", what)
		}
		// Of a key that is not there, nobody here can tell.
		if errors.Is(err, ErrWrongKey) != c.unknown {
			t.Errorf("%s: %v", what, err)
		}
	}
}
