package shadow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lister is an author that has so many criteria of each category, each with
// an assertion of its own that holds its name.
type lister struct {
	name   string
	has    int
	fail   error
	cut    bool // it reads a part of the specification
	mangle func([]Criterion) []Criterion
}

func (l lister) Ref() AuthorRef { return AuthorRef{Name: l.name, Model: Model{Family: l.name}} }

func (l lister) Write(_ context.Context, d *Decomposition, quota map[Category]int) ([]Criterion, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	var cs []Criterion
	for _, c := range Categories() {
		for i := range min(quota[c], l.has) {
			cs = append(cs, plain(d, c, fmt.Sprintf("%s wants %s%d of %s", l.name, l.name, i, c)))
		}
	}
	if l.mangle != nil {
		cs = l.mangle(cs)
	}
	if l.cut {
		return cs, fmt.Errorf("a test: %w", ErrSpecificationCut)
	}
	return cs, nil
}

// plain is a criterion that asks for a phrase.
func plain(d *Decomposition, c Category, phrase string) Criterion {
	cr := Criterion{Category: c, Assertion: phrase, Expected: "expected: " + phrase, Check: "text.contains('" + phrase + "')", Material: map[string]Material{}}
	for _, dom := range d.Domains {
		cr.Material[dom.Domain] = Material{Message: dom.Domain + ": do it"}
	}
	return cr
}

// filler never runs out.
var filler = lister{name: "filler", has: 50}

func sealBy(d *Decomposition, authors ...Author) (*Envelope, error) {
	return Seal(context.Background(), d, SealInput{Settings: settings(), Authors: authors, Filler: filler, Now: time.Unix(1, 0), Rand: rand.Reader})
}

// wrote counts an envelope's criteria by author.
func wrote(e *Envelope) map[string]int {
	n := map[string]int{}
	for _, c := range e.Criteria {
		n[c.Author]++
	}
	return n
}

// TestShares: at ss-100 there are two criteria of each of four categories.
func TestShares(t *testing.T) {
	a, b, c := lister{name: "a", has: 9}, lister{name: "b", has: 9}, lister{name: "c", has: 9}
	poor, none := lister{name: "poor", has: 1}, lister{name: "none"}
	for name, x := range map[string]struct {
		authors []Author
		want    map[string]int
		notes   int
	}{
		"the filler alone":     {nil, map[string]int{"filler": 8}, 0},
		"the filler listed":    {[]Author{filler}, map[string]int{"filler": 8}, 0},
		"one":                  {[]Author{a}, map[string]int{"a": 8}, 0},
		"two":                  {[]Author{a, b}, map[string]int{"a": 4, "b": 4}, 0},
		"three":                {[]Author{a, b, c}, map[string]int{"a": 3, "b": 3, "c": 2}, 0},
		"with the filler":      {[]Author{filler, a}, map[string]int{"filler": 4, "a": 4}, 0},
		"one with few":         {[]Author{poor}, map[string]int{"poor": 4, "filler": 4}, 0},
		"few and filler":       {[]Author{a, poor, none}, map[string]int{"a": 3, "poor": 3, "filler": 2}, 1},
		"one that has nothing": {[]Author{none}, map[string]int{"filler": 8}, 1},
		"one that fails":       {[]Author{lister{name: "a", fail: errors.New("boom")}, b}, map[string]int{"b": 4, "filler": 4}, 1},
	} {
		e, err := sealBy(decomposition(), x.authors...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(x.want, wrote(e)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(e.Notes) != x.notes {
			t.Errorf("%s: notes %q", name, e.Notes)
		}
		for _, ref := range e.Authors {
			if wrote(e)[ref.Name] == 0 {
				t.Errorf("%s: author %s is disclosed and wrote nothing", name, ref.Name)
			}
		}
		if len(e.Authors) != len(x.want) {
			t.Errorf("%s: authors %+v", name, e.Authors)
		}
	}
}

// TestShareProperty: shares add up to the quota and are even, within each
// category and over all.
func TestShareProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := Categories()[:rapid.IntRange(1, 5).Draw(t, "categories")]
		n, authors := rapid.IntRange(1, 50).Draw(t, "criteria"), rapid.IntRange(1, 7).Draw(t, "authors")
		quota := Quota(n, order)
		shares := share(quota, order, authors)
		sum := map[Category]int{}
		low, high := n, 0
		for i, s := range shares {
			for c, k := range s {
				sum[c] += k
			}
			low, high = min(low, total(s)), max(high, total(s))
			if i > 0 && total(s) > total(shares[i-1]) {
				t.Errorf("author %d gets more than the one listed before", i)
			}
		}
		for _, c := range order {
			least, most := n, 0
			for _, s := range shares {
				least, most = min(least, s[c]), max(most, s[c])
			}
			if most-least > 1 {
				t.Errorf("%s: from %d to %d", c, least, most)
			}
		}
		maps.DeleteFunc(quota, func(_ Category, k int) bool { return k == 0 })
		if diff := cmp.Diff(quota, sum); diff != "" || high-low > 1 {
			t.Errorf("shares from %d to %d, sum:\n%s", low, high, diff)
		}
	})
}

// TestSpecificationCut: criteria of a part of the specification make the run
// advisory, and one that wrote none of them does not.
func TestSpecificationCut(t *testing.T) {
	for has, want := range map[int]bool{0: false, 9: true} {
		e, err := sealBy(decomposition(), lister{name: "a", has: has, cut: true})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(e.Notes, func(n string) bool { return strings.Contains(n, "did not read all of the specification") })
		if e.SpecTruncated != want || told != want {
			t.Errorf("with %d criteria: truncated %v, told %v, want %v: %q", has, e.SpecTruncated, told, want, e.Notes)
		}
	}
}

// TestOutage: an author that can be asked later is asked later, whatever the
// others wrote, and an envelope is never made without it.
func TestOutage(t *testing.T) {
	out := lister{name: "a", fail: fmt.Errorf("asking the model: %w", ErrUnavailable)}
	if _, err := sealBy(decomposition(), lister{name: "b", has: 9}, out); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

// TestUnusable: what an author may not write is left to the filler, and said
// without a word of it.
func TestUnusable(t *testing.T) {
	a := lister{name: "a", has: 9, mangle: func(cs []Criterion) []Criterion {
		cs[0].Check = "text.contains("
		cs[1].Assertion = ""
		m := cs[2].Material["one"]
		m.Message = cs[2].Assertion
		cs[2].Material["one"] = m
		cs[3].Category = Security
		return append(cs, cs[4])
	}}
	e, err := sealBy(decomposition(), a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"a": 4, "filler": 4}, wrote(e)); diff != "" {
		t.Error(diff)
	}
	want := []string{`author "a" gave 4 criteria, and 3 that cannot be used`}
	if diff := cmp.Diff(want, e.Notes); diff != "" {
		t.Error(diff)
	}
}

// advising is a filler that has something to tell.
type advising struct{ scripted }

func (advising) Advise(d *Decomposition, cs []Criterion) []string {
	return []string{fmt.Sprintf("%d for %d domains", len(cs), len(d.Domains))}
}

// TestNotices: what is known of the event, and what the filler advises, stand in
// the envelope and in its commitment, and no other commitment is the envelope's.
func TestNotices(t *testing.T) {
	e, err := Seal(t.Context(), decomposition(), SealInput{Settings: settings(), Filler: advising{}, Notices: []string{"/x: is unknown"}, Now: time.Unix(1, 0), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment()
	if want := []string{"/x: is unknown", "8 for 2 domains"}; !slices.Equal(c.Notices, want) {
		t.Errorf("notices %q, want %q", c.Notices, want)
	}
	if err := e.Verify(&c); err != nil {
		t.Error(err)
	}
	c.Notices = c.Notices[:1]
	if err := e.Verify(&c); !errors.Is(err, ErrSealBroken) {
		t.Errorf("a commitment without one of the notices: %v", err)
	}
}

// TestNoDuplicates: what the filler asks too gives way to it, and what two
// authors ask stands once.
func TestNoDuplicates(t *testing.T) {
	d := decomposition()
	same := func(i int, assertion string) func([]Criterion) []Criterion {
		return func(cs []Criterion) []Criterion { cs[i].Assertion = assertion; return cs }
	}
	a := lister{name: "a", has: 9, mangle: same(0, "Filler wants filler0 of EDGE case!")}
	b := lister{name: "b", has: 9, mangle: same(1, "A wants: a0 of COMPLETENESS!")}
	e, err := sealBy(d, a, b, filler)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Criteria) != 8 || len(e.Notes) != 2 || !strings.Contains(e.Notes[0], `"b" asks what one of "a" asks`) || !strings.Contains(e.Notes[1], `"a" asks what one of "filler" asks`) {
		t.Errorf("%d criteria, notes %q", len(e.Criteria), e.Notes)
	}
	for i := range e.Criteria {
		for k := range i {
			if e.Criteria[i].SameAs(&e.Criteria[k]) {
				t.Errorf("%q and %q are both asked", e.Criteria[i].Assertion, e.Criteria[k].Assertion)
			}
		}
	}
	quota := Quota(8, settings().Categories)
	for _, c := range e.Criteria {
		quota[c.Category]--
	}
	for c, left := range quota {
		if left != 0 {
			t.Errorf("%s: %d are missing", c, left)
		}
	}
}

func TestSameQuestion(t *testing.T) {
	d := decomposition()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The bundle names its risks.", "the bundle names – its risks", true},
		{"The error responses of the API name a status code", "Each error response of the API names its status code", true},
		{"Access tokens expire after 1 hour", "Access tokens expire after 24 hours", false},
		{"The summary of the work has at least 300 words", "The summary of the work has at most 300 words", false},
		{"The plan lists rollback steps for the database", "The plan never lists rollback steps for the database", false},
		{"The plan lists rollback steps for the database", "The plan lists migration steps for the queue", false},
		{"All done", "All said", false},
	} {
		x, y := plain(d, EdgeCase, "x"), plain(d, EdgeCase, "y")
		x.Assertion, y.Assertion = c.a, c.b
		if got := x.SameAs(&y); got != c.same || y.SameAs(&x) != got {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
	x, y := plain(d, EdgeCase, "x"), plain(d, EdgeCase, "y")
	y.Check = "text.contains( 'x')"
	if x.SameAs(&y) {
		t.Error("checks that differ within a word are taken for one")
	}
	x.Check, y.Check = "text.contains(material.a) &&\n\ttrue", "text.contains(material.a) && true"
	if !x.SameAs(&y) {
		t.Error("checks that differ in spaces are taken for two")
	}
	y.Material["one"] = Material{Data: map[string]any{"a": "b"}}
	if x.SameAs(&y) {
		t.Error("checks of other material are taken for one")
	}
}
