package shadow

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func figure(s string) *Expectation  { return &Expectation{Number: s} }
func atMost(s string) *Expectation  { return &Expectation{AtMost: s} }
func atLeast(s string) *Expectation { return &Expectation{AtLeast: s} }
func oneOf(s ...string) *Expectation {
	return &Expectation{OneOf: s}
}
func present(b bool) *Expectation { return &Expectation{Present: &b} }

func TestExpectations(t *testing.T) {
	const apart, agree, other = "incompatible", "compatible", "not alike"
	for _, c := range []struct {
		a, b *Expectation
		want string
	}{
		{figure("1 hour"), figure("60 minutes"), agree},
		{figure("1 hour"), figure("24 h"), apart},
		{figure("1 hour"), figure("1"), other},
		{figure("5 attempts"), figure("5 attempt"), agree},
		{figure("5 attempts"), figure("3 attempts"), apart},
		{figure("5 attempts"), figure("3 sessions"), other},
		{figure("1,000 rows"), figure("1000 rows"), agree},
		{figure("1 year"), figure("12 months"), agree},
		{figure("1 year"), figure("14 months"), apart},
		{figure("99.9 %"), figure("99.99%"), apart},
		{figure("1 GB"), figure("1024 MiB"), agree},
		{figure("10 requests per second"), figure("600 requests/minute"), agree},
		{figure("10 requests per second"), figure("10 requests a minute"), apart},
		{figure("0 errors"), figure("0 errors"), agree},
		{figure("0"), atLeast("1"), apart},
		{atMost("200 ms"), figure("0.2 s"), agree},
		{atMost("200 ms"), figure("1 s"), apart},
		{atMost("200 ms"), atLeast("1 s"), apart},
		{atMost("1 s"), atLeast("200 ms"), agree},
		{atMost("200 ms"), atMost("1 s"), agree},
		{&Expectation{AtLeast: "3", AtMost: "5"}, figure("6"), apart},
		{&Expectation{AtLeast: "3", AtMost: "5"}, &Expectation{AtLeast: "5", AtMost: "9"}, agree},
		{oneOf("401", "403"), oneOf("403", "404"), agree},
		{oneOf("401"), oneOf("403"), apart},
		{oneOf("Not found"), oneOf("not-found"), agree},
		{oneOf("401", "403"), figure("403"), agree},
		{oneOf("401", "403"), figure("404"), apart},
		{oneOf("401", "403"), atLeast("500"), apart},
		{oneOf("401", "denied"), figure("404"), other},
		{present(true), present(true), agree},
		{present(true), present(false), apart},
		{present(true), figure("5"), other},
		{present(false), oneOf("x"), other},
	} {
		for _, pair := range [][2]*Expectation{{c.a, c.b}, {c.b, c.a}} {
			if err := pair[0].Check(); err != nil {
				t.Errorf("%+v: %v", pair[0], err)
			}
			alike, incompatible := pair[0].compare(pair[1])
			got := map[[2]bool]string{{true, true}: apart, {true, false}: agree, {false, false}: other}[[2]bool{alike, incompatible}]
			if got != c.want {
				t.Errorf("%+v and %+v are %s, want %s", pair[0], pair[1], got, c.want)
			}
		}
	}
	for _, e := range []*Expectation{{}, {Number: "soon"}, {Number: "1", AtMost: "2"}, {OneOf: []string{"a", " "}}, {AtLeast: "5", AtMost: "3"}, {AtLeast: "5 s", AtMost: "9 rows"}, {Number: "-"}} {
		if e.Check() == nil {
			t.Errorf("%+v passes", e)
		}
	}
}

// FuzzFigures: reading a figure never fails badly, and what is read agrees
// with itself.
func FuzzFigures(f *testing.F) {
	for _, s := range []string{"1 hour", "5", "-3.5 %", "10 requests per second", "1,000,000 rows / day", "9 / 0", "1e9", "٣ hours", "0 a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := figure(s)
		if e.Check() != nil {
			return
		}
		if alike, incompatible := e.compare(figure(s)); !alike || incompatible {
			t.Errorf("%q contradicts itself", s)
		}
	})
}

// says makes an author ask of a requirement what can be compared, once for
// each expectation.
func says(name, requirement string, expects ...*Expectation) lister {
	return lister{name: name, has: 9, mangle: func(cs []Criterion) []Criterion {
		for i, e := range expects {
			cs[i].Requirements, cs[i].Expects = []string{requirement}, e
		}
		return cs
	}}
}

func required() *Decomposition {
	d := decomposition()
	d.Requirements = []Requirement{{"R-1", "Sessions end after a while"}, {"R-2", "Errors have a code"}, {"R-3", "It is fast"}, {"R-4", "It is logged"}}
	return d
}

func TestAmbiguity(t *testing.T) {
	hour, day, fast := figure("1 hour"), figure("1 day"), atMost("200 ms")
	rich := lister{name: "rich", has: 9}
	for name, c := range map[string]struct {
		authors []Author
		want    string // spec_ambiguity in the report
		left    int    // criteria of a and b; of eight each has four, and the filler none unless asked
	}{
		"they agree":            {[]Author{says("a", "R-1", hour), says("b", "R-1", figure("60 min"))}, "0", 8},
		"they contradict":       {[]Author{says("a", "R-1", hour), says("b", "R-1", day)}, "0.25", 6},
		"other requirements":    {[]Author{says("a", "R-1", hour), says("b", "R-2", day)}, "0", 8},
		"one says more":         {[]Author{says("a", "R-1", hour, fast), says("b", "R-1", hour)}, "0", 8},
		"both say two":          {[]Author{says("a", "R-1", hour, fast), says("b", "R-1", fast, hour)}, "0", 8},
		"one of two":            {[]Author{says("a", "R-1", hour, figure("3 rows")), says("b", "R-1", hour, figure("4 rows"))}, "0.25", 6},
		"an author with itself": {[]Author{says("a", "R-1", hour, day), rich}, "", 4},
		"unknown requirement":   {[]Author{says("a", "R-9", hour), says("b", "R-9", day)}, "0", 6},
		"one author":            {[]Author{says("a", "R-1", hour, day)}, "", 8},
		"the filler":            {[]Author{says("a", "R-1", hour), says("filler", "R-1", day)}, "0.25", 3},
	} {
		s := settings()
		s.AmbiguityMax = 1
		in := SealInput{Settings: s, Authors: c.authors, Filler: filler, Now: time.Unix(1, 0), Rand: rand.Reader}
		if name == "the filler" {
			in.Filler = c.authors[1]
		}
		e, err := Seal(context.Background(), required(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := examOf(t, e).Decide(evidence(0, 0), nil, time.Time{})
		if got := r.Report.SpecAmbiguity; string(got) != c.want {
			t.Errorf("%s: ambiguity %q, want %q", name, got, c.want)
		}
		if n := wrote(e)["a"] + wrote(e)["b"]; n != c.left || len(e.Criteria) != 8 {
			t.Errorf("%s: %d of %d criteria are theirs, want %d; notes %q", name, n, len(e.Criteria), c.left, e.Notes)
		}
		raw, err := json.Marshal(r)
		if err != nil || strings.Contains(string(raw), "spec_ambiguity") != (c.want != "") {
			t.Errorf("%s: %v, %s", name, err, raw)
		}
	}
	// Without requirements nothing can be said.
	if e, err := sealBy(decomposition(), says("a", "R-1", hour), says("b", "R-1", day)); err != nil || e.Ambiguity != nil {
		t.Errorf("without requirements: %+v, %v", e, err)
	}
}

// TestSameWordsOtherFigure: criteria that say the same and expect something
// else are a contradiction, not a duplicate.
func TestSameWordsOtherFigure(t *testing.T) {
	same := func(a lister) lister {
		inner := a.mangle
		a.mangle = func(cs []Criterion) []Criterion {
			cs = inner(cs)
			cs[0].Assertion = "Sessions end in time"
			return cs
		}
		return a
	}
	s := settings()
	s.AmbiguityMax = 1
	e, err := Seal(context.Background(), required(), SealInput{Settings: s, Authors: []Author{same(says("a", "R-1", figure("1 h"))), same(says("b", "R-1", figure("2 h")))},
		Filler: filler, Now: time.Unix(1, 0), Rand: rand.Reader})
	if err != nil || len(e.Ambiguity.Disputed) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestAmbiguityGate: beyond the limit the decomposition is refused, in words
// that are its own.
func TestAmbiguityGate(t *testing.T) {
	d := required()
	d.Requirements[0].Text = "Sessions  end\nafter " + strings.Repeat("a long ", 50)
	a, b := says("a", "R-1", figure("1 hour")), says("b", "R-1", figure("24 hours"))
	for limit, refused := range map[float64]bool{0: true, 0.2: true, 0.25: false, 1: false} {
		s := settings()
		s.AmbiguityMax = limit
		_, err := Seal(context.Background(), d, SealInput{Settings: s, Authors: []Author{a, b}, Filler: filler, Now: time.Unix(1, 0), Rand: rand.Reader})
		if (err != nil) != refused {
			t.Errorf("limit %v: %v", limit, err)
		}
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), `1 of 4 requirements`) || !strings.Contains(err.Error(), `"R-1" (Sessions end after a long`) {
			t.Errorf("limit %v: %v", limit, err)
		}
		for _, secret := range []string{"hour", "24", "wants", "expected", `"a"`, `"b"`} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the refusal tells %q: %v", secret, err)
			}
		}
		if len(err.Error()) > 500 {
			t.Errorf("the refusal has %d bytes", len(err.Error()))
		}
	}
}

// TestDisputesProperty: whoever is asked first, the same is disputed.
func TestDisputesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []*Expectation{figure("1 h"), figure("60 min"), figure("2 h"), atMost("90 min"), present(true), present(false), oneOf("a", "b"), oneOf("c"), nil}
		var cs []Criterion
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			cs = append(cs, Criterion{
				Author:       rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "author"),
				Requirements: []string{rapid.SampledFrom([]string{"R-1", "R-2"}).Draw(t, "requirement")},
				Expects:      rapid.SampledFrom(kinds).Draw(t, "expects"),
			})
		}
		parties, ids := disputes(cs)
		var back []Criterion
		for i := range cs {
			back = append(back, cs[len(cs)-1-i])
		}
		otherParties, otherIDs := disputes(back)
		if strings.Join(ids, " ") != strings.Join(otherIDs, " ") {
			t.Errorf("disputed %v, and in another order %v", ids, otherIDs)
		}
		for i := range cs {
			if parties[i] != otherParties[len(cs)-1-i] {
				t.Errorf("criterion %d: %v, and in another order not", i, parties[i])
			}
		}
		if (len(parties) > 0) != (len(ids) > 0) || len(parties) == 1 {
			t.Errorf("parties %v, ids %v", parties, ids)
		}
	})
}
