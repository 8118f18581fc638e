package input

import (
	"strings"
	"testing"
)

// TestByteOrderMark: what some editors put before a file of events is no part of it.
func TestByteOrderMark(t *testing.T) {
	got, err := Decompositions("-", strings.NewReader("\ufeff"+`{"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}`))
	if err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// Whatever a file holds, reading it ends in decompositions or in an error that
// names the file.
func FuzzDecompositions(f *testing.F) {
	for _, seed := range []string{
		`{"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}`,
		`{"nats_subject": "s", "event": {"specversion": "1.0", "id": "1", "source": "/n", "type": "dev.swarmspeed.decomposition-done.v1", "data": {"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}}}`,
		`{"event": 5}`, `{"specversion": "1.0"}`, `[]`, `null`, "\n\n{", `{"event": null}`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Decompositions("-", strings.NewReader(text))
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), "standard input") {
				t.Errorf("the error does not name the file: %v", err)
			}
		case len(got) == 0:
			t.Error("neither a decomposition nor an error")
		}
	})
}
