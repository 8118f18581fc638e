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
