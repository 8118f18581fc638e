package input

import (
	"strings"
	"testing"
)

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
