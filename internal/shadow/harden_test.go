package shadow

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Two criteria on one item fail in the same words: the commander reads them once.
func TestEqualMessagesAreSaidOnce(t *testing.T) {
	r := &Report{}
	r.Failures = []Failure{{TestName: "sc-01", Message: "a"}, {TestName: "sc-02", Message: "b"}, {TestName: "sc-03", Message: "a"}}
	h := Request(r, &Policy{}, time.Time{})
	want := []Issue{{"issue-1", "a"}, {"issue-2", "b"}}
	if !slices.Equal(h.Issues, want) || strings.Count(h.Text, "\n") != 3 {
		t.Errorf("issues %v\n%s", h.Issues, h.Text)
	}
}
