package render

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestInspect: the log keeps the part of Inspect's schema that is written, which
// allows no other field, and counts as the reports do.
func TestInspect(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/inspect.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, document := range documents {
		d := document()
		var b bytes.Buffer
		if err := writeInspect(&b, d); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log struct {
			Status string
			Eval   struct {
				Metadata struct{ Subjects []struct{ Advisory string } }
			}
			Samples []struct {
				ID     string
				Target string
				Scores struct{ Shadow struct{ Value string } }
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		got, want, pending := map[string]int{}, map[string]int{}, false
		for _, s := range log.Samples {
			got[s.Scores.Shadow.Value]++
			if v := s.Scores.Shadow.Value; v != "N" && (v == "C") != (s.Target == "") {
				t.Errorf("%s: %s is %s with target %q", name, s.ID, s.Scores.Shadow.Value, s.Target)
			}
		}
		for i := range d.Subjects {
			s := &d.Subjects[i]
			pending = pending || s.Pending()
			if log.Eval.Metadata.Subjects[i].Advisory != s.Advisory() {
				t.Errorf("%s: %q is advisory, want %q", s.Name, log.Eval.Metadata.Subjects[i].Advisory, s.Advisory())
			}
			if s.Swarm == nil || s.Swarm.SealBroken != "" {
				continue
			}
			want["C"] += s.Score.SealedTests.Passed - len(s.Swarm.UnreadCriteria)
			want["N"] += len(s.Swarm.Undecided) + len(s.Swarm.UnreadCriteria)
			want["I"] += s.Score.SealedTests.Failed - len(s.Swarm.Undecided)
		}
		for value, n := range want {
			if n == 0 {
				delete(want, value)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reports +log)\n%s", name, diff)
		}
		if (log.Status == "started") != pending {
			t.Errorf("%s: status %s, a fix is awaited: %v", name, log.Status, pending)
		}
	}
}
