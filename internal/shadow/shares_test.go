package shadow

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSharesTold: who wrote what, and what others wrote in their place.
func TestSharesTold(t *testing.T) {
	a, b := lister{name: "a", has: 9}, lister{name: "b", has: 9}
	poor, fails := lister{name: "poor", has: 1}, lister{name: "fails", fail: errors.New("boom")}
	for name, x := range map[string]struct {
		authors []Author
		want    []Share
	}{
		"the filler alone":  {nil, []Share{{"filler", 8, 0}}},
		"the filler listed": {[]Author{filler, a}, []Share{{"a", 4, 0}, {"filler", 4, 0}}},
		"two":               {[]Author{a, b}, []Share{{"a", 4, 0}, {"b", 4, 0}, {"filler", 0, 0}}},
		"few and none":      {[]Author{a, poor, fails}, []Share{{"a", 3, 0}, {"poor", 3, 0}, {"fails", 0, 2}, {"filler", 2, 0}}},
		"one with few":      {[]Author{poor}, []Share{{"poor", 4, 4}, {"filler", 4, 0}}},
	} {
		e, err := sealBy(decomposition(), x.authors...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(x.want, e.Shares(x.authors, filler)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What an author that fails leaves to others is its share as it was dealt.
func TestSharesAreAsDealt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := Categories()[:rapid.IntRange(1, 5).Draw(t, "categories")]
		n := rapid.IntRange(1, 50).Draw(t, "criteria")
		var authors []Author
		for i := range rapid.IntRange(1, 7).Draw(t, "authors") {
			authors = append(authors, lister{name: fmt.Sprint("a", i)})
		}
		e := &Envelope{Criteria: make([]Criterion, n)}
		told := e.Shares(authors, filler)
		for i, part := range share(Quota(n, order), order, len(authors)) {
			if told[i].Short != total(part) {
				t.Errorf("author %d is short of %d, its share is %d", i, told[i].Short, total(part))
			}
		}
	})
}
