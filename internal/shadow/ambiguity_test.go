package shadow

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
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

// says is an author that expects something of requirements, by their ids.
func says(pairs ...any) Author {
	table := map[string]Expectation{}
	for i := 0; i < len(pairs); i += 2 {
		table[pairs[i].(string)] = *pairs[i+1].(*Expectation)
	}
	return scripted{expect: table}
}

// mute is an author that says nothing of the kind.
type mute struct{ Author }

func required() *Decomposition {
	d := decomposition()
	d.Requirements = []Requirement{{"R-1", "Sessions end after a while"}, {"R-2", "Errors have a code"}, {"R-3", "It is fast"}, {"R-4", "It is logged"}}
	return d
}

// sealBy seals by authors with a limit of ambiguity.
func sealBy(d *Decomposition, limit float64, files, authors []Author) (*Envelope, error) {
	s := settings()
	s.AmbiguityMax = limit
	return Seal(context.Background(), d, SealInput{Settings: s, Files: files, Authors: authors, Now: time.Unix(1, 0), Rand: rand.Reader})
}

func TestAmbiguity(t *testing.T) {
	hour, day := figure("1 hour"), figure("1 day")
	for name, c := range map[string]struct {
		authors []Author
		want    string // spec_ambiguity in the report
	}{
		"they agree":          {[]Author{says("R-1", hour), says("R-1", figure("60 min"))}, "0"},
		"they contradict":     {[]Author{says("R-1", hour), says("R-1", day)}, "0.25"},
		"of three, two":       {[]Author{says("R-1", hour), says("R-2", day), says("R-1", day)}, "0.25"},
		"two requirements":    {[]Author{says("R-1", hour, "R-3", present(true)), says("R-1", day, "R-3", present(false))}, "0.5"},
		"other requirements":  {[]Author{says("R-1", hour), says("R-2", day)}, "0"},
		"another kind":        {[]Author{says("R-1", hour), says("R-1", figure("3 rows"))}, "0"},
		"nothing comparable":  {[]Author{says("R-1", hour), says("R-1", figure("soon"))}, "0"},
		"unknown requirement": {[]Author{says("R-9", hour), says("R-9", day)}, "0"},
		"one author":          {[]Author{says("R-1", hour)}, ""},
		"one says nothing":    {[]Author{says("R-1", hour), says()}, ""},
		"one cannot say":      {[]Author{says("R-1", hour), mute{scripted{}}}, ""},
	} {
		e, err := sealBy(required(), 1, nil, c.authors)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := examOf(t, e).Decide(evidence(0, 0), nil, time.Time{})
		if got := r.Report.SpecAmbiguity; string(got) != c.want {
			t.Errorf("%s: ambiguity %q, want %q", name, got, c.want)
		}
		raw, err := json.Marshal(r)
		if err != nil || strings.Contains(string(raw), "spec_ambiguity") != (c.want != "") {
			t.Errorf("%s: %v, %s", name, err, raw)
		}
	}
	// A file and an author contradict each other as two authors do.
	if e, err := sealBy(required(), 1, []Author{mute{fileOf{}}, fileOf{says("R-1", hour).(scripted)}}, []Author{says("R-1", day)}); err != nil || len(e.Ambiguity.Disputed) != 1 {
		t.Errorf("a file: %+v, %v", e, err)
	}
	// Without requirements nothing can be said.
	if e, err := sealBy(decomposition(), 1, nil, []Author{says("R-1", hour), says("R-1", day)}); err != nil || e.Ambiguity != nil {
		t.Errorf("without requirements: %+v, %v", e, err)
	}
}

// fileOf is an author that writes nothing.
type fileOf struct{ scripted }

func (fileOf) Write(context.Context, *Order) (map[string]Draft, error) { return nil, nil }

// TestReaderFails: an author that does not say what it expects is noted, and
// takes nothing from what others say.
func TestReaderFails(t *testing.T) {
	e, err := sealBy(required(), 1, nil, []Author{says("R-1", figure("1 hour")), broken{}, says("R-1", figure("1 day"))})
	if err != nil || len(e.Ambiguity.Disputed) != 1 {
		t.Fatalf("%+v, %v", e, err)
	}
	if want := `author "scripted" does not say what it expects of the requirements: no reply`; !slices.Contains(e.Notes, want) {
		t.Errorf("notes %q", e.Notes)
	}
}

type broken struct{ scripted }

func (broken) Expect(context.Context, *Decomposition) (map[string]Expectation, error) {
	return nil, errors.New("no reply")
}

// TestAmbiguityGate: beyond the limit the decomposition is refused, in words
// that are its own.
func TestAmbiguityGate(t *testing.T) {
	d := required()
	d.Requirements[0].Text = "Sessions  end\nafter " + strings.Repeat("a long ", 50)
	for limit, refused := range map[float64]bool{0: true, 0.2: true, 0.25: false, 1: false} {
		_, err := sealBy(d, limit, nil, []Author{says("R-1", figure("1 hour")), says("R-1", figure("24 hours"))})
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

// TestDisputedProperty: whoever is asked first, the same is disputed.
func TestDisputedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []*Expectation{figure("1 h"), figure("60 min"), figure("2 h"), atMost("90 min"), present(true), present(false), oneOf("a", "b"), oneOf("c"), figure("soon")}
		var tables []map[string]Expectation
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			table := map[string]Expectation{}
			for _, id := range []string{"R-1", "R-2"} {
				if rapid.Bool().Draw(t, "says") {
					table[id] = *rapid.SampledFrom(kinds).Draw(t, "expects")
				}
			}
			tables = append(tables, table)
		}
		back := slices.Clone(tables)
		slices.Reverse(back)
		for _, id := range []string{"R-1", "R-2"} {
			if disputed(id, tables) != disputed(id, back) {
				t.Errorf("%s of %v is disputed in one order", id, tables)
			}
		}
	})
}
