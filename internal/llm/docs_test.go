package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestEndpointDocumented: docs/judging.md shows the request that goes out, but
// for its texts, and an answer that is a vote.
func TestEndpointDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/judging.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json endpoint\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples, want a request and an answer", len(blocks))
	}
	synctest.Test(t, func(t *testing.T) {
		var got, want request
		c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			answerWith(200, string(blocks[1][1]))(w, r)
		}), func(cfg *Config) { cfg.Model = "my-model" })
		v, err := NewJudge("strict", c).Vote(t.Context(), question("Beyond its limit, a key gets 429."))
		if err != nil || v.Outcome != shadow.Passed || v.Tokens != 2500 {
			t.Errorf("the answer is %+v, error %v", v, err)
		}
		d := json.NewDecoder(bytes.NewReader(blocks[0][1]))
		d.DisallowUnknownFields()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		for i := range got.Messages {
			got.Messages[i].Content = "…"
		}
		got.ResponseFormat.Schema.Schema = json.RawMessage("{}")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the request (-page +sent)\n%s", diff)
		}
	})
}
