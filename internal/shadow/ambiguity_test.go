package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func figure(s string) *Expectation  { return &Expectation{AtLeast: s, AtMost: s} }
func atMost(s string) *Expectation  { return &Expectation{AtMost: s} }
func atLeast(s string) *Expectation { return &Expectation{AtLeast: s} }
func oneOf(s ...string) *Expectation {
	return &Expectation{OneOf: s}
}

func TestExpectations(t *testing.T) {
	for _, c := range []struct {
		a, b  *Expectation
		apart bool
	}{
		{figure("1 hour"), figure("60 minutes"), false},
		{figure("1 hour"), figure("24 h"), true},
		{figure("1 hour"), figure("1"), false},
		{figure("5 attempts"), figure("3 attempts"), true},
		{figure("5 attempts"), figure("3 sessions"), false},
		{figure("99.9 %"), figure("99.99%"), true},
		{figure("10 requests per second"), figure("600 requests/minute"), false},
		{figure("0"), atLeast("1"), true},
		{atMost("200 ms"), atLeast("1 s"), true},
		{atMost("1 s"), atLeast("200 ms"), false},
		{&Expectation{AtLeast: "3", AtMost: "5"}, figure("6"), true},
		{&Expectation{AtLeast: "3", AtMost: "5"}, &Expectation{AtLeast: "5", AtMost: "9"}, false},
		{oneOf("401", "403"), oneOf("403", "404"), false},
		{oneOf("401"), oneOf("403"), true},
		{oneOf("Not found"), oneOf("not-found"), false},
		{oneOf("present"), oneOf("absent"), true},
		{oneOf("401"), figure("403"), false},
	} {
		for _, pair := range [][2]*Expectation{{c.a, c.b}, {c.b, c.a}} {
			if !pair[0].Comparable() || pair[0].excludes(pair[1]) != c.apart || pair[0].excludes(pair[0]) {
				t.Errorf("%+v and %+v: want apart %v", pair[0], pair[1], c.apart)
			}
		}
	}
	for _, e := range []*Expectation{{}, figure("soon"), {AtMost: "2", OneOf: []string{"a"}}, oneOf("a", " "), {AtLeast: "5", AtMost: "3"}, {AtLeast: "5 s", AtMost: "9 rows"}, atMost("-")} {
		if e.Comparable() {
			t.Errorf("%+v passes", e)
		}
	}
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

// broken does not say what it expects.
type broken struct{ scripted }

func (broken) Expect(context.Context, *Decomposition) (map[string]Expectation, error) {
	return nil, errors.New("no reply")
}

func TestAmbiguity(t *testing.T) {
	required := decomposition()
	required.Requirements = []Requirement{{"R-1", "Sessions end after a while"}, {"R-2", "Errors have a code"}, {"R-3", "It is fast"}, {"R-4", "It is logged"}}
	hour, day := figure("1 hour"), figure("1 day")
	for name, c := range map[string]struct {
		d       *Decomposition
		authors []Author
		want    string // spec_ambiguity in the report
	}{
		"they agree":          {required, []Author{says("R-1", hour), says("R-1", figure("60 min"))}, "0"},
		"they contradict":     {required, []Author{says("R-1", hour), says("R-1", day)}, "0.25"},
		"of three, two":       {required, []Author{says("R-1", day), says("R-2", day), says("R-1", hour)}, "0.25"},
		"two requirements":    {required, []Author{says("R-1", hour, "R-3", oneOf("present")), says("R-1", day, "R-3", oneOf("absent"))}, "0.5"},
		"other requirements":  {required, []Author{says("R-1", hour), says("R-2", day)}, "0"},
		"nothing comparable":  {required, []Author{says("R-1", hour), says("R-1", figure("soon"))}, "0"},
		"unknown requirement": {required, []Author{says("R-9", hour), says("R-9", day)}, "0"},
		"one author":          {required, []Author{says("R-1", hour)}, ""},
		"one says nothing":    {required, []Author{says("R-1", hour), says()}, ""},
		"one cannot say":      {required, []Author{says("R-1", hour), mute{scripted{}}}, ""},
		"one fails":           {required, []Author{says("R-1", hour), broken{}, says("R-1", day)}, "0.25"},
		"no requirements":     {decomposition(), []Author{says("R-1", hour), says("R-1", day)}, ""},
	} {
		e := mustSeal(t, c.d, settings(), c.authors...)
		r := e.Exam().Decide(evidence(0, 0), nil, time.Time{})
		raw, err := json.Marshal(r)
		if got := r.Report.SpecAmbiguity; err != nil || string(got) != c.want || strings.Contains(string(raw), "spec_ambiguity") != (c.want != "") {
			t.Errorf("%s: ambiguity %q, want %q, in %s, %v", name, got, c.want, raw, err)
		}
		note := `author "scripted" does not say what it expects of the requirements: no reply`
		if slices.Contains(e.Notes, note) != (name == "one fails") {
			t.Errorf("%s: notes %q", name, e.Notes)
		}
	}
}
